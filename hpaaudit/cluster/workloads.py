"""Follows one built-in kind of workload, and tells of those that an HPA scales."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from hpaaudit.api.see import target_seen
from hpaaudit.cluster.watch import Key
from hpaaudit.model.facts import Fact, TargetGone, TargetRef, TargetSeen
from hpaaudit.model.units import Micros


@dataclass(slots=True)
class Workloads:
    """All workloads of one resource; facts only of the wanted ones.

    `dirty` is called when the selector of a wanted one is new.
    """

    group: str
    resource: str
    sink: Callable[[Fact], None]
    dirty: Callable[[], None]
    seen: dict[TargetRef, TargetSeen] = field(default_factory=dict)
    wanted: set[TargetRef] = field(default_factory=set)

    def remember(self, facts: Iterable[TargetSeen]) -> None:
        """Take up workloads as an earlier run saw them last."""
        self.seen |= {fact.target: fact for fact in facts}

    def wants(self, namespace: str, name: str) -> bool:
        """Whether some HPA scales this one."""
        return TargetRef(group=self.group, resource=self.resource, namespace=namespace, name=name) in self.wanted

    def want(self, targets: set[TargetRef], at_us: Micros) -> None:
        """Tell of these from now on; of new ones at once, as they are."""
        for target in targets - self.wanted:
            if target in self.seen:
                self.sink(replace(self.seen[target], at_us=at_us))
        self.wanted = targets

    def only(self, keys: set[Key], at_us: Micros) -> None:
        """After a list: what is absent is gone."""
        for target in [target for target in self.seen if (target.namespace, target.name) not in keys]:
            self._forget(target, at_us)

    def changed(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Most changes of a workload's status change nothing that we keep."""
        target = self._ref(raw)
        fact, before = target_seen(at_us, target, raw), self.seen.get(target)
        if before and replace(before, at_us=at_us, resource_version=fact.resource_version) == fact:
            return
        if before and before.uid != fact.uid:
            self._forget(target, at_us)
        self.seen[target] = fact
        if target in self.wanted:
            self.sink(fact)
            if before is None or before.scale.selector != fact.scale.selector:
                self.dirty()

    def gone(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Deleted."""
        if (target := self._ref(raw)) in self.seen:
            self._forget(target, at_us)

    def _forget(self, target: TargetRef, at_us: Micros) -> None:
        fact = self.seen.pop(target)
        if target in self.wanted:
            self.sink(TargetGone(at_us=at_us, target=target, uid=fact.uid))

    def _ref(self, raw: dict[str, Any]) -> TargetRef:
        meta = raw["metadata"]
        return TargetRef(group=self.group, resource=self.resource, namespace=meta["namespace"], name=meta["name"])
