"""Formats rows as an aligned table: numbers to the right, text to the left, NULL as a dash."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from hpaaudit.report.text import printable

ABSENT = "-"


def cell(value: Any) -> str:
    """A value as text; times are UTC."""
    if value is None:
        return ABSENT
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds" if not value.microsecond else "microseconds") + "Z"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}" if value != int(value) else str(int(value))
    if isinstance(value, list | tuple):
        return ", ".join(cell(item) for item in value)
    return printable(str(value))


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]], indent: str = "") -> str:
    """The rows below their headings, without blanks at the end of a line."""
    texts = [[cell(value) for value in row] for row in rows]
    widths = [max(len(heading), *(len(row[i]) for row in texts), 0) for i, heading in enumerate(columns)]
    right = [
        any(isinstance(row[i], int | float) for row in rows)
        and all(row[i] is None or (isinstance(row[i], int | float) and not isinstance(row[i], bool)) for row in rows)
        for i in range(len(columns))
    ]
    lines = [
        "  ".join(
            text.rjust(width) if numeric else text.ljust(width)
            for text, width, numeric in zip(line, widths, right, strict=True)
        )
        for line in ([heading.upper() for heading in columns], *texts)
    ]
    return "\n".join(indent + line.rstrip() for line in lines)
