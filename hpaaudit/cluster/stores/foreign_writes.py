"""Notices who changes the replicas of a target, other than the HPA controller."""

from dataclasses import dataclass, field

from hpaaudit.model.facts import TargetRef, TargetSeen
from hpaaudit.model.units import Micros

HPA_CONTROLLER = ("kube-controller-manager", "scale")
"""Field manager and subresource. Many controllers have this manager, but only the HPA's writes the scale."""
MAX_TARGETS = 500
"""Of more targets only those with the newest writes are kept."""


@dataclass(slots=True)
class ForeignWrites:
    """How many foreign writes there were, and the last one of each target: its manager and time, oldest first."""

    count: int = 0
    last: dict[TargetRef, tuple[str, Micros]] = field(default_factory=dict)

    def compare(self, before: TargetSeen, after: TargetSeen) -> None:
        """Takes two states of a target, one after the other.

        A write is foreign if it left another number and managedFields names another owner of it. Without an owner
        nobody knows who wrote.
        """
        is_same = before.uid != after.uid or before.scale.spec_replicas == after.scale.spec_replicas
        if is_same or not after.manager or (after.manager, after.subresource) == HPA_CONTROLLER:
            return
        self.count += 1
        self.last.pop(after.target, None)
        self.last[after.target] = (after.manager, after.at_us if after.written_us is None else after.written_us)
        while len(self.last) > MAX_TARGETS:
            del self.last[next(iter(self.last))]
