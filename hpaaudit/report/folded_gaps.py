"""Folds the gaps of a recording: many short ones with one cause are one line."""

import re
from collections.abc import Iterator, Sequence

from hpaaudit.api.zone import in_zone
from hpaaudit.model.facts import Gap
from hpaaudit.model.units import SECOND
from hpaaudit.report.text import duration
from hpaaudit.report.text_table import page_table

LISTED = 10
"""The most causes that are listed where nobody asks for all."""

_COUNT = re.compile(r"\d[\d.,]* (\w+?)s?\b")
_NUMBER = re.compile(r"\d[\d.,]*")


def gap_lines(gaps: Sequence[Gap], indent: str = "  ", most: int | None = LISTED) -> Iterator[str]:
    """The number of gaps, then a row for each cause: the one that hides most time first.

    most   causes that are listed; None: all
    """
    if not gaps:
        yield f"{indent}gaps: none"
        return
    by_cause: dict[str, list[Gap]] = {}
    for gap in gaps:
        by_cause.setdefault(_kind(gap.cause), []).append(gap)
    folded = sorted(by_cause.values(), key=lambda some: (-_hidden_us(some), some[0].at_us))
    yield f"{indent}gaps: {len(gaps)}"
    columns = ("times", "total", "longest", "first", "last until", "what", "cause")
    yield page_table(columns, [_row(some) for some in folded[:most]], indent=f"{indent}  ")
    if most is not None and len(folded) > most:
        yield f"{indent}  and {len(folded) - most} more causes, all in -o wide"


def _kind(cause: str) -> str:
    """The cause without its numbers: `missed 3 reads` and `missed 1 read` are one."""
    return _NUMBER.sub("N", _COUNT.sub(r"N \1s", cause))


def _row(gaps: Sequence[Gap]) -> tuple[str | int, ...]:
    causes = {gap.cause for gap in gaps}
    prefixes = {gap.prefix for gap in gaps}
    return (
        len(gaps),
        duration(_hidden_us(gaps) / SECOND),
        duration(max(gap.until_us - gap.at_us for gap in gaps) / SECOND),
        in_zone(min(gap.at_us for gap in gaps)),
        in_zone(max(gap.until_us for gap in gaps)),
        prefixes.pop() if len(prefixes) == 1 else f"{len(prefixes)} paths",
        causes.pop() if len(causes) == 1 else _kind(gaps[0].cause),
    )


def _hidden_us(gaps: Sequence[Gap]) -> int:
    """The time that they hide together. Where they overlap it counts once."""
    total = end = 0
    for gap in sorted(gaps, key=lambda gap: gap.at_us):
        total += max(0, gap.until_us - max(gap.at_us, end))
        end = max(end, gap.until_us)
    return total
