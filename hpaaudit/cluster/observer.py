"""Observes one cluster: what is watched, what is polled, and how both follow the HPAs."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from typing import Any
from urllib.parse import urlencode

from hpaaudit.api import requests
from hpaaudit.api.selector import BadSelector, Selector, scale_selector
from hpaaudit.cluster.client import Answer, Client
from hpaaudit.cluster.controller import controller_seen
from hpaaudit.cluster.discovery import METRICS, Discovery, Place, Resolved
from hpaaudit.cluster.gaps import Gaps
from hpaaudit.cluster.hpas import Hpas
from hpaaudit.cluster.pods import Pods
from hpaaudit.cluster.polls import Polls
from hpaaudit.cluster.scope import Scope
from hpaaudit.cluster.surroundings import CONTROLLER_LEASE, LEASES, Events, Leases, Surroundings
from hpaaudit.cluster.watch import Follower, Watch
from hpaaudit.cluster.workloads import Workloads
from hpaaudit.model.facts import (
    Ended,
    EventSeen,
    Fact,
    HpaSeen,
    PodSeen,
    ResourceMetricsRead,
    ScaleRead,
    TargetRef,
    TargetSeen,
    ValuesRead,
)
from hpaaudit.model.note import Event, Note
from hpaaudit.model.plan import Progress

HOUSEKEEPING_SECONDS = 60
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
        self.pods = Pods(self.sink)
        self.workloads: dict[Place, Workloads] = {}
        self.unwatched: set[Place] = set()
        self.scales: dict[TargetRef, str] = {}
        self.unread: set[tuple[str, Selector]] = set()
        self.unresolved: set[str] = set()
        self.unserved: set[str] = set()
        self.targets: dict[tuple[str, str], Resolved] = {}
        self.known_targets: list[TargetSeen] = []
        self.known_events: list[EventSeen] = []
        self.polls = Polls(client, scope.interval_us, self.sink, self.gaps, self._spawn, self._scale_was_read)
        self.surroundings = Surroundings(client, self.sink, GROUPS)
        self.tasks: set[asyncio.Task[None]] = set()
        self.watches: list[Watch] = []
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

    def remember(self, known: Iterable[Fact]) -> None:
        """Take up what an earlier run saw, before `run`: what is still so is not told again, what is gone is told."""
        for fact in known:
            match fact:
                case HpaSeen() if self.scope.namespace in ("", fact.namespace):
                    self.hpas.remember(fact)
                case PodSeen() if self.scope.namespace in ("", fact.pod.namespace):
                    self.pods.remember(fact)
                case TargetSeen():
                    self.known_targets.append(fact)
                case EventSeen():
                    self.known_events.append(fact)

    # Life

    async def run(self) -> None:
        """Observe until stopped; a cluster that cannot be read at all is a ClusterError at once."""
        async with asyncio.TaskGroup() as self.group:
            self._spawn(self._observe())
            await self.stopping.wait()
            for task in self.tasks:
                task.cancel()
        now = self.client.clock.now()
        self.gaps.slice(now)
        self.sink(Ended(at_us=now))

    def stop(self) -> None:
        """End after what was seen until now."""
        self.stopping.set()

    async def _observe(self) -> None:
        self._spawn(self.gaps.notice_leaps(self.client.clock.now))
        await self.surroundings.ask()
        if controller := await controller_seen(self.client):
            self.sink(controller)
        await self.discovery.refresh()
        await self._may_follow(await hpa_path(self.discovery, self.scope), self.hpas, "HPAs", _labels(self.scope))
        await self._follow_targets()
        self.pods.choose(self._selections())
        await self._may_follow(self.scope.path("/api/v1", "pods"), self.pods, "pods")
        await self._may_follow(LEASES, Leases(self.sink), "the Lease of kube-controller-manager", CONTROLLER_LEASE)
        await self._follow_events("HorizontalPodAutoscaler", lambda space, name: (space, name) in self.hpas.seen)
        self._spawn(self._keep_house())
        self.dirty.set()
        while True:
            await self.dirty.wait()
            self.dirty.clear()
            await self._follow_targets()
            self.unread |= self.pods.choose(self._selections())
            await self._read_pods()
            if self.polling:
                self.polls.want(self.paths())
            self.settled.set()

    async def _keep_house(self) -> None:
        while True:
            await asyncio.sleep(HOUSEKEEPING_SECONDS)
            self.gaps.slice(self.client.clock.now())
            await self.surroundings.ask()
            await self.discovery.refresh()
            self.dirty.set()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        if self.group is None:
            raise RuntimeError("the observer does not run")
        task = self.group.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    # Watches

    def _watch(self, path: str, follower: Follower, query: dict[str, str] | None) -> Watch:
        watch = Watch(self.client, path, follower, self.gaps, query=query or {})
        self.watches.append(watch)
        self._spawn(watch.run())
        return watch

    async def _may_follow(
        self, path: str, follower: Follower, what: str, query: dict[str, str] | None = None
    ) -> Answer | None:
        """Follow if it is allowed; if not, it is tried again for ever, and written down as a gap."""
        refusal = await self._watch(path, follower, query).started
        if refusal is not None:
            line = f"cannot follow {what}{self.scope.words} ({refusal.status}): {refusal.message}"
            self.note(Note(line, Event.STREAM_REFUSED, path=path, status=refusal.status))
        return refusal

    async def _follow_events(self, kind: str, about: Callable[[str, str], bool]) -> None:
        query = {"fieldSelector": f"involvedObject.kind={kind}"}
        events = Events(self.sink, about)
        events.remember(fact for fact in self.known_events if fact.kind == kind)
        await self._may_follow(self.scope.path("/api/v1", "events"), events, f"Events of a {kind}", query)

    # What the HPAs need

    async def _resolve(self) -> None:
        """Find each HPA's target; those of an unknown kind are told once, and metric APIs that are not there."""
        found = {}
        for key, hpa in list(self.hpas.decoded.items()):
            for group in self.discovery.unserved(hpa):
                if group not in self.unserved:
                    self.unserved.add(group)
                    line = f"{hpa.key} needs {group}, which nobody serves: install its adapter, or change the HPA"
                    self.note(Note(line, Event.METRICS_UNSERVED, hpa=hpa.key, group=group))
            resolved = await self.discovery.resolve(hpa.namespace, hpa.spec.target)
            if resolved:
                found[key] = resolved
            elif hpa.key not in self.unresolved:
                self.unresolved.add(hpa.key)
                kind, version = hpa.spec.target.kind, hpa.spec.target.api_version
                line = f"{hpa.key} scales a {kind}, which {version} does not serve: its replicas are not seen"
                self.note(Note(line, Event.TARGET_UNKNOWN, hpa=hpa.key, kind=kind, api_version=version))
        self.targets = found

    async def _follow_targets(self) -> None:
        """Watch the built-in kinds that HPAs scale, and their Events."""
        await self._resolve()
        wanted: dict[Place, set[TargetRef]] = {}
        for resolved in self.targets.values():
            if resolved.built_in:
                wanted.setdefault(resolved.place, set()).add(resolved.target)
        for place in wanted.keys() - self.workloads.keys():
            resolved = next(one for one in self.targets.values() if one.place == place)
            workloads = self.workloads[place] = Workloads(*place, self.sink, self.dirty.set)
            workloads.remember(fact for fact in self.known_targets if fact.target in wanted[place])
            workloads.wanted = wanted[place]
            path = self.scope.path(resolved.base, resolved.target.resource)
            if await self._may_follow(path, workloads, f"{resolved.target.resource}, so their scales are read"):
                self.unwatched.add(place)
            await self._follow_events(resolved.kind, workloads.wants)
        for place, workloads in self.workloads.items():
            workloads.want(wanted.get(place, set()), self.client.clock.now())

    def _scale_was_read(self, fact: ScaleRead) -> None:
        if fact.scale and self.scales.get(fact.target) != fact.scale.selector:
            self.scales[fact.target] = fact.scale.selector
            self.dirty.set()

    def selector(self, resolved: Resolved) -> Selector | None:
        """The selector of a target's scale, as the controller parses it; None while it is not known."""
        workloads = self.workloads.get(resolved.place)
        seen = workloads.seen.get(resolved.target) if workloads else None
        text = seen.scale.selector if seen else self.scales.get(resolved.target, "")
        try:
            return scale_selector(text) if text else None
        except BadSelector:
            return None

    def _selections(self) -> set[tuple[str, Selector]]:
        """The selectors of all targets, each in its namespace."""
        pairs = ((resolved.target.namespace, self.selector(resolved)) for resolved in self.targets.values())
        return {(namespace, selector) for namespace, selector in pairs if selector}

    async def _read_pods(self) -> None:
        """Read the pods of new selectors; what fails is tried again with the next housekeeping."""
        for namespace, selector in list(self.unread):
            answer = await self.pods.fetch(self.client, namespace, selector)
            if answer.good:
                self.unread.discard((namespace, selector))
                self.gaps.found(answer.path, answer.at_us)
            else:
                self.gaps.lost(answer.path, answer.at_us, answer.message)

    def paths(self) -> set[str]:
        """What is to be polled: metrics as the controller asks for them, scales that no watch brings."""
        found = set()
        for key, resolved in self.targets.items():
            if not resolved.built_in or resolved.place in self.unwatched:
                found.add(requests.scale_path(resolved.target, resolved.version))
            hpa, selector = self.hpas.decoded.get(key), self.selector(resolved)
            if hpa and selector:
                wanted = requests.requests_of(hpa, str(selector))
                found |= {self.discovery.path(request) for request in wanted if request}
        return found
