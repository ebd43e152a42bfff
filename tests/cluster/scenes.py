"""Plays small stories on a real cluster at its real pace, and records them with `hpaaudit record`.

    python -m tests.cluster.scenes scaled-by-hand load-step --into recordings --truth tests/cluster/truth

Each takes a quarter of an hour: the controller runs with its default flags. `--truth` keeps what the cluster itself
knows (`capture.py`), so that a replay of the recording can be held against it.
"""

import argparse
import gzip
import json
import math
import random
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tests.cluster import capture
from tests.cluster.cluster import Cluster, stop
from tests.cluster.manifests import (
    ADMISSION,
    STORES_FIVE,
    WRITES_OF_SCALES,
    Manifest,
    cpu,
    deployment,
    external,
    hpa,
    per_pod,
)
from tests.cluster.recorder import Recorder

NAMESPACE, NAME = "shop", "checkout"
DEPLOYMENTS = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"
HPAS = f"/apis/autoscaling/v2/namespaces/{NAMESPACE}/horizontalpodautoscalers"
SCALE = f"{DEPLOYMENTS}/{NAME}/scale"
QUOTAS = f"/api/v1/namespaces/{NAMESPACE}/resourcequotas"
MANAGER = "kube-controller-manager"
KUBECTL = "kubectl/v1.36.3 (linux/amd64) kubernetes/0000000"
HELM = "helm/v3.19.0"
ARGO_CD = "argocd-application-controller/v3.2.0"
UNAVAILABLE = {"status": 503, "message": "the server is currently unable to handle the request"}
ONE_A_MINUTE = {
    "scaleUp": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]},
    "scaleDown": {
        "stabilizationWindowSeconds": 60,
        "policies": [{"type": "Percent", "value": 50, "periodSeconds": 60}],
    },
}
TWO_MINUTES = {"scaleDown": {"stabilizationWindowSeconds": 120}}
NODE = {  # as on a quiet node beside metrics-server
    "scrape_seconds": 15,
    "lag_seconds": 2,
    "window_seconds": 15,
    "uneven": 0.1,
    "unready_cpu": 12,
    "start_seconds": 2,
    "ready_seconds": 6,
    "stop_seconds": 3,
}


class Stage:
    """A cluster with one workload, whose demand wanders about what the story asks for."""

    def __init__(self, cluster: Cluster, demand: float) -> None:
        self.cluster, self.demand, self.begun = cluster, demand, time.monotonic()
        self.cluster.state |= NODE
        self.over = threading.Event()
        self.wander()
        threading.Thread(target=self.keep_wandering, daemon=True).start()

    def keep_wandering(self) -> None:
        """Changes the demand a little, every second."""
        while not self.over.wait(1):
            self.wander()

    def wander(self) -> None:
        """Five percent up and down within some minutes, and one percent of noise."""
        at = time.monotonic() - self.begun
        noise = random.uniform(-0.01, 0.01)  # noqa: S311  # no secret
        millicores = self.demand * (1 + 0.05 * math.sin(at / 47) + noise)
        usage = {"cpu": millicores, "memory": 640, "http_requests": self.demand / 11}
        self.cluster.state["pods"][f"{NAMESPACE}/app={NAME}"] = usage

    def until(self, seconds: float) -> None:
        """Waits for a moment of the story."""
        time.sleep(max(0, self.begun + seconds - time.monotonic()))

    def after_reconcile(self, seconds: float) -> None:
        """Waits until the controller has read the scale once more, and then so long."""
        log = self.cluster.dir / "audit/audit.log"

        def reads() -> int:
            return sum(SCALE in line and '"verb":"get"' in line for line in log.read_text().splitlines())

        before = reads()
        while reads() == before:
            time.sleep(0.1)
        time.sleep(seconds)

    def create(self, low: int, high: int, *metrics: Manifest, behavior: Manifest | None = None) -> None:
        """The workload and its HPA."""
        helm = self.cluster.client("admin", HELM)
        helm.post(DEPLOYMENTS, deployment(NAME, replicas=max(low, 1)))
        helm.post(HPAS, hpa(NAME, *metrics, low=low, high=high, behavior=behavior))

    def quota(self, pods: int) -> None:
        """Lets the namespace have so many pods; no controller of quotas runs here, so its status is written too."""
        hard, alice = {"hard": {"pods": str(pods)}}, self.cluster.client("alice", KUBECTL)
        used = len(alice.get(f"/api/v1/namespaces/{NAMESPACE}/pods")["items"])
        if not alice.get(QUOTAS)["items"]:
            alice.post(QUOTAS, {"metadata": {"name": "small"}, "spec": hard})
        alice.patch(f"{QUOTAS}/small", {"spec": hard})
        alice.patch(f"{QUOTAS}/small/status", {"status": {**hard, "used": {"pods": str(used)}}})

    def queue(self, waiting: int) -> None:
        """Lets so many orders wait."""
        series = [{"labels": {"queue": "orders"}, "value": str(waiting)}]
        self.cluster.state["external"] = {f"{NAMESPACE}/queue_depth": series}


def load_step(stage: Stage) -> None:
    """Demand grows fivefold for five minutes; scale-down waits for its window."""
    stage.create(2, 12, cpu(60))
    stage.until(150)
    stage.demand = 520
    stage.until(480)
    stage.demand = 110
    stage.until(1080)


def scaled_by_hand(stage: Stage) -> None:
    """Somebody scales a busy service down by hand, seven seconds after a reconcile."""
    stage.create(2, 10, cpu(60))
    stage.until(420)
    stage.after_reconcile(7)
    stage.cluster.client("alice", KUBECTL).patch(SCALE, {"spec": {"replicas": 2}})
    stage.until(840)


def metrics_down(stage: Stage) -> None:
    """The metrics API fails while demand grows."""
    stage.create(2, 10, cpu(60))
    stage.until(240)
    stage.cluster.state["faults"] = {"metrics.k8s.io": UNAVAILABLE}
    stage.until(300)
    stage.demand = 480
    stage.until(540)
    stage.cluster.state["faults"] = {}
    stage.until(780)


def unready_on_the_way_up(stage: Stage) -> None:
    """New pods need more than a minute to become ready, twice."""
    stage.create(2, 16, cpu(60))
    stage.until(90)
    stage.cluster.state["ready_seconds"] = 75
    stage.until(150)
    stage.demand = 380
    stage.until(450)
    stage.demand = 620
    stage.until(840)


def gitops_loop(stage: Stage) -> None:
    """A GitOps controller puts the replicas of its manifest back, again and again."""
    stage.create(2, 10, cpu(60))
    argo_cd = stage.cluster.client("admin", ARGO_CD)
    for seconds in (240, 420, 600):
        stage.until(seconds)
        stage.after_reconcile(6)
        argo_cd.patch(f"{DEPLOYMENTS}/{NAME}", {"spec": {"replicas": 2}})
    stage.until(780)


def one_metric_fails(stage: Stage) -> None:
    """One of two metrics fails while the demand is low: nothing scales down."""
    stage.create(2, 10, cpu(60), per_pod("http_requests", "10"))
    stage.until(150)
    stage.demand = 110
    stage.until(270)
    stage.cluster.state["faults"] = {"custom.metrics.k8s.io": UNAVAILABLE}
    stage.until(750)
    stage.cluster.state["faults"] = {}
    stage.until(870)


def rate_limited(stage: Stage) -> None:
    """A policy lets the HPA add one pod a minute, and demand grows fivefold for six minutes."""
    stage.create(2, 12, cpu(60), behavior=ONE_A_MINUTE)
    stage.until(120)
    stage.demand = 520
    stage.until(480)
    stage.demand = 110
    stage.until(780)


def quota(stage: Stage) -> None:
    """A quota allows four pods while demand triples, which asks for six; somebody raises it five minutes later."""
    stage.create(2, 12, cpu(60))
    stage.until(60)
    stage.quota(4)
    stage.until(90)
    stage.demand = 330
    stage.until(390)
    stage.quota(20)
    stage.until(570)


def controller_down(stage: Stage) -> None:
    """kube-controller-manager is gone for five minutes, in which demand more than triples."""
    stage.create(2, 12, cpu(60))
    stage.until(180)
    stop(stage.cluster.processes.pop(MANAGER), seconds=0)
    stage.until(210)
    stage.demand = 380
    stage.until(480)
    stage.cluster.start_controller_manager()
    stage.until(660)


def capped_by_policy(stage: Stage) -> None:
    """A policy of the API server stores 5 where the HPA writes more, for five minutes of a fourfold demand."""
    stage.create(2, 12, cpu(60))
    policy = {
        "matchConstraints": {"resourceRules": [WRITES_OF_SCALES], "matchPolicy": "Equivalent"},
        "matchConditions": [{"name": "more-than-5", "expression": "object.spec.replicas > 5"}],
        "reinvocationPolicy": "Never",
        "failurePolicy": "Fail",
        "mutations": [STORES_FIVE],
    }
    alice = stage.cluster.client("alice", KUBECTL)
    bindings = f"{ADMISSION}/mutatingadmissionpolicybindings"
    stage.until(60)
    alice.post(f"{ADMISSION}/mutatingadmissionpolicies", {"metadata": {"name": "at-most-5"}, "spec": policy})
    alice.post(bindings, {"metadata": {"name": "at-most-5"}, "spec": {"policyName": "at-most-5"}})
    stage.until(150)
    stage.demand = 440
    stage.until(450)
    alice.delete(f"{bindings}/at-most-5")
    stage.until(630)


def two_hpas(stage: Stage) -> None:
    """Somebody makes a second HPA of the same target for another metric; demand grows until it goes again."""
    stage.create(2, 12, cpu(60))
    second = hpa(f"{NAME}-requests", per_pod("http_requests", "10"), low=2, high=12)
    second["spec"]["scaleTargetRef"]["name"] = NAME
    alice = stage.cluster.client("alice", KUBECTL)
    stage.until(150)
    alice.post(HPAS, second)
    stage.until(210)
    stage.demand = 380
    stage.until(450)
    alice.delete(f"{HPAS}/{NAME}-requests")
    stage.until(630)


def queue_to_zero(stage: Stage) -> None:
    """Orders wait, run out, and come again five minutes later: the HPA scales to zero and back."""
    stage.queue(36)
    stage.create(0, 12, external("queue_depth", {"queue": "orders"}, "10"), behavior=TWO_MINUTES)
    stage.until(150)
    stage.after_reconcile(6)
    stage.queue(0)
    stage.until(450)
    stage.after_reconcile(6)  # at the instant of a reconcile nobody could say which number it read
    stage.queue(36)
    stage.until(585)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A story, the demand (millicores) that it begins with, and the three sentences about its recording.

    gates   feature gates that it needs
    """

    play: Callable[[Stage], None]
    demand: float
    readme: str
    gates: dict[str, bool] = field(default_factory=dict)


MADE = (
    "It was made by `python -m tests.cluster.scenes {name}`: a real Kubernetes 1.36.3 control plane with the "
    "controller's default flags{gates}, recorded by `hpaaudit record --interval 15s`.\n"
)
SCENES = {
    "load-step": Scene(
        play=load_step,
        demand=110,
        readme="The demand for `shop/checkout` grew fivefold, and fell back to where it was five and a half minutes "
        "later.\nThe audit must find that every decision matches: up in three steps, held at the top by the "
        "stabilization window for five minutes, then down.\n",
    ),
    "scaled-by-hand": Scene(
        play=scaled_by_hand,
        demand=330,
        readme="A busy `shop/checkout` was scaled down to two replicas by hand, by `kubectl`, seven seconds after a "
        "reconcile.\nThe audit must name one external write by the manager `kubectl`, say how long it lasted, and "
        "find that the controller did right before and after it.\n",
    ),
    "metrics-down": Scene(
        play=metrics_down,
        demand=200,
        readme="The resource metrics API answered 503 for five minutes, and the demand for `shop/checkout` more than "
        "doubled meanwhile.\nThe audit must say that the controller held because it had no data, from when until "
        "when, and that it scaled up with the first answer after that.\n",
    ),
    "unready-on-the-way-up": Scene(
        play=unready_on_the_way_up,
        demand=110,
        readme="The demand for `shop/checkout` grew twice while its new pods needed 75 seconds to become ready.\n"
        "The audit must find that every decision matches, and that unready and missing pods, counted as idle, made "
        "the controller hold where the ready pods alone asked for more.\n",
    ),
    "gitops-loop": Scene(
        play=gitops_loop,
        demand=330,
        readme="Argo CD wrote the two replicas of its manifest into `shop/checkout` three times, and each time the HPA "
        "wrote six again.\nThe audit must name three external writes by the manager `argocd-application-controller`, "
        "see that it and the HPA undo each other, and find that the controller did right.\n",
    ),
    "one-metric-fails": Scene(
        play=one_metric_fails,
        demand=330,
        readme="The custom metrics API answered 503 for eight minutes, after the demand for `shop/checkout` had fallen "
        "to a third.\nThe audit must find that every decision matches: cpu alone asked for two pods, and the "
        "metric that failed kept all six until it answered again.\n",
    ),
    "rate-limited": Scene(
        play=rate_limited,
        demand=110,
        readme="The demand for `shop/checkout` grew fivefold for six minutes, under a behavior that adds one pod a "
        "minute.\nThe audit must find that every decision matches, and say how many pods the policy withheld, and for "
        "how long.\n",
    ),
    "quota": Scene(
        play=quota,
        demand=110,
        readme="A ResourceQuota allowed the namespace of `shop/checkout` four pods, and the demand tripled; somebody "
        "raised the quota five minutes later.\nThe audit must find that every decision matches, and say how "
        "many pods that the HPA asked for were not created, for how long, and that a quota refused them.\n",
    ),
    "controller-down": Scene(
        play=controller_down,
        demand=110,
        readme="kube-controller-manager was gone for five minutes, in which the demand for `shop/checkout` more than "
        "tripled.\nThe audit must say from when until when no controller ran, and find that every decision before and "
        "after it matches.\n",
    ),
    "capped-by-policy": Scene(
        play=capped_by_policy,
        demand=110,
        readme="The demand for `shop/checkout` grew fourfold, and a MutatingAdmissionPolicy stored five replicas "
        "wherever the HPA wrote more.\nThe audit must find that the controller decided right and wrote its number "
        "again and again, and that admission changed each of these writes, until the policy went.\n",
    ),
    "two-hpas": Scene(
        play=two_hpas,
        demand=110,
        readme="Somebody made a second HPA of the Deployment `shop/checkout`, and the demand more than tripled.\nThe "
        "audit must find that neither of the two scaled while both were there, from when until when, and that the "
        "first one scaled up when the second one was gone.\n",
    ),
    "queue-to-zero": Scene(
        play=queue_to_zero,
        demand=60,
        readme="The orders that `shop/checkout` works through ran out, and came again five minutes later.\nThe audit "
        "must find that every decision matches: the HPA itself scaled to zero after its stabilization window, and up "
        "again by the external metric; and say for how long there were no replicas.\n",
        gates={"HPAScaleToZero": True},
    ),
}


def readme(name: str) -> str:
    """The page of a recording: what happened, what the audit must find, and how it was made."""
    gates = "".join(f" and the feature gate `{gate}`" for gate in SCENES[name].gates)
    return f"# {name}\n\n{SCENES[name].readme}{MADE.format(name=name, gates=gates)}"


def perform(name: str, into: Path, truth: Path | None) -> None:
    """Plays one scene on a cluster of its own; the recording replaces an older one."""
    scene, recording = SCENES[name], (into / name).resolve()  # the demo's lies in the package
    shutil.rmtree(recording, ignore_errors=True)
    with (
        tempfile.TemporaryDirectory(prefix=f"scene-{name}-") as folder,
        Cluster(Path(folder), gates=scene.gates) as cluster,
    ):
        cluster.kube.post("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        recorder = Recorder(recording, cluster.dir / "admin.kubeconfig", "-n", NAMESPACE, "--interval", "15s")
        time.sleep(5)
        stage = Stage(cluster, scene.demand)
        try:
            scene.play(stage)
        finally:
            stage.over.set()
            code, output = recorder.end()
        sys.stderr.write(f"{name}: exit {code}\n{output}")
        (recording / "README.md").write_text(readme(name))
        if truth:
            lines = (json.dumps(line, separators=(",", ":")) + "\n" for line in capture.lines(cluster.dir))
            truth.mkdir(parents=True, exist_ok=True)
            (truth / f"{name}.jsonl.gz").write_bytes(gzip.compress("".join(lines).encode(), 9, mtime=0))


def main() -> None:
    """Plays scenes, all at once."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.scenes", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("scene", nargs="+", choices=list(SCENES))
    parser.add_argument("--into", type=Path, default=Path("recordings"))
    parser.add_argument("--truth", type=Path)
    args = parser.parse_args()
    with ThreadPoolExecutor(len(args.scene)) as pool:
        for done in [pool.submit(perform, name, args.into.resolve(), args.truth) for name in args.scene]:
            done.result()


if __name__ == "__main__":
    main()
