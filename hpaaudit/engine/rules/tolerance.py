"""Whether a usage ratio is inside the tolerance: then the metric keeps the replicas that there are.

Without a tolerance every small change of the load would move replicas. Upstream: `replica_calculator.go`,
`Tolerances.isWithin` (1.33), before that `math.Abs(1.0-usageRatio) <= tolerance` at each place. This is our only file
that compares a ratio with a tolerance, and `tolerance_of` the only function that asks the release how.
"""

from typing import NamedTuple

from hpaaudit.engine.behaviours.in_force import Behaviours


class Tolerance(NamedTuple):
    """How far a usage ratio may be from 1.

    down, up       below and above 1; before 1.33 both are the controller's flag
    is_inclusive   the ratio is compared with two bounds, both included (1.33, #130797); before, its distance from 1 was
                   compared
    """

    down: float
    up: float
    is_inclusive: bool


def tolerance_of(down: float, up: float, behaviours: Behaviours) -> Tolerance:
    """The tolerance of an HPA, as a release compares it. Upstream: `horizontal.go`, `tolerancesForHpa` (1.33)."""
    return Tolerance(down, up, behaviours.inclusive_tolerance)


def within(ratio: float, tolerance: Tolerance) -> bool:
    """True if a ratio is inside the tolerance.

    The two ways differ by the rounding of doubles: the distance of 1.1 from 1 is more than 0.1, and yet 1.1 is not more
    than 1.0 + 0.1. So the controller of 1.32 scales at a ratio of 1.1, and that of 1.33 does not.
    """
    if tolerance.is_inclusive:
        return (1.0 - tolerance.down) <= ratio <= (1.0 + tolerance.up)
    return abs(1.0 - ratio) <= tolerance.down


def outside(ratio: float, tolerance: Tolerance) -> bool:
    """True if a ratio is outside the tolerance: the opposite of `within`, except for NaN before 1.33.

    For averages of Object and External metrics upstream asked the other way round (`math.Abs(…) > tolerance`). NaN is
    neither inside nor outside then, so such a metric kept the replicas. Since 1.33 it is `!isWithin(…)`.
    """
    if tolerance.is_inclusive:
        return not within(ratio, tolerance)
    return abs(1.0 - ratio) > tolerance.down


def keeps_replicas(ratio: float, refilled: float, tolerance: Tolerance) -> bool:
    """True if a metric keeps the replicas after missing and unready pods were filled in.

    refilled   the ratio with these pods

    It does if the second ratio is inside the tolerance, or on the other side of 1 than the first. The pods that are
    filled in have assumed values: these may damp a change, but never turn it round. Upstream: `replica_calculator.go`,
    `GetResourceReplicas` and `calcPlainMetricReplicas`.
    """
    return within(refilled, tolerance) or (ratio < 1.0 < refilled) or (ratio > 1.0 > refilled)
