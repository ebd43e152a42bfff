"""Lists and watches of one capture to what came, changed and went."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hpaaudit.api import requests, see, selector, workload
from hpaaudit.model.facts import Fact, Gap, HpaGone, PodGone, TargetGone, TargetRef
from hpaaudit.model.units import Micros

_OK = range(200, 300)
_GONE = 410
_NOT_FOUND = 404
_WORKLOADS = ("deployments", "statefulsets", "replicasets", "replicationcontrollers")
_KINDS = (
    "horizontalpodautoscalers",
    "pods",
    "events",
    "leases",
    "apiservices",
    *_WORKLOADS,
)


@dataclass(frozen=True, slots=True)
class Place:
    """What a path names: a collection, within a namespace or not, or one object of it."""

    group: str
    version: str
    resource: str
    namespace: str
    name: str
    selector: str
    field_selector: str
    continued: bool


def place_of(path: str) -> Place | None:
    """The place of a path that we understand; None for every other."""
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
    return Place(
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
class Collections:
    """The last state of every object that a list could have left out; labels for lists with a selector.

    watching   resources that are watched somewhere in the capture
    """

    known: dict[tuple[str, str, str], tuple[str, dict[str, str]]] = field(default_factory=dict)
    broken: dict[str, Micros] = field(default_factory=dict)
    pages: dict[str, set[tuple[str, str, str]]] = field(default_factory=dict)
    watching: frozenset[str] = frozenset()

    def watched(self, at_us: Micros, path: str, kind: str, raw: Any) -> Iterable[Fact] | None:
        """One event of a watch; None where we do not know the collection."""
        place = place_of(path)
        if place is None:
            return None
        if kind == "BOOKMARK":
            return []
        if kind == "ERROR":
            self.broken.setdefault(_collection(path), at_us)
            return []
        return self._changed(at_us, place, raw, gone=kind == "DELETED")

    def answered(self, at_us: Micros, path: str, status: int, body: Any) -> Iterable[Fact] | None:
        """The answer of a list or of a read of one object."""
        place = place_of(path)
        if place is None:
            return None
        if status == _GONE:
            self.broken.setdefault(_collection(path), at_us)
        if status == _NOT_FOUND and place.name:
            return self._went(at_us, place, place.namespace, place.name)
        if status not in _OK or not isinstance(body, Mapping):
            return []
        if "items" in body:
            return self._listed(at_us, path, place, body)
        return self._changed(at_us, place, body, gone=False)

    def written(self, at_us: Micros, path: str, after: Mapping[str, Any] | None) -> Iterable[Fact] | None:
        """A write that brought the object after it changes the state at once.

        Where the collection is watched its watch decides: a cache may lag behind the write.
        """
        place = place_of(path)
        if place is None:
            return None
        if after is None or place.resource in self.watching or not (after.get("metadata") or {}).get("name"):
            return []
        return self._changed(at_us, place, after, gone=False)

    def deleted(self, at_us: Micros, path: str, *, good: bool) -> Iterable[Fact] | None:
        """A deletion: a pod or an HPA may live on with a deletionTimestamp, so the watch decides for them."""
        place = place_of(path)
        if place is None:
            return None
        watched = place.resource in ("pods", "horizontalpodautoscalers")
        return self._went(at_us, place, place.namespace, place.name) if good and place.name and not watched else []

    def _listed(self, at_us: Micros, path: str, place: Place, body: Mapping[str, Any]) -> Iterable[Fact]:
        facts: list[Fact] = []
        here = self.pages.setdefault(_collection(path), set()) if place.continued else set()
        for item in body.get("items") or ():
            own = place_of(_item_path(item, place)) if body.get("kind") == "List" else place
            if own is None:
                continue
            meta = item.get("metadata") or {}
            here.add((own.resource, meta.get("namespace") or place.namespace, meta.get("name") or ""))
            facts += self._changed(at_us, own, item, gone=False)
        if (body.get("metadata") or {}).get("continue"):
            self.pages[_collection(path)] = here
            return facts
        self.pages.pop(_collection(path), None)
        since_us = self.broken.pop(_collection(path), None)
        if since_us is not None:
            gap = Gap(at_us=since_us, until_us=at_us, prefix=_collection(path), cause="the watch was too old")
            facts.insert(0, gap)
        if body.get("kind") != "List" and not place.field_selector:
            facts += self._absent(at_us, place, here)
        return facts

    def _absent(self, at_us: Micros, place: Place, here: set[tuple[str, str, str]]) -> list[Fact]:
        """Who was known in a listed collection and is not there any more."""
        chosen = selector.parse(place.selector) if place.selector else None
        facts: list[Fact] = []
        for key, (_, labels) in list(self.known.items()):
            resource, namespace, name = key
            if resource != place.resource or (place.namespace and namespace != place.namespace) or key in here:
                continue
            if chosen is None or chosen.matches(labels):
                facts += self._went(at_us, place, namespace, name)
        return facts

    def _changed(self, at_us: Micros, place: Place, raw: Mapping[str, Any], *, gone: bool) -> list[Fact]:
        meta = raw.get("metadata") or {}
        namespace, name = meta.get("namespace") or place.namespace, meta.get("name") or place.name
        if gone:
            return self._went(at_us, place, namespace, name)
        if not name:
            return []
        self.known[(place.resource, namespace, name)] = (meta.get("uid", ""), dict(meta.get("labels") or {}))
        return [self._seen(at_us, place, namespace, name, raw)]

    def _seen(self, at_us: Micros, place: Place, namespace: str, name: str, raw: Mapping[str, Any]) -> Fact:
        match place.resource:
            case "horizontalpodautoscalers":
                if not raw.get("apiVersion"):  # items of a list leave it out
                    raw = {**raw, "apiVersion": f"{place.group}/{place.version}"}
                return see.hpa_seen(at_us, raw)
            case "pods":
                return see.pod_seen(at_us, raw)
            case "events":
                return see.event_seen(at_us, raw)
            case "leases":
                return see.lease_seen(at_us, raw)
            case "apiservices":
                return see.api_service_seen(at_us, raw)
        target = TargetRef(group=place.group, resource=place.resource, namespace=namespace, name=name)
        return workload.target_seen(at_us, target, raw)

    def _went(self, at_us: Micros, place: Place, namespace: str, name: str) -> list[Fact]:
        uid, _ = self.known.pop((place.resource, namespace, name), ("", {}))
        match place.resource:
            case "horizontalpodautoscalers":
                return [HpaGone(at_us=at_us, namespace=namespace, name=name, uid=uid)]
            case "pods":
                return [PodGone(at_us=at_us, namespace=namespace, name=name, uid=uid)]
            case resource if resource in _WORKLOADS:
                target = TargetRef(group=place.group, resource=resource, namespace=namespace, name=name)
                return [TargetGone(at_us=at_us, target=target, uid=uid)]
        return []


def _collection(path: str) -> str:
    return path.partition("?")[0]


def _item_path(item: Mapping[str, Any], place: Place) -> str:
    """The path of an item of a mixed `List`, by its own kind."""
    group = requests.group_of(item.get("apiVersion") or "")
    resource = requests.plural(item.get("kind") or place.resource)
    base = f"/apis/{group}/v1" if group else "/api/v1"
    return f"{base}/{resource}"
