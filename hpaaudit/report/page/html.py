"""Renders a report as one HTML page. It loads nothing, runs only scripts of this package, and escapes every value."""

import base64
import hashlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from hpaaudit.model.account import HpaAccount, ReconcileAccount, ReplayAccount
from hpaaudit.model.counted import counted
from hpaaudit.model.report import Report
from hpaaudit.model.timeline import MarkKind, Timeline
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.report.codes import TERMS, VERDICTS, WORDS, codes_in
from hpaaudit.report.explain import explain_text
from hpaaudit.report.fleet import fleet_headline, worst_finding
from hpaaudit.report.replay import (
    IN_FULL,
    assumed,
    change_rows,
    clock_of,
    count_lines,
    finding_lines,
    life_of,
    timeline_of,
    title_of,
    unseen_lines,
)
from hpaaudit.report.settings import replaying_commands, what_if_words
from hpaaudit.report.shown import shown
from hpaaudit.report.svg import picture
from hpaaudit.report.text import Clock, pasteable, releases_in_turn, stamp
from hpaaudit.report.text_table import cell
from hpaaudit.report.timeline import blanks, lettered, pin_numbers, words_of_mark
from hpaaudit.report.verdict import verdict
from hpaaudit.version import VERSION

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

_FOLDER = "report/page"

ROWS_OF_FLEET = 4
"""So many changes of an HPA are listed that a fleet's page does not describe in full; its charts show all."""

LONGEST = 2000
"""So many characters of a sentence or a message are shown."""


SCRIPTS = ("words", "unpack", "absences", "explain", "plot", "pins", "charts", "fleet", "start")
"""Our scripts, in the order in which one uses the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """A row of the table of changes, and the pin of its number. `anchor` is the explanation that it leads to."""

    number: str
    at: float
    kind: str
    title: str
    anchor: str
    cells: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    """What happened besides: an edit, a rollout, a restart, a gap. Its pin has a letter; later ones have none."""

    letter: str
    at: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    """What the page shows of one HPA; every text is plain."""

    name: str
    title: str
    file: str
    moment: float
    verdict: str
    findings: list[str]
    picture: "Markup | str"
    packed: str
    blanks: list[str]
    changes: list[_Change]
    more: str
    events: list[_Event]
    counts: list[str]
    explanations: list[tuple[str, str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """An HPA in the table of all."""

    name: str
    numbers: list[int]
    finding: str


def page(report: Report) -> str:
    """The whole page."""
    account = report.account
    is_fleet = len(account.hpas) > IN_FULL
    sections = [
        _section(hpa, number, report, ROWS_OF_FLEET if is_fleet and number > IN_FULL else None)
        for number, hpa in enumerate(account.hpas, 1)
    ]
    shown_words = "\n".join(
        text
        for section in sections
        for text in (*(change.cells[-1] for change in section.changes), *(told[-1] for told in section.explanations))
    )
    styles = [_text(name) for name in ("uplot/uPlot.min.css", "page.css", "picture.css", "charts.css")]
    scripts = [_text("uplot/uPlot.iife.min.js"), our_script()] if report.packed else []
    return _template().render(
        title=_title(account),
        span=_span(account),
        what_if=shown(what_if_words(account.options), LONGEST) if account.options else "",
        headline=_headline(account),
        version=VERSION,
        policy=_policy(styles, scripts),
        styles=[_markup(style) for style in styles],
        scripts=[_markup(script) for script in scripts],
        hpas=sections,
        rows=[_row(hpa) for hpa in account.hpas] if is_fleet else [],
        terms=list(TERMS.items()),
        words=[(code, WORDS[code]) for code in _codes(account, shown_words) if code in WORDS],
        unseen=[shown(_unwrapped(line), LONGEST) for line in unseen_lines(account)],
        assumptions=[tuple(map(shown, (one.key, one.value, one.source))) for one in assumed(account)],
        commands=_commands(account),
    )


def our_script() -> str:
    """Our scripts as one, which leaves no name behind."""
    bodies = "\n".join(_text(f"scripts/{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{bodies}}})();\n'


def _policy(styles: Sequence[str], scripts: Sequence[str]) -> str:
    """Nothing is loaded, and nothing runs but these very texts."""
    allowed = [
        f"{kind} {' '.join(map(_hash, texts))}"
        for kind, texts in (("style-src", styles), ("script-src", scripts))
        if texts
    ]
    return "; ".join(["default-src 'none'", *allowed, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _section(hpa: HpaAccount, number: int, report: Report, most_rows: int | None) -> _Section:
    account = report.account
    clock = clock_of(account)
    key = (hpa.namespace, hpa.name)
    rows = change_rows(hpa.changes, clock)
    numbers = pin_numbers(len(rows))[:most_rows]
    drawn = timeline_of(hpa, account)
    explained = [one for one in report.explanations if (one.namespace, one.name) == key]
    reconciled = [point.at_us for one in account.timelines if (one.namespace, one.name) == key for point in one.points]
    name = shown(f"{hpa.namespace}/{hpa.name}")
    return _Section(
        name=name,
        title=shown(title_of(hpa, "→")) + life_of(hpa, clock),
        file=shown(pasteable(account.file)),
        moment=(account.ended_us if hpa.moment_us is None else hpa.moment_us) / SECOND,
        verdict=shown(verdict(hpa, clock), LONGEST),
        findings=[shown(_unwrapped(line), LONGEST) for line in finding_lines(hpa.findings, clock)],
        picture="" if drawn is None else _markup(picture(drawn, [at_us for at_us, _ in rows], f"picture{number}")),
        packed="" if drawn is None else report.packed.get(key, ""),
        blanks=[] if drawn is None else [shown(words, LONGEST) for words in blanks(drawn.points)],
        changes=[
            _change(
                mark,
                at_us,
                cells,
                _last_until(at_us, reconciled),
                [(one.at_us, f"hpa{number}-{one.reconcile_id}") for one in explained],
            )
            for mark, (at_us, cells) in zip(numbers, rows, strict=False)
        ],
        more=_more(len(rows) - len(numbers), account),
        events=[] if drawn is None else [*_events(drawn, clock)],
        counts=[shown(_unwrapped(line), LONGEST) for line in count_lines(hpa)],
        explanations=[
            (f"hpa{number}-{one.reconcile_id}", shown(_summary(one), LONGEST), _told(one)) for one in explained
        ],
    )


def _change(
    number: str,
    at_us: Micros,
    cells: Sequence[object],
    reconciled_us: Micros | None,
    explained: Sequence[tuple[Micros, str]],
) -> _Change:
    """`reconciled_us` is the last reconcile until the change. Only its own explanation is that of the change."""
    texts = [shown(cell(value)) for value in cells]
    anchor = next((name for told_us, name in explained if told_us == reconciled_us), "")
    return _Change(
        number=number,
        at=at_us / SECOND,
        kind="hpa" if texts[3] == "hpa" else "other",
        title=f"{texts[0]} {texts[3]} {texts[1]} -> {texts[2]}",
        anchor=anchor,
        cells=texts,
    )


def _last_until(at_us: Micros, reconciled: Sequence[Micros]) -> Micros | None:
    """The last reconcile until a time; None if there is none. They are in the order of time."""
    before = bisect_right(reconciled, at_us)
    return reconciled[before - 1] if before else None


def _events(timeline: Timeline, clock: Clock) -> Iterator[_Event]:
    """What happened besides changes of replicas and divergences; each has its letter in `hpaaudit timeline`."""
    for letter, mark in lettered(timeline.marks):
        if mark.kind in (MarkKind.WRITE, MarkKind.DIVERGENCE):  # the table of changes has them
            continue
        until = "" if mark.until_us is None else f" to {clock(mark.until_us)}"
        text = f"{clock(mark.at_us)}{until}: {shown(words_of_mark(mark))}"
        yield _Event(letter=letter.strip(), at=mark.at_us / SECOND, text=text)


def _told(account: ReconcileAccount) -> str:
    """A whole explanation, without lines that nobody can read to their end."""
    return "\n".join(
        line if len(line) <= LONGEST else f"{line[:LONGEST]} ..." for line in explain_text(account).split("\n")
    )


def _more(rows: int, account: ReplayAccount) -> str:
    if rows <= 0:
        return ""
    return f"{counted(rows, 'more change')}: hpaaudit query {shown(pasteable(account.file))} what_happened"


def _summary(account: ReconcileAccount) -> str:
    """The first line of an explanation."""
    return explain_text(account).partition("\n")[0]


def _row(hpa: HpaAccount) -> _Row:
    numbers = [hpa.reconciles, hpa.match, hpa.skew, hpa.divergent, hpa.undecidable]
    return _Row(
        name=shown(f"{hpa.namespace}/{hpa.name}"),
        numbers=[*numbers, len(hpa.changes), len(hpa.foreign_writes)],
        finding=shown(worst_finding(hpa)),
    )


def _title(account: ReplayAccount) -> str:
    if len(account.hpas) == 1:
        return f"{shown(f'{account.hpas[0].namespace}/{account.hpas[0].name}')}: what its HPA did, and why"
    return f"{counted(len(account.hpas), 'HPA')}: what they did, and why"


def _span(account: ReplayAccount) -> str:
    only = " only" if account.is_narrowed else ""
    return (
        f"{shown(account.recording)}, {stamp(account.started_us)} to {stamp(account.ended_us)}{only}, "
        f"replayed as Kubernetes {shown(releases_in_turn(account.release, account.later_releases, clock_of(account)))}"
    )


def _headline(account: ReplayAccount) -> str:
    """The verdict of the only HPA, or a fleet in a sentence."""
    hpas = account.hpas
    if len(hpas) == 1:
        return shown(verdict(hpas[0], clock_of(account)), LONGEST)
    return shown(fleet_headline(hpas, clock_of(account)), LONGEST)


def _verdicts(account: ReplayAccount) -> Iterator[str]:
    for name in VERDICTS:
        if name != "match" and any(getattr(hpa, name) for hpa in account.hpas):
            yield name


def _codes(account: ReplayAccount, texts: str) -> Iterator[str]:
    """The codes that need words: of patterns, those in the texts, and verdicts; each once."""
    patterns = (finding.pattern for hpa in account.hpas for finding in hpa.findings)
    yield from dict.fromkeys((*patterns, *codes_in(texts), *_verdicts(account)))


def _commands(account: ReplayAccount) -> str:
    recording, file = shown(pasteable(account.recording)), shown(pasteable(account.file))
    *first, last = map(shown, replaying_commands(account))
    lines: Sequence[str] = (
        f"hpaaudit verify   {recording}   # that it is whole and unchanged",
        *first,
        f"{last}   # with hpaaudit {VERSION}",
        f"hpaaudit query    {file} what_happened",
    )
    return "\n".join(lines)


def _unwrapped(text: str) -> str:
    return " ".join(text.split())


def _markup(text: str) -> "Markup":
    """Text that is HTML already: our own files, and pictures that escape what they show."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704


def _text(name: str) -> str:
    return (files("hpaaudit") / _FOLDER / name).read_text("utf-8")


@lru_cache(maxsize=1)
def _template() -> "Template":
    from jinja2 import DictLoader, Environment, StrictUndefined

    loader = DictLoader({name: _text(name) for name in ("page.html.j2", "hpa.html.j2")})
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("page.html.j2")
