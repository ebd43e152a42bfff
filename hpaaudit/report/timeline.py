"""Draws one HPA over time: replicas and bounds, the metric that decided, pods that did not count, and what happened."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, repeat
from string import ascii_letters

from hpaaudit.model.counted import counted
from hpaaudit.model.timeline import Absence, Mark, MarkKind, Timeline, TimelinePoint
from hpaaudit.model.units import Micros
from hpaaudit.report.chart import UNICODE, Axis, Glyphs, Steps, block_row, step_rows, time_row
from hpaaudit.report.codes import REASONS, legend
from hpaaudit.report.paint import Paint, plain
from hpaaudit.report.settings import what_if_words
from hpaaudit.report.text import (
    WIDTH,
    Clock,
    one_line,
    paragraph,
    pasteable,
    printable,
    releases_in_turn,
    side_by_side,
    stamp,
)

HEIGHT = 10
"""The most rows of the chart of replicas."""

LISTED = 20
"""The most marks that are listed."""

_LABEL = 10
"""So wide are the labels of the rows. A longer name of a metric is cut there."""

_NUMBERS = "123456789abcdefghijklmnopqrstuvwxyz"
LETTERS = ascii_letters.swapcase()
"""What stands for marks, also on the page of `report`. Numbers stand for changes, as in the table of `replay`."""
_VERDICTS = {"skew": "s", "undecidable": "?", "divergent": "D"}
_PODS = {"unready": "not ready", "missing": "no sample", "ignored": "ignored"}
_FAILED = "x"
"""Stands in the row of the metric where none was usable."""
_NONE = "n"
"""Stands in a row where a reconcile has no such number, so that no reader takes a blank for a zero."""

_FULL = 2.0
"""A full block stands for so many times the target. Half a block is on target."""


@dataclass(frozen=True, slots=True)
class Screen:
    """What a timeline is drawn on.

    width   in columns;  first_us, last_us   the time that is shown, None: from the begin, to the end
    listed  the most marks that are listed below, None: all
    """

    width: int = WIDTH
    first_us: Micros | None = None
    last_us: Micros | None = None
    glyphs: Glyphs = UNICODE
    paint: Paint = plain
    listed: int | None = LISTED


def timeline_text(timeline: Timeline, screen: Screen) -> str:
    """The whole page: the chart, the rows below it, what the marks are, and the next command."""
    first_us = timeline.started_us if screen.first_us is None else screen.first_us
    last_us = timeline.ended_us if screen.last_us is None else screen.last_us
    clock = Clock(first_us, last_us)
    title = f"{timeline.namespace}/{timeline.name}" + (f" -> {timeline.target}" if timeline.target else "")
    release = f"release {releases_in_turn(timeline.release, timeline.later_releases, clock)}"
    head = side_by_side((title, f"{stamp(first_us)} to {clock(last_us)}", release))
    head = head.replace(printable(title), screen.paint(printable(title), "title"), 1)
    marks = [
        (letter, mark)
        for letter, mark in lettered(timeline.marks)
        if mark.at_us <= last_us and first_us <= (mark.until_us or mark.at_us)
    ]
    if timeline.what_if:
        head += f"\n{one_line(what_if_words(timeline.what_if))}"
    parts = [head, "\n".join(drawing(timeline, marks, screen))]
    if marks:
        parts.append("\n".join(_listed(marks, clock, timeline, screen.listed)))
    parts.append(
        "\n".join([*_words(timeline, first_us, last_us, screen.glyphs), *_words_of_marks(marks, timeline, screen)])
    )
    shown = {point.verdict for point in timeline.points if first_us <= point.at_us <= last_us} & _VERDICTS.keys()
    if words := legend(sorted(shown)):
        parts.append(words)
    if any(first_us <= point.at_us <= last_us for point in timeline.points):
        parts.append(f"  next  {_next(timeline, first_us, last_us)}")
    else:
        parts.append(paragraph("no reconcile: in this time none took place, none was seen, or none could be replayed"))
    return "\n\n".join(part for part in parts if part) + "\n"


def drawing(timeline: Timeline, marks: Sequence[tuple[str, Mark]], screen: Screen) -> Iterator[str]:
    """The chart of replicas with its marks and times, then a row for each thing that is worth one.

    marks   those that are drawn, each with its letter
    """
    axis = _axis(timeline, screen)
    yield from chart_of_replicas(timeline, *_signs(marks, screen), screen)
    columns = _by_column(timeline, axis)
    ratios = [max((point.ratio for point in points if point.ratio is not None), default=None) for points in columns]
    shares = [None if ratio is None else ratio / _FULL for ratio in ratios]
    row = block_row(shares, screen.glyphs)
    cells = "".join(_metric_cell(*of_column) for of_column in zip(columns, ratios, row, strict=True))
    if cells.strip():
        painted = re.sub(f"[{_FAILED}{_NONE}]+", lambda run: screen.paint(run[0], "doubtful"), cells.rstrip())
        yield _line(_metric(timeline.points), painted)
    for metric in failing_metrics(timeline.points):
        fails = (any(metric in point.failed for point in points) for points in columns)
        row = "".join(_FAILED if failing else " " for failing in fails)
        yield _line(
            printable(metric), re.sub(f"{_FAILED}+", lambda run: screen.paint(run[0], "doubtful"), row.rstrip())
        )
    for bucket, label in _PODS.items():
        counts = [[getattr(point, bucket) for point in points] for points in columns]
        if any(map(any, counts)):
            yield _line(label, "".join(map(_pods_cell, counts)))
    if timeline.points and all(point.ready is None for point in timeline.points):
        yield _line("pods", screen.paint("not counted", "quiet"))
    verdicts = "".join(map(_worst, columns))
    if verdicts.strip():
        yield _line("verdict", re.sub("[Ds?]+", lambda run: screen.paint(run[0], "doubtful"), verdicts.rstrip()))
    unseen = not_seen(timeline, axis)
    if unseen:
        row = "".join(screen.glyphs.unseen if column in unseen else " " for column in range(axis.columns))
        yield _line("not seen", screen.paint(row.rstrip(), "quiet"))


def chart_of_replicas(
    timeline: Timeline,
    marks: Sequence[Micros],
    signs: Sequence[str],
    screen: Screen,
    height: int = HEIGHT,
) -> Iterator[str]:
    """The chart alone: replicas and bounds, the sign of each of these marks, and times.

    signs   what stands for the marks; later marks have none
    """
    axis = _axis(timeline, screen)
    for label, cells in _chart(timeline, axis, screen.glyphs, height):
        yield _line(label, _painted(cells, screen), right=True)
    if marks:
        yield _line("", _mark_row(marks, signs, axis))
    yield _line("", time_row(axis, screen.glyphs))


def numbered(marks: int) -> Sequence[str]:
    """What stands for each of so many marks in a chart of characters; later ones have no number."""
    return _NUMBERS[: min(marks, LISTED)]


def lettered(marks: Sequence[Mark]) -> Iterator[tuple[str, Mark]]:
    """All marks of an HPA, each with the letter that it has wherever it is shown; later ones have a blank."""
    return zip(chain(LETTERS, repeat(" ")), marks, strict=False)


def pin_numbers(marks: int) -> Sequence[str]:
    """The same in a picture, whose pins have room for two digits."""
    return [str(number) for number in range(1, min(marks, LISTED) + 1)]


def _axis(timeline: Timeline, screen: Screen) -> Axis:
    return Axis(
        timeline.started_us if screen.first_us is None else screen.first_us,
        timeline.ended_us if screen.last_us is None else screen.last_us,
        max(screen.width - _LABEL - 3, 1),
    )


def replicas(timeline: Timeline) -> Steps:
    """What `spec.replicas` of the target was, from each time on."""
    first = next((point for point in timeline.points if point.replicas is not None), None)
    steps: list[tuple[Micros, int | None]] = []
    if first is not None and not any(scale.at_us <= first.began_us for scale in timeline.scales):
        # What a later HPA of this name found is another matter: it may scale another target.
        ends_us = min((absence.at_us for absence in timeline.absences), default=timeline.ended_us)
        is_of_first = bool(timeline.scales) and timeline.scales[0].at_us <= ends_us
        before = timeline.scales[0].from_replicas if is_of_first else first.replicas
        steps.append((first.began_us, before))
    steps += ((scale.at_us, scale.to_replicas) for scale in timeline.scales)
    for absence in timeline.absences:
        steps = [step for step in steps if not is_within(step[0], absence)]
        steps.append((absence.at_us, None))
        if absence.until_us is not None and all(at_us != absence.until_us for at_us, _ in steps):
            steps.append((absence.until_us, _replicas_from(timeline, absence.until_us)))
    return sorted(steps, key=lambda step: step[0])


def is_within(at_us: Micros, absence: Absence) -> bool:
    """True at an instant of an absence; what was there again is there at its end."""
    return absence.at_us <= at_us and (absence.until_us is None or at_us < absence.until_us)


def _replicas_from(timeline: Timeline, at_us: Micros) -> int | None:
    """The replicas from an instant on: the number before the next change, else what the next reconcile read."""
    following = next((scale.from_replicas for scale in timeline.scales if scale.at_us > at_us), None)
    read = next(
        (point.replicas for point in timeline.points if point.at_us >= at_us and point.replicas is not None), None
    )
    return read if following is None else following


def by_reconcile(timeline: Timeline, number: Callable[[TimelinePoint], int | None]) -> Steps:
    """A number of each reconcile, until the next one; none while there was no HPA."""
    steps = [(point.at_us, number(point)) for point in timeline.points]
    steps += [(absence.at_us, None) for absence in timeline.absences if not absence.is_target]
    return sorted(steps, key=lambda step: step[0])


def replay_beside(timeline: Timeline) -> Steps:
    """What the replay wanted while that was another number than the controller's, or than what became of it."""
    return by_reconcile(timeline, lambda point: point.replay if _parts(point) else None)


def not_seen(timeline: Timeline, axis: Axis) -> set[int]:
    """The columns in which something was not recorded that this HPA depends on."""
    return {column for mark in timeline.marks if mark.kind == MarkKind.GAP for column in _columns(mark, axis)}


def _chart(timeline: Timeline, axis: Axis, glyphs: Glyphs, height: int) -> list[tuple[str, str]]:
    bounds = bounds_of(timeline)
    return step_rows(replicas(timeline), axis, height, glyphs, other=replay_beside(timeline), bounds=bounds)


def bounds_of(timeline: Timeline) -> list[Steps]:
    """The bounds over time, maxReplicas first."""
    return [
        by_reconcile(timeline, lambda point: point.max_replicas),
        by_reconcile(timeline, lambda point: point.min_replicas),
    ]


def _parts(point: TimelinePoint) -> bool:
    """True where the replay wanted another number than the controller, or than what became of it."""
    return point.verdict == "divergent" or point.decided not in (None, point.replay)


def _line(label: str, cells: str, *, right: bool = False) -> str:
    """A row with its label in front, all at the same column."""
    if right:
        return f"  {_number_label(label):>{_LABEL}} {cells}".rstrip()
    cut = label if len(label) <= _LABEL else label[: _LABEL - 1] + "~"
    return f"  {cut:<{_LABEL}} {cells}".rstrip()


def _number_label(label: str) -> str:
    """The numbers of a row. No number is cut: a range that is too long is its least number."""
    if len(label) <= _LABEL:
        return label
    least = label.partition("-")[0]
    return f"{least}+" if len(least) < _LABEL else least


def _painted(cells: str, screen: Screen) -> str:
    glyphs, paint = screen.glyphs, screen.paint
    cells = re.sub(f"{re.escape(glyphs.other)}+", lambda run: paint(run[0], "other"), cells.rstrip())
    return re.sub(f"{re.escape(glyphs.bound)}+", lambda run: paint(run[0], "quiet"), cells)


def _mark_row(marks: Sequence[Micros], signs: Sequence[str], axis: Axis) -> str:
    """The row below the chart: the letter or number of each mark in its column, `+` where several share one."""
    cells = [" "] * axis.columns
    for sign, at_us in zip(signs, marks, strict=False):
        column = axis.column(max(at_us, axis.first_us))
        if column is not None:
            cells[column] = sign if cells[column] == " " else "+"
    return "".join(cells).rstrip()


def _by_column(timeline: Timeline, axis: Axis) -> list[list[TimelinePoint]]:
    """The reconciles of each column: those in it, and where there is none the one that stood then."""
    columns: list[list[TimelinePoint]] = [[] for _ in range(axis.columns)]
    points = timeline.points
    gone = [absence.at_us for absence in timeline.absences if not absence.is_target]
    for point, after in zip(points, [*points[1:], None], strict=True):
        until_us = timeline.ended_us if after is None else after.at_us - 1
        until_us = min([until_us, *(at_us - 1 for at_us in gone if at_us > point.at_us)])
        for column in axis.over(point.at_us, until_us):
            if axis.start(column) <= point.at_us or not columns[column]:
                columns[column].append(point)
    return columns


def _columns(mark: Mark, axis: Axis) -> range:
    return axis.over(mark.at_us, axis.last_us if mark.until_us is None else mark.until_us)


def _fails(point: TimelinePoint) -> bool:
    """True where metrics were asked for, and no number came of them."""
    return point.reason_code in ("gate.all_metrics_invalid", "gate.metric_failed")


def failing_metrics(points: Sequence[TimelinePoint]) -> list[str]:
    """The metrics of several that were unusable in some reconcile, as they came."""
    failing = dict.fromkeys(name for point in points for name in point.failed)
    return list(failing) if len(failing.keys() | {point.metric for point in points if point.metric}) > 1 else []


def _metric(points: Sequence[TimelinePoint]) -> str:
    names = {point.metric for point in points if point.ratio is not None}
    return printable(min(names)) if len(names) == 1 else "metrics"


def _metric_cell(points: Sequence[TimelinePoint], ratio: float | None, block: str) -> str:
    """A column of the row of the metric: a block, and without a number the sign of what is known instead."""
    if ratio is not None or not points:
        return block
    return _FAILED if any(map(_fails, points)) else _NONE


def _pods_cell(counts: Sequence[int | None]) -> str:
    """A column of a row of pods: their number, blank for none, and a sign of its own where nobody counted them."""
    known = [count for count in counts if count is not None]
    if not known:
        return _NONE if counts else " "
    most = max(known)
    return " " if not most else str(most) if most <= 9 else "+"  # noqa: PLR2004 the last digit


def _worst(points: Sequence[TimelinePoint]) -> str:
    verdicts = {point.verdict for point in points}
    return next((letter for verdict, letter in reversed(_VERDICTS.items()) if verdict in verdicts), " ")


def _signs(marks: Sequence[tuple[str, Mark]], screen: Screen) -> tuple[list[Micros], list[str]]:
    """The times and the letters of the listed marks, without those that have no letter."""
    shown = [(letter, mark) for letter, mark in marks[: screen.listed] if letter != " "]
    return [mark.at_us for _, mark in shown], [letter for letter, _ in shown]


def _listed(marks: Sequence[tuple[str, Mark]], clock: Clock, timeline: Timeline, most: int | None) -> Iterator[str]:
    """What each mark stands for."""
    for letter, mark in marks[:most]:
        until = ""
        if mark.until_us is not None and clock(mark.until_us) != clock(mark.at_us):
            until = f" to {clock(mark.until_us)}"
        yield one_line(f"  {letter}  {clock.seen(mark.at_us, mark.after_us)}{until}  {words_of_mark(mark)}", " " * 5)
    if most is not None and len(marks) > most:
        yield f"  {len(marks) - most} more: hpaaudit query {pasteable(timeline.file)} what_happened"


def words_of_mark(mark: Mark) -> str:
    """What a mark stands for, without its time."""
    match mark.kind:
        case MarkKind.WRITE | MarkKind.LEASE:
            return f"{mark.who} {'wrote' if mark.kind == MarkKind.WRITE else 'held'} {mark.what}"
        case MarkKind.SPEC:
            return f"{mark.who or 'somebody unknown'} changed the HPA: {mark.what}"
        case MarkKind.ROLLOUT:
            return f"rollout of {mark.what}" if mark.what else "rollout"
        case MarkKind.RESTART:
            return mark.what + (f" ({mark.who})" if mark.who else "")
        case MarkKind.DIVERGENCE:
            return f"{'undecidable' if mark.what.startswith('no_data.') else 'divergence'}: {mark.what}"
        case MarkKind.GAP:
            return f"not recorded: {mark.who} ({mark.what})"


def _words(timeline: Timeline, first_us: Micros, last_us: Micros, glyphs: Glyphs) -> Iterator[str]:
    """What the rows show, in numbers."""
    points = [point for point in timeline.points if first_us <= point.at_us <= last_us]
    bounds = [(point.min_replicas, point.max_replicas) for point in points if point.max_replicas is not None]
    if in_turn := [f"{low} to {high}" for (low, high), _ in groupby(bounds)]:
        more = f" and {len(in_turn) - LISTED} more" if len(in_turn) > LISTED else ""
        yield paragraph("replicas: bounds " + ", then ".join(in_turn[:LISTED]) + more)
    if any(_parts(point) and point.replay is not None for point in points):
        yield paragraph(f"{glyphs.other} is what the replay decides, where that is another number")
    absences = [one for one in timeline.absences if one.at_us <= last_us and first_us <= (one.until_us or last_us)]
    if causes := [
        *(["there was no HPA of this name"] if any(not one.is_target for one in absences) else []),
        *(["the target was gone"] if any(one.is_target for one in absences) else []),
    ]:
        yield paragraph(f"no line: {', or '.join(causes)}")
    ratios = [point.ratio for point in points if point.ratio is not None]
    if ratios:
        span = (
            " to ".join(dict.fromkeys(f"{100 * ratio:.0f} %" for ratio in (min(ratios), max(ratios))))
            + " of its target"
        )
        on_target, full = glyphs.blocks[len(glyphs.blocks) // 2], glyphs.blocks[-1]
        yield paragraph(f"{_metric(points)}: {span}; {on_target} is on target, {full} twice that or more")
    if failing := failing_metrics(points):
        names = ", ".join(printable(name) for name in failing)
        yield paragraph(f"{names}: {_FAILED} is a reconcile in which it was unusable")
    if any(map(_fails, points)):
        yield paragraph(f"{_metric(points)}: {_FAILED} is a reconcile in which the metrics gave no number")
    yield from _words_of_unmeasured(points)
    yield from _words_of_pods(points)
    verdicts = {point.verdict for point in points}
    if letters := [f"{letter} {verdict}" for verdict, letter in _VERDICTS.items() if verdict in verdicts]:
        yield paragraph(f"verdict: {', '.join(letters)}")


def _words_of_unmeasured(points: Sequence[TimelinePoint]) -> Iterator[str]:
    """Why some reconciles have no number in the row of the metric, each cause once."""
    if causes := _causes_of_no_value(points):
        yield paragraph(f"{_metric(points)}: {_NONE} is a reconcile without a value: {causes}")


def blanks(points: Sequence[TimelinePoint]) -> Iterator[str]:
    """What charts without signs leave blank, in sentences: reconciles without a value of a metric, and without pods."""
    if causes := _causes_of_no_value(points):
        without = sum(point.ratio is None and not _fails(point) for point in points)
        yield f"{_metric(points)}: no value in {counted(without, 'reconcile')}: {causes}."
    if words := _why_no_pods(points):
        yield f"{words}."


def _causes_of_no_value(points: Sequence[TimelinePoint]) -> str:
    """Why reconciles that did not fail have no value of a metric; empty where all have one."""
    return "; or ".join(
        dict.fromkeys(_unmeasured(point) for point in points if point.ratio is None and not _fails(point))
    )


def _unmeasured(point: TimelinePoint) -> str:
    """Why a reconcile has no value of a metric."""
    if point.reason_code.startswith("gate.") and not point.metric:
        return REASONS.get(point.reason_code, point.reason_code)
    if point.verdict == "undecidable":
        return "not recorded"
    return "no value to divide by the target" if point.metric else "no metric was read"


def _words_of_pods(points: Sequence[TimelinePoint]) -> Iterator[str]:
    """What the rows of pods show, or why there are none."""
    if words := _why_no_pods(points):
        yield paragraph(words)
    elif any(getattr(point, bucket) for point in points for bucket in _PODS):
        is_partial = any(point.ready is None for point in points)
        uncounted = f"; {_NONE} is a reconcile that did not count pods" if is_partial else ""
        yield paragraph(f"pods that did not count as ready: how many; + is ten or more{uncounted}")


def _why_no_pods(points: Sequence[TimelinePoint]) -> str:
    """Why no reconcile counted pods; empty where one did."""
    if not points or any(point.ready is not None for point in points):
        return ""
    if any(point.ratio is not None for point in points):
        return "pods: not counted; no metric of this HPA sorted them into ready and not ready"
    return "pods: not counted, because no reconcile had a value of a metric"


def _words_of_marks(marks: Sequence[tuple[str, Mark]], timeline: Timeline, screen: Screen) -> Iterator[str]:
    if "+" in _mark_row(*_signs(marks, screen), _axis(timeline, screen)):
        yield paragraph("+ below the chart: several marks fall on one column")


def _next(timeline: Timeline, first_us: Micros, last_us: Micros) -> str:
    moment = timeline.moment_us if first_us <= timeline.moment_us <= last_us else last_us
    hpa = pasteable(f"{timeline.namespace}/{timeline.name}")
    return f"hpaaudit explain {pasteable(timeline.file)} {hpa} --at {stamp(moment)}"
