"""A store for kinds of which only some fields are kept: emits a fact if one of these has changed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from hpaaudit.api.type_check import type_checked
from hpaaudit.cluster.watch.store import Key, key_of
from hpaaudit.model.facts import ApiServiceSeen, Fact, ScaledObjectSeen, SurroundingSeen
from hpaaudit.model.units import Micros

LatestFact = TypeVar("LatestFact", ApiServiceSeen, ScaledObjectSeen, SurroundingSeen)


@dataclass(slots=True)
class LatestStates(Generic[LatestFact]):
    """The last state of each object.

    read     the fact for an object, None if nothing of it is kept;  deleted  the fact for its deletion
    is_same  whether two states differ in nothing but their time, or in other fields that do not matter
    """

    sink: Callable[[Fact], None]
    read: Callable[[Micros, dict[str, Any]], LatestFact | None]
    deleted: Callable[[LatestFact, Micros], Fact]
    is_same: Callable[[LatestFact, LatestFact], bool] = lambda before, after: (
        replace(before, at_us=after.at_us) == after
    )
    last_facts: dict[Key, LatestFact] = field(default_factory=dict)

    def restore(self, facts: Iterable[LatestFact]) -> None:
        """Restores the objects as an earlier run saw them last."""
        self.last_facts |= {(getattr(fact, "namespace", ""), fact.name): fact for fact in facts}

    def retain(self, keys: set[Key], at_us: Micros) -> None:
        """Deletes what a list does not have."""
        for key in self.last_facts.keys() - keys:
            self._remove(key, at_us)

    def update(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Takes a new state. Many operators write a time into the status every few seconds: that is no change."""
        fact, key = self.read(at_us, raw), key_of(raw)
        if fact is not None:
            type_checked(fact)
        before = self.last_facts.get(key)
        # Deleted and created again in a gap, or without any field that is kept now.
        if before and (fact is None or getattr(before, "uid", "") != getattr(fact, "uid", "")):
            self._remove(key, at_us)
            before = None
        if fact and (before is None or not self.is_same(before, fact)):
            self.last_facts[key] = fact
            self.sink(fact)

    def delete(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Takes a deletion."""
        if (key := key_of(raw)) in self.last_facts:
            self._remove(key, at_us)

    def _remove(self, key: Key, at_us: Micros) -> None:
        self.sink(self.deleted(self.last_facts.pop(key), at_us))
