"""Turns the lists, watches and writes of a capture into facts about objects that are new, changed or deleted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hpaaudit.api import requests, selector, to_facts, workload
from hpaaudit.importers.known_pods import KnownPods
from hpaaudit.importers.pod_parts import PodPart
from hpaaudit.importers.returning_uids import ReturningUids
from hpaaudit.model.facts import Fact, Gap, HpaGone, PodGone, TargetGone, TargetRef
from hpaaudit.model.units import Micros

_OK = range(200, 300)
_GONE = 410
_NOT_FOUND = 404
POLLED = frozenset({"horizontalpodautoscalers", "pods"})
"""Resources whose every change counts: who only reads them now and then misses some."""
WORKLOADS = ("deployments", "statefulsets", "replicasets", "replicationcontrollers")
_LASTING = frozenset({"horizontalpodautoscalers", *WORKLOADS})
_KINDS = (
    "horizontalpodautoscalers",
    "pods",
    "events",
    "leases",
    "apiservices",
    *WORKLOADS,
)


@dataclass(frozen=True, slots=True)
class ResourcePath:
    """A parsed API path: a collection, within a namespace or not, or one object of it."""

    group: str
    version: str
    resource: str
    namespace: str
    name: str
    selector: str
    field_selector: str
    continued: bool


def resource_path(path: str) -> ResourcePath | None:
    """The parsed path, None for resources that are not read."""
    parts, query = requests.split(path)
    match parts:
        case ["api", version, *rest]:
            group = ""
        case ["apis", group, version, *rest]:
            pass
        case _:
            return None
    namespace = ""
    if len(rest) > 2 and rest[0] == "namespaces":  # noqa: PLR2004 (namespaces, its name, a resource)
        namespace, rest = rest[1], rest[2:]
    if not rest or rest[0] not in _KINDS or len(rest) > 2:  # noqa: PLR2004 (resource and name)
        return None
    return ResourcePath(
        group=group,
        version=version,
        resource=rest[0],
        namespace=namespace,
        name=rest[1] if len(rest) > 1 else "",
        selector=query.get("labelSelector", ""),
        field_selector=query.get("fieldSelector", ""),
        continued="continue" in query,
    )


@dataclass(slots=True)
class ObjectStates:
    """The objects that are known so far.

    known      uid and labels by resource, namespace and name: a list without such an object is its deletion
    broken     since when a watch is broken, by path;  pages  what the pages of an unfinished list had, by path
    watching   resources that are watched somewhere in the capture
    polled     resources that are only read now and then: what was between two reads was not seen
    read_us    when each of their collections and objects was read last, by path
    pods       of which namespaces the pods are known
    unseen_us  since when no HPA was shown, where nothing was observed for a time
    uids       those of objects that last, to notice a second cluster
    """

    known: dict[tuple[str, str, str], tuple[str, dict[str, str]]] = field(default_factory=dict)
    broken: dict[str, Micros] = field(default_factory=dict)
    pages: dict[str, set[tuple[str, str, str]]] = field(default_factory=dict)
    watching: frozenset[str] = frozenset()
    polled: frozenset[str] = frozenset()
    read_us: dict[str, Micros] = field(default_factory=dict)
    pods: KnownPods = field(default_factory=KnownPods)
    unseen_us: Micros | None = None
    uids: ReturningUids = field(default_factory=ReturningUids)

    def unobserved(self, since_us: Micros, until_us: Micros) -> Iterable[Fact]:
        """The gap of a time in which nothing was observed. Objects may have changed in it, and gone."""
        yield from self.untold(since_us, until_us, "*")
        yield Gap(at_us=since_us, until_us=until_us, prefix="*", cause="no file of the capture covers this time")

    def untold(self, since_us: Micros, until_us: Micros, prefix: str) -> Iterable[Fact]:
        """Nothing below a path was observed for a time. What it shows is unknown until it is shown again.

        Gives the gaps before it.
        """
        parsed = None if prefix == "*" else resource_path(prefix)
        if prefix == "*" or (parsed is not None and parsed.resource == "pods" and not parsed.namespace):
            namespaces = {key[1] for key in self.known if key[0] == "pods"}
            yield from self.pods.unobserved(since_us, until_us, namespaces)
        elif parsed is not None and parsed.resource == "pods" and not parsed.name:
            yield from self.pods.in_part(since_us, parsed.namespace)
            self.pods.unknown.setdefault(parsed.namespace, since_us)
        if prefix == "*" and any(resource == "horizontalpodautoscalers" for resource, _, _ in self.known):
            self.unseen_us = until_us

    def ended(self, at_us: Micros) -> Iterable[Fact]:
        """The gaps that nothing closed before the capture ended."""
        broken = [
            Gap(at_us=since_us, until_us=at_us, prefix=path, cause="the watch was too old")
            for path, since_us in sorted(self.broken.items())
        ]
        return [*broken, *self.pods.ended(at_us), *self._hpas_shown(at_us)]

    def watched(self, at_us: Micros, path: str, kind: str, raw: Any) -> Iterable[Fact] | None:
        """The facts of one event of a watch. None if the resource is not read."""
        parsed = resource_path(path)
        if parsed is None:
            return None
        if kind == "BOOKMARK":
            return []
        if kind == "ERROR":
            self.broken.setdefault(_collection(path), at_us)
            return []
        return [*self._before(at_us, parsed, kind, raw), *self._changed(at_us, parsed, raw, gone=kind == "DELETED")]

    def _before(self, at_us: Micros, parsed: ResourcePath, kind: str, raw: Mapping[str, Any]) -> Iterable[Fact]:
        """The gap before the first pod of a watch."""
        if parsed.resource != "pods":
            return []
        meta = raw.get("metadata") or {}
        namespace, name = meta.get("namespace") or parsed.namespace, meta.get("name") or ""
        is_known = ("pods", namespace, name) in self.known
        return self.pods.event(at_us, namespace, kind, raw, part=_part(parsed), is_known=is_known)

    def _hpas_shown(self, at_us: Micros) -> Iterable[Fact]:
        """The gap until an HPA is shown again."""
        if self.unseen_us is not None:
            since_us, self.unseen_us = self.unseen_us, None
            hpas = "/apis/autoscaling/v2/horizontalpodautoscalers"
            yield Gap(at_us=since_us, until_us=at_us, prefix=hpas, cause="no HPA was shown again yet")

    def answered(self, at_us: Micros, path: str, status: int, body: Any, by: str = "") -> Iterable[Fact] | None:
        """The facts of a list, or of a GET of one object. by: the controller that read it, if one did."""
        parsed = resource_path(path)
        if parsed is None:
            return None
        if status == _GONE:
            self.broken.setdefault(_collection(path), at_us)
        if status == _NOT_FOUND and parsed.name:
            return self._deleted(at_us, parsed, parsed.namespace, parsed.name)
        if status not in _OK or not isinstance(body, Mapping):
            return []
        if "items" in body:
            return self._listed(at_us, path, parsed, body, by)
        return [
            *self._read_again(at_us, path, parsed),
            *self._of_one(at_us, parsed, body),
            *self._changed(at_us, parsed, body, gone=False),
        ]

    def _of_one(self, at_us: Micros, parsed: ResourcePath, raw: Mapping[str, Any]) -> Iterable[Fact]:
        """The gap before a pod that was read or written alone: it tells nothing of others."""
        if parsed.resource != "pods":
            return []
        name = (raw.get("metadata") or {}).get("name") or parsed.name
        return self.pods.part(at_us, PodPart(parsed.namespace, fields=f"metadata.name={name}"), [raw])

    def _read_again(self, at_us: Micros, path: str, parsed: ResourcePath) -> Iterable[Fact]:
        """The gap since the last read of what nobody watches."""
        if parsed.resource in self.polled and not (parsed.selector or parsed.field_selector):
            since_us = self.read_us.get(_collection(path), at_us)
            self.read_us[_collection(path)] = at_us
            what = "HPAs" if parsed.resource == "horizontalpodautoscalers" else parsed.resource
            if since_us < at_us:
                yield Gap(
                    at_us=since_us,
                    until_us=at_us,
                    prefix=_collection(path),
                    cause=f"the {what} were only read now and then",
                )

    def written(self, at_us: Micros, path: str, after: Mapping[str, Any] | None) -> Iterable[Fact] | None:
        """The facts of a write whose answer has the object after it.

        None come of it if the collection is watched: the controller's cache may lag behind the write.
        """
        parsed = resource_path(path)
        if parsed is None:
            return None
        if after is None or parsed.resource in self.watching or not (after.get("metadata") or {}).get("name"):
            return []
        return [*self._of_one(at_us, parsed, after), *self._changed(at_us, parsed, after, gone=False)]

    def deleted(self, at_us: Micros, path: str, *, good: bool) -> Iterable[Fact] | None:
        """The facts of a deletion. Pods and HPAs may stay with a deletionTimestamp, so for them the watch counts."""
        parsed = resource_path(path)
        if parsed is None:
            return None
        watched = parsed.resource in ("pods", "horizontalpodautoscalers")
        return (
            self._deleted(at_us, parsed, parsed.namespace, parsed.name) if good and parsed.name and not watched else []
        )

    def _listed(
        self, at_us: Micros, path: str, parsed: ResourcePath, body: Mapping[str, Any], by: str
    ) -> Iterable[Fact]:
        facts: list[Fact] = []
        listed_keys = self.pages.setdefault(_collection(path), set()) if parsed.continued else set()
        for item in body.get("items") or ():
            own = resource_path(_item_path(item, parsed)) if body.get("kind") == "List" else parsed
            if own is None:
                continue
            meta = item.get("metadata") or {}
            listed_keys.add((own.resource, meta.get("namespace") or parsed.namespace, meta.get("name") or ""))
            facts += self._changed(at_us, own, item, gone=False)
        if (body.get("metadata") or {}).get("continue"):
            self.pages[_collection(path)] = listed_keys
            if parsed.resource == "pods":
                facts[:0] = self.pods.part(at_us, PodPart(parsed.namespace, page=True), body.get("items") or ())
            return facts
        self.pages.pop(_collection(path), None)
        since_us = self.broken.pop(_collection(path), None)
        if since_us is not None:
            gap = Gap(at_us=since_us, until_us=at_us, prefix=_collection(path), cause="the watch was too old")
            facts.insert(0, gap)
        if parsed.resource == "pods":
            part, items = _part(parsed, own=by != "" and not parsed.field_selector), body.get("items") or ()
            if body.get("kind") == "List":
                part = part or PodPart(parsed.namespace)
            shown = (
                self.pods.list(at_us, parsed.namespace, items) if part is None else self.pods.part(at_us, part, items)
            )
            facts[:0] = shown
        since_the_last = list(self._read_again(at_us, path, parsed))
        if since_us is None:
            facts[:0] = since_the_last
        if body.get("kind") != "List" and not parsed.field_selector:
            facts += self._absent(at_us, parsed, listed_keys)
        return facts

    def _absent(self, at_us: Micros, parsed: ResourcePath, listed: set[tuple[str, str, str]]) -> list[Fact]:
        """The deletion of known objects that a list does not have."""
        chosen = selector.parse(parsed.selector) if parsed.selector else None
        facts: list[Fact] = []
        for key, (_, labels) in list(self.known.items()):
            resource, namespace, name = key
            if resource != parsed.resource or (parsed.namespace and namespace != parsed.namespace) or key in listed:
                continue
            if chosen is None or chosen.matches(labels):
                facts += self._deleted(at_us, parsed, namespace, name)
        return facts

    def _changed(self, at_us: Micros, parsed: ResourcePath, raw: Mapping[str, Any], *, gone: bool) -> list[Fact]:
        meta = raw.get("metadata") or {}
        namespace, name = meta.get("namespace") or parsed.namespace, meta.get("name") or parsed.name
        if gone:
            return self._deleted(at_us, parsed, namespace, name)
        if not name:
            return []
        key = (parsed.resource, namespace, name)
        self.known[key] = (meta.get("uid", ""), dict(meta.get("labels") or {}))
        if parsed.resource in _LASTING:
            self.uids.see(key, meta.get("uid", ""))
        again: Iterable[Fact] = ()
        if parsed.resource == "horizontalpodautoscalers":
            spec = raw.get("spec") or {}
            target = spec.get("scaleTargetRef") or spec.get("scaleRef") or {}
            self.pods.scaled.add((namespace, target.get("name") or ""))
            again = self._hpas_shown(at_us)
        return [*again, self._seen(at_us, parsed, namespace, name, raw)]

    def _seen(self, at_us: Micros, parsed: ResourcePath, namespace: str, name: str, raw: Mapping[str, Any]) -> Fact:
        match parsed.resource:
            case "horizontalpodautoscalers":
                if not raw.get("apiVersion"):  # items of a list leave it out
                    raw = {**raw, "apiVersion": f"{parsed.group}/{parsed.version}"}
                return to_facts.hpa_seen(at_us, raw)
            case "pods":
                return to_facts.pod_seen(at_us, raw)
            case "events":
                return to_facts.event_seen(at_us, raw)
            case "leases":
                return to_facts.lease_seen(at_us, raw)
            case "apiservices":
                return to_facts.api_service_seen(at_us, raw)
        target = TargetRef(group=parsed.group, resource=parsed.resource, namespace=namespace, name=name)
        return workload.target_seen(at_us, target, raw)

    def _deleted(self, at_us: Micros, parsed: ResourcePath, namespace: str, name: str) -> list[Fact]:
        uid, _ = self.known.pop((parsed.resource, namespace, name), ("", {}))
        match parsed.resource:
            case "horizontalpodautoscalers":
                return [HpaGone(at_us=at_us, namespace=namespace, name=name, uid=uid)]
            case "pods":
                return [PodGone(at_us=at_us, namespace=namespace, name=name, uid=uid)]
            case resource if resource in WORKLOADS:
                target = TargetRef(group=parsed.group, resource=resource, namespace=namespace, name=name)
                return [TargetGone(at_us=at_us, target=target, uid=uid)]
        return []


def _part(parsed: ResourcePath, *, own: bool = False) -> PodPart | None:
    """What a list or watch of pods asks for; None for all."""
    if not (parsed.selector or parsed.field_selector):
        return None
    return PodPart(parsed.namespace, parsed.selector, parsed.field_selector, own=own)


def _collection(path: str) -> str:
    return path.partition("?")[0]


def _item_path(item: Mapping[str, Any], parsed: ResourcePath) -> str:
    """The path of an item of a mixed `List`, from its own kind."""
    group = requests.group_of(item.get("apiVersion") or "")
    resource = requests.plural(item.get("kind") or parsed.resource)
    base = f"/apis/{group}/v1" if group else "/api/v1"
    return f"{base}/{resource}"
