"""The workloads of the week on a real cluster: their shapes, their loads, and waits for what the cluster shows."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.cluster.cluster import Cluster
from tests.cluster.manifests import Manifest, cpu, deployment, external, hpa, per_pod
from tests.cluster.scenes import HELM, KUBECTL

HPAS = "/apis/autoscaling/v2/namespaces/{}/horizontalpodautoscalers"
DEPLOYMENTS = "/apis/apps/v1/namespaces/{}/deployments"
CALM_SECONDS = 4
"""What has stood for so long is settled: three reconciles have seen it."""
STEPS = {
    "scaleUp": {"stabilizationWindowSeconds": 0, "policies": [{"type": "Pods", "value": 1, "periodSeconds": 8}]},
    "scaleDown": {"stabilizationWindowSeconds": 0, "policies": [{"type": "Pods", "value": 1, "periodSeconds": 8}]},
}
FROZEN = {"scaleUp": {"selectPolicy": "Disabled"}, "scaleDown": {"selectPolicy": "Disabled"}}
PATIENT = {"scaleDown": {"stabilizationWindowSeconds": 25}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What an HPA scales by, with the number that it wants while nothing happens.

    cpu   millicores that all pods use together then;  more   other usage;  queue   its external metric
    """

    metrics: Callable[[str], tuple[Manifest, ...]]
    options: dict[str, Any]
    replicas: int = 4
    cpu: float = 240
    more: dict[str, float] | None = None
    queue: int | None = None


def _queue(name: str) -> tuple[Manifest, ...]:
    return (external("queue_depth", {"queue": name}, "10"),)


SHAPES = {
    "plain": Shape(metrics=lambda _: (cpu(60),), options={"low": 2, "high": 10}),
    # In a namespace of its own, so that a quota or a metrics API without answers hits nobody else.
    "alone": Shape(metrics=lambda _: (cpu(60),), options={"low": 2, "high": 10}),
    "stepwise": Shape(metrics=lambda _: (cpu(60),), options={"low": 2, "high": 10, "behavior": STEPS}),
    "frozen": Shape(metrics=lambda _: (cpu(60),), options={"low": 2, "high": 10, "behavior": FROZEN}),
    "patient": Shape(metrics=lambda _: (cpu(60),), options={"low": 2, "high": 10, "behavior": PATIENT}),
    "mixed": Shape(
        metrics=lambda _: (cpu(60), per_pod("http_requests", "10")), options={"low": 2, "high": 10},
        cpu=120, more={"http_requests": 40},
    ),
    "queue": Shape(metrics=_queue, options={"low": 2, "high": 10}, cpu=80, queue=40),
    "wide": Shape(metrics=_queue, options={"low": 2, "high": 20}, replicas=10, cpu=200, queue=96),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A Deployment and the HPA of the same name."""

    namespace: str
    name: str
    shape: str

    @property
    def hpas(self) -> str:
        """Where its namespace has HPAs."""
        return HPAS.format(self.namespace)

    @property
    def hpa(self) -> str:
        """Its HPA."""
        return f"{self.hpas}/{self.name}"

    @property
    def deployments(self) -> str:
        """Where its namespace has Deployments."""
        return DEPLOYMENTS.format(self.namespace)

    @property
    def deployment(self) -> str:
        """Its Deployment."""
        return f"{self.deployments}/{self.name}"

    @property
    def scale(self) -> str:
        """Its scale."""
        return f"{self.deployment}/scale"

    @property
    def pods(self) -> str:
        """Where its namespace has pods."""
        return f"/api/v1/namespaces/{self.namespace}/pods"

    @property
    def key(self) -> str:
        """As the world's state names it."""
        return f"{self.namespace}/app={self.name}"


class Stage:
    """The cluster and what may happen to it; safe for threads that each play on a workload of their own."""

    def __init__(self, cluster: Cluster, workloads: Sequence[Workload]) -> None:
        self.cluster, self.kube, self.workloads = cluster, cluster.kube, workloads
        self.alice, self.helm = cluster.client("alice", KUBECTL), cluster.client("admin", HELM)
        self.lock = threading.Lock()

    # Set-up

    def prepare(self) -> None:
        """Loads and namespaces, before the recorder begins."""
        # A custom metric that always exists: without one its API would forget the kind of metric.
        self.cluster.state["pods"]["none/app=none"] = {"cpu": 0, "http_requests": 1}
        for workload in self.workloads:
            self.load(workload)
        for namespace in sorted({workload.namespace for workload in self.workloads}):
            self.kube.post("/api/v1/namespaces", {"metadata": {"name": namespace}})

    def create(self, workload: Workload) -> None:
        """Makes a workload, and its HPA once all pods share the load: with fewer it would scale up at first."""
        shape = SHAPES[workload.shape]
        self.create_target(workload)
        self.settle(workload, 120)
        self.helm.post(workload.hpas, hpa(workload.name, *shape.metrics(workload.name), **shape.options))

    def create_target(self, workload: Workload) -> None:
        """Makes its Deployment, whose rollouts make new pods before they end old ones."""
        made = deployment(workload.name, replicas=SHAPES[workload.shape].replicas)
        made["spec"]["strategy"] = {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0}}
        self.helm.post(workload.deployments, made)

    # What it has to do

    def load(self, workload: Workload, factor: float = 1) -> None:
        """Lets it have so many times as much to do as when nothing happens."""
        shape = SHAPES[workload.shape]
        more = {name: value * factor for name, value in (shape.more or {}).items()}
        self.cluster.state["pods"][workload.key] = {"cpu": shape.cpu * factor, "memory": 64, **more}
        if shape.queue is not None:
            self.queue(workload, f"{shape.queue * factor:.0f}")

    def queue(self, workload: Workload, *depth: str) -> None:
        """Gives its external metric this value, or none."""
        with self.lock:
            state = self.cluster.state
            series = state["external"].get(f"{workload.namespace}/queue_depth", [])
            others = [one for one in series if one["labels"]["queue"] != workload.name]
            ours = [{"labels": {"queue": workload.name}, "value": value} for value in depth]
            state["external"] = {**state["external"], f"{workload.namespace}/queue_depth": others + ours}

    def set(self, key: str, name: str, value: Any = None) -> None:
        """Sets an entry of a dictionary of the world's state, or removes it."""
        with self.lock:
            entries = {other: entry for other, entry in self.cluster.state.get(key, {}).items() if other != name}
            self.cluster.state[key] = entries if value is None else {**entries, name: value}

    # What the cluster shows

    def wait(self, what: str, test: Callable[[], bool], seconds: float = 60) -> None:
        """Waits until it holds."""
        end = time.monotonic() + seconds
        while not test():
            if time.monotonic() > end:
                raise TimeoutError(f"{what}: not within {seconds:.0f} s")
            time.sleep(0.3)

    def replicas(self, workload: Workload) -> int:
        """What its scale asks for."""
        return int(self.kube.get(workload.scale)["spec"]["replicas"])

    def wait_replicas(self, workload: Workload, least: int, most: int | None = None, seconds: float = 60) -> None:
        """Waits until its scale asks for that many."""
        most = least if most is None else most
        text = f"{workload.namespace}/{workload.name}: {least} to {most} replicas"
        self.wait(text, lambda: least <= self.replicas(workload) <= most, seconds)

    def condition(self, workload: Workload, kind: str, reason: str, *, name: str = "") -> None:
        """Waits until the controller says this of the HPA, or of another of its namespace."""
        path = f"{workload.hpas}/{name or workload.name}"

        def says() -> bool:
            conditions = self.kube.get(path).get("status", {}).get("conditions", [])
            return any(one["type"] == kind and one["reason"] == reason for one in conditions)

        self.wait(f"{path}: {kind} {reason}", says)

    def own_pods(self, workload: Workload) -> list[dict[str, Any]]:
        """The pods with its label that nobody has deleted."""
        items = self.kube.get(f"{workload.pods}?labelSelector=app%3D{workload.name}")["items"]
        return [pod for pod in items if not pod["metadata"].get("deletionTimestamp")]

    def settle(self, workload: Workload, seconds: float = 90) -> None:
        """Waits until it is as it is while nothing happens, and nothing changes for a while."""
        wanted, since = SHAPES[workload.shape].replicas, time.monotonic()

        def is_calm() -> bool:
            nonlocal since
            target = self.kube.get(workload.deployment)
            status = target.get("status", {})
            counts = [status.get(key, 0) for key in ("replicas", "readyReplicas", "updatedReplicas")]
            if target["spec"]["replicas"] != wanted or counts != [wanted] * 3:
                since = time.monotonic()
            return time.monotonic() - since > CALM_SECONDS

        self.wait(f"{workload.namespace}/{workload.name}: as before", is_calm, seconds)
