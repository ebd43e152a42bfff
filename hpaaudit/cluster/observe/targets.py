"""Resolves the target of each HPA, follows it, and knows the selector of its pods."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from hpaaudit.api import requests
from hpaaudit.api.selector import BadSelector, Selector, scale_selector
from hpaaudit.cluster.client.discovery import CRDS, Discovery, GroupResource, ResolvedTarget, base_path
from hpaaudit.cluster.client.http_answer import FORBIDDEN, NOT_FOUND, OK, UNAUTHORIZED
from hpaaudit.cluster.decoding.decoders import CUSTOM, WORKLOADS
from hpaaudit.cluster.observe.context import ObserverContext
from hpaaudit.cluster.observe.watches import Subscription, Watches
from hpaaudit.cluster.stores.events import CHILD_KINDS, name_base, owner_bases
from hpaaudit.cluster.stores.foreign_writes import ForeignWrites
from hpaaudit.cluster.stores.hpas import HpaStore
from hpaaudit.cluster.stores.workloads import WorkloadStore
from hpaaudit.cluster.watch.collection import Collection
from hpaaudit.cluster.watch.store import Key
from hpaaudit.model.facts import RolloutSeen, ScaleRead, TargetRef, TargetSeen
from hpaaudit.model.metrics import MetricsRequest
from hpaaudit.model.note import Event, Note

WRITERS = "writers"
"""The part of a workload that its scale does not tell: who wrote its replicas, and its rollouts."""


@dataclass(slots=True)
class Targets:
    """The targets of the HPAs.

    resolved       the target of each HPA
    workloads      the stores of kinds that are watched;  unwatched  paths of kinds that may not be: scales are polled
    unreadable     targets whose scale may not be read either
    names          namespace and name of each target, by kind
    bases          the same, cut to what the names of ReplicaSets and pods begin with (`name_base`)
    event_kinds    kinds whose Events are followed
    unknown_paths  paths with an open gap: the server did not say whether it serves the kind of a target
    selectors      selectors of targets, from polled scales;  absent  targets that do not exist, from polls as well
    noted          subjects of notes that were written, so that each is written once
    restored       the last targets and rollouts that an earlier run of the recorder saw
    foreign        writes of replicas that were not the HPA's
    """

    context: ObserverContext
    discovery: Discovery
    hpas: HpaStore
    watches: Watches
    dirty: Callable[[], None]
    resolved: dict[Key, ResolvedTarget] = field(default_factory=dict)
    workloads: dict[GroupResource, WorkloadStore] = field(default_factory=dict)
    unwatched: dict[GroupResource, str] = field(default_factory=dict)
    unreadable: set[TargetRef] = field(default_factory=set)
    names: dict[str, set[Key]] = field(default_factory=dict)
    bases: set[Key] = field(default_factory=set)
    event_kinds: set[str] = field(default_factory=set)
    unknown_paths: set[str] = field(default_factory=set)
    selectors: dict[TargetRef, str] = field(default_factory=dict)
    absent: set[TargetRef] = field(default_factory=set)
    noted: set[str] = field(default_factory=set)
    restored: list[TargetSeen | RolloutSeen] = field(default_factory=list)
    foreign: ForeignWrites = field(default_factory=ForeignWrites)

    # Follow

    async def follow(self) -> None:
        """Follows the kinds that HPAs scale, and their Events. Scales that no watch shows are left to `paths`."""
        self._update_unknown_paths(await self._resolve())
        wanted: dict[GroupResource, set[TargetRef]] = {}
        for resolved in self.resolved.values():
            wanted.setdefault(resolved.group_resource, set()).add(resolved.target)
        await self._follow_events()
        for resolved in {target.group_resource: target for target in self.resolved.values()}.values():
            if not resolved.is_watchable:
                self._leave_to_polls(resolved)
            elif resolved.group_resource not in self.workloads:
                await self._watch(resolved, wanted[resolved.group_resource])
        self.unreadable &= set().union(*wanted.values())
        for group_resource, workloads in self.workloads.items():
            workloads.want(wanted.get(group_resource, set()), self.context.now())

    async def _follow_events(self) -> None:
        """Follows Events about targets, and about the ReplicaSets and pods that they create."""
        self.names = {}
        for resolved in self.resolved.values():
            self.names.setdefault(resolved.kind, set()).add((resolved.target.namespace, resolved.target.name))
        self.bases = {(other.target.namespace, name_base(other.target.name)) for other in self.resolved.values()}
        for kind in sorted((self.names.keys() | CHILD_KINDS.keys()) - self.event_kinds):
            self.event_kinds.add(kind)
            await self.watches.follow_events(kind, partial(self._is_wanted, kind))

    def _is_wanted(self, kind: str, namespace: str, name: str) -> bool:
        """Whether an object is a target, or may be created by one."""
        is_child = kind in CHILD_KINDS and any((namespace, base) in self.bases for base in owner_bases(kind, name))
        return is_child or (namespace, name) in self.names.get(kind, ())

    def _leave_to_polls(self, resolved: ResolvedTarget) -> None:
        """Polls the scales of this kind: a watch does not show where its objects have their replicas."""
        path = self.unwatched[resolved.group_resource] = self._path(resolved)
        cause = f"no definition that may be read says where {resolved.kind} keeps its replicas"
        self.context.gaps.begin(path, self.context.now(), cause)

    async def _watch(self, resolved: ResolvedTarget, wanted: set[TargetRef]) -> None:
        path, resource, key = self._path(resolved), resolved.target.resource, resolved.group_resource
        if not resolved.built_in and not await self._may_list(path, resource):
            self.unwatched[key] = path
            return
        self.unwatched.pop(key, None)
        store = WorkloadStore(*key, self.context.sink, self.dirty, paths=resolved.paths, foreign=self.foreign)
        restored = [fact for fact in self.restored if fact.target in wanted]
        store.restore(
            (fact for fact in restored if isinstance(fact, TargetSeen)),
            (fact for fact in restored if isinstance(fact, RolloutSeen)),
        )
        store.wanted, self.workloads[key] = wanted, store

        def poll_instead() -> None:
            self.unwatched[key] = path
            self.dirty()

        refusal = await self.watches.follow(
            Subscription(
                collection=Collection(path=path, decoder=WORKLOADS if resolved.built_in else CUSTOM),
                store=store,
                noun=f"{resource}, so their scales are read",
                on_forbidden=poll_instead,
                is_relevant=store.is_relevant,
                part=WRITERS,  # the scale of a workload that cannot be read is polled
            )
        )
        if refusal:
            self.unwatched[key] = path

    async def _may_list(self, path: str, resource: str) -> bool:
        """Whether custom resources may be listed. If only their scales may be read, no watch is tried."""
        answer = await self.discovery.client.get(f"{path}?limit=1")
        if not answer.good:
            self.context.gaps.begin(path, answer.at_us, answer.message)
            scope = self.context.scope.words
            line = f"cannot follow {resource}, so their scales are read{scope} ({answer.status}): {answer.message}"
            self._note_once(path, Note(line, Event.STREAM_REFUSED, path=path, status=answer.status))
        return answer.good

    def _path(self, resolved: ResolvedTarget) -> str:
        return self.context.scope.path(resolved.base, resolved.target.resource)

    # Resolve

    async def _resolve(self) -> set[str]:
        """Resolves each HPA's target. Unknown kinds and metric APIs that are not served are noted once.

        Returns the paths of targets and pods that are hidden because the server did not say what it serves.
        """
        resolved_targets: dict[Key, ResolvedTarget] = {}
        unknown_paths: set[str] = set()
        for key, hpa in list(self.hpas.decoded.items()):
            for group in self.discovery.unserved(hpa):
                line = (
                    f"{hpa.key} needs {group}, which the cluster does not serve: install its adapter, or change the HPA"
                )
                self._note_once(group, Note(line, Event.METRICS_UNSERVED, hpa=hpa.key, group=group))
            resolved = await self.discovery.resolve(hpa.namespace, hpa.spec.target)
            if resolved:
                resolved_targets[key] = resolved
            elif (base := base_path(hpa.spec.target.api_version)) in self.discovery.unknown:
                unknown_paths |= {f"{base}/", f"/api/v1/namespaces/{hpa.namespace}/pods?"}
            else:
                kind, version = hpa.spec.target.kind, hpa.spec.target.api_version
                line = f"{hpa.key} scales a {kind}, which {version} does not serve: its replicas are not seen"
                note = Note(line, Event.TARGET_UNKNOWN, hpa=hpa.key, kind=kind, api_version=version)
                self._note_once(hpa.key, note)
        self.resolved = resolved_targets
        self._forget_deleted()
        return unknown_paths

    def _update_unknown_paths(self, unknown_paths: set[str]) -> None:
        """Records a gap for each path that is unknown because discovery failed, until it succeeds."""
        now = self.context.now()
        for path in self.unknown_paths - unknown_paths:
            self.context.gaps.end(path, now)
        for path in unknown_paths:
            cause = "the server did not say whether it serves the kind that an HPA scales"
            self.context.gaps.begin(path, now, cause)
        self.unknown_paths = unknown_paths

    def _forget_deleted(self) -> None:
        """Forgets notes about HPAs, and selectors of targets, that are gone. Notes about groups and paths stay."""
        keys = {hpa.key for hpa in self.hpas.decoded.values()}
        self.noted = {note for note in self.noted if note in keys or "/" not in note or note.startswith("/")}
        targets = {resolved.target for resolved in self.resolved.values()}
        self.selectors = {target: text for target, text in self.selectors.items() if target in targets}
        self.absent &= targets

    def _note_once(self, subject: str, note: Note) -> None:
        if subject not in self.noted:
            self.noted.add(subject)
            self.context.note(note)

    # Scales and selectors

    def take_scale(self, fact: ScaleRead) -> None:
        """Takes a polled scale: its selector, and that the replicas of its kind are seen without a watch."""
        if (fact.status == NOT_FOUND) != (fact.target in self.absent):
            (self.absent.add if fact.status == NOT_FOUND else self.absent.discard)(fact.target)
            self.dirty()
        if (key := (fact.target.group, fact.target.resource)) in self.unwatched:
            self._narrow_gap(key, fact)
        if fact.scale and self.selectors.get(fact.target) != fact.scale.selector:
            self.selectors[fact.target] = fact.scale.selector
            self.dirty()

    def _narrow_gap(self, key: GroupResource, fact: ScaleRead) -> None:
        """Narrows the gap of a kind that may not be watched to its writers, if all its scales may be read."""
        if fact.status in (OK, NOT_FOUND):
            self.unreadable.discard(fact.target)
        elif fact.status in (UNAUTHORIZED, FORBIDDEN):
            self.unreadable.add(fact.target)
        else:
            return  # the server is in trouble: the failed read says so itself
        is_hidden = any((target.group, target.resource) == key for target in self.unreadable)
        self.context.gaps.narrow(self.unwatched[key], "" if is_hidden else WRITERS, fact.at_us)

    def selector(self, key: Key) -> Selector | None:
        """The pod selector of an HPA's target, as the controller parses it. None while it is unknown."""
        resolved = self.resolved.get(key)
        if resolved is None:
            return None
        workloads = self.workloads.get(resolved.group_resource)
        workload = workloads.states.get(resolved.target) if workloads else None
        text = workload.scale.selector if workload else self.selectors.get(resolved.target, "")
        try:
            return scale_selector(text) if text else None
        except BadSelector:
            return None

    def is_selector_hidden(self, key: Key) -> bool:
        """Whether an HPA's target has a pod selector, as far as anybody knows, that could not be read yet."""
        resolved = self.resolved.get(key)
        if resolved is None or self.selector(key) is not None:
            return False
        target, workloads = resolved.target, self.workloads.get(resolved.group_resource)
        if target in self.absent or target in self.selectors or (workloads and target in workloads.states):
            return False  # there is none, or it selects nothing
        return not self._is_seen(resolved) or self._path(resolved) in self.context.gaps.open

    def selections(self) -> set[tuple[str, Selector]]:
        """The pod selectors of all targets, each with its namespace."""
        pairs = ((key[0], self.selector(key)) for key in self.resolved)
        return {(namespace, selector) for namespace, selector in pairs if selector}

    # Polls

    def paths(self) -> set[str]:
        """What is to be polled: metrics as the controller requests them, and scales that no watch shows."""
        unseen = [resolved for resolved in self.resolved.values() if not self._is_seen(resolved)]
        scales = {requests.scale_path(resolved.target, resolved.version) for resolved in unseen}
        no_probe = self.context.scope.no_probe
        return scales | {
            self.discovery.path(request) for request in self._metric_requests() if request.metric not in no_probe
        }

    def unprobed(self) -> dict[str, str]:
        """The metrics of `--no-probe` that an HPA needs: their names by path."""
        no_probe = self.context.scope.no_probe
        wanted = self._metric_requests() if no_probe else ()
        return {self.discovery.path(request): request.metric for request in wanted if request.metric in no_probe}

    def _metric_requests(self) -> Iterator[MetricsRequest]:
        """The requests of the controller to the metrics APIs."""
        for key in self.resolved:
            hpa, selector = self.hpas.decoded.get(key), self.selector(key)
            if hpa and selector:
                yield from filter(None, requests.requests_of(hpa, str(selector)))

    def _is_seen(self, resolved: ResolvedTarget) -> bool:
        """Whether a watch shows its replicas."""
        workloads = self.workloads.get(resolved.group_resource)
        if workloads is None or resolved.group_resource in self.unwatched:
            return False
        return resolved.target not in workloads.unreadable

    def definitions(self) -> set[str]:
        """The paths of the definitions of custom targets."""
        custom = {resolved.group_resource for resolved in self.resolved.values() if not resolved.built_in}
        return {f"{CRDS}/{resource}.{group}" for group, resource in custom}
