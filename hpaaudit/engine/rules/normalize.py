"""Normalizes a recommendation: stabilizes it, limits it, and raises it to minReplicas when the target leaves zero.

Upstream: `horizontal.go`, `normalizeDesiredReplicas`, with a behavior `normalizeDesiredReplicasWithBehaviors` (1.18);
then the last lines of `reconcileAutoscaler` before the write of the scale.
"""

from typing import NamedTuple

from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.rules.limit import (
    SELECT_DISABLED,
    Limited,
    Policies,
    PolicyBehaviours,
    ScaleEventHistory,
    limit_plain,
    limit_with_behavior,
    policies_allow,
    policy_behaviours,
)
from hpaaudit.engine.rules.stabilize import (
    Recommendations,
    Stabilized,
    Windows,
    stabilize_plain,
    stabilize_with_behavior,
)

# What the condition AbleToScale says of the stabilization.
READY = 0
UP_STABILIZED = 1
DOWN_STABILIZED = 2

# Why the scale is written, as the event SuccessfulRescale says.
NO_REASON = 0
METRIC_ABOVE = 1
ALL_BELOW = 2
ABOVE_MAXIMUM = 3
BELOW_MINIMUM = 4
AT_ZERO = 5


class Limits(NamedTuple):
    """What a spec allows its HPA.

    minimum, maximum   minReplicas and maxReplicas
    has_behavior       there is a `spec.behavior`; without one, policies and the scale-up window do not count
    windows            the stabilization windows; the scale-down window defaults to the controller's flag
    up, down           the policies of each direction
    """

    minimum: int
    maximum: int
    has_behavior: bool
    windows: Windows
    up: Policies
    down: Policies


class Remembered(NamedTuple):
    """What the controller process remembers of an HPA."""

    recommendations: Recommendations
    events: ScaleEventHistory


class NormalizationArg(NamedTuple):
    """A recommendation and everything that it is normalized with. Upstream has a struct of this name.

    raw, current   the recommendation, and current replicas
    """

    raw: int
    current: int
    now_us: int
    limits: Limits
    remembered: Remembered


class Normalized(NamedTuple):
    """A recommendation and what became of it.

    raw, current     the recommendation, and current replicas;  has_behavior   as in `Limits`
    stabilized       what the stabilization windows made of it
    limited          what policies, minReplicas and maxReplicas made of that
    without_memory   what they would have made of `raw`
    disabled         selectPolicy Disabled forbids the direction
    able             READY, UP_STABILIZED or DOWN_STABILIZED
    desired          the number in the end;  scale_reason   why it is written: METRIC_ABOVE and the like
    """

    raw: int
    current: int
    has_behavior: bool
    stabilized: Stabilized
    limited: Limited
    without_memory: int
    disabled: bool
    able: int
    desired: int
    scale_reason: int


def normalize(argument: NormalizationArg, scaled_to_zero: bool, behaviours: Behaviours) -> Normalized:
    """What becomes of a recommendation.

    scaled_to_zero   the condition ScaledToZero is True: this controller itself scaled to zero (1.36)

    Stabilization comes first. So a policy counts from what the window left, and the window remembers recommendations as
    they were before any limit.
    """
    raw, current, limits = argument.raw, argument.current, argument.limits
    stabilized = stabilize(argument, behaviours.envelope)
    in_force = policy_behaviours(behaviours)
    limited = limit(argument, stabilized.replicas, in_force)
    without_memory = limited.replicas
    if stabilized.replicas != raw:
        without_memory = limit(argument, raw, in_force).replicas
    select = limits.up.select if stabilized.replicas > current else limits.down.select
    disabled = limits.has_behavior and stabilized.replicas != current and select == SELECT_DISABLED
    desired, scale_reason = limited.replicas, scale_reason_of(raw, current)
    if leaves_zero_at_minimum(current, limits.minimum, scaled_to_zero, desired):
        desired = limits.minimum
        if scale_reason == NO_REASON:
            scale_reason = BELOW_MINIMUM
    able = able_of(raw, current, stabilized.replicas, limits.has_behavior)
    return Normalized(
        raw,
        current,
        limits.has_behavior,
        stabilized,
        limited,
        without_memory,
        disabled,
        able,
        desired,
        scale_reason,
    )


def stabilize(argument: NormalizationArg, has_envelope: bool) -> Stabilized:
    """The recommendation after the stabilization windows."""
    past, windows = argument.remembered.recommendations, argument.limits.windows
    if not argument.limits.has_behavior:
        return stabilize_plain(argument.raw, past, argument.now_us, windows.down_us)
    return stabilize_with_behavior(argument.raw, argument.current, past, argument.now_us, windows, has_envelope)


def limit(argument: NormalizationArg, wanted: int, in_force: PolicyBehaviours) -> Limited:
    """A number after policies, minReplicas and maxReplicas. Where nothing moves, no policy is asked."""
    limits, current = argument.limits, argument.current
    if not limits.has_behavior:
        return limit_plain(wanted, current, limits.minimum, limits.maximum)
    allowed = current
    if wanted != current:
        policies = limits.up if wanted > current else limits.down
        events = argument.remembered.events
        allowed = policies_allow(wanted > current, current, policies, events, argument.now_us, in_force)
    return limit_with_behavior(wanted, current, limits.minimum, limits.maximum, allowed)


def able_of(raw: int, current: int, stabilized: int, has_behavior: bool) -> int:
    """What the condition AbleToScale says.

    Without a behavior a stabilized recommendation is always called ScaleDownStabilized, even one that was raised above
    current replicas: `normalizeDesiredReplicas` knows only the scale-down window.
    """
    if stabilized == raw:
        return READY
    return UP_STABILIZED if has_behavior and raw >= current else DOWN_STABILIZED


def scale_reason_of(raw: int, current: int) -> int:
    """Why the scale would be written. The recommendation counts, not what is left of it.

    Upstream: `rescaleReason` in `reconcileAutoscaler`, which is set before the recommendation is normalized.
    """
    if raw > current:
        return METRIC_ABOVE
    return ALL_BELOW if raw < current else NO_REASON


def leaves_zero_at_minimum(current: int, minimum: int, scaled_to_zero: bool, desired: int) -> bool:
    """True if a target that leaves zero gets minReplicas instead of fewer (1.36, #135118).

    minReplicas may have been raised while this controller kept the target at zero. Policies would allow fewer, or none.

    Upstream: `reconcileAutoscaler`, "Ensure we scale to at least minReplicas when scaling from zero".
    """
    return current == 0 and minimum != 0 and scaled_to_zero and desired < minimum
