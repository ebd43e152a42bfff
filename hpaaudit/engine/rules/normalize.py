"""Settles a recommendation: stabilizes it, limits it, and lifts it to minReplicas when zero is left.

Upstream: `normalizeDesiredReplicas`, with a behavior `normalizeDesiredReplicasWithBehaviors` (1.18); then the last
lines of `reconcileAutoscaler` before the write.
"""

from typing import NamedTuple

from hpaaudit.engine.behaviours.table import Rules
from hpaaudit.engine.rules.limit import (
    SELECT_DISABLED,
    Limited,
    Policies,
    PolicyRules,
    ScaleEvents,
    allowed,
    limit_moves,
    limit_plain,
    policy_rules,
)
from hpaaudit.engine.rules.stabilize import Held, Recommendations, hold, hold_plain

# What the condition AbleToScale says of the stabilization.
READY = 0
UP_STABILIZED = 1
DOWN_STABILIZED = 2

# Why the scale is written, as its event says.
NO_REASON = 0
METRIC_ABOVE = 1
ALL_BELOW = 2
ABOVE_MAXIMUM = 3
BELOW_MINIMUM = 4


class Limits(NamedTuple):
    """What a spec lets its HPA do.

    minimum, maximum           minReplicas and maxReplicas
    behaves                    there is a `spec.behavior`; without one, policies and `up_window_us` do not count
    up_window_us, down_window_us   stabilization windows; without one of its own, the second is the controller's flag
    up, down                   the policies of each direction
    """

    minimum: int
    maximum: int
    behaves: bool
    up_window_us: int
    down_window_us: int
    up: Policies
    down: Policies


class Past(NamedTuple):
    """What the controller process remembers of an HPA."""

    recommendations: Recommendations
    ups: ScaleEvents
    downs: ScaleEvents


class Settled(NamedTuple):
    """A recommendation and what became of it.

    raw, current     the recommendation, and current replicas;  behaves   as of `Limits`
    held             what stabilization made of it
    limited          what policies, minReplicas and maxReplicas made of that
    without_memory   what they would have made of `raw`
    disabled         the policies of the direction forbid every move
    able             READY, UP_STABILIZED or DOWN_STABILIZED
    desired          the number in the end;  why   it is written, METRIC_ABOVE and the like
    """

    raw: int
    current: int
    behaves: bool
    held: Held
    limited: Limited
    without_memory: int
    disabled: bool
    able: int
    desired: int
    why: int


def settle(raw: int, current: int, limits: Limits, past: Past, now_us: int, to_zero: bool, rules: Rules) -> Settled:
    """What becomes of a recommendation.

    to_zero   the condition ScaledToZero says that this controller itself scaled to zero (1.36)
    """
    held = held_by(raw, current, limits, past.recommendations, now_us, rules.envelope)
    in_force = policy_rules(rules)
    limited = limited_to(held.replicas, current, limits, past, now_us, in_force)
    without_memory = limited.replicas
    if held.replicas != raw:
        without_memory = limited_to(raw, current, limits, past, now_us, in_force).replicas
    select = limits.up.select if held.replicas > current else limits.down.select
    disabled = limits.behaves and held.replicas != current and select == SELECT_DISABLED
    desired, why = limited.replicas, why_of(raw, current)
    if lifts_from_zero(current, limits.minimum, to_zero, desired):
        desired = limits.minimum
        if why == NO_REASON:
            why = BELOW_MINIMUM
    able = able_of(raw, current, held.replicas, limits.behaves)
    return Settled(raw, current, limits.behaves, held, limited, without_memory, disabled, able, desired, why)


def held_by(
    raw: int, current: int, limits: Limits, recommendations: Recommendations, now_us: int, both_hold: bool
) -> Held:
    """What the stabilization windows make of a recommendation."""
    if not limits.behaves:
        return hold_plain(raw, recommendations, now_us, limits.down_window_us)
    return hold(raw, current, recommendations, now_us, limits.up_window_us, limits.down_window_us, both_hold)


def limited_to(wanted: int, current: int, limits: Limits, past: Past, now_us: int, in_force: PolicyRules) -> Limited:
    """What policies, minReplicas and maxReplicas leave of a number. Where nothing moves, no policy is asked."""
    if not limits.behaves:
        return limit_plain(wanted, current, limits.minimum, limits.maximum)
    limit = current
    if wanted != current:
        policies = limits.up if wanted > current else limits.down
        limit = allowed(wanted > current, current, policies, past.ups, past.downs, now_us, in_force)
    return limit_moves(wanted, current, limits.minimum, limits.maximum, limit)


def able_of(raw: int, current: int, stabilized: int, behaves: bool) -> int:
    """What AbleToScale says.

    Without a behavior a held recommendation is always called ScaleDownStabilized, even one that was raised above
    current replicas: only scale-downs had a window when the words were written.
    """
    if stabilized == raw:
        return READY
    return UP_STABILIZED if behaves and raw >= current else DOWN_STABILIZED


def why_of(raw: int, current: int) -> int:
    """Why the scale would be written. The recommendation counts here, not what is left of it (`rescaleReason`)."""
    if raw > current:
        return METRIC_ABOVE
    return ALL_BELOW if raw < current else NO_REASON


def lifts_from_zero(current: int, minimum: int, to_zero: bool, desired: int) -> bool:
    """True if zero is left for minReplicas at least.

    minReplicas may have been raised while this controller kept the target at zero (1.36). Policies alone would let
    fewer through, or none at all.
    """
    return current == 0 and minimum != 0 and to_zero and desired < minimum
