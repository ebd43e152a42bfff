"""Follows what stands around the HPAs and holds their pods back: quotas, limits, VPAs, nodes, admission."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from hpaaudit.api.around import KINDS, OF_THE_CLUSTER, Kind, surrounding_seen
from hpaaudit.cluster.discovery import Discovery
from hpaaudit.cluster.scope import Scope
from hpaaudit.cluster.watch import Key, key_of
from hpaaudit.model.facts import Fact, SurroundingSeen
from hpaaudit.model.units import Micros

_NOTHING = "{}"


@dataclass(slots=True)
class Around:
    """The objects of one kind; one that says nothing of what we keep is not told."""

    kind: Kind
    sink: Callable[[Fact], None]
    seen: dict[Key, SurroundingSeen] = field(default_factory=dict)

    def remember(self, facts: Iterable[SurroundingSeen]) -> None:
        """Take up those that an earlier run saw last."""
        of_kind = [fact for fact in facts if (fact.api_group, fact.resource) == self.kind]
        self.seen |= {(fact.namespace, fact.name): fact for fact in of_kind}

    def only(self, keys: set[Key], at_us: Micros) -> None:
        """After a list: what is absent is gone."""
        for key in self.seen.keys() - keys:
            self._forget(key, at_us)

    def changed(self, raw: dict[str, Any], at_us: Micros) -> None:
        """A node says every few minutes that it lives, a quota what is used: only what differs is told."""
        fact, key = surrounding_seen(at_us, self.kind, raw), key_of(raw)
        before = self.seen.get(key)
        if before is None and fact.state_json == _NOTHING:
            return
        if before is None or replace(before, at_us=at_us) != fact:
            self.seen[key] = fact
            self.sink(fact)

    def gone(self, raw: dict[str, Any], at_us: Micros) -> None:
        """Deleted."""
        if (key := key_of(raw)) in self.seen:
            self._forget(key, at_us)

    def _forget(self, key: Key, at_us: Micros) -> None:
        self.sink(replace(self.seen.pop(key), at_us=at_us, gone=True, state_json=_NOTHING))


async def paths(discovery: Discovery, scope: Scope) -> dict[Kind, str]:
    """Where the kinds that are served can be read; those of the cluster only for who looks at all of it."""
    found = {}
    for group, resource in KINDS:
        if resource in OF_THE_CLUSTER and scope.namespace:
            continue
        version = discovery.groups.get(group) if group else "v1"
        base = f"/apis/{group}/{version}" if group else "/api/v1"
        if version and await discovery.serves(base, resource):
            found[group, resource] = f"{base}/{resource}" if resource in OF_THE_CLUSTER else scope.path(base, resource)
    return found
