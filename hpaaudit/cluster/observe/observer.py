"""Observes one cluster: what is watched, what is polled, and how both follow the HPAs."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlencode

from hpaaudit.api import requests
from hpaaudit.cluster.client.client import Answer, Client
from hpaaudit.cluster.client.discovery import METRICS, Discovery
from hpaaudit.cluster.decoding.decoders import (
    API_SERVICES,
    EVENTS,
    HPAS,
    LEASES,
    PODS,
    SCALED_OBJECTS,
    SURROUNDINGS,
    Shape,
)
from hpaaudit.cluster.decoding.unreadable import Unreadable
from hpaaudit.cluster.observe.controller_manager import controller_seen
from hpaaudit.cluster.observe.estimate import HOUSEKEEPING_SECONDS, Estimate
from hpaaudit.cluster.observe.garbage_collection import collecting_seldom
from hpaaudit.cluster.observe.poller import Polls
from hpaaudit.cluster.observe.server_version import ServerVersion
from hpaaudit.cluster.observe.targets import Targets
from hpaaudit.cluster.scope import Scope
from hpaaudit.cluster.stores import scaled_objects as keda
from hpaaudit.cluster.stores import surroundings as around
from hpaaudit.cluster.stores.api_services import API_SERVICES_PATH, DELETED, api_services
from hpaaudit.cluster.stores.events import Events, selected
from hpaaudit.cluster.stores.hpas import Hpas
from hpaaudit.cluster.stores.leases import CONTROLLER_LEASE, LEASES_PATH, Leases
from hpaaudit.cluster.stores.pods import Pods, Selection
from hpaaudit.cluster.watch.gaps import EVERYTHING, Gaps
from hpaaudit.cluster.watch.pager import PAGE
from hpaaudit.cluster.watch.reflector import Follower, Watch
from hpaaudit.cluster.watch.unreadable_objects import Unread
from hpaaudit.cluster.watch.watch_list import can_stream
from hpaaudit.errors import ClusterError
from hpaaudit.model.facts import (
    ApiServiceSeen,
    ControllerSeen,
    Ended,
    EventSeen,
    Fact,
    HpaSeen,
    PodSeen,
    ResourceMetricsRead,
    RolloutSeen,
    ScaledObjectSeen,
    SurroundingSeen,
    TargetSeen,
    ValuesRead,
)
from hpaaudit.model.note import Event, Level, Note
from hpaaudit.model.plan import Progress
from hpaaudit.model.units import SECOND

if TYPE_CHECKING:
    from hpaaudit.cluster.stores.latest import States

Seen = TypeVar("Seen")
HPA_GROUP = "/apis/autoscaling/"
AGAIN_SECONDS = 30
GROUPS = (*METRICS, requests.CUSTOM_METRICS)


async def check(client: Client, scope: Scope) -> Discovery:
    """Ask whether the cluster can be reached and its HPAs may be read; ClusterError if not."""
    client.demand(await client.get("/version"), "get", "/version")
    discovery = Discovery(client)
    path = await hpa_path(discovery, scope)
    query = urlencode({**_labels(scope), "limit": "1"})
    client.demand(await client.get(f"{path}?{query}"), "list", f"horizontalpodautoscalers.autoscaling{scope.words}")
    return discovery


async def hpa_path(discovery: Discovery, scope: Scope) -> str:
    """The HPAs of the scope, in the newest version that is served."""
    return scope.path(f"/apis/autoscaling/{await discovery.autoscaling()}", "horizontalpodautoscalers")


def _labels(scope: Scope) -> dict[str, str]:
    return {"labelSelector": scope.selector} if scope.selector else {}


def _pods_of(selection: Selection) -> str:
    """The path of a namespace's pods, as a gap names it."""
    namespace, selector = selection
    which = urlencode({"labelSelector": str(selector)} if selector else {"limit": str(PAGE)})
    return f"/api/v1/namespaces/{namespace}/pods?{which}"


class Observer:
    """Yields facts to `sink` as they are seen, and a line to `note` for what cannot be seen.

    `run` returns when `stop` was called; what is thrown by the sink ends it as well. `settled` is set when all that
    is watched was read once. Without `polling` no metric is read.
    """

    def __init__(
        self,
        client: Client,
        scope: Scope,
        sink: Callable[[Fact], None],
        note: Callable[[str], None],
        *,
        polling: bool = True,
    ) -> None:
        self.client, self.scope, self._sink, self.note = client, scope, sink, note
        self.counts: Counter[str] = Counter()
        self.gaps = Gaps(self.sink)
        self.discovery = Discovery(client)
        self.polling = polling
        self.dirty, self.settled, self.stopping = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.hpas = Hpas(self.sink, self.dirty.set)
        self.pods = Pods(self.sink, scope.keep_labels)
        self.targets = Targets(self.discovery, self.hpas, scope, self, self.gaps, self.sink, note, self.dirty.set)
        self.known: list[Fact] = []
        self.goes_on = False
        self.controller: ControllerSeen | None = None
        self.scaled: States[ScaledObjectSeen] | None = None
        self.around: dict[tuple[str, str], States[SurroundingSeen]] = {}
        self.unsaid: set[str] = set()
        self.unread: set[Selection] = set()
        self.polls = Polls(client, scope.interval_us, self.sink, self.gaps, self._spawn, self.targets.scale_was_read)
        self.server = ServerVersion(client, self.sink)
        self.tasks: set[asyncio.Task[None]] = set()
        self.watches: list[Watch] = []
        self.refused: dict[str, Unread] = {}
        self.group: asyncio.TaskGroup | None = None

    def sink(self, fact: Fact) -> None:
        """Count a fact, and hand it on."""
        if isinstance(fact, ResourceMetricsRead):
            self.counts["samples"] += len(fact.samples or ())
        elif isinstance(fact, ValuesRead):
            self.counts["samples"] += len(fact.values or ())
        else:
            self.client.meters.told(fact)
        self._sink(fact)

    @property
    def progress(self) -> Progress:
        """What is known and what was seen until now; bytes are the recording's to know."""
        return Progress(
            hpas=len(self.hpas.seen), pods=len(self.pods.seen), samples=self.counts["samples"], gaps=self.gaps.count
        )

    def estimate(self, paths: set[str]) -> Estimate:
        """What polling these paths will take."""
        interval = self.scope.interval_us / SECOND
        return Estimate(hpas=len(self.hpas.seen), pods=len(self.pods.seen), reads=len(paths), interval_seconds=interval)

    def _announcement(self, paths: set[str]) -> Note:
        estimate = self.estimate(paths)
        enough = estimate.requests_per_second <= self.client.qps
        return Note(
            estimate.words(self.client.qps),
            Event.ESTIMATE,
            Level.INFO if enough else Level.WARNING,
            reads=estimate.reads,
            requests_per_second=round(estimate.requests_per_second, 3),
            bytes_per_hour=estimate.bytes_per_hour,
        )

    def remember(self, known: Iterable[Fact]) -> None:
        """Take up what an earlier run saw, before `run`: what is still so is not told again, what is gone is told."""
        for fact in known:
            self.goes_on = True
            match fact:
                case HpaSeen() if self.scope.covers(fact.namespace):
                    self.hpas.remember(fact)
                case PodSeen() if self.scope.covers(fact.pod.namespace):
                    self.pods.remember(fact)
                case HpaSeen() | PodSeen():
                    pass
                case TargetSeen() | RolloutSeen():
                    self.targets.known.append(fact)
                case _:
                    self.known.append(fact)

    def _known(self, kind: type[Seen]) -> list[Seen]:
        return [fact for fact in self.known if isinstance(fact, kind)]

    # Life

    async def run(self) -> None:
        """Observe until stopped, whatever the server answers."""
        if self.goes_on:  # what was known is not known to be so any more, until all was read again
            self.gaps.lost(
                EVERYTHING, self.client.clock.now(), "the recorder was started again, and had not read all yet"
            )
        with collecting_seldom():
            async with asyncio.TaskGroup() as self.group:
                self._spawn(self._observe())
                await self.stopping.wait()
                for task in self.tasks:
                    task.cancel()
        now = self.client.clock.now()
        for unread in self.refused.values():
            unread.tell(now)
        for watch in self.watches:
            watch.ends(now)
        self.gaps.slice(now)
        self.sink(Ended(at_us=now))

    def stop(self) -> None:
        """End after what was seen until now."""
        self.stopping.set()

    async def _observe(self) -> None:
        self._spawn(self.gaps.notice_leaps(self.client.clock.now))
        await self.server.ask()
        await self._follow_controller()
        await self.discovery.refresh()
        path = await self._hpa_path()
        await self.follow(path, self.hpas, "HPAs", _labels(self.scope), shape=HPAS)
        await self.targets.follow(self.client.clock.now)
        self.pods.choose(self.targets.selections())
        self.pod_path = self.scope.path("/api/v1", "pods")
        await self.follow(self.pod_path, self.pods, "pods", shape=PODS, concerned=self.pods.concerned)
        await self.follow_events("HorizontalPodAutoscaler", lambda space, name: (space, name) in self.hpas.seen)
        services = api_services(self.sink, GROUPS)
        services.remember(fact for fact in self._known(ApiServiceSeen) if fact.reason != DELETED)
        await self.follow(API_SERVICES_PATH, services, "API services", shape=API_SERVICES)
        await self._follow_keda()
        await self._follow_surroundings()
        self._spawn(self._keep_house())
        self.dirty.set()
        while True:
            await self.dirty.wait()
            self.dirty.clear()
            await self.targets.follow(self.client.clock.now)
            self.unread |= self.pods.choose(self.targets.selections())
            self._let_go()
            await self._read_pods()
            await self._follow_keda()
            await self._follow_surroundings()
            paths, spared = self.targets.paths(), self.targets.spared()
            if not self.settled.is_set():
                self.note(self._announcement(paths))
                for name in sorted(set(self.scope.no_probe) - set(spared.values())):
                    self.note(Note(f"--no-probe {name}: no HPA asks for it", Event.METRIC_UNKNOWN, metric=name))
            if self.polling:
                self.polls.spare(set(spared))
                self.polls.want(paths)
            self.gaps.found(EVERYTHING, self.client.clock.now())
            self.settled.set()

    def _let_go(self) -> None:
        """Forget what is asked for of namespaces and HPAs that are gone."""
        self.pods.let_go(self.targets.selections(), self.client.clock.now())
        for selection in [one for one in self.unread if one[0] not in self.pods.chosen]:
            self.unread.discard(selection)
            self.gaps.found(_pods_of(selection), self.client.clock.now())

    async def _keep_house(self) -> None:
        while True:
            await asyncio.sleep(HOUSEKEEPING_SECONDS)
            for unread in self.refused.values():
                unread.tell(self.client.clock.now())
            self.gaps.slice(self.client.clock.now())
            await self.server.ask()
            await self.discovery.refresh()
            self.dirty.set()

    async def _hpa_path(self) -> str:
        """Where HPAs are; a server that does not say is asked again for ever."""
        while True:
            try:
                path = await hpa_path(self.discovery, self.scope)
            except ClusterError as problem:
                self.gaps.lost(HPA_GROUP, self.client.clock.now(), str(problem))
                self.note(Note(str(problem), Event.STREAM_REFUSED, path=HPA_GROUP, status=0))
                await asyncio.sleep(AGAIN_SECONDS)
            else:
                self.gaps.found(HPA_GROUP, self.client.clock.now())
                return path

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        if self.group is None:
            raise RuntimeError("the observer does not run")
        task = self.group.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    # Watches

    def _watch(
        self,
        path: str,
        follower: Follower,
        query: dict[str, str] | None,
        shape: Shape,
        withdrawn: Callable[[Answer], None],
        unread: Unread,
    ) -> Watch:
        # Every collection is streamed where it can be: what the server takes for it is known beforehand. One of 1.36
        # allocated 47 MB for 3,000 pods; in pages 45 MB from its cache, but 120 MB from etcd, as before 1.34 or where
        # the cache keeps no snapshots. The price is its CPU, once: 0.67 s, in pages of the cache 0.39, of etcd 0.65.
        # We hold no page: 50,000 pods and 5,000 HPAs took 237 and 245 MB, in pages 247 and 255, and as much CPU.
        watch = Watch(
            self.client,
            path,
            follower,
            self.gaps,
            query=query or {},
            shape=shape,
            streamed=can_stream(self.server.version),
            withdrawn=withdrawn,
            unread=unread,
        )
        self.watches.append(watch)
        self._spawn(watch.run())
        return watch

    async def follow(
        self,
        path: str,
        follower: Follower,
        what: str,
        query: dict[str, str] | None = None,
        *,
        shape: Shape,
        withdrawn: Callable[[], None] = lambda: None,
        concerned: Callable[[Unreadable], bool] = lambda _: True,
        part: str = "",
    ) -> Answer | None:
        """Follow if it is allowed; if not, it is tried again for ever, and written down as a gap.

        concerned   whether an object that cannot be read may be one that is recorded;  part  of what its objects tell
                    that nobody else does: empty for all of it
        """

        def refused(answer: Answer) -> None:
            line = f"cannot follow {what}{self.scope.words} ({answer.status}): {answer.message}"
            self.note(Note(line, Event.STREAM_REFUSED, path=path, status=answer.status))

        def no_more(answer: Answer) -> None:
            refused(answer)
            withdrawn()

        unread = Unread(path, self.gaps, self.sink, self.note, concerned, part)
        self.refused[f"{path}?{urlencode(query or {})}"] = unread
        refusal = await self._watch(path, follower, query, shape, no_more, unread).started
        if refusal is not None:
            refused(refusal)
        return refusal

    async def follow_events(self, kind: str, about: Callable[[str, str], bool]) -> None:
        """Follow the Events about objects of a kind that `about` knows by namespace and name."""
        events = Events(self.sink, about)
        events.remember(fact for fact in self._known(EventSeen) if fact.kind == kind)
        path, what = self.scope.path("/api/v1", "events"), f"Events of a {kind}"
        await self.follow(path, events, what, selected(kind), shape=EVENTS, concerned=events.concerned)

    async def _follow_controller(self) -> None:
        """Follow its Lease; every holder is asked for its flags, where its pod may be seen."""
        leases = Leases(self.sink, self._ask_controller)
        what = "the Lease of kube-controller-manager"
        refusal = await self.follow(LEASES_PATH, leases, what, CONTROLLER_LEASE, shape=LEASES)
        if refusal or leases.seen is None:
            self._ask_controller("")

    def _ask_controller(self, holder: str) -> None:
        self._spawn(self._see_controller(holder))

    async def _see_controller(self, holder: str) -> None:
        seen, before = await controller_seen(self.client, holder), self.controller
        if seen and (before is None or replace(before, at_us=seen.at_us) != seen):
            self.controller = seen
            self.sink(seen)

    async def _follow_keda(self) -> None:
        """Follow ScaledObjects and their Events, once KEDA is there."""
        version = self.discovery.groups.get(keda.GROUP)
        if version and self.scaled is None:
            self.scaled = keda.scaled_objects(self.sink)
            self.scaled.remember(fact for fact in self._known(ScaledObjectSeen) if self.scope.covers(fact.namespace))
            path = self.scope.path(f"/apis/{keda.GROUP}/{version}", keda.RESOURCE)
            await self.follow(path, self.scaled, keda.KIND, shape=SCALED_OBJECTS)
            seen = self.scaled.seen
            await self.follow_events(keda.KIND, lambda space, name: (space, name) in seen)

    async def _follow_surroundings(self) -> None:
        """Follow what holds pods back, as far as it is served by now."""
        served, unknown = await around.paths(self.discovery, self.scope)
        now = self.client.clock.now()
        for path in self.unsaid - unknown:
            self.gaps.found(path, now)
        for path in unknown:
            self.gaps.lost(path, now, "the server did not say whether it serves this")
        self.unsaid = unknown
        for kind, path in served.items():
            if kind not in self.around:
                self.around[kind] = around.surroundings(kind, self.sink)
                known = (one for one in self._known(SurroundingSeen) if self.scope.covers(one.namespace))
                self.around[kind].remember(one for one in known if (one.api_group, one.resource) == kind)
                await self.follow(path, self.around[kind], kind[1], shape=SURROUNDINGS)

    # Pods

    async def _read_pods(self) -> None:
        """Read the pods of new selectors; what fails is tried again with the next housekeeping."""
        for selection in list(self.unread):
            unread = self.refused[f"{self.pod_path}?"]
            prefix, answer = _pods_of(selection), await self.pods.fetch(self.client, selection, unread)
            if answer.good:
                self.unread.discard(selection)
                self.gaps.found(prefix, answer.at_us)
            else:
                self.gaps.lost(prefix, answer.at_us, answer.message)
