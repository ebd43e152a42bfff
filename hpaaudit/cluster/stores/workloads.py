"""The store of one kind of workload: emits facts about those that an HPA scales."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from hpaaudit.api.type_check import type_checked
from hpaaudit.api.workload import NoScale, ScalePaths, rollout_seen, target_seen
from hpaaudit.cluster.decoding.unreadable import Unreadable
from hpaaudit.cluster.stores.foreign_writes import ForeignWrites
from hpaaudit.cluster.watch.store import Key, key_of
from hpaaudit.model.facts import Fact, RolloutSeen, TargetGone, TargetRef, TargetSeen
from hpaaudit.model.units import Micros


@dataclass(slots=True)
class WorkloadStore:
    """All workloads of one resource. Facts are emitted about the `wanted` ones only.

    `dirty` is called if the selector of a wanted one changes, or whether its replicas can be read.
    paths       where a custom resource has its replicas, None for a built-in kind
    foreign     is told of each new state of a wanted workload
    states      the last state of all, wanted or not;  rollouts  those that are under way
    unreadable  workloads whose replicas cannot be read from the object: their scale is polled instead
    """

    group: str
    resource: str
    sink: Callable[[Fact], None]
    dirty: Callable[[], None]
    paths: ScalePaths | None = None
    foreign: ForeignWrites = field(default_factory=ForeignWrites)
    states: dict[TargetRef, TargetSeen] = field(default_factory=dict)
    rollouts: dict[TargetRef, RolloutSeen] = field(default_factory=dict)
    wanted: set[TargetRef] = field(default_factory=set)
    unreadable: set[TargetRef] = field(default_factory=set)

    def restore(self, targets: Iterable[TargetSeen], rollouts: Iterable[RolloutSeen]) -> None:
        """Restores workloads, and rollouts under way, as an earlier run saw them last."""
        self.states |= {fact.target: fact for fact in targets}
        self.rollouts |= {fact.target: fact for fact in rollouts if fact.rolling}

    def want(self, targets: set[TargetRef], at_us: Micros) -> None:
        """Emits facts about these from now on. Of new ones the present state at once."""
        for target in targets - self.wanted:
            if target in self.states:
                self.sink(replace(self.states[target], at_us=at_us))
            if target in self.rollouts:
                self.sink(replace(self.rollouts[target], at_us=at_us))
        self.wanted = targets

    def retain(self, keys: set[Key], at_us: Micros) -> None:
        """Deletes what a list does not have."""
        for target in [target for target in self.states if (target.namespace, target.name) not in keys]:
            self._remove(target, at_us)
        self.unreadable = {ref for ref in self.unreadable if (ref.namespace, ref.name) in keys}

    def update(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Takes a new state. Most changes of a status change nothing that is kept."""
        target = self._ref(raw)
        try:
            self._take(target, raw, at_us)
        except NoScale:
            self._set_readable(target, readable=False)
        else:
            self._set_readable(target, readable=True)

    def is_relevant(self, bad: Unreadable) -> bool:
        """Whether a workload that cannot be read is, or may be, wanted. Its scale is polled from now on."""
        if not bad.name:
            return bool(self.wanted)
        target = TargetRef(group=self.group, resource=self.resource, namespace=bad.namespace, name=bad.name)
        self._set_readable(target, readable=False)
        return target in self.wanted

    def _set_readable(self, target: TargetRef, *, readable: bool) -> None:
        if readable == (target in self.unreadable):
            (self.unreadable.discard if readable else self.unreadable.add)(target)
            self.dirty()

    def delete(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Takes a deletion."""
        target = self._ref(raw)
        self.unreadable.discard(target)
        if target in self.states:
            self._remove(target, at_us)

    def _take(self, target: TargetRef, raw: dict[str, Any], at_us: Micros) -> None:
        """Keeps and emits what has changed. NoScale if a custom resource has no replicas."""
        fact = type_checked(target_seen(at_us, target, raw, self.paths))
        rollout = type_checked(rollout_seen(at_us, target, raw))
        before = self.states.get(target)
        if before and before.uid != fact.uid:
            self._remove(target, at_us)
        if before is None or replace(before, at_us=at_us, resource_version=fact.resource_version) != fact:
            self.states[target] = fact
            self._emit(target, fact)
            if before and target in self.wanted:
                self.foreign.compare(before, fact)
            if target in self.wanted and (before is None or before.scale.selector != fact.scale.selector):
                self.dirty()
        self._take_rollout(rollout)

    def _take_rollout(self, fact: RolloutSeen) -> None:
        """Emits that a rollout begins, continues with another revision, or ends."""
        before = self.rollouts.get(fact.target)
        if fact.rolling and (before is None or before.revision != fact.revision):
            self.rollouts[fact.target] = fact
            self._emit(fact.target, fact)
        elif not fact.rolling and before:
            del self.rollouts[fact.target]
            self._emit(fact.target, fact)

    def _emit(self, target: TargetRef, fact: Fact) -> None:
        if target in self.wanted:
            self.sink(fact)

    def _remove(self, target: TargetRef, at_us: Micros) -> None:
        self.rollouts.pop(target, None)
        self._emit(target, TargetGone(at_us=at_us, target=target, uid=self.states.pop(target).uid))

    def _ref(self, raw: dict[str, Any]) -> TargetRef:
        namespace, name = key_of(raw)
        return TargetRef(group=self.group, resource=self.resource, namespace=namespace, name=name)
