"""Keeps the last state of each object of a collection, and tells only what differs from it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from hpaaudit.api.typed import typed
from hpaaudit.cluster.watch.reflector import Key, key_of
from hpaaudit.model.facts import ApiServiceSeen, Fact, ScaledObjectSeen, SurroundingSeen
from hpaaudit.model.units import Micros

Seen = TypeVar("Seen", ApiServiceSeen, ScaledObjectSeen, SurroundingSeen)


@dataclass(slots=True)
class States(Generic[Seen]):
    """The objects of a collection of which only some fields are kept.

    see     what is kept of an object, None where that is nothing;  ended  how its end is told
    same    whether two states differ in nothing but their time, or what else says nothing new
    """

    sink: Callable[[Fact], None]
    see: Callable[[Micros, dict[str, Any]], Seen | None]
    ended: Callable[[Seen, Micros], Fact]
    same: Callable[[Seen, Seen], bool] = lambda before, after: replace(before, at_us=after.at_us) == after
    seen: dict[Key, Seen] = field(default_factory=dict)

    def remember(self, facts: Iterable[Seen]) -> None:
        """Take up the objects as an earlier run saw them last."""
        self.seen |= {(getattr(fact, "namespace", ""), fact.name): fact for fact in facts}

    def only(self, keys: set[Key], at_us: Micros) -> None:
        """All was told once: what is absent is gone."""
        for key in self.seen.keys() - keys:
            self._forget(key, at_us)

    def changed(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Many write a time into their status every few seconds, which is nothing new."""
        fact, key = self.see(at_us, raw), key_of(raw)
        if fact is not None:
            typed(fact)
        before = self.seen.get(key)
        # Deleted and made again while nobody looked, or nothing is left of it that is kept.
        if before and (fact is None or getattr(before, "uid", "") != getattr(fact, "uid", "")):
            self._forget(key, at_us)
            before = None
        if fact and (before is None or not self.same(before, fact)):
            self.seen[key] = fact
            self.sink(fact)

    def gone(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Deleted."""
        if (key := key_of(raw)) in self.seen:
            self._forget(key, at_us)

    def _forget(self, key: Key, at_us: Micros) -> None:
        self.sink(self.ended(self.seen.pop(key), at_us))
