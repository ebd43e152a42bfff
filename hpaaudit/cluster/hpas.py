"""Follows HPAs, and keeps each one decoded."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from hpaaudit.api.decode import decode_hpa
from hpaaudit.api.see import hpa_seen
from hpaaudit.cluster.watch import Key, key_of
from hpaaudit.model.facts import Fact, HpaGone, HpaSeen
from hpaaudit.model.hpa import Hpa
from hpaaudit.model.units import Micros


@dataclass(slots=True)
class Hpas:
    """The HPAs of the scope; `dirty` is called when one came, went or has another spec."""

    sink: Callable[[Fact], None]
    dirty: Callable[[], None]
    seen: dict[Key, HpaSeen] = field(default_factory=dict)
    decoded: dict[Key, Hpa] = field(default_factory=dict)

    def remember(self, fact: HpaSeen) -> None:
        """Take up an HPA as an earlier run saw it last."""
        key = (fact.namespace, fact.name)
        self.seen[key] = fact
        with suppress(ValueError, KeyError, TypeError, AttributeError):  # it could not be read then, either
            self.decoded[key] = decode_hpa(fact)

    def only(self, keys: set[Key], at_us: Micros) -> None:
        """After a list: what is absent is gone."""
        for key in self.seen.keys() - keys:
            self._forget(key, at_us)

    def changed(self, raw: dict[str, Any], at_us: Micros) -> None:
        """A status write as well as a new spec."""
        fact = hpa_seen(at_us, raw)
        key = (fact.namespace, fact.name)
        before = self.seen.get(key)
        if before and before.resource_version == fact.resource_version:
            return
        if before and before.uid != fact.uid:  # deleted and made again while nobody looked
            self._forget(key, at_us)
        self.seen[key] = fact
        self.sink(fact)
        if before is None or (before.uid, before.spec_json) != (fact.uid, fact.spec_json):
            self.decoded[key] = decode_hpa(fact)
            self.dirty()

    def gone(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Deleted."""
        key = key_of(raw)
        if key in self.seen:
            self._forget(key, at_us)

    def _forget(self, key: Key, at_us: Micros) -> None:
        fact = self.seen.pop(key)
        self.decoded.pop(key, None)
        self.sink(HpaGone(at_us=at_us, namespace=fact.namespace, name=fact.name, uid=fact.uid))
        self.dirty()
