"""Names the primary reason of a decision: the last step without which the number would be another.

Upstream has no such thing: its conditions name the last limit only. So these rules are ours, and hold for every
release.
"""

from hpaaudit.engine.rules.bounds import Bounded
from hpaaudit.engine.rules.limit import TOO_FEW, TOO_MANY, WITHIN_RANGE
from hpaaudit.engine.rules.normalize import Normalized
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
    DOWN_REVERSED,
    FORBIDDEN_DOWN,
    FORBIDDEN_UP,
    LEGACY_RAISE,
    LEGACY_UP_LIMIT,
    ON_TARGET,
    TOLERANCE_HOLD,
    UP_DISABLED,
    UP_HOLD,
    UP_LIMIT,
    UP_PARTIAL,
    UP_REVERSED,
)
from hpaaudit.engine.rules.replica_calculator import COUNT_FLIP_HOLD, DAMPED_INTO_TOLERANCE


def of_metric(adjust: int, inside: bool, proposal: int, current: int, ratio: float) -> int:
    """The reason code of the winning metric.

    adjust, inside   as in `replica_calculator.Proposal`: the tolerance is asked there and nowhere else

    Inside the tolerance, an average proposes `status.replicas`. These may differ from current replicas, and then the
    tolerance kept nothing. Outside of it a metric may ask for the current replicas all the same: 2 pods at 80 % of
    their target make 1.6, which is 2.
    """
    if DAMPED_INTO_TOLERANCE <= adjust <= COUNT_FLIP_HOLD:
        return DAMPED + adjust - DAMPED_INTO_TOLERANCE  # the three codes stand in the same order
    if ratio == 1.0:
        return ON_TARGET
    if proposal == current:
        return TOLERANCE_HOLD if inside else ON_TARGET
    # Pods of others that the selector matches count as well: at half its target a metric may ask for more.
    return of_proposal(proposal, current)


def of_window(normalized: Normalized) -> int:
    """The reason code of the stabilization window.

    Without a behavior it may even raise the number above current replicas (LEGACY_RAISE), as `stabilize_plain` says.
    With one, until 1.20, each window may go to the other side of current replicas: the one that delays a scale-up then
    scales down (UP_REVERSED), the one that delays a scale-down scales up (DOWN_REVERSED), as `stabilize` says (#97348).
    """
    stabilized, current = normalized.stabilized.replicas, normalized.current
    if not normalized.has_behavior and stabilized > current:
        return LEGACY_RAISE
    if normalized.raw > stabilized:
        if stabilized < current:
            return UP_REVERSED
        return UP_HOLD if stabilized == current else UP_PARTIAL
    if stabilized > current:
        return DOWN_REVERSED
    return DOWN_HOLD if stabilized == current else DOWN_PARTIAL


def of_policy(normalized: Normalized) -> int:
    """The reason code of the policies."""
    if not normalized.has_behavior:
        return LEGACY_UP_LIMIT
    if normalized.stabilized.replicas > normalized.current:
        return UP_DISABLED if normalized.disabled else UP_LIMIT
    return DOWN_DISABLED if normalized.disabled else DOWN_LIMIT


def of_bound(normalized: Normalized) -> int:
    """The reason code of minReplicas or maxReplicas, whichever moved the number."""
    return BOUND_MIN if normalized.limited.replicas > normalized.limited.by_policy else BOUND_MAX


def primary(metric: int, normalized: Normalized) -> int:  # noqa: PLR0911 (one return for each step, the last first)
    """The primary reason code; `metric` is that of the winning metric.

    A step binds if the number would be another without it alone. The last binding step is the reason. Where two limits
    give the same number neither binds: then the first that reached the number is the reason. Without any, the metric
    is.
    """
    limited, raw, stabilized = normalized.limited, normalized.raw, normalized.stabilized.replicas
    if normalized.desired != limited.replicas:
        return BOUND_MIN  # the target left zero at minReplicas
    if limited.replicas != limited.by_policy:
        return of_bound(normalized)
    if limited.by_policy != stabilized and limited.by_bounds != limited.replicas:
        return of_policy(normalized)
    if stabilized != raw and normalized.without_memory != limited.replicas:
        return of_window(normalized)
    if normalized.desired != raw:
        if stabilized != raw and stabilized == normalized.desired:
            return of_window(normalized)
        if limited.by_policy != stabilized and limited.by_policy == normalized.desired:
            return of_policy(normalized)
    return metric


def of_proposal(raw: int, current: int) -> int:
    """The reason code of what metrics propose; up to 1.5 they tell no more than that."""
    if raw == current:
        return ON_TARGET
    return ABOVE_TARGET if raw > current else BELOW_TARGET


def of_forbidden_window(limited: int, current: int) -> int:
    """The reason code of the forbidden window that holds current replicas; `limited` is the number that was wanted."""
    return FORBIDDEN_UP if limited > current else FORBIDDEN_DOWN


def of_old_bound(why: int) -> int:
    """The reason code of what limited a number until 1.11."""
    if why == TOO_FEW:
        return BOUND_MIN
    if why == TOO_MANY:
        return BOUND_MAX
    return ON_TARGET if why == WITHIN_RANGE else LEGACY_UP_LIMIT


def primary_before_stabilization(metric: int, raw: int, limited: Bounded, current: int, rescales: bool) -> int:
    """The primary reason code until 1.11: the window that held the number, else its limit, else the metric.

    metric   the code of the winning metric;  rescales   the scale is written
    """
    if limited.replicas != current and not rescales:
        return of_forbidden_window(limited.replicas, current)
    return metric if limited.replicas == raw else of_old_bound(limited.why)
