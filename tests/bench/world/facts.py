"""What happened in the world as tables of the format: columns of a table, all but the number of the fact."""

import hashlib
from typing import Any

import numpy as np
import pyarrow as pa

from hpaaudit.api.requests import CUSTOM_METRICS, EXTERNAL_METRICS, RESOURCE_METRICS, path_of
from hpaaudit.model.metrics import MetricsRequest
from hpaaudit.model.target import Container
from hpaaudit.model.units import Milli
from hpaaudit.recording.encoding.json_text import containers_to_json, labels_to_json
from hpaaudit.recording.encoding.read_rows import RESOURCE, VALUES
from tests.bench.world.columns import same, whole, words
from tests.bench.world.hpas import CONTAINER, EXTERNAL, PODS, Whole
from tests.bench.world.pods import GRACE_US, NEVER, SECOND
from tests.bench.world.usage import SIDECAR_MIB, SIDECAR_MILLI
from tests.bench.world.world import START, World

Chunk = dict[str, Any]
RELEASE, VERSION = "1.36", "v1.36.3"
CONTROLLER = "kube-controller-manager"
SERVED = {RESOURCE_METRICS: "v1beta1", CUSTOM_METRICS: "v1beta2", EXTERNAL_METRICS: "v1beta1"}
WRITES_A_SECOND = 40  # of the cluster: resource versions grow with time
OK, UNAVAILABLE = 200, 503
MOST = 64  # replicas, and more
MIB_MILLI = (1 << 20) * 1000


class Facts:
    """Turns columns of numbers into the columns of each table of the format."""

    def __init__(self, world: World) -> None:
        self._world = world
        hpas = world.hpas
        self._spaces = [hpas.namespaces[space] for space in hpas.namespace.tolist()]
        self._selectors = [f"app={name}" for name in hpas.names]
        asked = [(RESOURCE, self._list(space)) for space in hpas.namespaces]
        asked += [(VALUES, self._request(one)) for one in world.values.asked.tolist()]
        self.streams = asked
        self._paths = [path_of(request, SERVED[request.api]) for _, request in asked]

    def _list(self, namespace: str) -> MetricsRequest:
        """Returns the request for what all pods of a namespace use."""
        return MetricsRequest(
            api=RESOURCE_METRICS,
            namespace=namespace,
            resource="pods",
            object="",
            metric="",
            selector="",
            metric_selector="",
        )

    def _request(self, hpa: int) -> MetricsRequest:
        """Returns the controller's request for an HPA's custom or external metric."""
        kind, name = self._world.hpas.kind[hpa], self._world.hpas.names[hpa]
        external, pods = kind == EXTERNAL, kind == PODS
        return MetricsRequest(
            api=EXTERNAL_METRICS if external else CUSTOM_METRICS,
            namespace=self._spaces[hpa],
            resource="" if external else "pods" if pods else "ingresses.networking.k8s.io",
            object="" if external else "*" if pods else name,
            metric="queue_length" if external else "http_requests_per_second" if pods else "requests_per_second",
            selector=f"queue={name}" if external else f"app={name}" if pods else "",
            metric_selector="",
        )

    def columns(self, table: str, rows: Chunk) -> dict[str, pa.Array]:
        """Returns the columns of a table but `seq`, in any order."""
        columns: dict[str, pa.Array] = getattr(self, f"_{table}")(rows)
        return columns

    def _hpa(self, of: Whole) -> dict[str, pa.Array]:
        return {"namespace": words(of, self._spaces), "name": words(of, self._world.hpas.names)}

    def _controllers(self, rows: Chunk) -> dict[str, pa.Array]:
        started = {"state": "started", "release": RELEASE, "version": VERSION, "flags_json": "{}", "gates_json": "{}"}
        return {"at_us": whole(rows["at"])} | {name: same(text, len(rows["at"])) for name, text in started.items()}

    def _hpas(self, rows: Chunk) -> dict[str, pa.Array]:
        of, size = rows["hpa"], len(rows["hpa"])
        status = [
            f'{{"currentMetrics":null,"currentReplicas":{current},"desiredReplicas":{desired},"observedGeneration":1}}'
            for current in range(MOST)
            for desired in range(MOST)
        ]
        return {
            "at_us": whole(rows["at"]),
            **self._hpa(of),
            "uid": words(of, [uid(f"hpa {name}") for name in self._world.hpas.names]),
            "gone": pa.array(np.zeros(size, bool)),
            "api_version": same("autoscaling/v2", size),
            "resource_version": _versions(rows["at"]),
            "generation": whole(np.ones(size, np.int64)),
            "created_us": whole(np.full(size, START - 90_000 * SECOND)),
            "spec_json": words(of, self._world.hpas.specs),
            "status_json": words(rows["current"] * MOST + rows["desired"], status),
            "annotations_json": same("{}", size),
            "spec_manager": same("helm", size),
            "labels_json": words(of, [f'{{"app":"{name}"}}' for name in self._world.hpas.names]),
        }

    def _targets(self, rows: Chunk) -> dict[str, pa.Array]:
        of, size = rows["hpa"], len(rows["hpa"])
        revisions = [f"revision {revision}" for _, revision, _ in self._world.pods.templates]
        return {
            "at_us": whole(rows["at"]),
            "api_group": same("apps", size),
            "resource": same("deployments", size),
            **self._hpa(of),
            "uid": words(of, [uid(f"deployment {name}") for name in self._world.hpas.names]),
            "gone": pa.array(np.zeros(size, bool)),
            "kind": same("Deployment", size),
            "resource_version": _versions(rows["at"]),
            "generation": whole(1 + (rows["at"] - START) // (60 * SECOND)),
            "spec_replicas": whole(rows["spec"]),
            "status_replicas": whole(rows["status"]),
            "selector": words(of, self._selectors),
            "manager": same(CONTROLLER, size),
            "operation": same("Update", size),
            "subresource": same("scale", size),
            "written_us": whole(rows["written"]),
            "template_hash": words(rows["template"], revisions),
        }

    def _reconciles(self, rows: Chunk) -> dict[str, pa.Array]:
        return {"at_us": whole(rows["at"]), **self._hpa(rows["hpa"]), "began_us": whole(rows["began"])}

    def _ends(self, rows: Chunk) -> dict[str, pa.Array]:
        return {"at_us": whole(rows["at"])}

    def _reads(self, rows: Chunk) -> dict[str, pa.Array]:
        of, items, size = rows["stream"], rows["items"], len(rows["stream"])
        failed = items < 0
        error = "the server is currently unable to handle the request"
        return {
            "at_us": whole(rows["at"]),
            "took_us": whole(rows["took"]),
            "kind": words(of, [kind for kind, _ in self.streams]),
            **{
                name: words(of, [getattr(request, name) for _, request in self.streams])
                for name in ("api", "namespace", "resource", "object", "metric", "selector", "metric_selector")
            },
            "path": words(of, self._paths),
            "by": same("", size),
            "status": whole(np.where(failed, UNAVAILABLE, OK)),
            "error": words(failed.astype(np.int64), ["", error]),
            "items": whole(items, failed),
            "spec_replicas": whole(items, np.ones(size, bool)),
            "status_replicas": whole(items, np.ones(size, bool)),
            "scale_selector": same(None, size),
            "resource_version": pa.nulls(size, pa.string()),
        }

    def _samples(self, rows: Chunk) -> dict[str, pa.Array]:
        who, gone, size = rows["who"], rows["gone"], len(rows["who"])
        space = self._world.hpas.namespace[self._world.pods["hpa"][who]]
        return {
            "namespace": words(space, self._world.hpas.namespaces),
            "pod": words(who, self._world.pods.names),
            "occurrence": whole(np.zeros(size, np.int64)),
            "place": whole(rows["place"], rows["place"] < 0),
            "gone": pa.array(gone),
            "timestamp_us": whole(rows["timestamp"], gone),
            "window_us": whole(rows["window"], gone),
            "container_idx": whole(rows["container"], gone),
            "container": words(rows["container"], ["app", "proxy"], gone),
            "cpu_milli": whole(rows["cpu"], gone),
            "memory_bytes": whole(rows["memory"], gone),
            "usage_json": same(None, size),
        }

    def _metric_values(self, rows: Chunk) -> dict[str, pa.Array]:
        gone, size = rows["gone"], len(rows["gone"])
        requests = [request for _, request in self.streams]
        objects = [*self._world.pods.names, *(_described(request) for request in requests)]
        who = np.where(rows["who"] < 0, len(self._world.pods.names) + rows["stream"], rows["who"])
        return {
            "namespace": words(rows["stream"], [request.namespace for request in requests]),
            "metric": words(rows["stream"], [request.metric for request in requests]),
            "object": words(who, objects),
            "occurrence": whole(np.zeros(size, np.int64)),
            "place": whole(rows["place"], rows["place"] < 0),
            "gone": pa.array(gone),
            "timestamp_us": whole(rows["timestamp"], gone),
            "window_us": whole(np.zeros(size, np.int64), np.ones(size, bool)),
            "value_milli": whole(rows["value"], gone),
        }

    def _pods(self, rows: Chunk) -> dict[str, pa.Array]:
        pods, who, at, size = self._world.pods, rows["who"], rows["at"], len(rows["who"])
        gone = pods["gone"][who] <= at
        started = (pods["started"][who] <= at) & ~gone
        template = pods["template"][who]
        deleted = pods["deleted"][who]
        phase = (pods["running"][who] <= at).astype(np.int64)
        ready = np.where(started, 1 + pods.is_ready(who, at), 0)
        return {
            "at_us": whole(at),
            "namespace": words(pods["hpa"][who], self._spaces),
            "name": words(who, pods.names),
            "uid": words(who, _Uids(pods.names)),
            "gone": pa.array(gone),
            "resource_version": _versions(at, gone),
            "labels_json": words(template, [self._labels(one) for one in pods.templates], gone),
            "phase": words(phase, ["Pending", "Running"], gone),
            "deleting_us": whole(
                np.minimum(deleted, NEVER - GRACE_US) // SECOND * SECOND + GRACE_US, gone | (deleted > at)
            ),
            "start_us": whole(pods["started"][who] // SECOND * SECOND, ~started),
            "ready": words(ready, ["", "False", "True"], gone),
            "ready_transition_us": whole(pods.turned(who, at), ~started),
            "containers_json": words(template, [self._containers(hpa) for hpa, _, _ in pods.templates], gone),
            "init_containers_json": same("[]", size, gone),
            "pod_requests_json": same(None, size),
            "overhead_json": same("{}", size, gone),
            "created_us": whole(pods["born"][who] // SECOND * SECOND, gone),
            "owner_kind": same("ReplicaSet", size, gone),
            "owner_name": words(
                template, [f"{self._world.hpas.names[h]}-{hash_}" for h, _, hash_ in pods.templates], gone
            ),
        }

    def _labels(self, template: tuple[int, int, str]) -> str:
        hpa, _, letters = template
        return labels_to_json((("app", self._world.hpas.names[hpa]), ("pod-template-hash", letters)))

    def _containers(self, hpa: int) -> str:
        cpu, memory = int(self._world.hpas.cpu_milli[hpa]), int(self._world.hpas.memory_bytes[hpa])
        app = Container(name="app", requests=(("cpu", Milli(cpu)), ("memory", Milli(memory * 1000))))
        if self._world.hpas.kind[hpa] != CONTAINER:
            return containers_to_json((app,))
        beside = (("cpu", Milli(2 * SIDECAR_MILLI)), ("memory", Milli(2 * SIDECAR_MIB * MIB_MILLI)))
        return containers_to_json((app, Container(name="proxy", requests=beside)))


class _Uids:
    """The uid of each pod by its place: made where it is asked for."""

    def __init__(self, names: list[str]) -> None:
        self._names = names

    def __getitem__(self, place: int) -> str:
        return uid(self._names[place])


def uid(name: str) -> str:
    """Returns the uid of what has this name."""
    letters = hashlib.sha256(name.encode()).hexdigest()
    return f"{letters[:8]}-{letters[8:12]}-4{letters[13:16]}-a{letters[17:20]}-{letters[20:32]}"


def _versions(at: Whole, missing: Any = None) -> pa.Array:
    """Returns resource versions that grow with time."""
    numbers = 7_000_000 + (at - START) * WRITES_A_SECOND // SECOND
    return pa.array(numbers.astype(str), pa.string(), mask=missing)


def _described(request: MetricsRequest) -> str:
    """Returns what a value of a request is of: an object, or the labels of a series."""
    if request.api != EXTERNAL_METRICS:
        return request.object
    return f'{{"queue":"{request.selector.removeprefix("queue=")}"}}'
