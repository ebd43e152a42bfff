"""Writes captures line by line, so that a test is a few lines of one."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hpaaudit.api.times import micros, precise
from hpaaudit.importers.capture import Reader
from hpaaudit.model.facts import Fact, Gap
from hpaaudit.model.units import SECOND, Micros

START = micros("2026-03-02T14:00:00Z")
PODS = "/api/v1/namespaces/shop/pods"
HPAS = "/apis/autoscaling/v2/horizontalpodautoscalers"
HPA = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/web"
DEPLOYMENT = "/apis/apps/v1/namespaces/shop/deployments/web"
SCALE = f"{DEPLOYMENT}/scale"
USAGE = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods?labelSelector=app%3Dweb"
CONTROLLER = "system:serviceaccount:kube-system:horizontal-pod-autoscaler"

Line = dict[str, Any]


def at(seconds: float) -> Micros:
    """Place a second of the capture on the calendar."""
    return Micros(START + round(seconds * SECOND))


def line(seconds: float, **fields: Any) -> Line:
    """Writes one line."""
    return {"at": precise(at(seconds)), **fields}


def get_line(seconds: float, path: str, body: Any = None, status: int = 200, **fields: Any) -> Line:
    """Answers a read."""
    return line(seconds, get=path, status=status, body=body, **fields)


def saw(seconds: float, path: str, kind: str, thing: Any) -> Line:
    """Bring a watch event."""
    return line(seconds, watch=path, type=kind, object=thing)


def pod(name: str, *, namespace: str = "shop", labels: dict[str, str] | None = None, phase: str = "Running") -> Any:
    """Shows a pod."""
    return {
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "uid": f"uid-{name}", "labels": labels or {"app": "web"}},
        "status": {"phase": phase},
    }


def running(name: str) -> Any:
    """Shows a pod that has been ready for long and requests one cpu."""
    shown = pod(name)
    shown["spec"] = {"containers": [{"name": "app", "resources": {"requests": {"cpu": "1"}}}]}
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-03-02T12:00:00Z"}
    shown["status"] |= {"startTime": "2026-03-02T12:00:00Z", "conditions": [ready]}
    return shown


def hpa(name: str = "web", maximum: int = 10, **fields: Any) -> Any:
    """Shows an HPA."""
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": name}
    metric = {
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
    }
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": name, "namespace": "shop", "uid": f"uid-{name}"},
        "spec": {"scaleTargetRef": target, "maxReplicas": maximum, "metrics": [metric]},
    } | fields


def scale(replicas: int) -> Any:
    """Shows a scale."""
    return {"kind": "Scale", "spec": {"replicas": replicas}, "status": {"replicas": replicas, "selector": "app=web"}}


def usage(**milli: int) -> Any:
    """Shows samples of pods, by name with `_` for `-`."""
    return {
        "items": [
            {
                "metadata": {"name": name.replace("_", "-")},
                "timestamp": "2026-03-02T13:59:50Z",
                "window": "30s",
                "containers": [{"name": "app", "usage": {"cpu": f"{value}m"}}],
            }
            for name, value in milli.items()
        ]
    }


def items(*things: Any, **metadata: Any) -> Any:
    """Shows a list."""
    return {"metadata": metadata, "items": list(things)}


def text_of(lines: Iterable[Line]) -> str:
    """Writes lines as the text of a file."""
    return "".join(json.dumps(fields) + "\n" for fields in lines)


def write(folder: Path, *lines: Line, name: str = "capture.jsonl") -> Path:
    """Writes a capture."""
    path = folder / name
    path.write_text(text_of(lines))
    return path


def read(folder: Path, *lines: Line) -> list[Fact]:
    """Reads a capture's facts, without the end that every one has."""
    return list(Reader((write(folder, *lines),)).facts())[:-1]


def described(facts: Iterable[Fact]) -> list[str]:
    """Prints facts as `PodSeen web-0`, without the gaps between two reads."""
    return [f"{type(fact).__name__} {_name(fact)}".strip() for fact in facts if not isinstance(fact, Gap)]


def _name(fact: Fact) -> str:
    for thing in (fact, getattr(fact, "pod", None), getattr(fact, "target", None)):
        name = getattr(thing, "name", "")
        if name:
            return str(name)
    return ""
