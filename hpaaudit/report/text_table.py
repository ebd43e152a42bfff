"""Formats rows as an aligned table: numbers to the right, text to the left, NULL as a dash."""

import re
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from decimal import Decimal
from itertools import zip_longest
from typing import Any

from hpaaudit.api.zone import zone_in_use
from hpaaudit.model.plain_values import blob_text
from hpaaudit.report.text import printable, table_width

ABSENT = "-"
GAP = "  "
NARROWEST = 8
"""A column is not made narrower than this to fit the terminal."""

_HAS_HEADINGS: ContextVar[bool] = ContextVar("has_headings", default=True)

_EXACT = 2**53
"""From here on a float has no digits of its own for each whole number."""

_NUMBER = int | float | Decimal

_TIME = re.compile(r"(\d{4}-\d\d-\d\dT)?\d\d:\d\d(:\d\d[.\d]*)?(Z|[+-]\d\d:\d\d)?")

NARROWEST_STEP = 3
"""So much deeper stand the columns that have no room beside the first ones."""

NARROWEST_LAST = 24
"""Nor the last one of a page's table, whose texts go on below."""


@contextmanager
def without_headings() -> Iterator[None]:
    """Leaves out the headings of all tables for a while."""
    token = _HAS_HEADINGS.set(False)
    try:
        yield
    finally:
        _HAS_HEADINGS.reset(token)


def has_headings() -> bool:
    """Whether tables are printed with their headings."""
    return _HAS_HEADINGS.get()


def cell(value: Any) -> str:
    """A value as text; times, which are UTC, in the zone that is in use."""
    if value is None:
        return ABSENT
    if isinstance(value, datetime):
        local = local_time(value)
        whole = local.isoformat(timespec="seconds" if not value.microsecond else "microseconds")
        return whole.replace("+00:00", "Z")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < _EXACT else f"{value:g}"
    if isinstance(value, list | tuple | dict):
        return _nested(value)
    return printable(blob_text(value) if isinstance(value, bytes) else str(value))


def _nested(value: list[Any] | tuple[Any, ...] | dict[Any, Any]) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{cell(key)}: {cell(item)}' for key, item in value.items())}}}"
    return ", ".join(cell(item) for item in value)


def local_time(value: datetime) -> datetime:
    """The same time in the zone that is in use; the ends of all time, which DuckDB's infinities are, stay in UTC."""
    try:
        return value.replace(tzinfo=UTC).astimezone(zone_in_use())
    except OverflowError:
        return value.replace(tzinfo=UTC)


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]], indent: str = "") -> str:
    """The rows below their headings, without blanks at the end of a line. Nothing is cut."""
    headings, texts = _texts(columns, rows)
    return _aligned(headings, texts, _natural(headings, texts), are_numbers(columns, rows), indent)


def page_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], indent: str = "  ") -> str:
    """A table of a page.

    On a terminal that is too narrow the texts of the last column go on below themselves; if that is not enough, each
    row takes several lines, and nothing is cut.
    """
    headings, texts = _texts(columns, rows)
    widths = _natural(headings, texts)
    width = table_width()
    if width is None or sum(widths) <= (room := _room(width, widths, indent)):
        return _aligned(headings, texts, widths, are_numbers(columns, rows), indent)
    *others, last = widths
    *are_texts, _ = _are_texts(columns, rows)
    others = _fitting(others, are_texts, room - min(last, NARROWEST_LAST))
    last = max(room - sum(others), NARROWEST_LAST)
    if sum(others) + last > room:
        return _stacked(headings, texts, widths, are_numbers(columns, rows), width, indent)
    wrapped = []
    for *cells, text in texts:
        parts = textwrap.wrap(text, last) or [""]
        wrapped += [[*cells, parts[0]], *([*("" for _ in cells), part] for part in parts[1:])]
    return _aligned(headings, wrapped, [*others, last], are_numbers(columns, rows), indent)


def _stacked(
    headings: Sequence[str],
    texts: Sequence[Sequence[str]],
    widths: Sequence[int],
    are_numbers: Sequence[bool],
    width: int,
    indent: str,
) -> str:
    """Rows of several lines: what has no room beside the first columns stands below them, with its heading."""
    deeper = f"{indent}{' ' * NARROWEST_STEP}"
    groups: list[dict[int, int]] = []
    room = 0
    for index, natural in enumerate(widths):
        is_last = index == len(widths) - 1
        if groups and room >= len(GAP) + min(natural, NARROWEST_LAST if is_last else natural):
            room -= len(GAP)
        else:
            groups.append({})
            room = width - len(deeper if groups[1:] else indent)
        groups[-1][index] = min(natural, max(room, 1))
        room -= groups[-1][index]
    lines = []
    for cells in [*([headings] if any(headings) else []), *texts]:
        for number, group in enumerate(groups):
            # A number that is wider than the screen stays whole.
            parts = [[cells[i]] if are_numbers[i] else textwrap.wrap(cells[i], room) for i, room in group.items()]
            for line in zip_longest(*parts, fillvalue=""):
                aligned = (
                    text.rjust(room) if are_numbers[i] else text.ljust(room)
                    for text, (i, room) in zip(line, group.items(), strict=True)
                )
                lines.append((deeper if number else indent) + GAP.join(aligned).rstrip())
    return "\n".join(lines)


def _texts(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> tuple[list[str], list[list[str]]]:
    """The headings, empty without any, and the rows as texts."""
    return [heading.upper() if has_headings() else "" for heading in columns], [
        [cell(value) for value in row] for row in rows
    ]


def _natural(headings: Sequence[str], texts: Sequence[Sequence[str]]) -> list[int]:
    """How wide each column is if nothing is cut."""
    return [max(len(heading), *(len(row[i]) for row in texts), 0) for i, heading in enumerate(headings)]


def _room(width: int, widths: Sequence[int], indent: str) -> int:
    """The columns of the screen that are left for texts."""
    return width - len(indent) - len(GAP) * (len(widths) - 1)


def _are_texts(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[bool]:
    """Whether a column may be cut: it has texts that are no times."""
    return [
        any(
            isinstance(row[i], list | tuple | dict) or (isinstance(row[i], str) and not _TIME.fullmatch(row[i]))
            for row in rows
        )
        for i in range(len(columns))
    ]


def are_numbers(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[bool]:
    """Whether a column holds numbers and nothing else."""
    return [
        any(isinstance(row[i], _NUMBER) for row in rows)
        and all(row[i] is None or (isinstance(row[i], _NUMBER) and not isinstance(row[i], bool)) for row in rows)
        for i in range(len(columns))
    ]


def _aligned(
    headings: Sequence[str],
    texts: Sequence[Sequence[str]],
    widths: Sequence[int],
    are_numbers: Sequence[bool],
    indent: str,
) -> str:
    """Numbers to the right, texts to the left."""
    lines = [
        GAP.join(
            _cut(text, width).rjust(width) if is_number else _cut(text, width).ljust(width)
            for text, width, is_number in zip(line, widths, are_numbers, strict=True)
        )
        for line in [*([headings] if any(headings) else []), *texts]
    ]
    return "\n".join(indent + line.rstrip() for line in lines)


def _fitting(widths: Sequence[int], is_text: Sequence[bool], room: int) -> list[int]:
    """The widths, those of texts reduced to one limit, so that all columns need no more than this room if possible."""
    for limit in range(max(widths, default=0), NARROWEST - 1, -1):
        fitting = [min(width, limit) if cuttable else width for width, cuttable in zip(widths, is_text, strict=True)]
        if sum(fitting) <= room:
            return fitting
    return [min(width, NARROWEST) if cuttable else width for width, cuttable in zip(widths, is_text, strict=True)]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
