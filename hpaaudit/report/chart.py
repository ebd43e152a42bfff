"""Draws numbers over time with characters: a chart of steps, a row of blocks, and the times below."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hpaaudit.api.zone import in_zone, offset_us
from hpaaudit.model.units import SECOND, Micros

Steps = Sequence[tuple[Micros, int | None]]
"""A number from each time on, in the order of time; None: unknown."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters that a chart is drawn with.

    corners   the character where a line goes to these sides, of `l`eft, `r`ight, `u`p and `d`own
    other     a second line where it differs from the first;  bound   the least and the greatest number
    blocks    from nothing to a full one;  unseen   what was not observed;  tick   a time below a chart
    """

    corners: Mapping[str, str]
    other: str
    bound: str
    blocks: str
    unseen: str
    tick: str


UNICODE = Glyphs(
    corners={
        "lr": "─", "du": "│", "lu": "┘", "ru": "└", "dl": "┐", "dr": "┌", "dlu": "┤", "dru": "├",
        "lru": "┴", "dlr": "┬", "dlru": "┼", "u": "╵", "d": "╷", "l": "─", "r": "─",
    },
    other="·", bound="┄", blocks=" ▁▂▃▄▅▆▇█", unseen="░", tick="╵",
)  # fmt: skip
ASCII = Glyphs(
    corners={"lr": "-", "du": "|", "l": "-", "r": "-", "u": "|", "d": "|"},
    other="o", bound=".", blocks=" .:-=+*#%", unseen="?", tick="'",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Axis:
    """A span of time, divided into columns of equal length.

    first_us, last_us   its begin and end, both shown;  columns   how many there are
    """

    first_us: Micros
    last_us: Micros
    columns: int

    def start(self, column: int) -> int:
        """The first instant of a column."""
        return self.first_us + -(-(self.last_us - self.first_us + 1) * column // self.columns)

    def column(self, at_us: int) -> int | None:
        """The column of an instant, None outside of the span."""
        if not self.first_us <= at_us <= self.last_us:
            return None
        return (at_us - self.first_us) * self.columns // (self.last_us - self.first_us + 1)

    def over(self, first_us: int, last_us: int) -> range:
        """The columns that a time covers, its last instant included."""
        if last_us < self.first_us or first_us > self.last_us:
            return range(0)
        first = self.column(max(first_us, self.first_us)) or 0
        return range(first, (self.column(min(last_us, self.last_us)) or 0) + 1)


@dataclass(frozen=True, slots=True)
class Passage:
    """A line on its way through a column: where it comes in and goes out, and every number that it has there.

    None where the number is unknown.
    """

    enters: int | None
    leaves: int | None
    values: frozenset[int]


def passages(steps: Steps, axis: Axis) -> list[Passage]:
    """The way of a line through each column."""
    times = [at_us for at_us, _ in steps]
    line = []
    for column in range(axis.columns):
        first, after = bisect_right(times, axis.start(column)), bisect_right(times, axis.start(column + 1) - 1)
        enters = steps[first - 1][1] if first else None
        inside = [enters, *(value for _, value in steps[first:after])]
        line.append(Passage(enters, inside[-1], frozenset(value for value in inside if value is not None)))
    return line


_FEWEST_ROWS = 4
"""With fewer rows a chart is not drawn only to make them even."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Which row of a chart stands for which number. Row 0 is the lowest."""

    low: int
    high: int
    rows: int

    def row(self, value: int) -> int:
        """The row of a number; numbers beyond the scale are on its edge."""
        if self.high == self.low:
            return 0
        inside = min(max(value, self.low), self.high)
        return ((inside - self.low) * (self.rows - 1) * 2 + (self.high - self.low)) // (2 * (self.high - self.low))


def scale_of(values: Iterable[int], height: int) -> Scale:
    """A scale with a row for each whole number if the height allows it, else for every second, third ... if one can."""
    shown = [*values] or [0]
    low, high = min(shown), max(shown)
    span = high - low
    even = (rows for rows in range(height - 1, _FEWEST_ROWS - 2, -1) if rows and span % rows == 0)
    return Scale(low, high, span + 1 if span < height else next(even, height - 1) + 1)


def step_rows(
    steps: Steps, axis: Axis, height: int, glyphs: Glyphs, *, other: Steps = (), bounds: Sequence[Steps] = ()
) -> list[tuple[str, str]]:
    """A chart of steps from its highest row down: the numbers that each row stands for, and its characters.

    height   the most rows
    other    a second line, drawn where it differs
    bounds   lines in the background, drawn where they are near enough to be shown
    """
    line = passages(steps, axis)
    beside = [theirs.values - ours.values for ours, theirs in zip(line, passages(other, axis), strict=True)]
    values = {value for passage in line for value in passage.values}.union(*beside)
    borders = [passages(bound, axis) for bound in bounds]
    near = _near(values, {value for border in borders for passage in border for value in passage.values})
    scale = scale_of(values | near, height)
    grid = [[" "] * axis.columns for _ in range(scale.rows)]
    for border in borders:
        for column, passage in enumerate(border):
            if passage.leaves in near:
                grid[scale.row(passage.leaves)][column] = glyphs.bound
    for column, (passage, others) in enumerate(zip(line, beside, strict=True)):
        for value in others:
            grid[scale.row(value)][column] = glyphs.other
        for row, sides in _strokes(passage, scale).items():
            grid[row][column] = glyphs.corners.get(sides, "+")
    return [(_label(row, values | near, scale), "".join(grid[row])) for row in reversed(range(scale.rows))]


def _near(values: set[int], bounds: set[int]) -> set[int]:
    """The bounds that a chart of these numbers shows without becoming twice as high."""
    if not values:
        return bounds
    low, high = min(values), max(values)
    reach = max(high - low, 2)
    return {bound for bound in bounds if low - reach <= bound <= high + reach}


def _strokes(passage: Passage, scale: Scale) -> Mapping[int, str]:
    """To which sides a line goes in each row of a column."""
    if not passage.values:
        return {}
    rows = [scale.row(value) for value in passage.values]
    low, high = min(rows), max(rows)
    strokes = {row: {*("u" * (row < high)), *("d" * (row > low))} for row in range(low, high + 1)}
    if passage.enters is not None:
        strokes[scale.row(passage.enters)].add("l")
    if passage.leaves is not None:
        strokes[scale.row(passage.leaves)].add("r")
    return {row: "".join(sorted(sides)) for row, sides in strokes.items()}


def _label(row: int, values: set[int], scale: Scale) -> str:
    """The numbers on a row of a scale: `6`, or `40-44` where one row stands for several."""
    here = [value for value in values if scale.row(value) == row]
    if not here:
        return ""
    return str(here[0]) if min(here) == max(here) else f"{min(here)}-{max(here)}"


_NICE_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
_DAY_S = 86400


def time_row(axis: Axis, glyphs: Glyphs) -> str:
    """Round times below a chart, each after a tick at its column: `╵14:05`; a day where it begins."""
    cells = [" "] * axis.columns
    free = 0
    for column, text in ticks(axis, None):
        end = column + len(text) + 1
        if free <= column and end <= axis.columns:  # a day is longer than the times beside it
            cells[column:end] = [glyphs.tick, *text]
            free = end + 1
    return "".join(cells).rstrip()


def ticks(axis: Axis, least: int | None) -> Iterator[tuple[int, str]]:
    """The column of each round time and its text, which at midnight is the day that begins.

    least   so many columns are between two at least; None: so that times have room
    """
    span_us = axis.last_us - axis.first_us + 1
    for seconds in (*_NICE_S, *(_DAY_S * days for days in (2, 5, 10, 20, 50, 100, 200, 500))):
        text_width = 5 if seconds % 60 == 0 else 8
        text_width = 10 if seconds >= _DAY_S else text_width
        if seconds * SECOND * axis.columns >= (least or text_width + 3) * span_us:
            break
    step_us = seconds * SECOND
    ahead_us = offset_us(axis.first_us)
    first_us = -(-(axis.first_us + ahead_us) // step_us) * step_us - ahead_us
    for at_us in range(first_us, axis.last_us + 1, step_us):
        column = axis.column(at_us)
        if column is not None:
            whole = in_zone(Micros(at_us))
            is_day = seconds >= _DAY_S or whole[11:19] == "00:00:00"
            yield column, whole[:10] if is_day else whole[11 : 11 + text_width]


def block_row(shares: Sequence[float | None], glyphs: Glyphs) -> str:
    """A block for each share of a whole: 0 is empty, 1 or more is full. None leaves a blank."""
    highest = len(glyphs.blocks) - 1
    return "".join(
        " " if share is None else glyphs.blocks[min(max(round(share * highest), int(share > 0)), highest)]
        for share in shares
    )
