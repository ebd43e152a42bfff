"""The limits in an HPA's spec as numbers, and the messages of the condition ScalingLimited."""

from dataclasses import replace

from hpaaudit.engine.behaviours.release import version_of
from hpaaudit.engine.rules import limit
from hpaaudit.engine.rules.normalize import Limits
from hpaaudit.engine.rules.stabilize import Windows
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Behavior, Hpa, ScalingRules
from hpaaudit.model.memory import ScaleEvent
from hpaaudit.model.units import SECOND, Micros

REASONS = {
    limit.WITHIN_RANGE: ("DesiredWithinRange", "the desired count is within the acceptable range"),
    limit.TOO_FEW: ("TooFewReplicas", "the desired replica count is less than the minimum replica count"),
    limit.TOO_MANY: ("TooManyReplicas", "the desired replica count is more than the maximum replica count"),
    limit.UP_LIMIT: ("ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate"),
    limit.DOWN_LIMIT: (
        "ScaleDownLimit",
        "the desired replica count is decreasing faster than the maximum scale rate",
    ),
}

_WITH_BEHAVIOR = (1, 18, 0)
_NO_POLICIES = limit.Policies(limit.SELECT_MAX, (), (), (), 0, 0)


def as_known(hpa: Hpa, flags: Flags) -> Hpa:
    """The HPA as a controller of this release reads it: before 1.18 a spec has no behavior (KEP-853, #74525)."""
    if hpa.spec.behavior is None or version_of(flags.release) >= _WITH_BEHAVIOR:
        return hpa
    return replace(hpa, spec=replace(hpa.spec, behavior=None))


def limits_of(hpa: Hpa, minimum: int, flags: Flags) -> Limits:
    """What the spec of an HPA allows it; `minimum` is its minReplicas, the default included."""
    behavior, maximum = hpa.spec.behavior, hpa.spec.max_replicas
    return Limits(
        minimum=minimum,
        maximum=maximum,
        has_behavior=behavior is not None,
        windows=windows(behavior, flags.downscale_stabilization_us),
        up=_NO_POLICIES if behavior is None else policies(behavior.scale_up),
        down=_NO_POLICIES if behavior is None else policies(behavior.scale_down),
    )


def windows(behavior: Behavior | None, flag_us: Micros) -> Windows:
    """The stabilization windows.

    flag_us   `--horizontal-pod-autoscaler-downscale-stabilization`

    Without a behavior the flag is the window on the way down. A behavior without such a window gets the flag in whole
    seconds (`maybeInitScaleDownStabilizationWindow`).
    """
    if behavior is None:
        return Windows(0, flag_us)
    up_seconds = behavior.scale_up.stabilization_window_seconds or 0
    down_seconds = behavior.scale_down.stabilization_window_seconds
    return Windows(up_seconds * SECOND, (flag_us // SECOND if down_seconds is None else down_seconds) * SECOND)


def policies(direction: ScalingRules) -> limit.Policies:
    """The policies of one direction as numbers."""
    select = {"Disabled": limit.SELECT_DISABLED, "Min": limit.SELECT_MIN}.get(
        direction.select_policy or "", limit.SELECT_MAX
    )
    return limit.Policies(
        select,
        [limit.PODS if policy.type == "Pods" else limit.PERCENT for policy in direction.policies],
        [policy.value for policy in direction.policies],
        [policy.period_seconds * SECOND for policy in direction.policies],
        0,
        len(direction.policies),
    )


def scale_events(events: tuple[ScaleEvent, ...] | None) -> limit.ScaleEvents:
    """The scale events of one direction as numbers."""
    remembered = events or ()
    return limit.ScaleEvents(
        [event.change for event in remembered], [event.at_us for event in remembered], 0, len(remembered)
    )


def limited_words(limited: limit.Limited, maximum: int, *, own_words: bool) -> tuple[str, str]:
    """Reason and message of ScalingLimited.

    own_words   TooFewReplicas has its own message (1.16); before, it had that of the upper limit
    """
    reason, message = REASONS[limited.why]
    if limited.why == limit.TOO_FEW and not own_words:
        _, message = REASONS[limit.UP_LIMIT if maximum > limited.limit else limit.TOO_MANY]
    return reason, message
