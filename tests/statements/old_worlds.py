"""Captures of the controllers of 1.1 to 1.11: one HPA of cpu, whose pods are measured by Heapster."""

from dataclasses import dataclass
from typing import Any

from hpaaudit.api.times import precise, whole_seconds
from tests.importers.lines import CONTROLLER, Line, at, get_line, items, line, running, saw

SCALE = "/apis/extensions/v1beta1/namespaces/shop/deployments/web/scale"
PODS = "/api/v1/namespaces/shop/pods?labelSelector=app%3Dweb"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What the controller sees at one reconcile.

    usage         of each pod, in thousandths of a cpu;  request   of each pod, likewise
    last_scale_s  the status' lastScaleTime, None without one
    series        points of Heapster's model for each pod, as (seconds before the reconcile, value), instead of `usage`
    scale         the answer of the scale, if it is not the usual one;  annotations   of the HPA;  labels   of the pods
    """

    at_s: float
    replicas: int
    usage: tuple[int, ...] = ()
    request: int = 100
    last_scale_s: float | None = None
    series: tuple[tuple[tuple[int, int], ...], ...] = ()
    scale: Any = None
    annotations: tuple[tuple[str, str], ...] = ()
    labels: tuple[tuple[str, str], ...] = (("app", "web"),)


def minor_of(release: str) -> int:
    """`1.4.12` is 4."""
    return int(release.split(".")[1])


def version_of(release: str) -> str:
    """The version in which the controller of a release reads its HPAs."""
    return "extensions/v1beta1" if minor_of(release) <= 2 else "autoscaling/v1"


def heapster(release: str) -> str:
    """Where Heapster is behind the API server's proxy."""
    if minor_of(release) == 1:
        return "/api/v1/proxy/namespaces/kube-system/services/heapster"
    if minor_of(release) <= 5:
        return "/api/v1/proxy/namespaces/kube-system/services/http:heapster:"
    return "/api/v1/namespaces/kube-system/services/http:heapster:/proxy"


def old_hpa(release: str, look: Look, target: int | None, minimum: int | None, maximum: int) -> Any:
    """The HPA in the version of the time; a target of None is not given."""
    reference = {"kind": "Deployment", "name": "web", "apiVersion": "extensions/v1beta1"}
    status: dict[str, Any] = {"currentReplicas": look.replicas, "desiredReplicas": look.replicas}
    if look.last_scale_s is not None:
        status["lastScaleTime"] = whole_seconds(at(look.last_scale_s))
    spec: dict[str, Any] = {"maxReplicas": maximum} | ({} if minimum is None else {"minReplicas": minimum})
    if version_of(release) == "autoscaling/v1":
        spec |= {"scaleTargetRef": reference} | ({} if target is None else {"targetCPUUtilizationPercentage": target})
    else:
        spec |= {"scaleRef": {**reference, "subresource": "scale"}}
        spec |= {} if target is None else {"cpuUtilization": {"targetPercentage": target}}
    metadata: dict[str, Any] = {
        "name": "web",
        "namespace": "shop",
        "uid": "uid-web",
        "creationTimestamp": "2026-03-02T12:00:00Z",
    }
    metadata["resourceVersion"] = str(round(look.at_s) + 1000)
    if look.annotations:
        metadata["annotations"] = dict(look.annotations)
    return {
        "apiVersion": version_of(release),
        "kind": "HorizontalPodAutoscaler",
        "metadata": metadata,
        "spec": spec,
        "status": status,
    }


def old_scale(release: str, look: Look) -> Any:
    """The scale: its selector is a map, and since 1.2 a text too."""
    status: dict[str, Any] = {"replicas": look.replicas, "selector": {"app": "web"}}
    if minor_of(release) >= 9:
        status["selector"] = "app=web"
    elif minor_of(release) >= 2:
        status["targetSelector"] = "app=web"
    return {
        "apiVersion": "autoscaling/v1" if minor_of(release) >= 9 else "extensions/v1beta1",
        "kind": "Scale",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"replicas": look.replicas},
        "status": status,
    }


def old_world(
    release: str,
    *looks: Look,
    target: int | None = 80,
    minimum: int | None = 1,
    maximum: int = 20,
    flags: dict[str, str] | None = None,
) -> list[Line]:
    """A capture: the controller starts, then reads and reconciles at each look."""
    given = dict(flags or {})
    if minor_of(release) >= 6:
        given.setdefault("horizontal-pod-autoscaler-use-rest-clients", "false")
    path = f"/apis/{version_of(release)}/horizontalpodautoscalers"
    lines = [line(looks[0].at_s - 30, controller="started", release=release, flags=given, gates={})]
    for number, look in enumerate(looks):
        hpa = old_hpa(release, look, target, minimum, maximum)
        listed = {"apiVersion": version_of(release), "kind": "HorizontalPodAutoscalerList", **items(hpa)}
        if minor_of(release) == 1 or number == 0:
            by = {"by": CONTROLLER} if minor_of(release) == 1 else {}
            lines.append(get_line(look.at_s - (0 if minor_of(release) == 1 else 20), path, listed, **by))
        else:
            lines.append(saw(look.at_s - 20, path, "MODIFIED", hpa))
        lines.append(get_line(look.at_s, SCALE, look.scale or old_scale(release, look), by=CONTROLLER))
        lines += _metrics(release, look)
        lines.append(line(look.at_s, reconcile="shop/web"))
    return lines


def _metrics(release: str, look: Look) -> list[Line]:
    """The list of pods and Heapster's answer, in the order of the release."""
    names = [f"web-{ordinal}" for ordinal in range(max(len(look.usage), len(look.series)))]
    if not names:
        return []
    shown = []
    for name in names:
        pod = running(name)
        pod["metadata"]["labels"] = dict(look.labels)
        pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = f"{look.request}m"
        shown.append(pod)
    pods = get_line(look.at_s, PODS, items(*shown), by=CONTROLLER)
    if minor_of(release) <= 2:
        series = look.series or tuple(((0, value), (60, value)) for value in look.usage)
        answer = get_line(look.at_s, _model_path(release, names, look), _model(series, look), by=CONTROLLER)
        return [pods, answer]
    samples = [
        {
            "metadata": {"name": name, "namespace": "shop"},
            "timestamp": precise(at(look.at_s)),
            "window": "1m0s",
            "containers": [{"name": "app", "usage": {"cpu": f"{value}m"}}],
        }
        for name, value in zip(names, look.usage, strict=True)
    ]
    usage_path = f"{heapster(release)}/apis/metrics/v1alpha1/namespaces/shop/pods?labelSelector=app%3Dweb"
    body = samples if minor_of(release) == 3 else {"items": samples}
    return [pods, get_line(look.at_s, usage_path, body, by=CONTROLLER)]


def _model_path(release: str, names: list[str], look: Look) -> str:
    start = whole_seconds(at(look.at_s - 300)).replace(":", "%3A")
    listed = ",".join(names)
    return f"{heapster(release)}/api/v1/model/namespaces/shop/pod-list/{listed}/metrics/cpu-usage?start={start}"


def _model(series: tuple[tuple[tuple[int, int], ...], ...], look: Look) -> Any:
    return {
        "items": [
            {
                "metrics": [
                    {"timestamp": precise(at(look.at_s - ago)), "value": value}
                    for ago, value in sorted(points, reverse=True)
                ],
                "latestTimestamp": whole_seconds(at(look.at_s)),
            }
            for points in series
        ]
    }
