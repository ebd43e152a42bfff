"""Scaling policies, minReplicas and maxReplicas: what is left of a stabilized recommendation."""

from collections.abc import Iterable
from dataclasses import dataclass

from hpaaudit.engine.rules import limit as rules
from hpaaudit.engine.rules.numbers import MAX_INT32, MIN_INT32
from hpaaudit.model.hpa import Behavior, ScalingPolicy, ScalingRules
from hpaaudit.model.memory import Memory, ScaleEvent
from hpaaudit.model.units import SECOND, Micros

REASONS = {
    rules.WITHIN_RANGE: ("DesiredWithinRange", "the desired count is within the acceptable range"),
    rules.TOO_FEW: ("TooFewReplicas", "the desired replica count is less than the minimum replica count"),
    rules.TOO_MANY: ("TooManyReplicas", "the desired replica count is more than the maximum replica count"),
    rules.UP_LIMIT: ("ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate"),
    rules.DOWN_LIMIT: (
        "ScaleDownLimit",
        "the desired replica count is decreasing faster than the maximum scale rate",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limited:
    """The number, why, and what policies or bounds alone would have left.

    limit       what the policies allow (None: nothing moved, no policy was asked)
    by_policy   after policies, before minReplicas and maxReplicas
    by_bounds   after minReplicas and maxReplicas, without policies
    """

    replicas: int
    reason: str
    message: str
    limit: int | None
    by_policy: int
    by_bounds: int
    disabled: bool


def plain(stabilized: int, current: int, minimum: int, maximum: int, *, own_words: bool) -> Limited:
    """Without a behavior: twice the current or four, then the bounds.

    own_words   TooFewReplicas has its own message; until 1.15 it shows that of the upper limit
    """
    replicas, why = rules.limit_plain(stabilized, current, minimum, maximum)
    limit = rules.plain_up_limit(current)
    reason, message = REASONS[why]
    if why == rules.TOO_FEW and not own_words:
        _, message = REASONS[rules.UP_LIMIT if maximum > limit else rules.TOO_MANY]
    return Limited(
        replicas=replicas,
        reason=reason,
        message=message,
        limit=limit,
        by_policy=min(stabilized, limit),
        by_bounds=minimum if stabilized < minimum else min(stabilized, maximum),
        disabled=False,
    )


def with_behavior(
    stabilized: int,
    current: int,
    minimum: int,
    maximum: int,
    behavior: Behavior,
    memory: Memory,
    now_us: Micros,
    *,
    both: bool,
    min_moves: bool,
) -> Limited:
    """With a behavior: the policies of the direction of movement, and its one bound.

    both        scale events of either direction count; before 1.26 only those of the same
    min_moves   selectPolicy Min lets something move; in 1.18 and 1.19 at first it never did
    """
    if stabilized > current:
        limit = _limit(current, behavior.scale_up, memory, now_us, up=True, both=both, min_moves=min_moves)
        replicas, why = rules.limit_up(stabilized, current, limit, maximum)
        by_policy, _ = rules.limit_up(stabilized, current, limit, MAX_INT32)
        by_bounds = min(stabilized, maximum)
        disabled = behavior.scale_up.select_policy == "Disabled"
    elif stabilized < current:
        limit = _limit(current, behavior.scale_down, memory, now_us, up=False, both=both, min_moves=min_moves)
        replicas, why = rules.limit_down(stabilized, current, limit, minimum)
        by_policy, _ = rules.limit_down(stabilized, current, limit, MIN_INT32)
        by_bounds = max(stabilized, minimum)
        disabled = behavior.scale_down.select_policy == "Disabled"
    else:
        reason, message = REASONS[rules.WITHIN_RANGE]
        return Limited(
            replicas=stabilized,
            reason=reason,
            message=message,
            limit=None,
            by_policy=stabilized,
            by_bounds=stabilized,
            disabled=False,
        )
    reason, message = REASONS[why]
    return Limited(
        replicas=replicas,
        reason=reason,
        message=message,
        limit=limit,
        by_policy=by_policy,
        by_bounds=by_bounds,
        disabled=disabled,
    )


def _limit(
    current: int, direction: ScalingRules, memory: Memory, now_us: Micros, *, up: bool, both: bool, min_moves: bool
) -> int:
    """What the policies of one direction allow."""
    if direction.select_policy == "Disabled":
        return current
    select = rules.SELECT_MIN if direction.select_policy == "Min" else rules.SELECT_MAX
    best = rules.first_up(select, min_moves) if up else rules.first_down(select, min_moves)
    for policy in direction.policies:
        added = _moved(memory.up, policy, now_us) if up or both else 0
        removed = _moved(memory.down, policy, now_us) if both or not up else 0
        start = rules.period_start(current, added, removed)
        proposed = _by_policy(start, policy, up=up)
        best = rules.fold_up(select, best, proposed) if up else rules.fold_down(select, best, proposed)
    return best


def _moved(events: Iterable[ScaleEvent] | None, policy: ScalingPolicy, now_us: Micros) -> int:
    """Replicas moved within the policy's period; whether a slot is outdated does not matter here."""
    period_us = policy.period_seconds * SECOND
    return sum(event.change for event in events or () if rules.in_period(event.at_us, now_us, period_us))


def _by_policy(start: int, policy: ScalingPolicy, *, up: bool) -> int:
    if policy.type == "Pods":
        return rules.up_by_pods(start, policy.value) if up else rules.down_by_pods(start, policy.value)
    return rules.up_by_percent(start, policy.value) if up else rules.down_by_percent(start, policy.value)
