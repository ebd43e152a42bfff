"""The primary reason of a decision: the last step without which the number would be another."""

ON_TARGET = 0
TOLERANCE_HOLD = 1
ABOVE_TARGET = 2
BELOW_TARGET = 3
DAMPED = 4
DIRECTION_FLIP = 5
COUNT_FLIP = 6
LEGACY_RAISE = 7
UP_HOLD = 8
UP_PARTIAL = 9
DOWN_HOLD = 10
DOWN_PARTIAL = 11
LEGACY_UP_LIMIT = 12
UP_LIMIT = 13
UP_DISABLED = 14
DOWN_LIMIT = 15
DOWN_DISABLED = 16
BOUND_MIN = 17
BOUND_MAX = 18
GATE_DISABLED = 19
GATE_ABOVE_MAX = 20
GATE_BELOW_MIN = 21
ALL_INVALID = 22
PARTIAL_BLOCKS = 23
UNREADABLE = 24
WRITE_FAILED = 25
SELECTOR_MISSING = 26
STALE_CACHE = 27
CODES = (
    "metric.on_target",
    "tolerance.hold",
    "metric.above_target",
    "metric.below_target",
    "adjust.damped_into_tolerance",
    "adjust.direction_flip_hold",
    "adjust.count_flip_hold",
    "stabilize.legacy_raise",
    "stabilize.up_hold",
    "stabilize.up_partial",
    "stabilize.down_hold",
    "stabilize.down_partial",
    "policy.legacy_up_limit",
    "policy.up_limit",
    "policy.up_disabled",
    "policy.down_limit",
    "policy.down_disabled",
    "bound.min",
    "bound.max",
    "gate.disabled_at_zero",
    "gate.above_max",
    "gate.below_min",
    "gate.all_metrics_invalid",
    "gate.partial_metrics_block_down",
    "gate.target_unreadable",
    "act.write_failed",
    "gate.selector_missing",
    "gate.stale_cache",
)
"""The words of the codes, by number."""


def of_metric(adjust: int, inside: bool, proposal: int, current: int, ratio: float) -> int:
    """The code of the winning metric.

    adjust, inside   as `rules.propose` found them: the tolerance is asked there and nowhere else; 1 to 3 are holds

    A metric against `status.replicas` that is inside the tolerance asks for these, which may differ from `current`:
    then nothing was held.
    """
    if 1 <= adjust <= 3:  # noqa: PLR2004 (DAMPED_INTO_TOLERANCE, DIRECTION_FLIP_HOLD, COUNT_FLIP_HOLD)
        return DAMPED + adjust - 1
    if ratio == 1.0:
        return ON_TARGET
    if inside and proposal == current:
        return TOLERANCE_HOLD
    return ABOVE_TARGET if ratio > 1.0 else BELOW_TARGET


def of_window(raw: int, current: int, stabilized: int, behavior: bool) -> int:
    """What the stabilization window did."""
    if not behavior and stabilized > current:
        return LEGACY_RAISE
    if raw > stabilized:
        return UP_HOLD if stabilized == current else UP_PARTIAL
    return DOWN_HOLD if stabilized == current else DOWN_PARTIAL


def of_policy(stabilized: int, current: int, disabled: bool, behavior: bool) -> int:
    """What the policies did."""
    if not behavior:
        return LEGACY_UP_LIMIT
    if stabilized > current:
        return UP_DISABLED if disabled else UP_LIMIT
    return DOWN_DISABLED if disabled else DOWN_LIMIT


def of_bound(by_policy: int, replicas: int) -> int:
    """Which bound moved the number."""
    return BOUND_MIN if replicas > by_policy else BOUND_MAX


def primary(
    metric: int,
    raw: int,
    current: int,
    stabilized: int,
    by_policy: int,
    by_bounds: int,
    replicas: int,
    without_memory: int,
    desired: int,
    disabled: bool,
    behavior: bool,
) -> int:
    """The last binding step, else, of limits that coincide, the first that reached the number, else the metric.

    by_policy, by_bounds, replicas   as of `rules.limit.Limited`;  without_memory   what they make of `raw`
    desired                          the number in the end
    """
    window, policy = of_window(raw, current, stabilized, behavior), of_policy(stabilized, current, disabled, behavior)
    if desired != replicas:
        return BOUND_MIN
    if replicas != by_policy:
        return of_bound(by_policy, replicas)
    if by_policy != stabilized and by_bounds != replicas:
        return policy
    if stabilized != raw and without_memory != replicas:
        return window
    if desired != raw:
        if stabilized != raw and stabilized == desired:
            return window
        if by_policy != stabilized and by_policy == desired:
            return policy
    return metric
