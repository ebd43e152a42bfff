"""The store of HPAs: keeps each spec decoded, for what it makes the recorder watch and poll."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from hpaaudit.api.to_facts import hpa_seen
from hpaaudit.api.validate import validated_hpa
from hpaaudit.cluster.decoding.decoders import UNFIT
from hpaaudit.cluster.stores.conditions import Trouble, troubles
from hpaaudit.cluster.watch.store import Key, key_of
from hpaaudit.model.facts import Fact, HpaGone, HpaSeen
from hpaaudit.model.hpa import Hpa, HpaStatus
from hpaaudit.model.units import Micros

EMPTY_STATUS = HpaStatus(
    observed_generation=None,
    last_scale_us=None,
    current_replicas=0,
    desired_replicas=0,
    current_metrics=None,
    conditions=(),
)


class HpaVersion(NamedTuple):
    """The state of an HPA that was emitted last, and what is wrong with it as its status says."""

    uid: str
    resource_version: str
    spec_hash: int
    status_hash: int
    troubles: tuple[Trouble, ...]


@dataclass(slots=True)
class HpaStore:
    """The HPAs of the scope. `dirty` is called if one is new, deleted or has another spec.

    decoded   with an empty status: statuses are emitted and not kept
    targeted  since when each is known to scale what it scales
    status_changes   how often a status differed from the one before
    """

    sink: Callable[[Fact], None]
    dirty: Callable[[], None]
    versions: dict[Key, HpaVersion] = field(default_factory=dict)
    decoded: dict[Key, Hpa] = field(default_factory=dict)
    targeted: dict[Key, Micros] = field(default_factory=dict)
    status_changes: int = 0

    def restore(self, fact: HpaSeen) -> None:
        """Restores an HPA as an earlier run saw it last."""
        if fact.labels_json is None:  # by an older version of this recorder: it is recorded again, with its labels
            fact = replace(fact, resource_version="")
        with suppress(*UNFIT):  # an older version of this recorder kept HPAs that cannot be decoded
            self._keep((fact.namespace, fact.name), fact, validated_hpa(fact))

    def retain(self, keys: set[Key], at_us: Micros) -> None:
        """Deletes what a list does not have."""
        for key in self.versions.keys() - keys:
            self._remove(key, at_us)

    def update(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Takes a new spec or a new status."""
        fact = hpa_seen(at_us, raw)
        key = (fact.namespace, fact.name)
        before = self.versions.get(key)
        if before and before.resource_version == fact.resource_version and before.uid == fact.uid:
            return
        hpa = validated_hpa(fact)
        if before and before.uid != fact.uid:  # deleted and created again in a gap
            self._remove(key, at_us)
        self.sink(fact)
        self._keep(key, fact, hpa)

    def delete(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Takes a deletion."""
        key = key_of(raw)
        if key in self.versions:
            self._remove(key, at_us)

    def _keep(self, key: Key, fact: HpaSeen, hpa: Hpa) -> None:
        before, decoded = self.versions.get(key), self.decoded.get(key)
        if decoded is None or decoded.spec.target != hpa.spec.target:
            self.targeted[key] = fact.at_us
        after = self.versions[key] = HpaVersion(
            fact.uid,
            fact.resource_version,
            hash(fact.spec_json),
            hash(fact.status_json),
            troubles(hpa, fact.at_us, before.troubles if before else ()),
        )
        if before and before.status_hash != after.status_hash:
            self.status_changes += 1
        if before is None or (before.uid, before.spec_hash) != (after.uid, after.spec_hash):
            self.decoded[key] = replace(hpa, status=EMPTY_STATUS)
            self.dirty()

    def _remove(self, key: Key, at_us: Micros) -> None:
        self.decoded.pop(key, None)
        self.targeted.pop(key, None)
        self.sink(HpaGone(at_us=at_us, namespace=key[0], name=key[1], uid=self.versions.pop(key).uid))
        self.dirty()
