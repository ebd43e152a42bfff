"""Names the primary reason of a decision: the last step without which the number would be another.

Upstream has no such thing: it tells the last clamp only. So these rules are ours, and hold for every release.
"""

from hpaaudit.engine.rules.normalize import Settled
from hpaaudit.engine.rules.reason_codes import (
    ABOVE_TARGET,
    BELOW_TARGET,
    BOUND_MAX,
    BOUND_MIN,
    DAMPED,
    DOWN_DISABLED,
    DOWN_HOLD,
    DOWN_LIMIT,
    DOWN_PARTIAL,
    LEGACY_RAISE,
    LEGACY_UP_LIMIT,
    ON_TARGET,
    TOLERANCE_HOLD,
    UP_DISABLED,
    UP_HOLD,
    UP_LIMIT,
    UP_PARTIAL,
)
from hpaaudit.engine.rules.replica_calculator import COUNT_FLIP_HOLD, DAMPED_INTO_TOLERANCE


def of_metric(adjust: int, inside: bool, proposal: int, current: int, ratio: float) -> int:
    """The code of the winning metric.

    adjust, inside   as `rules.propose` found them: the tolerance is asked there and nowhere else

    A metric against `status.replicas` that is inside the tolerance asks for these, which may differ from `current`:
    then nothing was held.
    """
    if DAMPED_INTO_TOLERANCE <= adjust <= COUNT_FLIP_HOLD:
        return DAMPED + adjust - DAMPED_INTO_TOLERANCE  # the three holds stand in the same order here
    if ratio == 1.0:
        return ON_TARGET
    if inside and proposal == current:
        return TOLERANCE_HOLD
    return ABOVE_TARGET if ratio > 1.0 else BELOW_TARGET


def of_window(settled: Settled) -> int:
    """What the stabilization window did.

    Without a behavior it may even raise the number above what stands (LEGACY_RAISE): the highest recommendation of
    the window counts, although nobody asks for so many any more.
    """
    stabilized, current = settled.held.replicas, settled.current
    if not settled.behaves and stabilized > current:
        return LEGACY_RAISE
    if settled.raw > stabilized:
        return UP_HOLD if stabilized == current else UP_PARTIAL
    return DOWN_HOLD if stabilized == current else DOWN_PARTIAL


def of_policy(settled: Settled) -> int:
    """What the policies did."""
    if not settled.behaves:
        return LEGACY_UP_LIMIT
    if settled.held.replicas > settled.current:
        return UP_DISABLED if settled.disabled else UP_LIMIT
    return DOWN_DISABLED if settled.disabled else DOWN_LIMIT


def of_bound(settled: Settled) -> int:
    """Which bound moved the number."""
    return BOUND_MIN if settled.limited.replicas > settled.limited.by_policy else BOUND_MAX


def primary(metric: int, settled: Settled) -> int:
    """The last binding step, else, of limits that coincide, the first that reached the number, else the metric.

    A step binds if the outcome would be another without it alone. If two limits give the same number, neither binds:
    then the first of them that reached it is the reason.
    """
    limited, raw, stabilized = settled.limited, settled.raw, settled.held.replicas
    if settled.desired != limited.replicas:
        return BOUND_MIN  # zero was left for minReplicas
    if limited.replicas != limited.by_policy:
        return of_bound(settled)
    if limited.by_policy != stabilized and limited.by_bounds != limited.replicas:
        return of_policy(settled)
    if stabilized != raw and settled.without_memory != limited.replicas:
        return of_window(settled)
    if settled.desired != raw:
        if stabilized != raw and stabilized == settled.desired:
            return of_window(settled)
        if limited.by_policy != stabilized and limited.by_policy == settled.desired:
            return of_policy(settled)
    return metric
