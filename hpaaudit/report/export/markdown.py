"""Writes a replay as Markdown for a ticket. The charts are SVG files beside it."""

import re
from collections.abc import Iterator, Mapping, Sequence

from hpaaudit.model.account import HpaAccount
from hpaaudit.model.counted import counted
from hpaaudit.model.report import Report
from hpaaudit.report.codes import WORDS
from hpaaudit.report.fleet import fleet_headline, worst_rows
from hpaaudit.report.replay import IN_FULL, certainty_lines, change_rows, clock_of, count_lines, finding_lines, life_of
from hpaaudit.report.settings import replaying_commands, what_if_words
from hpaaudit.report.svg import picture, standalone
from hpaaudit.report.text import printable, releases_in_turn, stamp
from hpaaudit.report.text_table import cell
from hpaaudit.report.timeline import pin_numbers
from hpaaudit.report.verdict import verdict

_APART = re.compile(r"(?<=\S)   (?=\S)")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!])")


def markdown(report: Report, stem: str | None) -> tuple[str, Mapping[str, str]]:
    """The text, and the pictures that it shows by the names of their files, which begin with `stem`; None: no picture.

    Without a file there is nothing that pictures could lie beside, and a ticket shows none that is inside of a text.
    """
    account = report.account
    pictures: dict[str, str] = {}
    span = f"{stamp(account.started_us)} to {stamp(account.ended_us)}{' only' if account.is_narrowed else ''}"
    releases = releases_in_turn(account.release, account.later_releases, clock_of(account))
    lines = [f"Replay of {_plain(account.recording)}, {span}, as Kubernetes {_plain(releases)}.", ""]
    if account.options:
        lines += [_plain(what_if_words(account.options)), ""]
    if len(account.hpas) > 1:
        lines += [_plain(fleet_headline(account.hpas, clock_of(account))), ""]
    if len(account.hpas) > IN_FULL:
        lines += [*_others(account.hpas), ""]
    for number, hpa in enumerate(account.hpas[:IN_FULL], 1):
        rows = change_rows(hpa.changes, clock_of(account))
        title = f"{hpa.namespace}/{hpa.name}{life_of(hpa, clock_of(account))}"
        lines += [f"## {_plain(title)}", "", _plain(verdict(hpa, clock_of(account))), ""]
        for timeline in account.timelines:
            if stem is not None and (timeline.namespace, timeline.name) == (hpa.namespace, hpa.name):
                name = f"{stem}.{number}.svg"
                pictures[name] = standalone(picture(timeline, [at_us for at_us, _ in rows], "title"))
                lines += [f"![Replicas, metric and pods over time]({name})", ""]
        lines += [*_table(rows), *_facts(hpa, report), ""]
    lines += ["## What was not seen, and what is assumed", ""]
    lines += [f"- {_plain(' '.join(line.split()))}" for line in certainty_lines(account)]
    patterns = dict.fromkeys(finding.pattern for hpa in account.hpas[:IN_FULL] for finding in hpa.findings)
    lines += [f"- {_plain(pattern)}: {_plain(WORDS[pattern])}" for pattern in patterns if pattern in WORDS]
    lines += ["", "To reproduce it:", "", *(f"    {command}" for command in replaying_commands(account))]
    return "\n".join(lines) + "\n", pictures


def _others(hpas: Sequence[HpaAccount]) -> Iterator[str]:
    """A row for each HPA that matters most."""
    columns, rows = worst_rows(hpas)
    yield f"| {' | '.join(columns)} |"
    yield f"| --- {'| ---: ' * (len(columns) - 2)}| --- |"
    for row in rows:
        yield f"| {' | '.join(_plain(cell(value)) for value in row)} |"
    if len(hpas) > len(rows):
        yield ""
        yield f"{counted(len(hpas) - len(rows), 'more HPA')} not shown."


def _table(rows: Sequence[tuple[int, tuple[object, ...]]]) -> Iterator[str]:
    if not rows:
        return
    yield "| # | time | from | to | by | decided | replay | why |"
    yield "| --- | --- | ---: | ---: | --- | ---: | ---: | --- |"
    for number, (_, cells) in zip(pin_numbers(len(rows)), rows, strict=False):
        yield f"| {number} | {' | '.join(_plain(cell(value)) for value in cells)} |"
    yield ""


def _facts(hpa: HpaAccount, report: Report) -> Iterator[str]:
    for line in (*finding_lines(hpa.findings, clock_of(report.account)), *count_lines(hpa)):
        # Parts that stand beside each other on the screen are parted by more than a blank.
        yield f"- {_plain(' '.join(_APART.sub(', ', line.strip()).split()))}"


def _plain(text: str) -> str:
    """The text with every character escaped that Markdown or HTML would take for more than text."""
    return _SPECIAL.sub(r"\\\1", printable(text)).replace("&", "&amp;").replace("\\<", "&lt;").replace("\\>", "&gt;")
