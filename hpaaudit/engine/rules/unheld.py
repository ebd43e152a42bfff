"""Finds the number that a reconcile would have decided without what held it.

A hold is told with what it cost, so what is named must be what held: policies, windows and bounds may have given the
same number. Upstream has no such thing. So these rules are ours, and hold for every release.
"""

from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.rules.candidates import UNKNOWN
from hpaaudit.engine.rules.limit import policy_behaviours
from hpaaudit.engine.rules.normalize import NormalizationArg, Normalized, leaves_zero_at_minimum, limit, normalize
from hpaaudit.engine.rules.reason_codes import COUNT_FLIP, DAMPED


def is_adjusted(reason: int) -> bool:
    """True if the replicas stayed because pods that were missing or not ready counted with an assumed usage."""
    return DAMPED <= reason <= COUNT_FLIP


def unheld(
    argument: NormalizationArg,
    alike: int,
    normalized: Normalized,
    reason: int,
    scaled_to_zero: bool,
    behaviours: Behaviours,
) -> int:
    """The number without missing and unready pods, or without earlier recommendations; UNKNOWN if neither held it.

    alike    the recommendation if missing and unready pods had used as much as the others
    reason   the primary reason
    """
    if is_adjusted(reason) and alike < argument.current:
        # Earlier recommendations were kept up by the same pods, so they do not count here.
        return limit(argument, alike, policy_behaviours(behaviours)).replicas
    if is_adjusted(reason):
        other = NormalizationArg(alike, argument.current, argument.now_us, argument.limits, argument.remembered)
        return normalize(other, scaled_to_zero, behaviours).desired
    if normalized.stabilized.replicas == normalized.raw:
        return UNKNOWN
    number, minimum = normalized.without_memory, argument.limits.minimum
    return minimum if leaves_zero_at_minimum(argument.current, minimum, scaled_to_zero, number) else number
