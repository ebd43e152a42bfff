"""Finds out what each HPA scales, follows it, and knows the selectors of its pods."""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from hpaaudit.api import requests
from hpaaudit.api.selector import BadSelector, Selector, scale_selector
from hpaaudit.cluster.client.client import FORBIDDEN, NOT_FOUND, OK, UNAUTHORIZED, Answer
from hpaaudit.cluster.client.discovery import CRDS, Discovery, Place, Resolved, base_path
from hpaaudit.cluster.decoding.decoders import CUSTOM, WORKLOADS, Shape
from hpaaudit.cluster.decoding.unreadable import Unreadable
from hpaaudit.cluster.scope import Scope
from hpaaudit.cluster.stores.events import MADE, base, makers
from hpaaudit.cluster.stores.hpas import Hpas
from hpaaudit.cluster.stores.workloads import Workloads
from hpaaudit.cluster.watch.gaps import Gaps
from hpaaudit.cluster.watch.reflector import Follower, Key
from hpaaudit.model.facts import Fact, RolloutSeen, ScaleRead, TargetRef, TargetSeen
from hpaaudit.model.metrics import MetricsRequest
from hpaaudit.model.note import Event, Note
from hpaaudit.model.units import Micros

WRITERS = "writers"
"""What a scale subresource does not tell of a workload: who wrote its replicas, and its rollouts."""


class Following(Protocol):
    """Whoever can open a watch."""

    def follow(
        self,
        path: str,
        follower: Follower,
        what: str,
        *,
        shape: Shape,
        withdrawn: Callable[[], None],
        concerned: Callable[[Unreadable], bool],
        part: str,
    ) -> Awaitable[Answer | None]:
        """Follow a collection; the answer that refused it, if it was refused. `withdrawn` is told of a later one.

        concerned   whether an object that cannot be read is wanted, and `part` of what it tells is told nowhere else
        """

    def follow_events(self, kind: str, about: Callable[[str, str], bool]) -> Awaitable[None]:
        """Follow the Events about objects of a kind that `about` knows by namespace and name."""


@dataclass(slots=True)
class Targets:
    """The targets of the HPAs.

    resolved   by HPA, what it scales;  workloads  the kinds that are watched
    unwatched  those that may not be, with their paths: their scales are read;  refused  whose scale may not be, either
    names      of what is scaled, by kind;  bases  of the names of what comes of it
    noted      kinds whose Events are followed
    unsaid     paths that are hidden because the server did not say whether it serves a target's kind
    scales     selectors that only a GET told;  known  what an earlier run saw last
    """

    discovery: Discovery
    hpas: Hpas
    scope: Scope
    following: Following
    gaps: Gaps
    sink: Callable[[Fact], None]
    note: Callable[[str], None]
    dirty: Callable[[], None]
    resolved: dict[Key, Resolved] = field(default_factory=dict)
    workloads: dict[Place, Workloads] = field(default_factory=dict)
    unwatched: dict[Place, str] = field(default_factory=dict)
    refused: set[TargetRef] = field(default_factory=set)
    names: dict[str, set[Key]] = field(default_factory=dict)
    bases: set[Key] = field(default_factory=set)
    noted: set[str] = field(default_factory=set)
    unsaid: set[str] = field(default_factory=set)
    scales: dict[TargetRef, str] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    known: list[TargetSeen | RolloutSeen] = field(default_factory=list)

    async def follow(self, now: Callable[[], Micros]) -> None:
        """Watch the kinds that HPAs scale, and their Events; what cannot be watched is left to `paths`."""
        self._hide(await self._resolve(), now())
        wanted: dict[Place, set[TargetRef]] = {}
        for resolved in self.resolved.values():
            wanted.setdefault(resolved.place, set()).add(resolved.target)
        self.names = {}
        self.bases = {(resolved.target.namespace, base(resolved.target.name)) for resolved in self.resolved.values()}
        for resolved in self.resolved.values():
            self.names.setdefault(resolved.kind, set()).add((resolved.target.namespace, resolved.target.name))
        for kind in sorted((self.names.keys() | MADE.keys()) - self.noted):
            self.noted.add(kind)
            await self.following.follow_events(kind, partial(self._wants, kind))
        for resolved in {one.place: one for one in self.resolved.values()}.values():
            if not resolved.watchable:
                self._cannot_tell(resolved, now())
            elif resolved.place not in self.workloads:
                await self._watch(resolved, wanted[resolved.place])
        self.refused &= set().union(*wanted.values())
        for place, workloads in self.workloads.items():
            workloads.want(wanted.get(place, set()), now())

    def _cannot_tell(self, resolved: Resolved, at_us: Micros) -> None:
        """Where no definition says what holds the replicas, a watch would not tell them, and the scale is read."""
        path = self.unwatched[resolved.place] = self.scope.path(resolved.base, resolved.target.resource)
        self.gaps.lost(path, at_us, f"no definition that may be read says where {resolved.kind} keeps its replicas")

    async def _watch(self, resolved: Resolved, wanted: set[TargetRef]) -> None:
        path, what = self.scope.path(resolved.base, resolved.target.resource), resolved.target.resource
        if not resolved.built_in and not await self._may_watch(path, what):
            self.unwatched[resolved.place] = path
            return
        self.unwatched.pop(resolved.place, None)
        workloads = Workloads(*resolved.place, self.sink, self.dirty, paths=resolved.paths)
        known = [fact for fact in self.known if fact.target in wanted]
        workloads.remember(
            (fact for fact in known if isinstance(fact, TargetSeen)),
            (fact for fact in known if isinstance(fact, RolloutSeen)),
        )
        workloads.wanted, self.workloads[resolved.place] = wanted, workloads

        def withdrawn() -> None:
            self.unwatched[resolved.place] = path
            self.dirty()

        refused = await self.following.follow(
            path,
            workloads,
            f"{what}, so their scales are read",
            shape=WORKLOADS if resolved.built_in else CUSTOM,
            withdrawn=withdrawn,
            concerned=workloads.concerned,
            part=WRITERS,  # the scale of one that cannot be read is asked for
        )
        if refused:
            self.unwatched[resolved.place] = path

    async def _may_watch(self, path: str, what: str) -> bool:
        """Whether custom resources may be listed; where only their scale may be read, no watch is tried in vain."""
        answer = await self.discovery.client.get(f"{path}?limit=1")
        if not answer.good:
            self.gaps.lost(path, answer.at_us, answer.message)
            line = (
                f"cannot follow {what}, so their scales are read{self.scope.words} ({answer.status}): {answer.message}"
            )
            self._tell_once(path, Note(line, Event.STREAM_REFUSED, path=path, status=answer.status))
        return answer.good

    def _wants(self, kind: str, namespace: str, name: str) -> bool:
        """Whether some HPA scales this one, or it comes of what some HPA scales."""
        made = kind in MADE and any((namespace, maker) in self.bases for maker in makers(kind, name))
        return made or (namespace, name) in self.names.get(kind, ())

    def _hide(self, unsaid: set[str], at_us: Micros) -> None:
        """What cannot be looked at, because the server did not say what it serves, is a gap until it does."""
        for path in self.unsaid - unsaid:
            self.gaps.found(path, at_us)
        for path in unsaid:
            self.gaps.lost(path, at_us, "the server did not say whether it serves the kind that an HPA scales")
        self.unsaid = unsaid

    async def _resolve(self) -> set[str]:
        """Find each HPA's target; those of an unknown kind are told once, and metric APIs that are not there.

        Returns the paths of targets and pods that are not seen because the server did not say what it serves.
        """
        found: dict[Key, Resolved] = {}
        unsaid: set[str] = set()
        for key, hpa in list(self.hpas.decoded.items()):
            for group in self.discovery.unserved(hpa):
                line = f"{hpa.key} needs {group}, which nobody serves: install its adapter, or change the HPA"
                self._tell_once(group, Note(line, Event.METRICS_UNSERVED, hpa=hpa.key, group=group))
            resolved = await self.discovery.resolve(hpa.namespace, hpa.spec.target)
            if resolved:
                found[key] = resolved
            elif (base := base_path(hpa.spec.target.api_version)) in self.discovery.unknown:
                unsaid |= {f"{base}/", f"/api/v1/namespaces/{hpa.namespace}/pods?"}
            else:
                kind, version = hpa.spec.target.kind, hpa.spec.target.api_version
                line = f"{hpa.key} scales a {kind}, which {version} does not serve: its replicas are not seen"
                self._tell_once(hpa.key, Note(line, Event.TARGET_UNKNOWN, hpa=hpa.key, kind=kind, api_version=version))
        self.resolved = found
        self._let_go()
        return unsaid

    def _let_go(self) -> None:
        """Forget what was said and read of HPAs that are gone; groups and paths are told of once and for all."""
        known = {hpa.key for hpa in self.hpas.decoded.values()}
        self.told = {one for one in self.told if one in known or "/" not in one or one.startswith("/")}
        targets = {one.target for one in self.resolved.values()}
        self.scales = {target: text for target, text in self.scales.items() if target in targets}

    def _tell_once(self, what: str, line: Note) -> None:
        if what not in self.told:
            self.told.add(what)
            self.note(line)

    def scale_was_read(self, fact: ScaleRead) -> None:
        """Learn a selector from a GET, and that replicas are seen which no watch shows."""
        if (place := (fact.target.group, fact.target.resource)) in self.unwatched:
            self._narrow(place, fact)
        if fact.scale and self.scales.get(fact.target) != fact.scale.selector:
            self.scales[fact.target] = fact.scale.selector
            self.dirty()

    def _narrow(self, place: Place, fact: ScaleRead) -> None:
        """Where no watch may look, but every scale may be read, nothing is hidden but who wrote it."""
        if fact.status in (OK, NOT_FOUND):
            self.refused.discard(fact.target)
        elif fact.status in (UNAUTHORIZED, FORBIDDEN):
            self.refused.add(fact.target)
        else:
            return  # a server in trouble: the failed read says so itself
        hidden = any((target.group, target.resource) == place for target in self.refused)
        self.gaps.narrow(self.unwatched[place], "" if hidden else WRITERS, fact.at_us)

    def selector(self, key: Key) -> Selector | None:
        """The selector of an HPA's target, as the controller parses it; None while it is not known."""
        resolved = self.resolved.get(key)
        if resolved is None:
            return None
        workloads = self.workloads.get(resolved.place)
        seen = workloads.seen.get(resolved.target) if workloads else None
        text = seen.scale.selector if seen else self.scales.get(resolved.target, "")
        try:
            return scale_selector(text) if text else None
        except BadSelector:
            return None

    def selections(self) -> set[tuple[str, Selector]]:
        """The selectors of all targets, each in its namespace."""
        pairs = ((key[0], self.selector(key)) for key in self.resolved)
        return {(namespace, selector) for namespace, selector in pairs if selector}

    def paths(self) -> set[str]:
        """What is to be polled: metrics as the controller asks for them, scales that no watch brings."""
        unseen = [resolved for resolved in self.resolved.values() if not self._is_seen(resolved)]
        scales = {requests.scale_path(resolved.target, resolved.version) for resolved in unseen}
        return scales | {self.discovery.path(one) for one in self._wanted() if one.metric not in self.scope.no_probe}

    def spared(self) -> dict[str, str]:
        """The metrics that are not to be read, by path: its name."""
        wanted = self._wanted() if self.scope.no_probe else ()
        return {self.discovery.path(one): one.metric for one in wanted if one.metric in self.scope.no_probe}

    def _wanted(self) -> Iterator[MetricsRequest]:
        """What the controller asks the metric APIs for."""
        for key in self.resolved:
            hpa, selector = self.hpas.decoded.get(key), self.selector(key)
            if hpa and selector:
                yield from filter(None, requests.requests_of(hpa, str(selector)))

    def _is_seen(self, resolved: Resolved) -> bool:
        """Whether a watch brings its replicas."""
        workloads = self.workloads.get(resolved.place)
        watched = workloads is not None and resolved.place not in self.unwatched
        return watched and workloads is not None and resolved.target not in workloads.unreadable

    def definitions(self) -> set[str]:
        """The paths of the definitions that tell where custom targets keep their scale."""
        custom = {one.place for one in self.resolved.values() if not one.built_in}
        return {f"{CRDS}/{resource}.{group}" for group, resource in custom}
