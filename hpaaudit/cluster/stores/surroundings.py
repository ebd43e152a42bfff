"""The stores of objects that can limit or change pods: quotas, limits, VPAs, nodes, admission."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hpaaudit.api.surroundings import CLUSTER_SCOPED, EMPTY_STATE, KINDS, Kind, surrounding_seen
from hpaaudit.cluster.client.discovery import Discovery
from hpaaudit.cluster.scope import Scope
from hpaaudit.cluster.stores.latest import LatestStates
from hpaaudit.model.facts import Fact, SurroundingSeen
from hpaaudit.model.units import Micros


def surroundings(kind: Kind, sink: Callable[[Fact], None]) -> LatestStates[SurroundingSeen]:
    """The objects of one kind, reduced to what can limit pods."""

    def read(at_us: Micros, raw: dict[str, Any]) -> SurroundingSeen | None:
        fact = surrounding_seen(at_us, kind, raw)
        return None if fact.state_json == EMPTY_STATE else fact

    return LatestStates(sink, read, _deleted)


def _deleted(last: SurroundingSeen, at_us: Micros) -> SurroundingSeen:
    return replace(last, at_us=at_us, gone=True, state_json=EMPTY_STATE)


async def paths(discovery: Discovery, scope: Scope) -> tuple[dict[Kind, str], set[str]]:
    """The paths of the kinds that are served, and paths for which the server did not say whether it serves them.

    Kinds without a namespace are read only if the scope is all namespaces.
    """
    served: dict[Kind, str] = {}
    unknown: set[str] = set()
    for group, resource in KINDS:
        if resource in CLUSTER_SCOPED and scope.namespace:
            continue
        version = discovery.groups.get(group) if group else "v1"
        base = f"/apis/{group}/{version}" if group else "/api/v1"
        path = f"{base}/{resource}" if resource in CLUSTER_SCOPED else scope.path(base, resource)
        if version and await discovery.serves(base, resource):
            served[group, resource] = path
        elif version and base in discovery.unknown:
            unknown.add(path)
        elif group and not discovery.answered:
            unknown.add(f"/apis/{group}/")
    return served, unknown
