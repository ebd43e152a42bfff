"""Milli and Micros: the two whole numbers that everything is counted in."""

from dataclasses import dataclass
from typing import NewType

Milli = NewType("Milli", int)
"""Thousandths of a quantity, as Kubernetes' `MilliValue`: rounded away from zero, int64."""

Micros = NewType("Micros", int)
"""Microseconds since 1970-01-01T00:00:00Z."""

SECOND = 1_000_000
"""Microseconds in a second."""

YEAR_1_US, YEAR_10000_US = -62_135_596_800 * SECOND, 253_402_300_800 * SECOND
"""Between these an RFC 3339 text can tell a time."""

LAST_US = 221_845_392_000 * SECOND
"""9000-01-01T00:00:00Z: what is said to have been seen later was not; sums with any window stay times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A Kubernetes quantity: its text, its int64 thousandths, its exact billionths.

    `milli` is what the controller computes with, upstream's overflow included; `nano` is what
    equality of two statuses compares, for upstream compares quantities by value.
    """

    text: str
    milli: Milli
    nano: int
