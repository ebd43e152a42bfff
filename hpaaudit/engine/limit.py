"""Scaling policies, minReplicas and maxReplicas: what is left of a stabilized recommendation."""

from dataclasses import dataclass

from hpaaudit.engine.rules import limit as rules
from hpaaudit.model.hpa import Behavior, ScalingRules
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
    """Without a behavior.

    own_words   TooFewReplicas has its own message; until 1.15 it shows that of the upper limit
    """
    made = rules.limit_plain(stabilized, current, minimum, maximum)
    words = made.why
    if words == rules.TOO_FEW and not own_words:
        words = rules.UP_LIMIT if maximum > made.limit else rules.TOO_MANY
    return _limited(made, words, limit=made.limit, disabled=False)


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
    capped: bool,
) -> Limited:
    """With a behavior; `both`, `min_moves` and `capped` as of `rules.allowed`."""
    upward = stabilized > current
    direction = behavior.scale_up if upward else behavior.scale_down
    limit = current
    if stabilized != current:
        up, down = memory.up or (), memory.down or ()
        limit = rules.allowed(
            upward,
            current,
            policies(direction),
            *_columns(up),
            len(up),
            *_columns(down),
            len(down),
            now_us,
            both,
            min_moves,
            capped,
        )
    made = rules.limit_moves(stabilized, current, minimum, maximum, limit, limit)
    moves = stabilized != current
    disabled = moves and direction.select_policy == "Disabled"
    return _limited(made, made.why, limit=made.limit if moves else None, disabled=disabled)


def policies(direction: ScalingRules) -> rules.Policies:
    """The policies of one direction as numbers."""
    select = {"Disabled": rules.SELECT_DISABLED, "Min": rules.SELECT_MIN}.get(
        direction.select_policy or "", rules.SELECT_MAX
    )
    return rules.Policies(
        select,
        [rules.PODS if policy.type == "Pods" else rules.PERCENT for policy in direction.policies],
        [policy.value for policy in direction.policies],
        [policy.period_seconds * SECOND for policy in direction.policies],
    )


def _columns(events: tuple[ScaleEvent, ...]) -> tuple[list[int], list[int]]:
    return [event.change for event in events], [event.at_us for event in events]


def _limited(made: rules.Limited, words: int, *, limit: int | None, disabled: bool) -> Limited:
    reason, _ = REASONS[made.why]
    _, message = REASONS[words]
    return Limited(
        replicas=made.replicas,
        reason=reason,
        message=message,
        limit=limit,
        by_policy=made.by_policy,
        by_bounds=made.by_bounds,
        disabled=disabled,
    )
