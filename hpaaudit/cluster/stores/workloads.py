"""Follows one kind of workload, and tells of those that an HPA scales."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from hpaaudit.api.typed import typed
from hpaaudit.api.workload import NoScale, ScalePaths, rollout_seen, target_seen
from hpaaudit.cluster.decoding.unreadable import Unreadable
from hpaaudit.cluster.watch.reflector import Key, key_of
from hpaaudit.model.facts import Fact, RolloutSeen, TargetGone, TargetRef, TargetSeen
from hpaaudit.model.units import Micros


@dataclass(slots=True)
class Workloads:
    """All workloads of one resource; facts only of the wanted ones.

    `dirty` is called when the selector of a wanted one is new, or whether its replicas can be read.
    paths       of a custom resource's scale, None for a built-in kind
    unreadable  those whose replicas cannot be read here: a GET of their scale tells them, or with which error it fails
    """

    group: str
    resource: str
    sink: Callable[[Fact], None]
    dirty: Callable[[], None]
    paths: ScalePaths | None = None
    seen: dict[TargetRef, TargetSeen] = field(default_factory=dict)
    rollouts: dict[TargetRef, RolloutSeen] = field(default_factory=dict)
    wanted: set[TargetRef] = field(default_factory=set)
    unreadable: set[TargetRef] = field(default_factory=set)

    def remember(self, targets: Iterable[TargetSeen], rollouts: Iterable[RolloutSeen]) -> None:
        """Take up workloads, and rollouts that had begun, as an earlier run saw them last."""
        self.seen |= {fact.target: fact for fact in targets}
        self.rollouts |= {fact.target: fact for fact in rollouts if fact.rolling}

    def want(self, targets: set[TargetRef], at_us: Micros) -> None:
        """Tell of these from now on; of new ones at once, as they are."""
        for target in targets - self.wanted:
            if target in self.seen:
                self.sink(replace(self.seen[target], at_us=at_us))
            if target in self.rollouts:
                self.sink(replace(self.rollouts[target], at_us=at_us))
        self.wanted = targets

    def only(self, keys: set[Key], at_us: Micros) -> None:
        """After a list: what is absent is gone."""
        for target in [target for target in self.seen if (target.namespace, target.name) not in keys]:
            self._forget(target, at_us)
        self.unreadable = {one for one in self.unreadable if (one.namespace, one.name) in keys}

    def changed(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Most changes of a workload's status change nothing that we keep."""
        target = self._ref(raw)
        try:
            self._take(target, raw, at_us)
        except NoScale:
            self._mark(target, readable=False)
        else:
            self._mark(target, readable=True)

    def concerned(self, bad: Unreadable) -> bool:
        """Whether one that cannot be read is wanted, or may be; its scale is to be asked for from now on."""
        if not bad.name:
            return bool(self.wanted)
        target = TargetRef(group=self.group, resource=self.resource, namespace=bad.namespace, name=bad.name)
        self._mark(target, readable=False)
        return target in self.wanted

    def _mark(self, target: TargetRef, *, readable: bool) -> None:
        if readable == (target in self.unreadable):
            (self.unreadable.discard if readable else self.unreadable.add)(target)
            self.dirty()

    def gone(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Deleted."""
        target = self._ref(raw)
        self.unreadable.discard(target)
        if target in self.seen:
            self._forget(target, at_us)

    def _take(self, target: TargetRef, raw: dict[str, Any], at_us: Micros) -> None:
        """Keep and tell what is new; NoScale where a custom resource has no replicas, or another error."""
        fact = typed(target_seen(at_us, target, raw, self.paths))
        rollout = typed(rollout_seen(at_us, target, raw))
        before = self.seen.get(target)
        if before and before.uid != fact.uid:
            self._forget(target, at_us)
        if before is None or replace(before, at_us=at_us, resource_version=fact.resource_version) != fact:
            self.seen[target] = fact
            self._tell(target, fact)
            if target in self.wanted and (before is None or before.scale.selector != fact.scale.selector):
                self.dirty()
        self._roll(rollout)

    def _roll(self, fact: RolloutSeen) -> None:
        """A rollout begins, goes on to yet another revision, or ends."""
        before = self.rollouts.get(fact.target)
        if fact.rolling and (before is None or before.revision != fact.revision):
            self.rollouts[fact.target] = fact
            self._tell(fact.target, fact)
        elif not fact.rolling and before:
            del self.rollouts[fact.target]
            self._tell(fact.target, fact)

    def _tell(self, target: TargetRef, fact: Fact) -> None:
        if target in self.wanted:
            self.sink(fact)

    def _forget(self, target: TargetRef, at_us: Micros) -> None:
        self.rollouts.pop(target, None)
        self._tell(target, TargetGone(at_us=at_us, target=target, uid=self.seen.pop(target).uid))

    def _ref(self, raw: dict[str, Any]) -> TargetRef:
        namespace, name = key_of(raw)
        return TargetRef(group=self.group, resource=self.resource, namespace=namespace, name=name)
