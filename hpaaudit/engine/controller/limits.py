"""What a spec lets its HPA do, in numbers; and the words of the condition ScalingLimited."""

from hpaaudit.engine.rules import limit as rules
from hpaaudit.engine.rules.normalize import Limits
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Behavior, Hpa, ScalingRules
from hpaaudit.model.memory import ScaleEvent
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

_NO_POLICIES = rules.Policies(rules.SELECT_MAX, (), (), (), 0, 0)


def limits_of(hpa: Hpa, minimum: int, flags: Flags) -> Limits:
    """What the spec of an HPA lets it do; `minimum` is its minReplicas, the default included."""
    behavior, maximum = hpa.spec.behavior, hpa.spec.max_replicas
    up_us, down_us = windows_us(behavior, flags.downscale_stabilization_us)
    return Limits(
        minimum=minimum,
        maximum=maximum,
        behaves=behavior is not None,
        up_window_us=up_us,
        down_window_us=down_us,
        up=_NO_POLICIES if behavior is None else policies(behavior.scale_up),
        down=_NO_POLICIES if behavior is None else policies(behavior.scale_down),
    )


def windows_us(behavior: Behavior | None, default_down_us: Micros) -> tuple[Micros, Micros]:
    """The stabilization windows on the way up and down.

    Without a behavior the second is the controller's flag. A behavior that gives none takes the flag in whole seconds
    (`maybeInitScaleDownStabilizationWindow`).
    """
    if behavior is None:
        return Micros(0), default_down_us
    up_seconds = behavior.scale_up.stabilization_window_seconds or 0
    down_seconds = behavior.scale_down.stabilization_window_seconds
    return (
        Micros(up_seconds * SECOND),
        Micros((default_down_us // SECOND if down_seconds is None else down_seconds) * SECOND),
    )


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
        0,
        len(direction.policies),
    )


def scale_events(events: tuple[ScaleEvent, ...] | None) -> rules.ScaleEvents:
    """The scale events of one direction as numbers."""
    known = events or ()
    return rules.ScaleEvents([event.change for event in known], [event.at_us for event in known], 0, len(known))


def words(limited: rules.Limited, maximum: int, *, own_words: bool) -> tuple[str, str]:
    """Reason and message of ScalingLimited.

    own_words   TooFewReplicas has its own message; until 1.15 it shows that of the upper limit
    """
    reason, message = REASONS[limited.why]
    if limited.why == rules.TOO_FEW and not own_words:
        _, message = REASONS[rules.UP_LIMIT if maximum > limited.limit else rules.TOO_MANY]
    return reason, message
