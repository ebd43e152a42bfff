"""An API server in memory: collections with versions and a past, and what a request to them is answered."""

import copy
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from hpaaudit.cluster.watch.watch_list import END
from tests.simulation.machine import Machine

Object = dict[str, Any]
Key = tuple[str, str]


@dataclass(frozen=True)
class Kind:
    """A kind that is served; `base` is the path of its version."""

    base: str
    resource: str
    kind: str
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        """As objects name it."""
        return self.base.removeprefix("/apis/").removeprefix("/api/")


HPAS = Kind("/apis/autoscaling/v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler")
PODS = Kind("/api/v1", "pods", "Pod")
EVENTS = Kind("/api/v1", "events", "Event")
QUOTAS = Kind("/api/v1", "resourcequotas", "ResourceQuota")
DEPLOYMENTS = Kind("/apis/apps/v1", "deployments", "Deployment")
WIDGETS = Kind("/apis/example.com/v1", "widgets", "Widget")
LEASES = Kind("/apis/coordination.k8s.io/v1", "leases", "Lease")
SERVICES = Kind("/apis/apiregistration.k8s.io/v1", "apiservices", "APIService", namespaced=False)
CRDS = Kind("/apis/apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition", namespaced=False)
KINDS = (HPAS, PODS, EVENTS, QUOTAS, DEPLOYMENTS, WIDGETS, LEASES, SERVICES, CRDS)
BUMP = 100_000
METRICS = ("metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io")
METRIC_VERSIONS = {
    "metrics.k8s.io": "v1beta1",
    "custom.metrics.k8s.io": "v1beta2",
    "external.metrics.k8s.io": "v1beta1",
}


@dataclass
class Change:
    """One write: the object as it was from then on, or as it was last."""

    at_us: int
    version: int
    verb: str
    object: Object


@dataclass
class Collection:
    """The objects of a kind, their past, and the first version of it that is still known."""

    objects: dict[Key, Object] = field(default_factory=dict)
    past: list[Change] = field(default_factory=list)
    forgotten: int = 0


@dataclass
class Reply:
    """What a request is answered."""

    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Truth:
    """How an object stood: from when on, None once it was gone."""

    at_us: int
    object: Object | None


def status_of(code: int, reason: str, message: str) -> Object:
    """A Status."""
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "code": code,
        "reason": reason,
        "message": message,
    }


class Server:
    """The server. `truth` is the ledger: how every object stood at every time.

    answered   what was read of metrics and scales, by path: when, and the body
    watchers   are told of every change
    """

    def __init__(self, machine: Machine, chance: random.Random, version: str, page: int) -> None:
        self.machine, self.chance, self.git_version, self.page = machine, chance, version, page
        self.collections = {kind.resource: Collection() for kind in KINDS}
        self.version = 1000
        self.truth: dict[tuple[str, str, str], list[Truth]] = {}
        self.watchers: list[Callable[[str, Change], None]] = []
        self.tokens: dict[str, tuple[int, list[Object]]] = {}
        self.answered: dict[str, list[tuple[int, Any]]] = {}
        self.metric: Callable[[list[str], dict[str, str]], Object] | None = None
        self.backup: tuple[int, dict[str, dict[Key, Object]]] | None = None
        self.restores = 0

    # Writes

    def put(self, kind: Kind, raw: Object) -> Object:
        """Create or replace an object."""
        meta = raw["metadata"]
        key = (meta.get("namespace", ""), meta["name"])
        collection = self.collections[kind.resource]
        self.version += 1
        raw = {"apiVersion": kind.api_version, "kind": kind.kind, **copy.deepcopy(raw)}
        raw["metadata"]["resourceVersion"] = str(self.version)
        verb = "MODIFIED" if key in collection.objects else "ADDED"
        collection.objects[key] = raw
        self._changed(kind, verb, raw)
        return raw

    def drop(self, kind: Kind, key: Key) -> None:
        """Delete an object."""
        collection = self.collections[kind.resource]
        raw = collection.objects.pop(key, None)
        if raw is not None:
            self.version += 1
            raw = copy.deepcopy(raw)
            raw["metadata"]["resourceVersion"] = str(self.version)
            self._changed(kind, "DELETED", raw)

    def _changed(self, kind: Kind, verb: str, raw: Object) -> None:
        change = Change(self.machine.now_us, self.version, verb, raw)
        self.collections[kind.resource].past.append(change)
        self._know(kind.resource, raw["metadata"], None if verb == "DELETED" else raw)
        for watcher in list(self.watchers):
            watcher(kind.resource, change)

    def _know(self, resource: str, meta: Object, raw: Object | None) -> None:
        key = (resource, meta.get("namespace", ""), meta["name"])
        self.truth.setdefault(key, []).append(Truth(self.machine.now_us, raw))

    def compact(self) -> None:
        """Forget the past."""
        for collection in self.collections.values():
            collection.past.clear()
            collection.forgotten = self.version

    def save(self) -> None:
        """Make a backup."""
        self.backup = (
            self.version,
            {name: copy.deepcopy(collection.objects) for name, collection in self.collections.items()},
        )

    def restore(self) -> bool:
        """Come back with the objects of the backup, each in its older version; whether there is a backup.

        As etcd's manual says (`--bump-revision --mark-compacted`): the next version is far beyond all that were told,
        and who watches from an old one is told that it has expired. Without that no client could know.
        """
        if self.backup is None:
            return False
        _, saved = self.backup
        version = self.version + BUMP
        for name, collection in self.collections.items():
            for key in collection.objects.keys() | saved[name].keys():
                now, then = collection.objects.get(key), saved[name].get(key)
                if now != then:
                    meta = (then or now or {})["metadata"]
                    self._know(name, meta, then)
            collection.objects = copy.deepcopy(saved[name])
            collection.past.clear()
            collection.forgotten = version
        self.version = version
        self.tokens.clear()
        self.restores += 1
        return True

    # Reads

    def get(self, url: str) -> Reply:
        """Answer a GET that is no watch."""
        parts = urlsplit(url)
        query = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        path = parts.path
        if path == "/version":
            return Reply(200, {"gitVersion": self.git_version})
        if found_object := self._discovery(path):
            return Reply(200, found_object)
        words = [unquote(word) for word in path.strip("/").split("/")]
        if len(words) > 1 and words[1] in METRICS and self.metric:
            body = self.metric(words, query)
            self.answered.setdefault(url, []).append((self.machine.now_us, body))
            return Reply(body.get("code", 200), body)
        kind, namespace, name, rest = self.resource_of(path)
        if kind is None:
            return Reply(404, status_of(404, "NotFound", f"{path} is not served"))
        if rest == "scale":
            return self._scale(url, kind, (namespace, name))
        if name:
            found_object = self.collections[kind.resource].objects.get((namespace, name))
            return (
                Reply(200, found_object)
                if found_object
                else Reply(404, status_of(404, "NotFound", f"{name} not found"))
            )
        return self._list(kind, namespace, query)

    def _discovery(self, path: str) -> Object | None:
        groups: dict[str, str] = {
            kind.base.split("/")[2]: kind.base.split("/")[3] for kind in KINDS if "apis" in kind.base
        }
        groups |= METRIC_VERSIONS
        described = {
            name: {"name": name, "versions": [{"version": version}], "preferredVersion": {"version": version}}
            for name, version in groups.items()
        }
        if path == "/apis":
            return {"groups": list(described.values())}
        words = path.strip("/").split("/")
        if len(words) == 2 and words[0] == "apis":
            return described.get(words[1])
        rows = [{"kind": kind.kind, "name": kind.resource} for kind in KINDS if kind.base == path]
        return {"resources": rows} if rows else None

    def resource_of(self, path: str) -> tuple[Kind | None, str, str, str]:
        """Kind, namespace, name and subresource of a path."""
        for kind in KINDS:
            if not path.startswith(f"{kind.base}/"):
                continue
            words = path.removeprefix(f"{kind.base}/").split("/")
            namespace = ""
            if words[0] == "namespaces" and len(words) > 2:
                namespace, words = words[1], words[2:]
            if words[0] == kind.resource:
                name, rest = (*words[1:], "", "")[:2]
                return kind, namespace, name, rest
        return None, "", "", ""

    def _scale(self, url: str, kind: Kind, key: Key) -> Reply:
        raw = self.collections[kind.resource].objects.get(key)
        if raw is None:
            return Reply(404, status_of(404, "NotFound", f"{key[1]} not found"))
        spec, status = raw.get("spec") or {}, raw.get("status") or {}
        body = {
            "kind": "Scale",
            "apiVersion": "autoscaling/v1",
            "metadata": {name: raw["metadata"][name] for name in ("namespace", "name", "resourceVersion")},
            "spec": {"replicas": spec.get("replicas", 0)},
            "status": {"replicas": status.get("replicas", 0), "selector": status.get("selector", "")},
        }
        self.answered.setdefault(url, []).append((self.machine.now_us, body))
        return Reply(200, body)

    def _list(self, kind: Kind, namespace: str, query: dict[str, str]) -> Reply:
        token = query.get("continue", "")
        if token:
            if token not in self.tokens:
                return Reply(410, status_of(410, "Expired", "the continue token is too old"))
            version, items = self.tokens.pop(token)
        else:
            version, items = self.version, list(self.selected(kind, namespace, query))
        limit = min(int(query.get("limit", self.page)), self.page)
        page, items = items[:limit], items[limit:]
        meta = {"resourceVersion": str(version)}
        if items:
            following = f"t{len(self.tokens)}-{version}-{len(items)}-{self.machine.now_us}"
            self.tokens[following] = version, items
            meta["continue"] = following
        shown = [{name: value for name, value in item.items() if name not in ("kind", "apiVersion")} for item in page]
        return Reply(
            200, {"kind": f"{kind.kind}List", "apiVersion": kind.api_version, "metadata": meta, "items": shown}
        )

    def selected(self, kind: Kind, namespace: str, query: dict[str, str]) -> Iterator[Object]:
        """The objects that a query asks for."""
        for raw in self.collections[kind.resource].objects.values():
            if matches(raw, namespace, query):
                yield raw


def matches(raw: Object, namespace: str, query: dict[str, str]) -> bool:
    """Whether a query asks for an object: by namespace, by labels (equality), by the fields that we ask for."""
    meta = raw["metadata"]
    if namespace and meta.get("namespace", "") != namespace:
        return False
    for term in filter(None, query.get("labelSelector", "").split(",")):
        name, _, value = term.replace("==", "=").partition("=")
        if (meta.get("labels") or {}).get(name) != value:
            return False
    for term in filter(None, query.get("fieldSelector", "").split(",")):
        differs = "!=" in term
        name, _, value = term.partition("!=" if differs else "=")
        found_object: Any = raw
        for part in name.split("."):
            found_object = found_object.get(part, "") if isinstance(found_object, dict) else ""
        if (found_object == value) == differs:
            return False
    return True


def end_of_initial(kind: Kind, version: int) -> Object:
    """The bookmark that ends the initial events."""
    return {"kind": kind.kind, "metadata": {"resourceVersion": str(version), "annotations": {END: "true"}}}


def bookmark(kind: Kind, version: int) -> Object:
    """A bookmark."""
    return {"kind": kind.kind, "metadata": {"resourceVersion": str(version)}}
