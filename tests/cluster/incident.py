"""Plays one incident on a cluster of its own while `hpaaudit record` runs: all metric sources, every mishap.

Six HPAs, one for each kind of metric and one with a behavior; load goes up and down, somebody scales by hand, the
metrics API fails, the controller starts anew. Everything is stretched along a minute, at the pace of `PACE`.
"""

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cluster import capture
from tests.cluster.cluster import FAST, Cluster
from tests.cluster.manifests import cpu, cpu_of, deployment, external, hpa, of_service, per_pod
from tests.cluster.recorder import Recorder
from tests.cluster.scenes import KUBECTL, UNAVAILABLE

NAMESPACE = "shop"
DEPLOYMENTS = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"
PERIOD_SECONDS = 1.2
"""No window of the story, which are whole seconds, ends with a period: at its edge a millisecond would decide."""
PACE = {**FAST, "horizontal-pod-autoscaler-sync-period": f"{PERIOD_SECONDS}s"}
DECLARED = (
    *(word for name, value in PACE.items() if name.startswith("horizontal") for word in ("--flag", f"{name}={value}")),
    "--declare",
)
"""What `hpaaudit replay` must be told of this controller, for no API says it."""
NODE = {
    "scrape_seconds": 2,
    "window_seconds": 2,
    "uneven": 0.1,
    "unready_cpu": 12,
    "start_seconds": 0.3,
    "ready_seconds": 1.2,
    "stop_seconds": 0.5,
}
STEPWISE = {
    "scaleUp": {"policies": [{"type": "Pods", "value": 2, "periodSeconds": 4}]},
    "scaleDown": {"stabilizationWindowSeconds": 3, "policies": [{"type": "Percent", "value": 50, "periodSeconds": 3}]},
}
WORKLOADS: dict[str, tuple[tuple[dict[str, Any], ...], dict[str, Any]]] = {
    "checkout": ((cpu(60),), {"low": 2}),
    "sidecar": ((cpu_of("app", 60),), {}),
    "search": ((per_pod("http_requests", "10"),), {}),
    "worker": ((external("queue_depth", {"queue": "orders"}, "10"),), {"behavior": STEPWISE}),
    "gateway": ((of_service("gateway", "hits", "100"),), {}),
    "mixed": ((cpu(60), per_pod("http_requests", "10")), {}),
}
"""Metrics and options of each HPA."""
CONTAINERS = {"sidecar": ("app", "proxy")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """What is left of it: the cluster's folder, the recording, and the recorder's exit code and last words."""

    cluster: Path
    recording: Path
    code: int
    output: str


def usage(name: str, factor: float) -> dict[str, Any]:
    """What the pods of a workload use together where it has this much to do."""
    return {
        "checkout": {"cpu": 100 * factor, "memory": 64},
        "sidecar": {"cpu": {"app": 50 * factor, "proxy": 70}, "memory": 64},
        "search": {"cpu": 20, "memory": 64, "http_requests": 9 * factor},
        "worker": {"cpu": 20, "memory": 64},
        "gateway": {"cpu": 20, "memory": 64},
        "mixed": {"cpu": 50 * factor, "memory": 64, "http_requests": 7 * factor},
    }[name]


def load(cluster: Cluster, factor: float, namespace: str = NAMESPACE, workloads: Iterable[str] = WORKLOADS) -> None:
    """Lets every workload have this much to do, or some of them."""
    busy = round(60 * factor)
    for name in workloads:
        cluster.state["pods"][f"{namespace}/app={name}"] = usage(name, factor)
        if name == "worker":
            depth = {"labels": {"queue": "orders"}, "value": f"{busy // 5}"}
            cluster.state["external"][f"{namespace}/queue_depth"] = [
                depth,
                {"labels": {"queue": "returns"}, "value": "900"},
            ]
        elif name == "gateway":
            cluster.state["objects"][f"{namespace}/services/gateway/hits"] = f"{busy}"


def play(folder: Path) -> Incident:
    """About a minute and a half."""
    recording = folder / "recording"
    with Cluster(folder / "cluster", controller_flags=PACE) as cluster:
        cluster.state |= NODE
        load(cluster, 1)
        cluster.kube.post("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        recorder = Recorder(recording, cluster.dir / "admin.kubeconfig", "-n", NAMESPACE, "--interval", "1s")
        try:
            # Pods start on whole seconds, and so end all windows of this controller. Whoever reads a metric just before
            # a second and counts pods just after it cannot be told from one who counts before: the HPAs begin with a
            # second, and by the time that their reconciles have drifted to the next one, no pod is new.
            time.sleep(5 - time.time() % 1)
            create(cluster)
            unfold(cluster)
        finally:
            code, output = recorder.end()
    return Incident(cluster=cluster.dir, recording=recording, code=code, output=output)


def create(cluster: Cluster, version: str = "v2", namespace: str = NAMESPACE) -> None:
    """The workloads and their HPAs, by a version of autoscaling; `v2beta2` has the same shape."""
    hpas = f"/apis/autoscaling/{version}/namespaces/{namespace}/horizontalpodautoscalers"
    deployments = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    for name, (metrics, options) in WORKLOADS.items():
        containers = CONTAINERS.get(name, ("app",))
        cluster.kube.post(deployments, deployment(name, replicas=options.get("low", 1), containers=containers))
        cluster.kube.post(hpas, {**hpa(name, *metrics, **options), "apiVersion": f"autoscaling/{version}"})


def wait_between_reconciles(cluster: Cluster, name: str) -> None:
    """Half a period after the last one: who writes in the midst of one cannot be told from who writes after it.

    The controller counts pods some milliseconds before or after anybody else sees them go.
    """
    text = (cluster.dir / "audit/audit.log").read_text()
    path = f'"requestURI":"{DEPLOYMENTS}/{name}/scale"'
    (*_, last) = (line for line in text[: text.rindex("\n")].splitlines() if path in line and '"verb":"get"' in line)
    began = capture.seconds(json.loads(last)["requestReceivedTimestamp"])
    time.sleep((began + PERIOD_SECONDS / 2 - time.time()) % PERIOD_SECONDS)


def unfold(cluster: Cluster, *, restart: bool = True) -> None:
    """The story itself, with a controller that starts anew at its end or without."""
    time.sleep(10)
    load(cluster, 4)
    time.sleep(14)
    alice = cluster.client("alice", KUBECTL)
    wait_between_reconciles(cluster, "checkout")
    alice.patch(f"{DEPLOYMENTS}/checkout/scale", {"spec": {"replicas": 2}})
    time.sleep(10)
    cluster.state["faults"] = dict.fromkeys(("metrics.k8s.io", "external.metrics.k8s.io"), UNAVAILABLE)
    time.sleep(3)
    load(cluster, 6)
    time.sleep(4)
    cluster.state["faults"] = {}
    time.sleep(10)
    load(cluster, 1)
    time.sleep(4)
    if restart:
        cluster.restart_controller_manager()
    time.sleep(16)
