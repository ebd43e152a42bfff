"""Draws one HPA over time as SVG: replicas and bounds, the metric, pods that did not count, and verdicts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files

from hpaaudit.model.timeline import Timeline, TimelinePoint
from hpaaudit.model.units import Micros
from hpaaudit.report.chart import Axis, Steps, passages, ticks
from hpaaudit.report.shown import shown
from hpaaudit.report.timeline import bounds_of, by_reconcile, not_seen, pin_numbers, replay_beside, replicas

WIDTH, LEFT, RIGHT = 960, 56, 12
_COLUMNS = WIDTH - LEFT - RIGHT
_GAP = 24
_LINE = 16
_HALF_OF_DIGIT = 4
"""Half of what a digit of 12 pixels needs in the widest of the usual fonts."""
_POD_WORDS = {"unready": "not ready (yellow)", "missing": "no sample (red)", "ignored": "ignored (grey)"}


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of the picture with an axis of its own: numbers from `low` at its bottom to `high` at its top."""

    top: float
    height: float
    low: float
    high: float

    def y(self, value: float) -> int:
        """The height of a number, in whole pixels."""
        return round(self.top + self.height * (1 - (value - self.low) / ((self.high - self.low) or 1)))


def picture(timeline: Timeline, marks: Sequence[Micros], name: str) -> str:
    """The whole picture, with a title for those who cannot see it. Its colours are those of the page's classes.

    marks   times that are numbered, as in the table of changes;  name   makes its ids unique on a page
    """
    axis = Axis(timeline.started_us, timeline.ended_us, _COLUMNS)
    parts: list[str] = []
    top = 44.0
    for draw in (_replicas, _metric, _pods):
        height, elements = draw(timeline, axis, top)
        parts += elements
        top += height + _GAP if height else 0
    parts += _verdicts(timeline, axis, top)
    bottom = top + 12
    shades = [_box(columns, 20, bottom - 20, "unseen") for columns in _runs(not_seen(timeline, axis))]
    parts = [*shades, *parts, *_times(axis, bottom), *_pins(marks, axis)]
    title = f"{timeline.namespace}/{timeline.name}: replicas, metric and pods over time"
    return (
        f'<svg viewBox="0 0 {WIDTH} {bottom + 24:.0f}" role="img" aria-labelledby="{name}">'
        f'<title id="{name}">{escape(shown(title))}</title>{"".join(parts)}</svg>'
    )


def _replicas(timeline: Timeline, axis: Axis, top: float) -> tuple[float, list[str]]:
    line, other = replicas(timeline), replay_beside(timeline)
    bounds = bounds_of(timeline)
    values = [value for steps in (line, other) for _, value in steps if value is not None] or [0]
    edge = [value for steps in bounds for _, value in steps if value is not None]
    reach = max(max(values) - min(values), 2)
    values += [value for value in edge if min(values) - reach <= value <= max(values) + reach]
    panel = Panel(top, 180, min(*values, max(min(values) - 1, 0)), max(values) + 0.5)
    drawn = [_label(top - 8, "replicas"), *_grid(panel, _labelled(values, panel))]
    drawn += [_path(steps, axis, panel, "bound") for steps in bounds]
    drawn += [_path(line, axis, panel, "actual"), _path(other, axis, panel, "replay")]
    return panel.height, drawn


def _metric(timeline: Timeline, axis: Axis, top: float) -> tuple[float, list[str]]:
    steps = by_reconcile(timeline, lambda point: None if point.ratio is None else round(100 * point.ratio))
    values = [value for _, value in steps if value is not None]
    failing = by_reconcile(timeline, lambda point: len(point.failed))
    fails = {column for column, passage in enumerate(passages(failing, axis)) if any(passage.values)}
    if not values and not fails:
        return 0, []
    panel = Panel(top, 80, 0, max([*values, 120]))
    names = sorted({point.metric for point in timeline.points if point.metric})
    failed = dict.fromkeys(name for point in timeline.points for name in point.failed)
    drawn = [
        *(_box(columns, top, panel.height, "failed") for columns in _runs(fails)),
        _label(
            top - 8,
            f"{', '.join(names)} in % of target" + (f"; unusable where shaded: {', '.join(failed)}" if failed else ""),
        ),
        *_grid(panel, [100, max(values, default=100)]),
        f'<path class="target" d="M{LEFT} {panel.y(100)}H{WIDTH - RIGHT}"/>',
        _path(steps, axis, panel, "metric"),
    ]
    return panel.height, drawn


def _pods(timeline: Timeline, axis: Axis, top: float) -> tuple[float, list[str]]:
    counts: dict[str, Callable[[TimelinePoint], int | None]] = {
        "unready": lambda point: point.unready,
        "missing": lambda point: point.missing,
        "ignored": lambda point: point.ignored,
    }
    lines = {name: by_reconcile(timeline, count) for name, count in counts.items()}
    shown = {name: steps for name, steps in lines.items() if any(value for _, value in steps)}
    if not shown:
        return 0, []
    most = max(value or 0 for steps in shown.values() for _, value in steps)
    panel = Panel(top, 48, 0, most)
    label = f"pods that did not count as ready: {', '.join(_POD_WORDS[name] for name in shown)}"
    return panel.height, [
        _label(top - 8, label),
        *_grid(panel, [most]),
        *(_path(steps, axis, panel, name) for name, steps in shown.items()),
    ]


def _verdicts(timeline: Timeline, axis: Axis, top: float) -> Iterator[str]:
    """A strip: the worst verdict of each pixel, while it held."""
    names = ("match", "skew", "undecidable", "divergent")
    steps = by_reconcile(timeline, lambda point: names.index(point.verdict) if point.verdict in names else None)
    line = [max(passage.values, default=None) for passage in passages(steps, axis)]
    for index, name in enumerate(names):
        for columns in _runs({column for column, value in enumerate(line) if value == index}):
            yield _box(columns, top, 12, name)


def _path(steps: Steps, axis: Axis, panel: Panel, kind: str) -> str:
    """A line of steps. Its points are pixels, so that its size does not grow with the number of steps."""
    pen = _Pen()
    at: int | None = None
    for column, passage in enumerate(passages(steps, axis)):
        x = LEFT + column
        if passage.enters is not None and at is None:
            pen.begin(x, panel.y(passage.enters))
            at = passage.enters
        elif passage.enters is None and at is not None:
            pen.across(x)
            at = None
        for value in _way(passage.enters, passage.leaves, passage.values):
            if at is None:
                pen.begin(x, panel.y(value))
            elif value != at:
                pen.across(x)
                pen.upright(panel.y(value))
            at = value
        if passage.leaves is None and at is not None:
            pen.across(x + 1)
            at = None
    if at is not None:
        pen.across(LEFT + axis.columns)
    return f'<path class="{kind}" d="{"".join(pen.drawn)}"/>' if pen.drawn else ""


@dataclass(slots=True)
class _Pen:
    """Draws in whole pixels, each step told from the last one: a page of a fleet has many such lines."""

    drawn: list[str] = field(default_factory=list)
    x: int = 0
    y: int = 0

    def begin(self, x: int, y: int) -> None:
        """Puts the pen down somewhere else."""
        self.drawn.append(f"M{x} {y}")
        self.x, self.y = x, y

    def across(self, x: int) -> None:
        """Draws to this column."""
        if x != self.x:
            self.drawn.append(f"h{x - self.x}")
            self.x = x

    def upright(self, y: int) -> None:
        """Draws to this height."""
        if y != self.y:
            self.drawn.append(f"v{y - self.y}")
            self.y = y


def _way(enters: int | None, leaves: int | None, values: frozenset[int]) -> list[int]:
    """The numbers of a column in an order that shows all of them: the extremes, then the last one."""
    if not values or (len(values) == 1 and enters == leaves):
        return [] if leaves is None else [leaves]
    low, high = min(values), max(values)
    if leaves == low:
        return [high, low]
    return [low, high] if leaves in (None, high) else [low, high, leaves]


def _runs(columns: set[int]) -> Iterator[range]:
    """Neighbouring columns together."""
    begin = None
    for column in sorted(columns):
        if begin is None:
            begin = column
        if column + 1 not in columns:
            yield range(begin, column + 1)
            begin = None


def _box(columns: range, top: float, height: float, kind: str) -> str:
    return (
        f'<rect class="{kind}" x="{LEFT + columns.start}" y="{top:.0f}" width="{len(columns)}" height="{height:.0f}"/>'
    )


def _labelled(values: Sequence[int], panel: Panel) -> list[int]:
    """The numbers that are named beside an axis: the extremes, and of the others those that have room."""
    named = [min(values), max(values)]
    for value in sorted(set(values), reverse=True):
        if all(abs(panel.y(value) - panel.y(other)) >= _LINE for other in named):
            named.append(value)
    return named


def _label(y: float, text: str) -> str:
    return f'<text class="label" x="{LEFT}" y="{y:.0f}">{escape(shown(text))}</text>'


def _grid(panel: Panel, values: Sequence[int]) -> Iterator[str]:
    for value in dict.fromkeys(values):
        y = panel.y(value)
        yield f'<path class="grid" d="M{LEFT} {y}H{WIDTH - RIGHT}"/>'
        yield f'<text class="number" x="{LEFT - 8}" y="{y + 4}">{value}</text>'


def _times(axis: Axis, bottom: float) -> Iterator[str]:
    for column, text in ticks(axis, 90):
        x = LEFT + column
        yield f'<path class="tick" d="M{x} {bottom:.0f}v5"/>'
        inside = min(x, WIDTH - len(text) * _HALF_OF_DIGIT)  # the last one stands a little before its tick
        yield f'<text class="time" x="{inside}" y="{bottom + 18:.0f}">{text}</text>'


def _pins(marks: Sequence[Micros], axis: Axis) -> Iterator[str]:
    for number, at_us in zip(pin_numbers(len(marks)), marks, strict=False):
        column = axis.column(at_us)
        if column is not None:
            x = LEFT + column
            yield f'<path class="pin" d="M{x} 20v204"/><text class="pinned" x="{x}" y="14">{number}</text>'


_WHOLE = "svg { background: var(--paper); margin: 0; min-width: 0 }"
"""A picture that is a file of its own fills it, whatever the page's style says."""


def standalone(svg: str) -> str:
    """A picture as a file of its own, with the page's colours."""
    folder = files("hpaaudit") / "report" / "page"
    style = "".join((folder / name).read_text("utf-8") for name in ("page.css", "picture.css"))
    begin = svg.index(">") + 1
    tag = svg[:begin].replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')
    return f"{tag}<style>{style.replace(':root', 'svg')} {_WHOLE}</style>{svg[begin:]}\n"
