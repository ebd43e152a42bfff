"""Plays what no process of the cluster does: kubelets that run pods, and the usage that metrics show.

Pods become Running and Ready a while after they are created, and go a while after they are deleted. All follows
a state that a test changes while it runs; every key is optional:

    pods              {"shop/app=checkout": {"cpu": 1800, "memory": 512, "http_requests": 300}}: totals, shared by
                      the ready pods; cpu in millicores, memory in MiB, {"cpu": {"app": 900, "proxy": 100}} per
                      container; any other name is a custom metric
    external          {"shop/queue_depth": [{"labels": {"queue": "orders"}, "value": "40"}]}
    objects           {"shop/services/checkout/hits": "10"}
    faults            {"metrics.k8s.io": {"status": 503, "message": "…"}}, or {"delay_seconds": 2}; of one namespace
                      alone as "metrics.k8s.io/shop"
    without_metrics   names of pods that no resource metric mentions;  never_ready  names of pods
    start_seconds     from created to Running;  ready_seconds  then to Ready;  stop_seconds  from deleted to gone
    slow              {"shop/app=checkout": 60}: ready_seconds of the pods of a workload
    unready_cpu       millicores that a running pod uses while it is not ready (none: it has no sample)
    uneven            how far the share of a pod may be from the mean, 0.1 for 10 %
    scrape_seconds    resource usage is measured so often and kept, as metrics-server does; 0: at every request
    lag_seconds       a sample's timestamp lies so far before it is served;  window_seconds  a sample's window

Every answer of the metrics APIs, with the name of the user who asked, and every change of a pod or an HPA is kept
in seen.jsonl, as lines of the capture format.
"""

import contextlib
import datetime as dt
import http.client
import json
import random
import sys
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cluster import kube
from tests.cluster.selectors import matches

State = dict[str, Any]
PodKey = tuple[str, str]
"""Namespace and name."""


def rfc3339(seconds: float, digits: int = 0) -> str:
    """An instant as Kubernetes writes it, with microseconds if `digits`."""
    at = dt.datetime.fromtimestamp(seconds, dt.UTC)
    return at.strftime("%Y-%m-%dT%H:%M:%S") + (f".{at.microsecond:06d}" if digits else "") + "Z"


def running(pod: dict[str, Any]) -> bool:
    """Running, and nobody has deleted it."""
    return not pod["metadata"].get("deletionTimestamp") and pod.get("status", {}).get("phase") == "Running"


def ready(pod: dict[str, Any]) -> bool:
    """Running and Ready."""
    conditions = pod.get("status", {}).get("conditions", [])
    return running(pod) and any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)


def is_of(workload: str, pod: dict[str, Any]) -> bool:
    """Whether a pod belongs to a workload, as the state names it: `shop/app=checkout`."""
    namespace, selector = workload.split("/", 1)
    meta = pod["metadata"]
    return bool(namespace == meta["namespace"] and matches(selector, meta.get("labels", {})))


class World:
    """The pods of a cluster, their lives and their loads."""

    def __init__(self, client: kube.Kube, state: Callable[[], State], log_path: Path | None = None) -> None:
        self.client, self.state = client, state
        self.pods: dict[PodKey, dict[str, Any]] = {}
        self.samples: dict[PodKey, dict[str, Any]] = {}
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.seen = log_path.open("a", buffering=1) if log_path else None
        self.chance = random.Random(1)  # noqa: S311  # a world that a test can repeat

    def start(self) -> None:
        """Follows pods and HPAs, and scrape, in threads of their own."""
        work: list[tuple[Any, ...]] = [
            (self.follow, lambda: "/api/v1/pods", self.see, self.forget),
            (self.follow, self.hpa_path, lambda *_: None, lambda: None),
            (self.scrape,),
        ]
        for verb, *args in work:
            threading.Thread(target=verb, args=args, daemon=True).start()

    def stop(self) -> None:
        """Nothing more happens, nothing more is written down."""
        self.stopping.set()
        with self.lock:
            if self.seen:
                self.seen.close()

    # What is seen

    def follow(
        self, where: Callable[[], str], see: Callable[[str, dict[str, Any]], None], restart: Callable[[], None]
    ) -> None:
        """Lists, then watches, for ever; what comes is also written down."""
        path = ""
        while not self.stopping.is_set():
            try:
                path = where()
                listed = self.client.get(path)
                self.write(get=path, status=200, body=listed)
                restart()
                for item in listed["items"]:
                    see("ADDED", item)
                for line in self.client.watch(path, listed["metadata"]["resourceVersion"], seconds=600):
                    event = json.loads(line)
                    if event["type"] == "ERROR" or self.stopping.is_set():
                        break
                    self.write(watch=path, type=event["type"], object=event["object"])
                    see(event["type"], event["object"])
            except (OSError, http.client.HTTPException, kube.ApiError, ValueError) as problem:
                if not self.stopping.wait(0.2):
                    sys.stderr.write(f"{path}: {problem!r}: listing again\n")

    def write(self, **line: Any) -> None:
        """One line of a capture, with the present instant."""
        with self.lock:
            if self.seen and not self.seen.closed:
                text = json.dumps({"at": rfc3339(time.time(), 6), **line}, separators=(",", ":"))
                self.seen.write(text + "\n")

    def hpa_path(self) -> str:
        """The newest version that this server has: v2 from 1.23 on."""
        served = {one["version"] for one in self.client.get("/apis/autoscaling")["versions"]}
        version = next(one for one in ("v2", "v2beta2", "v2beta1", "v1") if one in served)
        return f"/apis/autoscaling/{version}/horizontalpodautoscalers"

    def forget(self) -> None:
        """A new list follows."""
        with self.lock:
            self.pods = {}

    def see(self, kind: str, pod: dict[str, Any]) -> None:
        """Starts a pod that is new, stops one that was deleted."""
        meta = pod["metadata"]
        key = (meta["namespace"], meta["name"])
        with self.lock:
            if kind == "DELETED":
                self.pods.pop(key, None)
                return
            self.pods[key] = pod
        state = self.state()
        if meta.get("deletionTimestamp"):
            self.later(state.get("stop_seconds", 0.2), self.stop_pod, key)
        elif not pod.get("status", {}).get("startTime"):
            self.later(state.get("start_seconds", 0.2), self.start_pod, key, pod)

    # The life of a pod

    def later(self, seconds: float, act: Callable[..., None], *args: Any) -> None:
        """Acts after a while, unless the pod has changed or gone by then."""

        def run() -> None:
            # Where the pod changed or went meanwhile, the next event brings it again.
            with contextlib.suppress(OSError, http.client.HTTPException, kube.ApiError):
                act(*args)

        timer = threading.Timer(seconds, run)
        timer.daemon = True
        timer.start()

    def start_pod(self, key: PodKey, pod: dict[str, Any]) -> None:
        """Running, and Ready at once or a while later."""
        state = self.state()
        slow = (seconds for key, seconds in state.get("slow", {}).items() if is_of(key, pod))
        wait, now = next(slow, state.get("ready_seconds", 0)), rfc3339(time.time())
        is_ready = key[1] not in state.get("never_ready", []) and not wait
        self.report(key, pod, now, now, is_ready=is_ready)
        if wait and key[1] not in state.get("never_ready", []):
            self.later(wait, self.make_ready, key, pod, now)

    def make_ready(self, key: PodKey, pod: dict[str, Any], started: str) -> None:
        """The readiness probe of every container has succeeded."""
        self.report(key, pod, started, rfc3339(time.time()), is_ready=True)

    def report(self, key: PodKey, pod: dict[str, Any], started: str, at: str, *, is_ready: bool) -> None:
        """Writes a pod's status as a kubelet does."""
        conditions = [
            {
                "type": kind,
                "status": "True" if is_ready or early else "False",
                "lastTransitionTime": started if early else at,
            }
            for kind, early in (
                ("PodScheduled", True),
                ("Initialized", True),
                ("ContainersReady", False),
                ("Ready", False),
            )
        ]
        containers = [
            {
                "name": container["name"],
                "image": container["image"],
                "imageID": "",
                "ready": is_ready,
                "started": True,
                "restartCount": 0,
                "state": {"running": {"startedAt": started}},
            }
            for container in pod["spec"]["containers"]
        ]
        status = {
            "phase": "Running",
            "startTime": started,
            "conditions": conditions,
            "containerStatuses": containers,
            "hostIP": "127.0.0.1",
            "podIP": "10.0.0.1",
            "podIPs": [{"ip": "10.0.0.1"}],
        }
        self.client.patch(f"/api/v1/namespaces/{key[0]}/pods/{key[1]}/status", {"status": status})

    def stop_pod(self, key: PodKey) -> None:
        """Its processes have ended."""
        self.client.delete(f"/api/v1/namespaces/{key[0]}/pods/{key[1]}", gracePeriodSeconds=0)

    # The load of a pod

    def select(self, namespace: str, selector: str) -> list[dict[str, Any]]:
        """The pods of a namespace that a label selector matches, by name."""
        with self.lock:
            pods = sorted(self.pods.items())
        return [
            pod for (ns, _), pod in pods if ns == namespace and matches(selector, pod["metadata"].get("labels", {}))
        ]

    def demand(self, pod: dict[str, Any]) -> tuple[dict[str, Any], int] | None:
        """The workload's totals and how many ready pods share them."""
        for key, totals in self.state().get("pods", {}).items():
            if is_of(key, pod):
                return totals, max(1, sum(map(ready, self.select(*key.split("/", 1)))))
        return None

    def scrape(self) -> None:
        """Measures every pod on each multiple of `scrape_seconds`, while the state has it."""
        while True:
            every = self.state().get("scrape_seconds", 0)
            now = time.time()
            if self.stopping.wait(every - now % every if every else 0.5):
                return
            if every:
                with self.lock:
                    pods = list(self.pods.items())
                samples = {key: sample for key, pod in pods if (sample := self.measure(pod, time.time()))}
                with self.lock:
                    self.samples = samples

    def measure(self, pod: dict[str, Any], at: float) -> dict[str, Any] | None:
        """What metrics-server says of a pod; None for one that is not running, or that nobody measures."""
        state, meta = self.state(), pod["metadata"]
        body = self.demand(pod)
        serves = ready(pod)
        if not body or not running(pod) or not (serves or "unready_cpu" in state):
            return None
        totals, sharing = body
        drift = 1 + state.get("uneven", 0) * (self.chance.random() + zlib.crc32(meta["name"].encode()) / 2**32 - 1)
        names = [one["name"] for one in pod["spec"]["containers"]]

        def part(resource: str, container: str) -> float:
            if not serves:
                return state["unready_cpu"] / len(names) if resource == "cpu" else 16.0
            total = totals.get(resource, 0)
            of_container = total.get(container, 0) if isinstance(total, dict) else total / len(names)
            return of_container / sharing * drift

        lag = state.get("lag_seconds", 0)
        stamp = at - lag * (1 + zlib.crc32(meta["name"].encode()) % 3 / 2) if lag else at
        return {
            "metadata": {
                "name": meta["name"],
                "namespace": meta["namespace"],
                "creationTimestamp": rfc3339(at),
                "labels": meta.get("labels", {}),
            },
            "timestamp": rfc3339(stamp),
            "window": f"{state.get('window_seconds', 1)}s",
            "containers": [
                {
                    "name": one,
                    "usage": {"cpu": f"{part('cpu', one) * 1e6:.0f}n", "memory": f"{part('memory', one) * 1024:.0f}Ki"},
                }
                for one in names
            ],
        }

    def usage(self, namespace: str, selector: str) -> list[dict[str, Any]]:
        """The items of a PodMetricsList."""
        state, lines = self.state(), []
        for pod in self.select(namespace, selector):
            name = pod["metadata"]["name"]
            if state.get("scrape_seconds"):
                with self.lock:
                    sample = self.samples.get((namespace, name))
            else:
                sample = self.measure(pod, time.time() // 1)
            if sample and name not in state.get("without_metrics", []):
                lines.append(sample)
        return lines
