"""Fits the table of an answer to a terminal: shorter times, wrapped texts, or else a line for each value."""

import textwrap
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from itertools import chain
from typing import Any

from hpaaudit.report.text import printable
from hpaaudit.report.text_table import GAP, are_numbers, cell, local_time, table

NARROWEST_TEXT = 20
"""A text is not wrapped to less than this: it would be a column of single words."""

LONGEST_WORD = 32
"""A longer word may be broken. Names of pods and of HPAs are rarely longer."""

NARROWEST_VALUE = 10
"""Where each value has a line of its own, it gets so many characters, however narrow the terminal."""

WHOLE = "-o wide shows them whole"


class _Times(Enum):
    """How much of a time is shown."""

    WHOLE = "whole"
    SECOND = "to the second"
    OF_DAY = "to the second, without the day"


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedTable:
    """The text of an answer, and a note on what was done to fit it; without a note nothing is cut."""

    text: str
    note: str = ""


def fitted_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], width: int) -> FittedTable:
    """The rows below their headings, no line wider than this. Nothing but times is cut.

    First times are cut to the second, and lose the day if all of them are of one. Then texts are wrapped. What is still
    too wide, or longer so, has a line for each value.
    """
    if not rows:
        return FittedTable(text="\n".join(_wrap(table(columns, rows), width)))
    moments = [value for row in rows for value in row if isinstance(value, datetime)]
    room = width - len(GAP) * (len(columns) - 1)
    kinds = [_Times.WHOLE]
    if moments:
        kinds += [_Times.SECOND, _Times.OF_DAY] if _day(moments) else [_Times.SECOND]
    for times in kinds:
        grid = _Grid(columns, rows, times)
        if sum(grid.unwrapped) <= room:
            return FittedTable(text=grid.wrapped(grid.shared(room, grid.unwrapped)), note=_cut_times(moments, times))
    records = _records(columns, rows, width)
    if sum(grid.least) <= room:
        wrapped = grid.wrapped(grid.shared(room, grid.least))
        if wrapped.count("\n") <= records.count("\n"):
            return FittedTable(text=wrapped, note=_cut_times(moments, times))
    needed = max(map(len, table(columns, rows).splitlines()))
    return FittedTable(
        text=records, note=f"a line for each value, because a row needs {needed} columns: -o wide prints rows"
    )


class _Grid:
    """The cells of a table as texts.

    natural     how wide each column is if nothing is wrapped
    unwrapped   the same, but headings go on below themselves
    least       the same, and texts do
    """

    def __init__(self, columns: Sequence[str], rows: Sequence[Sequence[Any]], times: _Times) -> None:
        self._headings = [printable(name).upper() for name in columns]
        self._texts = [[_cell(value, times) for value in row] for row in rows]
        self._are_numbers = are_numbers(columns, rows)
        by_column = list(zip(*self._texts, strict=True))
        lengths = [max(map(len, texts)) for texts in by_column]
        headings = [max(map(len, _parts(heading))) for heading in self._headings]
        self.natural = [max(len(heading), length) for heading, length in zip(self._headings, lengths, strict=True)]
        self.unwrapped = [max(pair) for pair in zip(headings, lengths, strict=True)]
        self.least = [
            max(min(heading, LONGEST_WORD), min(length, _least_of(texts)))
            for heading, length, texts in zip(headings, lengths, by_column, strict=True)
        ]

    def shared(self, room: int, least: Sequence[int]) -> list[int]:
        """Widths for this room, no column narrower than its least. Cells come before headings in one line."""
        return _raised(_raised(least, self.unwrapped, room), self.natural, room)

    def wrapped(self, widths: Sequence[int]) -> str:
        """The table, in which what is wider than its column goes on below itself."""
        headings = [_wrap_heading(heading, width) for heading, width in zip(self._headings, widths, strict=True)]
        rows = ([_wrap(text, width) for text, width in zip(row, widths, strict=True)] for row in self._texts)
        return "\n".join(line for cells in chain([headings], rows) for line in self._lines(cells, widths))

    def _lines(self, cells: Sequence[Sequence[str]], widths: Sequence[int]) -> Iterator[str]:
        for at in range(max(map(len, cells))):
            parts = (lines[at] if at < len(lines) else "" for lines in cells)
            yield GAP.join(
                part.rjust(width) if is_number else part.ljust(width)
                for part, width, is_number in zip(parts, widths, self._are_numbers, strict=True)
            ).rstrip()


def _records(columns: Sequence[str], rows: Sequence[Sequence[Any]], width: int) -> str:
    """Each row as lines of a column's name and its value; a blank line between rows."""
    names = max(min(max(map(len, columns)), (width - len(GAP)) // 2), 1)
    room = max(width - names - len(GAP), NARROWEST_VALUE)
    headings = [_wrap_heading(printable(name).upper(), names) for name in columns]
    return "\n\n".join(
        "\n".join(
            f"{name.ljust(names)}{GAP}{text}".rstrip()
            for heading, value in zip(headings, row, strict=True)
            for name, text in _side_by_side(heading, _wrap(cell(value), room))
        )
        for row in rows
    )


def _side_by_side(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[str, str]]:
    for at in range(max(len(left), len(right))):
        yield left[at] if at < len(left) else "", right[at] if at < len(right) else ""


def _raised(low: Sequence[int], high: Sequence[int], room: int) -> list[int]:
    """Widths from low to high that fit in the room: narrow columns get all they need, wide ones share the rest."""

    def up_to(limit: int) -> list[int]:
        return [max(least, min(most, limit)) for least, most in zip(low, high, strict=True)]

    return up_to(bisect_right(range(max(high)), room, key=lambda limit: sum(up_to(limit + 1))))


def _least_of(texts: Sequence[str]) -> int:
    """The width that texts of a column need: a name or a number stays in one line."""
    return max(
        min(max((len(word) for text in texts for word in text.split()), default=0), LONGEST_WORD), NARROWEST_TEXT
    )


def _cell(value: Any, times: _Times) -> str:
    if times is _Times.WHOLE or not isinstance(value, datetime):
        return cell(value)
    local = cell(value.replace(microsecond=0))
    return local if times is _Times.SECOND else local.partition("T")[2]


def _day(moments: Sequence[datetime]) -> str:
    """The day of all these times in the zone that is in use; empty if they are of several."""
    days = {f"{local_time(moment):%Y-%m-%d}" for moment in moments}
    return days.pop() if len(days) == 1 else ""


def _cut_times(moments: Sequence[datetime], times: _Times) -> str:
    """A note on how times were shortened; empty if they were not."""
    cut = "cut to the second" if any(moment.microsecond for moment in moments) else ""
    if times is _Times.OF_DAY:
        return f"times are of {_day(moments)}{', ' * bool(cut)}{cut}: {WHOLE}"
    return f"times are {cut}: {WHOLE}" if cut and times is _Times.SECOND else ""


def _wrap(text: str, width: int) -> list[str]:
    return [text] if len(text) <= width else textwrap.wrap(text, width, break_on_hyphens=False) or [""]


def _wrap_heading(heading: str, width: int) -> list[str]:
    """The lines of a heading that is too wide: it is broken after its underscores."""
    lines = [""]
    for part in _parts(heading):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return [piece for line in lines for piece in (textwrap.wrap(line, width) or [line])]


def _parts(heading: str) -> list[str]:
    """`WRITER_CONFIDENCE` as `WRITER_` and `CONFIDENCE`."""
    *before, last = heading.split("_")
    return [*(f"{part}_" for part in before), last]
