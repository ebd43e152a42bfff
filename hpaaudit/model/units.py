"""The units: thousandths for quantities, microseconds for times, both whole numbers."""

from dataclasses import dataclass
from typing import NewType

Milli = NewType("Milli", int)
"""Thousandths of a quantity, as Kubernetes' `MilliValue`: rounded away from zero, int64."""

Micros = NewType("Micros", int)
"""Microseconds since 1970-01-01T00:00:00Z."""

SECOND = 1_000_000
"""Microseconds in a second."""

YEAR_1_US, YEAR_10000_US = -62_135_596_800 * SECOND, 253_402_300_800 * SECOND
"""The times that RFC 3339 can express."""

LAST_US = 221_845_392_000 * SECOND
"""9000-01-01T00:00:00Z, the last time that a fact may have. A time plus any window is then a valid time, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A Kubernetes quantity: its text, its int64 thousandths, its exact billionths.

    The controller computes with `milli`, upstream's overflow included. Two statuses are compared by `nano`, because
    upstream compares quantities by value.
    """

    text: str
    milli: Milli
    nano: int
