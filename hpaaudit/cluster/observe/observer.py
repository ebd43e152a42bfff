"""Observes one cluster: starts its watches and polls, and adapts both to the HPAs as they come and go."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from typing import Any
from urllib.parse import urlencode

from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.discovery import Discovery
from hpaaudit.cluster.decoding.decoders import HPAS, PODS
from hpaaudit.cluster.observe.context import ObserverContext
from hpaaudit.cluster.observe.environment import Environment
from hpaaudit.cluster.observe.estimate import HOUSEKEEPING_SECONDS, Estimate
from hpaaudit.cluster.observe.garbage_collection import rare_collections
from hpaaudit.cluster.observe.poller import Poller
from hpaaudit.cluster.observe.preflight import hpa_path, label_query
from hpaaudit.cluster.observe.server_version import ServerVersion
from hpaaudit.cluster.observe.targets import Targets
from hpaaudit.cluster.observe.unseen_targets import UnseenTargets
from hpaaudit.cluster.observe.watches import Subscription, Watches
from hpaaudit.cluster.scope import Scope
from hpaaudit.cluster.stores.hpas import HpaStore
from hpaaudit.cluster.stores.pods import PodStore, Selection
from hpaaudit.cluster.watch.collection import Collection
from hpaaudit.cluster.watch.gaps import EVERYTHING, Gaps
from hpaaudit.cluster.watch.pager import PAGE_ITEMS
from hpaaudit.errors import ClusterError
from hpaaudit.model.facts import (
    Ended,
    EventSeen,
    Fact,
    HpaSeen,
    PodSeen,
    ResourceMetricsRead,
    RolloutSeen,
    TargetSeen,
    ValuesRead,
)
from hpaaudit.model.note import Event, Level, Note
from hpaaudit.model.recorder_plan import Progress
from hpaaudit.model.units import SECOND

HPA_GROUP = "/apis/autoscaling/"
RETRY_SECONDS = 30


def _gap_prefix(selection: Selection) -> str:
    """The prefix of a gap in the pods of a selector."""
    namespace, selector = selection
    query = urlencode({"labelSelector": str(selector)} if selector else {"limit": str(PAGE_ITEMS)})
    return f"/api/v1/namespaces/{namespace}/pods?{query}"


class Observer:
    """Emits facts to `sink` as they are seen, and a line to `note` for what cannot be seen.

    `run` returns after `stop`; an exception of the sink ends it as well. `settled` is set when everything that is
    watched was read once. Without `polling` no metric is read.

    dirty     is set when something changed that may need other watches or polls
    resumed   an earlier run recorded into the same folder
    to_fetch  pods of new selectors that were not listed yet
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
        self.tasks: set[asyncio.Task[None]] = set()
        self.group: asyncio.TaskGroup | None = None
        self.dirty, self.settled, self.stopping = asyncio.Event(), asyncio.Event(), asyncio.Event()
        context = ObserverContext(
            client=client, scope=scope, gaps=self.gaps, sink=self.sink, note=note, spawn=self._spawn
        )
        self.discovery, self.server = Discovery(client), ServerVersion(client, self.sink)
        self.watches = Watches(context, self.server)
        self.hpas = HpaStore(self.sink, self.dirty.set)
        self.pods = PodStore(self.sink, scope.keep_labels)
        self.targets = Targets(context, self.discovery, self.hpas, self.watches, self.dirty.set)
        self.unseen_targets = UnseenTargets(context, self.hpas, self.targets, self.pods)
        self.polling, self.poller = polling, Poller(context, self.targets.take_scale)
        self.environment = Environment(context, self.discovery, self.watches)
        self.resumed = False
        self.to_fetch: set[Selection] = set()

    def sink(self, fact: Fact) -> None:
        """Counts a fact, and hands it on."""
        if isinstance(fact, ResourceMetricsRead):
            self.counts["samples"] += len(fact.samples or ())
        elif isinstance(fact, ValuesRead):
            self.counts["samples"] += len(fact.values or ())
        else:
            self.client.telemetry.observe_fact(fact)
        self._sink(fact)

    @property
    def progress(self) -> Progress:
        """How much was seen so far, without what the recording counts itself."""
        return Progress(
            hpas=len(self.hpas.versions),
            pods=len(self.pods.versions),
            samples=self.counts["samples"],
            gaps=self.gaps.count,
        )

    def estimate(self, paths: set[str]) -> Estimate:
        """The cost of polling these paths."""
        interval = self.scope.interval_us / SECOND
        return Estimate(
            hpas=len(self.hpas.versions), pods=len(self.pods.versions), reads=len(paths), interval_seconds=interval
        )

    def _announcement(self, paths: set[str]) -> Note:
        estimate = self.estimate(paths)
        is_enough = estimate.requests_per_second <= self.client.qps
        return Note(
            estimate.words(self.client.qps),
            Event.ESTIMATE,
            Level.INFO if is_enough else Level.WARNING,
            reads=estimate.reads,
            requests_per_second=round(estimate.requests_per_second, 3),
            bytes_per_hour=estimate.bytes_per_hour,
        )

    def restore(self, facts: Iterable[Fact]) -> None:
        """Restores what an earlier run saw last, before `run`: only changes and deletions since then are emitted."""
        for fact in facts:
            self.resumed = True
            match fact:
                case HpaSeen() if self.scope.covers(fact.namespace):
                    self.hpas.restore(fact)
                case PodSeen() if self.scope.covers(fact.pod.namespace):
                    self.pods.restore(fact)
                case HpaSeen() | PodSeen():
                    pass
                case TargetSeen() | RolloutSeen():
                    self.targets.restored.append(fact)
                case EventSeen():
                    self.watches.restored_events.append(fact)
                case _:
                    self.environment.restored.append(fact)

    # Run

    async def run(self) -> None:
        """Observes until stopped, whatever the server answers."""
        if self.resumed:  # nobody knows whether the restored state is still true, until everything was read again
            self.gaps.begin(
                EVERYTHING, self.client.clock.now(), "the recorder was started again, and had not read all yet"
            )
        with rare_collections():
            async with asyncio.TaskGroup() as self.group:
                self._spawn(self._observe())
                await self.stopping.wait()
                for task in self.tasks:
                    task.cancel()
        now = self.client.clock.now()
        self.watches.stop(now)
        self.gaps.write_open(now)
        self.sink(Ended(at_us=now))

    def stop(self) -> None:
        """Ends `run` after what was seen so far."""
        self.stopping.set()

    async def _observe(self) -> None:
        self._spawn(self.gaps.detect_time_jumps(self.client.clock.now))
        await self.server.read()
        await self.environment.follow_controller()
        await self.discovery.refresh()
        await self._follow_hpas()
        self.unseen_targets.update(())
        await self.targets.follow()
        self.pods.select(self.targets.selections())
        await self._follow_pods()
        self.unseen_targets.update(())
        await self.watches.follow_events(
            "HorizontalPodAutoscaler", lambda namespace, name: (namespace, name) in self.hpas.versions
        )
        await self.environment.follow_api_services()
        await self.environment.follow_keda()
        await self.environment.follow_surroundings()
        self._spawn(self._run_housekeeping())
        self.dirty.set()
        while True:
            await self.dirty.wait()
            self.dirty.clear()
            await self._adapt()

    async def _adapt(self) -> None:
        """Adapts watches and polls to the HPAs and their targets of now."""
        self.unseen_targets.update(self.to_fetch)
        await self.targets.follow()
        self.to_fetch |= self.pods.select(self.targets.selections())
        self._expire()
        await self._fetch_pods()
        await self.environment.follow_keda()
        await self.environment.follow_surroundings()
        paths, unprobed = self.targets.paths(), self.targets.unprobed()
        if not self.settled.is_set():
            self.note(self._announcement(paths))
            for name in sorted(set(self.scope.no_probe) - set(unprobed.values())):
                self.note(Note(f"--no-probe {name}: no HPA uses it", Event.METRIC_UNKNOWN, metric=name))
        if self.polling:
            self.poller.set_unprobed(set(unprobed))
            self.poller.set_paths(paths)
        self.gaps.end(EVERYTHING, self.client.clock.now())
        self.unseen_targets.update(self.to_fetch)
        self.settled.set()

    def _expire(self) -> None:
        """Forgets selectors, and pods to fetch, of namespaces and HPAs that are gone."""
        self.pods.expire(self.targets.selections(), self.client.clock.now())
        for selection in [namespaced for namespaced in self.to_fetch if namespaced[0] not in self.pods.namespaces]:
            self.to_fetch.discard(selection)
            self.gaps.end(_gap_prefix(selection), self.client.clock.now())

    async def _run_housekeeping(self) -> None:
        while True:
            await asyncio.sleep(HOUSEKEEPING_SECONDS)
            self.watches.write_counts(self.client.clock.now())
            self.gaps.write_open(self.client.clock.now())
            await self.server.read()
            await self.discovery.refresh()
            self.dirty.set()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        if self.group is None:
            raise RuntimeError("the observer does not run")
        task = self.group.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    # HPAs and pods

    async def _follow_hpas(self) -> None:
        path = await self._hpa_path()
        collection = Collection(path=path, query=label_query(self.scope), decoder=HPAS)
        await self.watches.follow(Subscription(collection=collection, store=self.hpas, noun="HPAs"))

    async def _hpa_path(self) -> str:
        """The path of the HPAs. A server that does not say is asked for ever."""
        while True:
            try:
                path = await hpa_path(self.discovery, self.scope)
            except ClusterError as problem:
                self.gaps.begin(HPA_GROUP, self.client.clock.now(), str(problem))
                self.note(Note(str(problem), Event.STREAM_REFUSED, path=HPA_GROUP, status=0))
                await asyncio.sleep(RETRY_SECONDS)
            else:
                self.gaps.end(HPA_GROUP, self.client.clock.now())
                return path

    async def _follow_pods(self) -> None:
        self.pod_collection = Collection(path=self.scope.path("/api/v1", "pods"), decoder=PODS)
        await self.watches.follow(
            Subscription(
                collection=self.pod_collection, store=self.pods, noun="pods", is_relevant=self.pods.is_relevant
            )
        )

    async def _fetch_pods(self) -> None:
        """Lists the pods of new selectors. What fails is tried again with the next housekeeping."""
        unreadable = self.watches.unreadable[self.pod_collection.prefix]
        for selection in list(self.to_fetch):
            prefix, answer = _gap_prefix(selection), await self.pods.fetch(self.client, selection, unreadable)
            if answer.good:
                self.to_fetch.discard(selection)
                self.gaps.end(prefix, answer.at_us)
            else:
                self.gaps.begin(prefix, answer.at_us, answer.message)
