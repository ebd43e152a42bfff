"""A made-up fleet as a capture: what a recorder of raw API answers would have written, line by line.

Demand wanders, replicas follow, pods start and end, every scrape brings new values for every pod. The
same seed gives the same lines.
"""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

START = datetime(2026, 3, 2, 14, 5, tzinfo=UTC)
PERIOD_SECONDS = 15
CONTROLLER = "system:serviceaccount:kube-system:horizontal-pod-autoscaler"
REQUEST_MILLI = 500
TARGET_PERCENT = 60


@dataclass(slots=True)
class Workload:
    """One HPA, its deployment and its pods."""

    name: str
    replicas: int
    demand: float
    pods: dict[str, datetime] = field(default_factory=dict)
    born: int = 0


def lines(hpas: int, polls: int, seed: int) -> Iterator[dict[str, Any]]:
    """The capture of `hpas` HPAs over `polls` sync periods."""
    chance = random.Random(seed)  # noqa: S311 (a made-up world)
    fleet = [Workload(f"web-{n:03}", chance.randint(3, 20), chance.uniform(1000, 6000)) for n in range(hpas)]
    yield {
        "at": _stamp(START),
        "controller": "started",
        "release": "1.36",
        "version": "v1.36.3",
        "flags": {},
        "gates": {},
    }
    yield {"at": _stamp(START), "get": "/apis/autoscaling/v2/horizontalpodautoscalers", "status": 200,
           "body": {"kind": "HorizontalPodAutoscalerList", "items": [_hpa(w) for w in fleet]}}  # fmt: skip
    for workload in fleet:
        for _ in range(workload.replicas):
            yield _born(workload, START - timedelta(minutes=30), START)
    for poll in range(1, polls + 1):
        for number, workload in enumerate(fleet):
            at = START + timedelta(seconds=PERIOD_SECONDS * poll, milliseconds=40 * number)
            yield from _pass(workload, at, chance)
    yield {"at": _stamp(START + timedelta(seconds=PERIOD_SECONDS * (polls + 1))), "end": True}


def _pass(workload: Workload, at: datetime, chance: random.Random) -> Iterator[dict[str, Any]]:
    workload.demand = max(200.0, workload.demand * chance.gauss(1.0, 0.03))
    yield _scale(workload, at)
    metrics = f"/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods?labelSelector=app%3D{workload.name}"
    body = {"kind": "PodMetricsList", "items": [_sample(workload, pod, at, chance) for pod in workload.pods]}
    yield {"at": _stamp(at), "get": metrics, "status": 200, "by": CONTROLLER, "body": body}
    yield {"at": _stamp(at), "reconcile": f"shop/{workload.name}"}
    wanted = max(2, min(40, -(-int(workload.demand) // (REQUEST_MILLI * TARGET_PERCENT // 100))))
    if abs(wanted - workload.replicas) * 10 > workload.replicas:
        workload.replicas = wanted
        while len(workload.pods) < wanted:
            yield _born(workload, at, at)
        while len(workload.pods) > wanted:
            name = next(iter(workload.pods))
            gone = _pod(workload, name, workload.pods.pop(name))
            yield {"at": _stamp(at), "watch": "/api/v1/pods", "type": "DELETED", "object": gone}


def _born(workload: Workload, started: datetime, seen: datetime) -> dict[str, Any]:
    workload.born += 1
    name = f"{workload.name}-{workload.born:05}"
    workload.pods[name] = started
    return {"at": _stamp(seen), "watch": "/api/v1/pods", "type": "ADDED", "object": _pod(workload, name, started)}


def _stamp(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _seconds(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def _hpa(workload: Workload) -> dict[str, Any]:
    target = {"type": "Utilization", "averageUtilization": TARGET_PERCENT}
    return {
        "apiVersion": "autoscaling/v2",
        "metadata": {"namespace": "shop", "name": workload.name, "uid": f"uid-{workload.name}", "resourceVersion": "1"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": workload.name},
            "minReplicas": 2,
            "maxReplicas": 40,
            "metrics": [
                {"type": "Resource", "resource": {"name": "cpu", "target": target}},
                {
                    "type": "Resource",
                    "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "1Gi"}},
                },
            ],
        },
        "status": {"currentReplicas": workload.replicas, "desiredReplicas": workload.replicas, "currentMetrics": None},
    }


def _scale(workload: Workload, at: datetime) -> dict[str, Any]:
    return {
        "at": _stamp(at),
        "get": f"/apis/apps/v1/namespaces/shop/deployments/{workload.name}/scale",
        "status": 200,
        "by": CONTROLLER,
        "body": {
            "kind": "Scale",
            "metadata": {"name": workload.name, "namespace": "shop"},
            "spec": {"replicas": workload.replicas},
            "status": {"replicas": len(workload.pods), "selector": f"app={workload.name}"},
        },
    }


def _sample(workload: Workload, pod: str, at: datetime, chance: random.Random) -> dict[str, Any]:
    nanos = int(workload.demand * 1_000_000 / max(len(workload.pods), 1) * chance.gauss(1.0, 0.1))
    kibibytes = 4 * int(60_000 * chance.gauss(1.0, 0.02))
    return {
        "metadata": {"name": pod, "namespace": "shop", "labels": {"app": workload.name}},
        "timestamp": _seconds(at - timedelta(seconds=5)),
        "window": f"{chance.randint(10_000, 20_000) / 1000}s",
        "containers": [{"name": "app", "usage": {"cpu": f"{max(nanos, 0)}n", "memory": f"{kibibytes}Ki"}}],
    }


def _pod(workload: Workload, name: str, started: datetime) -> dict[str, Any]:
    return {
        "metadata": {"namespace": "shop", "name": name, "uid": f"uid-{name}", "labels": {"app": workload.name}},
        "spec": {
            "containers": [{"name": "app", "resources": {"requests": {"cpu": f"{REQUEST_MILLI}m", "memory": "256Mi"}}}]
        },
        "status": {
            "phase": "Running",
            "startTime": _seconds(started),
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": _seconds(started)}],
        },
    }


def text(hpas: int, polls: int, seed: int) -> str:
    """The capture as JSON lines."""
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines(hpas, polls, seed))
