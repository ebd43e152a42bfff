"""Words the outcome of a replay: the verdict first, then who wrote what, then how certain that is."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from hpaaudit.model.account import Change, Finding, HpaAccount, ReplayAccount
from hpaaudit.model.audit import Assumption
from hpaaudit.model.counted import counted, percent_of
from hpaaudit.model.timeline import Timeline
from hpaaudit.model.units import Micros
from hpaaudit.report.codes import codes_in, legend, missing_in_words
from hpaaudit.report.fleet import WORST, fleet_headline, fleet_text, inputs_known
from hpaaudit.report.inspect import NOT_ENDED
from hpaaudit.report.reasons import why
from hpaaudit.report.settings import source_words
from hpaaudit.report.text import (
    Clock,
    duration,
    one_line,
    paragraph,
    pasteable,
    printable,
    releases_in_turn,
    side_by_side,
    stamp,
)
from hpaaudit.report.text_table import page_table
from hpaaudit.report.timeline import Screen, chart_of_replicas, numbered
from hpaaudit.report.told_times import verdict_of
from hpaaudit.report.verdict import verdict

IN_FULL = 3
"""So many HPAs are described in full. More are a fleet: totals, tables, and the one that matters most in full."""

PAGE = Screen()
"""A page without colours, as wide as its paragraphs."""

ROWS = 7
"""The most rows of a chart of replicas."""

_SMALL = ("info", "low")
"""The severity of findings that only the question `what_should_be_done` lists."""

OWN_FILES = ("results.duckdb", "what-if.duckdb")
"""The names of results in the folder of their recording, as `flows/destination.py` gives them."""

_HOLDERS = 3
"""So many others who held the Lease are named."""

_OWN = ("hpa", "")
_PREDICTED = "(replay only)"
"""Who made a change that the replay predicted and nobody made."""
_TEXT_ONLY = ("api-server", "release")  # the first occurs only in error texts, the second is in the first line


def replay_text(account: ReplayAccount, screen: Screen = PAGE, most: int | None = WORST) -> str:
    """The whole page. It ends with the next commands.

    most   HPAs of a fleet that are rows of its table; None: all
    """
    return f"{outcome_text(account, screen, most)}\n{next_text(account)}"


def outcome_text(account: ReplayAccount, screen: Screen = PAGE, most: int | None = WORST) -> str:
    """The page without the next commands, for a screen that goes on with something else."""
    is_fleet = len(account.hpas) > IN_FULL
    in_full = account.hpas[: 1 if is_fleet else IN_FULL]
    parts = [_head(account)]
    if is_fleet:
        parts.append(fleet_text(account.hpas, account.file, clock_of(account), most))
    elif len(account.hpas) > 1:
        parts.append(paragraph(fleet_headline(account.hpas, clock_of(account))))
    parts += [_one(hpa, account, screen) for hpa in in_full]
    if words := legend([*codes_in("\n".join(parts)), *_verdicts(in_full)]):
        parts.append(words)
    parts.append("\n".join(certainty_lines(account)))
    return "\n\n".join(parts) + "\n"


def next_text(account: ReplayAccount) -> str:
    """The commands that lead on, and where the results are: the last lines of a screen."""
    return "\n".join(_next(account)) + "\n"


def _head(account: ReplayAccount) -> str:
    source = next((assumption.source for assumption in account.assumptions if assumption.key == "release"), "")
    releases = releases_in_turn(account.release, account.later_releases, clock_of(account))
    only = " only" if account.is_narrowed else ""
    span = f"{stamp(account.started_us)} to {clock_of(account)(account.ended_us)}{only}"
    known = f" ({source_words(source)})" if source else ""
    if account.is_empty:
        return side_by_side((account.recording, "empty"))
    return side_by_side((account.recording, span, f"release {releases}{known}"))


def clock_of(account: ReplayAccount) -> Clock:
    """How the page shows times."""
    return Clock(account.started_us, account.ended_us)


def _verdicts(hpas: tuple[HpaAccount, ...]) -> Iterator[str]:
    """The verdicts that some reconcile has, besides `match`."""
    for name in ("skew", "divergent", "undecidable"):
        if any(getattr(hpa, name) for hpa in hpas):
            yield name


def _one(hpa: HpaAccount, account: ReplayAccount, screen: Screen) -> str:
    title = one_line(title_of(hpa, "->") + life_of(hpa, clock_of(account)))
    parts = [title, paragraph(verdict(hpa, clock_of(account)))]
    if lines := list(finding_lines(hpa.findings, clock_of(account))):
        parts.append("\n".join(lines))
    rows = change_rows(hpa.changes, clock_of(account))
    timeline = timeline_of(hpa, account)
    if timeline is not None:
        marks = [at_us for at_us, _ in rows]
        parts.append("\n".join(chart_of_replicas(timeline, marks, numbered(len(marks)), screen, ROWS)))
    if rows:
        parts.append(_changes([cells for _, cells in rows], account))
    parts.append("\n".join(count_lines(hpa)))
    return "\n\n".join(parts)


def title_of(hpa: HpaAccount, arrow: str) -> str:
    """The heading of an HPA: its name, and what it scales."""
    return f"{hpa.namespace}/{hpa.name}" + (f" {arrow} {hpa.target}" if hpa.target else "")


def life_of(hpa: HpaAccount, clock: Clock) -> str:
    """What an HPA scaled before, when it was deleted, and when it began if another one had its name."""
    former = "".join(f", until {clock(until_us)} {target}" for target, until_us in hpa.former_targets)
    began = "" if hpa.seen_us is None else f", first seen at {clock(hpa.seen_us)}"
    ended = "" if hpa.deleted_us is None else f", deleted at {clock(hpa.deleted_us)}"
    return former + began + ended


def timeline_of(hpa: HpaAccount, account: ReplayAccount) -> Timeline | None:
    """The timeline to draw with an HPA: that of its name, drawn once."""
    key = (hpa.namespace, hpa.name)
    namesakes = [one for one in account.hpas if (one.namespace, one.name) == key]
    if next((one for one in namesakes if one.changes), namesakes[0]) is not hpa:
        return None
    return next((one for one in account.timelines if (one.namespace, one.name) == key), None)


def finding_lines(findings: tuple[Finding, ...], clock: Clock) -> Iterator[str]:
    """The known problems of the recording: their times, what to do, and a word if some lie outside the page's time."""
    told = [finding for finding in findings if finding.severity not in _SMALL]
    for finding in told:
        span = clock(finding.first_us)
        if clock(finding.last_us) != span:
            span += f" to {clock(finding.last_us)}"
        yield paragraph(f"{finding.pattern}, {finding.severity}, {span}: {verdict_of(finding)}; {finding.next_step}.")
    if any(finding.first_us < clock.first_us or finding.last_us > clock.last_us for finding in told):
        yield paragraph("These findings count what lies outside the time that is shown, too.")
    if small := [f"{finding.pattern} ({finding.severity})" for finding in findings if finding.severity in _SMALL]:
        yield paragraph(f"{'also found' if told else 'found'}: {', '.join(small)}")


_AFTERWARDS = {
    "external_write": "somebody else wrote",
    "write_failed": "the write failed",
    "write_mutated": "admission changed the number",
}
"""What makes a reconcile divergent whose decision the replay shares, by the family of its class."""


def change_rows(changes: tuple[Change, ...], clock: Clock) -> list[tuple[Micros, tuple[object, ...]]]:
    """The time and the cells of a row for each change. Consecutive changes whose rows would be equal share one."""
    rows = []
    for cells, run in groupby(changes, key=_shown):
        first, *more = run
        *others, reason = cells
        why_all = f"{reason}; {len(more) + 1} times until {clock(more[-1].at_us)}" if more else reason
        rows.append((first.at_us, (clock.seen(first.at_us, first.after_us), *others, why_all)))
    return rows


def _changes(rows: list[tuple[object, ...]], account: ReplayAccount) -> str:
    """A line for each change, with the number that it has in the chart."""
    columns = ("#", "time", "from", "to", "by", "decided", "replay", "why")
    listed = [(number, *cells) for number, cells in zip(numbered(len(rows)), rows, strict=False)]
    text = page_table(columns, listed)
    if len(rows) > len(listed):
        text += f"\n  {len(rows) - len(listed)} more: hpaaudit query {pasteable(account.file)} what_happened"
    return text


def _shown(change: Change) -> tuple[object, ...]:
    return change.from_replicas, change.to_replicas, _by(change), change.decided, change.replay, _why(change)


def _by(change: Change) -> str:
    return (
        change.writer_class if change.writer_class == "hpa" else change.writer_name or change.writer_class or _PREDICTED
    )


def _why(change: Change) -> str:
    if not change.writer_class:
        return f"did not happen; {_cause(change)}"
    return _cause(change)


def _cause(change: Change) -> str:
    if change.evidence_level == "gap":
        return "in a gap of the recording"
    if change.is_remade:
        return "the target was made again"
    if change.writer_class not in _OWN and not change.divergence_class.startswith("external_write."):
        is_unclear = change.writer_class == "unknown" and change.is_undecidable
        return "undecidable" if is_unclear else "external write"
    if change.divergence_class and not change.divergence_class.startswith("no_data."):
        return f"{change.divergence_class}, {change.severity}, {change.confidence}"
    if change.is_undecidable:
        return f"perhaps {why(change)}" if change.replay == change.to_replicas else "undecidable"
    return why(change)


def count_lines(hpa: HpaAccount) -> Iterator[str]:
    """How many reconciles have each verdict, and how many decisions agree."""
    if not hpa.reconciles:
        yield "  0 reconciles"
        return
    verdicts = (f"{getattr(hpa, name)} {name}" for name in ("match", "skew", "divergent", "undecidable"))
    yield side_by_side((counted(hpa.reconciles, "reconcile"), *verdicts), "  ")
    decidable = hpa.reconciles - hpa.undecidable
    rate = _agreement(hpa) if decidable else "none is decidable"
    # From 1.2 to 1.5 several reconciles begin at one instant; the first of them last no time.
    undecidable = duration(hpa.undecidable_s) if hpa.undecidable_s >= 1 else counted(hpa.undecidable, "reconcile")
    rest = f"undecidable: {undecidable if hpa.undecidable else 'none'}"
    if hpa.undecidable_why:
        rest += f"; unknown: {'; '.join(map(missing_in_words, hpa.undecidable_why))}"
    yield paragraph(f"{rate}; {rest}")
    yield one_line(f"  {inputs_known([hpa])}")


def _agreement(hpa: HpaAccount) -> str:
    """The share of reconciles in which replay and controller decided the same, whatever others wrote afterwards."""
    if not hpa.comparable:
        alone = ", so a match is with the cluster alone" if hpa.match else ""
        return f"no decision of the controller is known{alone}"
    share = percent_of(hpa.agree, hpa.comparable)
    return f"replay and controller agree in {hpa.agree} of {hpa.comparable} ({share}){_divergent_after(hpa)}"


def _divergent_after(hpa: HpaAccount) -> str:
    """How many reconciles are divergent although both decided the same: the number was changed afterwards."""
    number = hpa.agree - hpa.match
    if number <= 0:
        return ""
    classes = {divergence.divergence_class.partition(".")[0] for divergence in hpa.divergences}
    causes = [words for name, words in _AFTERWARDS.items() if name in classes] or list(_AFTERWARDS.values())
    return f"; after {number} of these {' or '.join(causes)} (divergent)"


def certainty_lines(account: ReplayAccount) -> Iterator[str]:
    """What was not observed, what was not recorded at all, who else held the Lease, and what is assumed."""
    yield from unseen_lines(account)
    if account.is_empty:
        return
    yield from lease_lines(account)
    yield paragraph(f"assumed: {', '.join(map(_assumption, assumed(account))) or 'nothing'}")


def unseen_lines(account: ReplayAccount) -> Iterator[str]:
    """What was not observed, and what was not recorded at all."""
    if account.is_empty:
        yield paragraph("nothing was recorded: the recording has no fact, so there is nothing to replay")
    if not account.complete:
        yield paragraph(NOT_ENDED)
    if account.is_empty:
        return
    gaps = ", ".join(f"{stream} {duration(seconds)}" for stream, seconds in account.gaps)
    yield paragraph(f"recorder gaps: {gaps or 'none'}")
    if account.api_server:
        versions = " and ".join(f"{version} at {clock_of(account)(at_us)}" for at_us, version in account.api_server)
        yield paragraph(
            f"not recorded: the release of the controller (its API server first said {printable(versions)}; "
            f"every reconcile is decided as {account.release})"
        )
    for missing in account.missing:
        yield paragraph(f"not recorded: {missing.what.removeprefix('no ')} ({missing.limits})")


def lease_lines(account: ReplayAccount) -> Iterator[str]:
    """Who else held the Lease of the controller for a while: whoever reads only the Lease takes that for restarts."""
    holders = account.lease_holders
    if not holders:
        return
    clock = clock_of(account)
    told = [
        f"{printable(holder)} from {clock(from_us)}{f' to {clock(until_us)}' if until_us is not None else ' on'}"
        for holder, from_us, until_us in holders[:_HOLDERS]
    ]
    more = len(holders) - len(told)
    yield paragraph(
        f"also held the Lease of the controller: {', '.join(told)}{f' and {more} more' if more else ''}; "
        "the controller went on and forgot nothing"
    )


def assumed(account: ReplayAccount) -> list[Assumption]:
    """The settings that were not observed and may change a number."""
    return [a for a in account.assumptions if a.source != "observed" and a.key not in _TEXT_ONLY]


def _assumption(assumption: Assumption) -> str:
    return f"{assumption.key} {assumption.value} ({source_words(assumption.source)})"


def _page_name(account: ReplayAccount) -> str:
    """The name of a page of this replay: that of its recording, so that pages of several lie side by side."""
    file = Path(account.file)
    if file.name not in OWN_FILES:
        return f"{file.stem}.html"
    recording = file.parent.name or Path(account.recording).name or "report"
    return f"{recording}.html" if file.name == OWN_FILES[0] else f"{recording}-{file.stem}.html"


def _next(account: ReplayAccount) -> Iterator[str]:
    file = pasteable(account.file)
    worst = next(
        (hpa for hpa in account.hpas if hpa.reconciles and (hpa.changes or hpa.divergences or hpa.holds)), None
    )
    commands = [
        f"hpaaudit query   {file} what_happened",
        f"hpaaudit report  {file} --into {pasteable(_page_name(account))}",
    ]
    if account.is_empty:
        commands = [f"hpaaudit inspect {pasteable(account.recording)}"]
    if worst is not None:
        moment = account.ended_us if worst.moment_us is None else worst.moment_us
        commands.insert(
            0, f"hpaaudit explain {file} {pasteable(f'{worst.namespace}/{worst.name}')} --at {stamp(moment)}"
        )
    for index, command in enumerate(commands):
        yield f"  {'next' if not index else '    '}  {command}"
    yield f"  saved {printable(account.file)}"
    if account.other_what_ifs:
        last, *others = account.other_what_ifs
        more = f" and {len(others)} more" if others else ""
        yield paragraph(
            f"Commands on this file now show this what-if. The one before, {last}{more}, stays in its schema "
            "runs; --into FILE gives a what-if a file of its own."
        )
