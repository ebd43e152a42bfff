"""Tells whether a ratio is inside the tolerance: then the metric holds what stands.

Upstream: `Tolerances.isWithin` (1.33), before it a comparison at each place in `replica_calculator.go`. This is the
only place that compares a ratio with a tolerance, and `tolerance_of` the only one that asks the release how.
"""

from typing import NamedTuple

from hpaaudit.engine.behaviours.table import Rules


class Tolerance(NamedTuple):
    """How far a ratio may be from one.

    down, up    below and above one; before 1.33 both are the controller's flag
    inclusive   two bounds are compared, both included (1.33, #130797); before, one distance from one was
    """

    down: float
    up: float
    inclusive: bool


def tolerance_of(down: float, up: float, rules: Rules) -> Tolerance:
    """The tolerance of an HPA, as a release compares it."""
    return Tolerance(down, up, rules.inclusive_tolerance)


def within(ratio: float, tolerance: Tolerance) -> bool:
    """Whether a ratio is inside the tolerance.

    The two ways differ by the rounding of doubles: 1.1 is farther from one than 0.1, and yet not above 1.0 + 0.1. So
    the controller of 1.32 scales at a ratio of 1.1, and that of 1.33 does not.
    """
    if tolerance.inclusive:
        return (1.0 - tolerance.down) <= ratio <= (1.0 + tolerance.up)
    return abs(1.0 - ratio) <= tolerance.down


def outside(ratio: float, tolerance: Tolerance) -> bool:
    """Whether a ratio is outside the tolerance: the opposite, but for what is not a number.

    Upstream asked averages of objects and external metrics the other way round (`math.Abs(…) > tolerance`): what is not
    a number is neither inside nor outside, so that such a metric held before 1.33.
    """
    if tolerance.inclusive:
        return not within(ratio, tolerance)
    return abs(1.0 - ratio) > tolerance.down


def holds(first: float, second: float, tolerance: Tolerance) -> bool:
    """Whether a metric holds after missing and unready pods were filled in.

    It does where the second ratio is inside the tolerance, or on the other side of one than the first: what was filled
    in must damp a move, and never turn it round.
    """
    return within(second, tolerance) or (first < 1.0 < second) or (first > 1.0 > second)
