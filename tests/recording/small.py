"""A small recording with everything that a replay reads: two HPAs, their pods and metrics, two segments."""

import json
from collections.abc import Iterator
from pathlib import Path

from hpaaudit.importers.capture import Reader
from hpaaudit.model.facts import Fact, Gap, TargetRef
from tests.importers.lines import (
    DEPLOYMENT,
    HPAS,
    PODS,
    SCALE,
    USAGE,
    Line,
    at,
    get_line,
    hpa,
    line,
    running,
    saw,
    scale,
    usage,
)
from tests.recording.facts import controller, lease, resource_quota, rollout, scaled_object, version, write_segments

QUEUE = "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue?labelSelector=q%3Dorders"
PER_POD = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/pods/*/rate?labelSelector=app%3Dweb"
ROUNDS = 6


def _hpa(name: str, replicas: int, *metrics: object) -> object:
    """An HPA with a status."""
    shown = hpa(name)
    shown["spec"]["scaleTargetRef"]["name"] = "web"
    shown["spec"]["metrics"] += metrics
    condition = {"type": "AbleToScale", "status": "True", "reason": "ReadyForNewScale", "message": "ready"}
    shown["status"] = {"currentReplicas": replicas, "desiredReplicas": replicas, "conditions": [condition]}
    shown["metadata"]["annotations"] = {"autoscaling.alpha.kubernetes.io/behavior": "{}"}
    return shown


def _lines(*, reconciles: bool) -> Iterator[Line]:
    queue = {
        "type": "External",
        "external": {
            "metric": {"name": "queue", "selector": {"matchLabels": {"q": "orders"}}},
            "target": {"type": "AverageValue", "averageValue": "2"},
        },
    }
    rate = {
        "type": "Pods",
        "pods": {"metric": {"name": "rate"}, "target": {"type": "AverageValue", "averageValue": "1"}},
    }
    yield saw(0, HPAS, "ADDED", _hpa("web", 2))
    yield saw(0, HPAS, "ADDED", _hpa("busy", 2, queue, rate))
    yield saw(0, PODS, "ADDED", running("web-0"))
    yield saw(0, PODS, "ADDED", running("web-1"))
    deployment = {
        "metadata": {"name": "web", "namespace": "shop", "uid": "u"},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}},
        "status": {"replicas": 2},
    }
    yield saw(0, DEPLOYMENT.rpartition("/")[0], "ADDED", deployment)
    event = {
        "metadata": {"name": "e", "namespace": "shop", "uid": "e"},
        "reason": "SuccessfulRescale",
        "message": "New size: 2; reason: cpu above",
        "involvedObject": {"kind": "HorizontalPodAutoscaler", "namespace": "shop", "name": "web", "uid": "uid-web"},
        "source": {"component": "horizontal-pod-autoscaler"},
        "count": 1,
        "lastTimestamp": "2026-03-02T14:00:14Z",
    }
    for turn in range(ROUNDS):
        now = 15 * turn
        yield get_line(now + 1, SCALE, scale(2 + turn // 3))
        yield get_line(now + 2, USAGE, usage(web_0=400 + 100 * turn, web_1=450) if turn != 4 else usage(web_1=900))
        items = [{"metricLabels": {"q": "orders"}, "value": str(3 + turn), "timestamp": "2026-03-02T14:00:00Z"}]
        yield get_line(now + 3, QUEUE, {"items": items} if turn != 2 else None, status=200 if turn != 2 else 503)
        rates = [
            {"describedObject": {"name": f"web-{index}"}, "value": "1500m", "timestamp": "2026-03-02T14:00:00Z"}
            for index in range(2)
        ]
        yield get_line(now + 4, PER_POD, {"items": rates})
        if reconciles:
            yield line(now + 5, reconcile="shop/web")
            yield line(now + 6, reconcile="shop/busy")
        if turn == 3:
            yield line(now + 7, put=SCALE, status=200, body=scale(3), by="someone", request=scale(3))
            yield saw(now + 8, "/api/v1/events", "ADDED", event)
        yield line(
            now + 9,
            put=f"{HPAS.replace('/hor', '/namespaces/shop/hor')}/web/status",
            status=200,
            request=_hpa("web", 2 + turn),
        )
        yield saw(now + 10, HPAS, "MODIFIED", _hpa("web", 2 + turn))
    yield line(15 * ROUNDS, end=True)


def _beside_captures() -> Iterator[Fact]:
    """Facts that a capture cannot hold."""
    web = TargetRef(group="apps", resource="deployments", namespace="shop", name="web")
    yield controller(at(0), gates=(("A", True),))
    yield version(at(0))
    yield lease(at(0))
    yield rollout(at(0), web)
    yield scaled_object(at(0), "busy", target="web", hpa_name="busy")
    yield resource_quota(at(0))
    yield Gap(at_us=at(0), until_us=at(1), prefix="/apis/apps", cause="the watch broke")


def small(folder: Path, *, reconciles: bool) -> Path:
    """Writes it; `reconciles`: whether each has a line of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    capture = folder.with_suffix(".jsonl")
    capture.write_text("".join(json.dumps(fields) + "\n" for fields in _lines(reconciles=reconciles)))
    facts = [*_beside_captures(), *Reader((capture,)).facts()]
    half = len(facts) // 2
    return write_segments(folder, (facts[:half], facts[half:]))
