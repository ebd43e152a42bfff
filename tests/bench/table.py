"""The table of `make bench`: what was measured side by side, and the ratio."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: two things measured together, and their ratio."""

    what: str
    ours: str
    other: str
    ratio: str


def rendered(head: str, rows: Iterable[Row]) -> str:
    """Returns rows under a head, in columns."""
    lines = [Row(head, "ours", "beside it", "ratio"), *rows]
    widths = [max(len(getattr(line, name)) for line in lines) for name in Row.__slots__]
    return "".join(
        "  ".join(getattr(line, name).ljust(width) for name, width in zip(Row.__slots__, widths, strict=True)).rstrip()
        + "\n"
        for line in lines
    )
