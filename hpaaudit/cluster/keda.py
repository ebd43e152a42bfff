"""Follows KEDA's ScaledObjects, where there are any."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from hpaaudit.api.keda import scaled_object_seen
from hpaaudit.cluster.watch import Key, key_of
from hpaaudit.model.facts import Fact, ScaledObjectGone, ScaledObjectSeen
from hpaaudit.model.units import Micros

GROUP, RESOURCE, KIND = "keda.sh", "scaledobjects", "ScaledObject"


@dataclass(slots=True)
class ScaledObjects:
    """The ScaledObjects of the scope; those without an HPA too, for a paused one has none."""

    sink: Callable[[Fact], None]
    seen: dict[Key, ScaledObjectSeen] = field(default_factory=dict)

    def remember(self, facts: Iterable[ScaledObjectSeen]) -> None:
        """Take up those that an earlier run saw last."""
        self.seen |= {(fact.namespace, fact.name): fact for fact in facts}

    def only(self, keys: set[Key], at_us: Micros) -> None:
        """After a list: what is absent is gone."""
        for key in self.seen.keys() - keys:
            self._forget(key, at_us)

    def changed(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Its operator writes a time into the status every few seconds, which changes nothing that we keep."""
        fact, key = scaled_object_seen(at_us, raw), key_of(raw)
        before = self.seen.get(key)
        if before and before.uid != fact.uid:
            self._forget(key, at_us)
        if before is None or replace(before, at_us=at_us, resource_version=fact.resource_version) != fact:
            self.seen[key] = fact
            self.sink(fact)

    def gone(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Deleted."""
        if (key := key_of(raw)) in self.seen:
            self._forget(key, at_us)

    def _forget(self, key: Key, at_us: Micros) -> None:
        fact = self.seen.pop(key)
        self.sink(ScaledObjectGone(at_us=at_us, namespace=fact.namespace, name=fact.name, uid=fact.uid))
