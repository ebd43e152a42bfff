"""Renders a report as one HTML page. It holds no script and loads nothing; every value is escaped."""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from hpaaudit.model.account import HpaAccount, ReconcileAccount, ReplayAccount
from hpaaudit.model.counted import counted
from hpaaudit.model.report import Report
from hpaaudit.report.codes import VERDICTS, WORDS, codes_in
from hpaaudit.report.explain import explain_text
from hpaaudit.report.replay import (
    IN_FULL,
    certainty_lines,
    change_rows,
    clock_of,
    count_lines,
    finding_lines,
    verdict,
)
from hpaaudit.report.svg import picture
from hpaaudit.report.table import cell
from hpaaudit.report.text import pasteable, printable, stamp
from hpaaudit.report.timeline import numbered
from hpaaudit.version import VERSION

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

_FOLDER = "report/page"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    """What the page shows of one HPA; every text is plain."""

    title: str
    verdict: str
    findings: list[str]
    picture: "Markup | str"
    changes: list[list[str]]
    more: str
    counts: list[str]
    explanations: list[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """An HPA in the table of all."""

    name: str
    numbers: list[int]
    verdict: str


def page(report: Report) -> str:
    """The whole page."""
    account = report.account
    style = _text("page.css")
    sections = [_section(hpa, number, report) for number, hpa in enumerate(account.hpas[:IN_FULL], 1)]
    is_fleet = len(account.hpas) > IN_FULL
    shown = "\n".join(
        text
        for section in sections
        for text in (*(cells[-1] for cells in section.changes), *(text for _, text in section.explanations))
    )
    return _template().render(
        title=_title(account),
        span=_span(account),
        version=VERSION,
        style=_markup(style),
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        hpas=sections,
        rows=[_row(hpa, account) for hpa in account.hpas] if is_fleet else [],
        totals=_totals(account),
        words=[(code, WORDS[code]) for code in (*codes_in(shown), *_verdicts(account)) if code in WORDS],
        certainty=[_unwrapped(line) for line in certainty_lines(account)],
        commands=_commands(account),
    )


def _section(hpa: HpaAccount, number: int, report: Report) -> _Section:
    account = report.account
    clock = clock_of(account)
    rows = change_rows(hpa.changes, clock)
    numbers = numbered(len(rows))
    drawn = next((one for one in account.timelines if (one.namespace, one.name) == (hpa.namespace, hpa.name)), None)
    explained = [one for one in report.explanations if (one.namespace, one.name) == (hpa.namespace, hpa.name)]
    return _Section(
        title=printable(f"{hpa.namespace}/{hpa.name}" + (f" → {hpa.target}" if hpa.target else "")),
        verdict=printable(verdict(hpa, clock)),
        findings=[_unwrapped(line) for line in finding_lines(hpa.findings, clock)],
        picture="" if drawn is None else _markup(picture(drawn, [at_us for at_us, _ in rows], f"picture{number}")),
        changes=[[mark, *map(cell, cells)] for mark, (_, cells) in zip(numbers, rows, strict=False)],
        more=_more(len(rows) - len(numbers), account),
        counts=[_unwrapped(line) for line in count_lines(hpa)],
        explanations=[(_summary(one), explain_text(one)) for one in explained],
    )


def _more(rows: int, account: ReplayAccount) -> str:
    return f"{counted(rows, 'more change')}: hpaaudit query {pasteable(account.file)} what_happened" if rows > 0 else ""


def _summary(account: ReconcileAccount) -> str:
    """The first line of an explanation."""
    return explain_text(account).partition("\n")[0]


def _row(hpa: HpaAccount, account: ReplayAccount) -> _Row:
    return _Row(
        name=printable(f"{hpa.namespace}/{hpa.name}"),
        numbers=[
            hpa.reconciles,
            hpa.match,
            hpa.skew,
            hpa.divergent,
            hpa.undecidable,
            len(hpa.changes),
            len(hpa.foreign_writes),
        ],
        verdict=printable(verdict(hpa, clock_of(account))),
    )


def _title(account: ReplayAccount) -> str:
    if len(account.hpas) == 1:
        return printable(f"{account.hpas[0].namespace}/{account.hpas[0].name}: what its HPA did, and why")
    return printable(f"{counted(len(account.hpas), 'HPA')}: what they did, and why")


def _span(account: ReplayAccount) -> str:
    return printable(
        f"{account.recording}, {stamp(account.started_us)} to {stamp(account.ended_us)} (UTC), "
        f"replayed as Kubernetes {account.release}"
    )


def _totals(account: ReplayAccount) -> str:
    reconciles = counted(sum(hpa.reconciles for hpa in account.hpas), "reconcile")
    match = sum(hpa.match for hpa in account.hpas)
    return f"{counted(len(account.hpas), 'HPA')}, {reconciles}, of which {match} match."


def _verdicts(account: ReplayAccount) -> Iterator[str]:
    for name in VERDICTS:
        if name != "match" and any(getattr(hpa, name) for hpa in account.hpas):
            yield name


def _commands(account: ReplayAccount) -> str:
    recording, file = pasteable(account.recording), pasteable(account.file)
    lines: Sequence[str] = (
        f"hpaaudit verify   {recording}   # that it is whole and unchanged",
        f"hpaaudit replay   {recording}   # with hpaaudit {VERSION}",
        f"hpaaudit query    {file} what_happened",
    )
    return "\n".join(lines)


def _unwrapped(text: str) -> str:
    return " ".join(text.split())


def _markup(text: str) -> "Markup":
    """Text that is HTML already: our own style, and pictures that escape what they show."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704


def _text(name: str) -> str:
    return (files("hpaaudit") / _FOLDER / name).read_text("utf-8")


@lru_cache(maxsize=1)
def _template() -> "Template":
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_text("page.html.j2"))
