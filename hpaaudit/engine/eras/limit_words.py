"""The words of ScalingLimited in 1.7 to 1.11; the limits themselves are in `rules.bounds`."""

from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.controller.limits import REASONS
from hpaaudit.engine.rules import limit
from hpaaudit.engine.rules.bounds import Bounded, Bounds
from hpaaudit.model.hpa import Hpa

_WAS = {
    limit.TOO_FEW: ("TooFewReplicas", "the desired replica count was less than the minimum replica count"),
    limit.TOO_MANY: ("TooManyReplicas", "the desired replica count was more than the maximum replica count"),
    limit.UP_LIMIT: ("ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate"),
    limit.WITHIN_RANGE: ("DesiredWithinRange", "the desired replica count is within the acceptible range"),
}


def bounds_of(hpa: Hpa) -> Bounds:
    """The bounds of an HPA as numbers."""
    spec = hpa.spec
    return Bounds(spec.min_replicas or 0, spec.min_replicas is not None, spec.max_replicas)


def limited_words(raw: int, limits: Bounded, behaviours: Behaviours) -> tuple[str, str, bool]:
    """Reason and message of ScalingLimited, and whether it is True.

    From 1.9 to 1.15 a number that is too low is told in the words of the upper bound: the variable is overwritten.
    """
    if behaviours.bounds_as_rules:
        reason, message = REASONS[limits.why]
        if limits.why == limit.TOO_FEW:
            _, message = REASONS[limits.upper]
        return reason, message, limits.replicas != raw
    if limits.was_zero:
        return "TooFewReplicas", "the desired replica count was zero", True
    reason, message = _WAS[limits.why]
    return reason, message, limits.why != limit.WITHIN_RANGE
