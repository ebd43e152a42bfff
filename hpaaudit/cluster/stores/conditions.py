"""Tells from the published conditions of an HPA what limits it, or keeps it from scaling."""

from collections.abc import Iterable
from typing import NamedTuple

from hpaaudit.model.hpa import Condition, Hpa
from hpaaudit.model.units import Micros

LIMITED = "ScalingLimited"
ACTIVE = "ScalingActive"
ABLE = "AbleToScale"
OTHER = "other"
"""Stands for a reason that no controller is known to publish, so that reasons stay few."""
REASONS = {
    LIMITED: ("TooManyReplicas", "TooFewReplicas", "ScaleUpLimit", "ScaleDownLimit"),
    ACTIVE: (
        *(f"FailedGet{source}Metric" for source in ("ContainerResource", "External", "Object", "Pods", "Resource")),
        *("InvalidMetricSourceType", "InvalidSelector", "AmbiguousSelector"),
    ),
    ABLE: ("FailedGetScale", "FailedUpdateScale"),
}
"""What today's controller publishes. ScalingActive may also be False at zero replicas, which somebody wanted."""
WANTED = frozenset(
    {(ACTIVE, "ScalingDisabled"), *((ABLE, f"Backoff{way}") for way in ("Both", "Downscale", "Upscale"))}
)
"""No trouble: the target was set to zero, or (1.8 to 1.11) the controller waits as its flags say."""


class Trouble(NamedTuple):
    """A condition that limits an HPA or keeps it from scaling. `since_us` is when it took this reason."""

    condition: str
    reason: str
    since_us: Micros


def troubles(hpa: Hpa, seen_us: Micros, before: Iterable[Trouble]) -> tuple[Trouble, ...]:
    """The troubles of an HPA, in the order of its conditions, at most one of each type.

    An HPA with minReplicas = maxReplicas is paused: that it is limited is what somebody wanted.
    """
    known = {trouble.condition: trouble for trouble in before}
    is_paused = (hpa.spec.min_replicas or 1) >= hpa.spec.max_replicas
    found: dict[str, Trouble] = {}
    for condition in hpa.status.conditions:
        if _is_trouble(condition) and not (is_paused and condition.type == LIMITED):
            reason = condition.reason if condition.reason in REASONS[condition.type] else OTHER
            last = known.get(condition.type)
            if last is None:
                last = Trouble(condition.type, reason, condition.last_transition_us or seen_us)
            elif last.reason != reason:
                last = Trouble(condition.type, reason, seen_us)
            found[condition.type] = last
    return tuple(found.values())


def _is_trouble(condition: Condition) -> bool:
    wrong = {LIMITED: "True", ACTIVE: "False", ABLE: "False"}.get(condition.type)
    return condition.status == wrong and (condition.type, condition.reason) not in WANTED
