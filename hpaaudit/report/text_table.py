"""Formats rows as an aligned table: numbers to the right, text to the left, NULL as a dash."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from hpaaudit.api.zone import zone_in_use
from hpaaudit.report.text import printable

ABSENT = "-"
GAP = "  "
NARROWEST = 8
"""A column is not made narrower than this to fit the terminal."""


def cell(value: Any) -> str:
    """A value as text; times, which are UTC, in the zone that is in use."""
    if value is None:
        return ABSENT
    if isinstance(value, datetime):
        local = value.replace(tzinfo=UTC).astimezone(zone_in_use())
        whole = local.isoformat(timespec="seconds" if not value.microsecond else "microseconds")
        return whole.replace("+00:00", "Z")
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else f"{value:g}"
    if isinstance(value, list | tuple):
        return ", ".join(cell(item) for item in value)
    return printable(str(value))


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    indent: str = "",
    *,
    width: int | None = None,
    has_headings: bool = True,
) -> str:
    """The rows below their headings, without blanks at the end of a line.

    width   cut the longest texts so that no line is wider; numbers and times stay whole. None: cut nothing
    """
    headings = [heading.upper() for heading in columns] if has_headings else ["" for _ in columns]
    texts = [[cell(value) for value in row] for row in rows]
    widths = [max(len(heading), *(len(row[i]) for row in texts), 0) for i, heading in enumerate(headings)]
    if width is not None:
        is_text = [any(isinstance(row[i], str | list | tuple | dict) for row in rows) for i in range(len(columns))]
        widths = _fitting(widths, is_text, width - len(indent) - len(GAP) * (len(widths) - 1))
    right = [
        any(isinstance(row[i], int | float) for row in rows)
        and all(row[i] is None or (isinstance(row[i], int | float) and not isinstance(row[i], bool)) for row in rows)
        for i in range(len(columns))
    ]
    lines = [
        GAP.join(
            _cut(text, width).rjust(width) if numeric else _cut(text, width).ljust(width)
            for text, width, numeric in zip(line, widths, right, strict=True)
        )
        for line in ([headings] if has_headings else []) + texts
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
