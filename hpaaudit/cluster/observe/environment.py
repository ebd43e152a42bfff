"""Follows the environment of the HPAs: the controller, the metrics APIs, KEDA, and what can limit pods."""

from dataclasses import dataclass, field, replace
from typing import TypeVar

from hpaaudit.api import requests
from hpaaudit.cluster.client.discovery import METRICS, Discovery
from hpaaudit.cluster.decoding.decoders import API_SERVICES, LEASES, SCALED_OBJECTS, SURROUNDINGS
from hpaaudit.cluster.observe.context import ObserverContext
from hpaaudit.cluster.observe.controller_manager import controller_seen
from hpaaudit.cluster.observe.watches import Subscription, Watches
from hpaaudit.cluster.stores import scaled_objects, surroundings
from hpaaudit.cluster.stores.api_services import API_SERVICES_PATH, DELETED, api_services
from hpaaudit.cluster.stores.latest import LatestStates
from hpaaudit.cluster.stores.leases import CONTROLLER_LEASE, LEASES_PATH, LeaseStore
from hpaaudit.cluster.watch.collection import Collection
from hpaaudit.model.facts import ApiServiceSeen, ControllerSeen, Fact, ScaledObjectSeen, SurroundingSeen

Restored = TypeVar("Restored")
METRIC_GROUPS = (*METRICS, requests.CUSTOM_METRICS)


@dataclass(slots=True)
class Environment:
    """The watches that explain what the controller does and what its decisions meet.

    restored        what an earlier run saw last
    controller      the flags of the leading kube-controller-manager, as read last
    leases          the controller's Lease, None before it is followed
    unknown_paths   kinds for which the server did not say whether it serves them: gaps until it does
    """

    context: ObserverContext
    discovery: Discovery
    watches: Watches
    restored: list[Fact] = field(default_factory=list)
    controller: ControllerSeen | None = None
    leases: LeaseStore | None = None
    scaled_objects: LatestStates[ScaledObjectSeen] | None = None
    surroundings: dict[tuple[str, str], LatestStates[SurroundingSeen]] = field(default_factory=dict)
    unknown_paths: set[str] = field(default_factory=set)

    async def follow_controller(self) -> None:
        """Follows the controller's Lease, and reads the flags of every new leader if its pod may be seen."""
        leases = self.leases = LeaseStore(self.context.sink, self._read_controller)
        noun = "the Lease of kube-controller-manager"
        collection = Collection(path=LEASES_PATH, query=CONTROLLER_LEASE, decoder=LEASES)
        refusal = await self.watches.follow(Subscription(collection=collection, store=leases, noun=noun))
        if refusal or leases.last is None:
            self._read_controller("")

    def _read_controller(self, holder: str) -> None:
        async def read() -> None:
            controller, before = await controller_seen(self.context.client, holder), self.controller
            if controller and (before is None or replace(before, at_us=controller.at_us) != controller):
                self.controller = controller
                self.context.sink(controller)

        self.context.spawn(read())

    async def follow_api_services(self) -> None:
        """Follows the APIServices of the metrics APIs."""
        store = api_services(self.context.sink, METRIC_GROUPS)
        store.restore(fact for fact in self._restored(ApiServiceSeen) if fact.reason != DELETED)
        collection = Collection(path=API_SERVICES_PATH, decoder=API_SERVICES)
        await self.watches.follow(Subscription(collection=collection, store=store, noun="API services"))

    async def follow_keda(self) -> None:
        """Follows ScaledObjects and their Events, once KEDA is installed."""
        version = self.discovery.groups.get(scaled_objects.GROUP)
        if version and self.scaled_objects is None:
            store = self.scaled_objects = scaled_objects.scaled_objects(self.context.sink)
            store.restore(
                fact for fact in self._restored(ScaledObjectSeen) if self.context.scope.covers(fact.namespace)
            )
            path = self.context.scope.path(f"/apis/{scaled_objects.GROUP}/{version}", scaled_objects.RESOURCE)
            collection = Collection(path=path, decoder=SCALED_OBJECTS)
            await self.watches.follow(Subscription(collection=collection, store=store, noun=scaled_objects.KIND))
            facts = store.last_facts
            await self.watches.follow_events(scaled_objects.KIND, lambda namespace, name: (namespace, name) in facts)

    async def follow_surroundings(self) -> None:
        """Follows the kinds of objects that can limit pods, as far as the server serves them by now."""
        served, unknown = await surroundings.paths(self.discovery, self.context.scope)
        now = self.context.now()
        for path in self.unknown_paths - unknown:
            self.context.gaps.end(path, now)
        for path in unknown:
            self.context.gaps.begin(path, now, "the server did not say whether it serves this")
        self.unknown_paths = unknown
        for kind, path in served.items():
            if kind not in self.surroundings:
                store = self.surroundings[kind] = surroundings.surroundings(kind, self.context.sink)
                restored = (
                    fact for fact in self._restored(SurroundingSeen) if self.context.scope.covers(fact.namespace)
                )
                store.restore(fact for fact in restored if (fact.api_group, fact.resource) == kind)
                collection = Collection(path=path, decoder=SURROUNDINGS)
                await self.watches.follow(Subscription(collection=collection, store=store, noun=kind[1]))

    def _restored(self, kind: type[Restored]) -> list[Restored]:
        return [fact for fact in self.restored if isinstance(fact, kind)]
