"""Follows HPAs, and keeps each one decoded."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from hpaaudit.api.see import hpa_seen
from hpaaudit.api.served import served
from hpaaudit.cluster.decoding.decoders import UNFIT
from hpaaudit.cluster.watch.reflector import Key, key_of
from hpaaudit.model.facts import Fact, HpaGone, HpaSeen
from hpaaudit.model.hpa import Hpa, HpaStatus
from hpaaudit.model.units import Micros

NOTHING_SAID = HpaStatus(
    observed_generation=None,
    last_scale_us=None,
    current_replicas=0,
    desired_replicas=0,
    current_metrics=None,
    conditions=(),
)


class Known(NamedTuple):
    """What is kept of an HPA that was told of; `spec` is the hash of its text."""

    uid: str
    resource_version: str
    spec: int


@dataclass(slots=True)
class Hpas:
    """The HPAs of the scope; `dirty` is called when one came, went or has another spec.

    decoded   their specs, for what is to be asked; what their statuses say is told and not kept
    """

    sink: Callable[[Fact], None]
    dirty: Callable[[], None]
    seen: dict[Key, Known] = field(default_factory=dict)
    decoded: dict[Key, Hpa] = field(default_factory=dict)

    def remember(self, fact: HpaSeen) -> None:
        """Take up an HPA as an earlier run saw it last."""
        with suppress(*UNFIT):  # an older version of this recorder kept what nobody can read
            self._keep((fact.namespace, fact.name), fact, served(fact))

    def only(self, keys: set[Key], at_us: Micros) -> None:
        """After a list: what is absent is gone."""
        for key in self.seen.keys() - keys:
            self._forget(key, at_us)

    def changed(self, raw: dict[str, Any], at_us: Micros) -> None:
        """A status write as well as a new spec."""
        fact = hpa_seen(at_us, raw)
        key = (fact.namespace, fact.name)
        before = self.seen.get(key)
        if before and before.resource_version == fact.resource_version and before.uid == fact.uid:
            return
        hpa = served(fact)
        if before and before.uid != fact.uid:  # deleted and made again while nobody looked
            self._forget(key, at_us)
        self.sink(fact)
        self._keep(key, fact, hpa)

    def gone(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Deleted."""
        key = key_of(raw)
        if key in self.seen:
            self._forget(key, at_us)

    def _keep(self, key: Key, fact: HpaSeen, hpa: Hpa) -> None:
        before = self.seen.get(key)
        after = self.seen[key] = Known(fact.uid, fact.resource_version, hash(fact.spec_json))
        if before is None or (before.uid, before.spec) != (after.uid, after.spec):
            self.decoded[key] = replace(hpa, status=NOTHING_SAID)
            self.dirty()

    def _forget(self, key: Key, at_us: Micros) -> None:
        self.decoded.pop(key, None)
        self.sink(HpaGone(at_us=at_us, namespace=key[0], name=key[1], uid=self.seen.pop(key).uid))
        self.dirty()
