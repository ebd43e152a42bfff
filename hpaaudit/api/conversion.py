"""Converts an HPA between API versions as the API server does, and says what a version cannot carry."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from hpaaudit.api.annotation_json import go_json, go_object
from hpaaudit.api.canonical import levels
from hpaaudit.api.metric_shapes import new_metric, new_metric_status, old_metric, old_metric_status
from hpaaudit.api.shapes import OLD, SHAPES, V2, Json, Notes, WrongType, read, written
from hpaaudit.api.type_check import JSON_LEVELS

V1, EXTENSIONS, ALPHA, BETA1 = "autoscaling/v1", "extensions/v1beta1", "autoscaling/v2alpha1", "autoscaling/v2beta1"
PREFIX = "autoscaling.alpha.kubernetes.io/"
METRICS, STATUSES, CONDITIONS, BEHAVIOR = (
    f"{PREFIX}{name}" for name in ("metrics", "current-metrics", "conditions", "behavior")
)
_ROUND_TRIP = {
    METRICS, STATUSES, CONDITIONS, BEHAVIOR, f"{PREFIX}scale-down-tolerance", f"{PREFIX}scale-up-tolerance",
}  # fmt: skip
CUSTOM_METRICS = "alpha/target.custom-metrics.podautoscaler.kubernetes.io"
DEFAULT_CPU_PERCENT = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Internal:
    """An HPA as the API server holds it, whatever version it was sent in: in the shape of v2, defaults filled in.

    status   None if the document has none
    unknown  the fields that its version does not have: they are dropped
    """

    version: str
    metadata: Json
    spec: Json
    status: Json | None
    unknown: tuple[str, ...] = ()


def to_internal(document: Mapping[str, Any]) -> Internal:
    """A document of any version. Raises WrongType for a field of another type, and a version that is none."""
    version = str(document.get("apiVersion"))
    if version not in SHAPES or document.get("kind") != "HorizontalPodAutoscaler":
        raise WrongType(f"apiVersion {version}, kind {document.get('kind')} is no HPA: give one of {', '.join(SHAPES)}")
    shapes, notes = SHAPES[version], Notes()
    metadata = dict(_object(document.get("metadata"), "metadata"))
    read(shapes, "Metadata", metadata, "metadata")
    annotations = dict(_object(metadata.get("annotations"), "metadata.annotations"))
    for name, text in annotations.items():
        if not isinstance(text, str):
            raise WrongType(f"metadata.annotations.{name}: must be text: put it in quotes")
    spec = read(shapes, "Spec", document.get("spec"), "spec", notes)
    raw_status = document.get("status")
    status = None if raw_status is None else read(shapes, "Status", raw_status, "status", notes)
    spec.setdefault("minReplicas", 1)
    spec, status = _READERS[version](spec, status, annotations)
    _with_annotations(metadata, {k: v for k, v in annotations.items() if k not in _ROUND_TRIP})
    return Internal(version=version, metadata=metadata, spec=spec, status=status, unknown=tuple(notes.unknown))


def _object(value: Any, path: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise WrongType(f"{path}: must be an object")
    return value


def _with_annotations(metadata: Json, annotations: Json) -> None:
    metadata.pop("annotations", None)
    if annotations:
        metadata["annotations"] = annotations


Read = tuple[Json, Json | None]


def _read_new(spec: Json, status: Json | None, _: Json) -> Read:
    if not spec.get("metrics"):
        spec["metrics"] = [cpu_utilization(DEFAULT_CPU_PERCENT)]
    if (behavior := spec.get("behavior")) is not None:
        spec["behavior"] = {
            "scaleUp": {"stabilizationWindowSeconds": 0, **_RULES, "policies": _UP, **(behavior.get("scaleUp") or {})},
            # The window of scale-down is never filled in: the controller takes its flag.
            "scaleDown": {**_RULES, "policies": _DOWN, **(behavior.get("scaleDown") or {})},
        }
    return spec, status


_RULES = {"selectPolicy": "Max"}
_UP = [{"type": "Pods", "value": 4, "periodSeconds": 15}, {"type": "Percent", "value": 100, "periodSeconds": 15}]
_DOWN = [{"type": "Percent", "value": 100, "periodSeconds": 15}]


def _read_old(spec: Json, status: Json | None, annotations: Json) -> Read:
    """v2beta1. A behavior is in an annotation, whose fields are not filled in."""
    _read_behavior(spec, annotations)
    return _read_alpha(spec, status, annotations)


def _read_alpha(spec: Json, status: Json | None, _: Json) -> Read:
    metrics = [new_metric(_without_container(item)) for item in spec.get("metrics") or ()]
    spec["metrics"] = metrics or [cpu_utilization(DEFAULT_CPU_PERCENT)]
    if status is not None:
        shown = status["currentMetrics"]
        status["currentMetrics"] = None if shown is None else [new_metric_status(_without_container(m)) for m in shown]
    return spec, status


def _without_container(metric: Json) -> Json:
    """v2beta1 forgets which container a ContainerResource metric is of (until it was removed)."""
    source = metric.get("containerResource")
    return metric if source is None else {**metric, "containerResource": {**source, "container": ""}}


def _read_v1(spec: Json, status: Json | None, annotations: Json) -> Read:
    percent = spec.pop("targetCPUUtilizationPercentage", None)
    kept = _annotated(annotations, METRICS, "Metric") or []
    own = [] if percent is None else [cpu_utilization(percent)]
    metrics = [*(new_metric(item, keeps_zero=False) for item in kept), *own]
    spec["metrics"] = metrics or [cpu_utilization(DEFAULT_CPU_PERCENT)]
    _read_behavior(spec, annotations)
    statuses = _annotated(annotations, STATUSES, "MetricStatus")
    conditions = _annotated(annotations, CONDITIONS, "Condition")
    if status is None and statuses is None and conditions is None:
        return spec, None
    status = {"currentReplicas": 0, "desiredReplicas": 0, **(status or {})}
    percent = status.pop("currentCPUUtilizationPercentage", None)
    shown = None if percent is None else [_cpu_status(percent)]
    status["currentMetrics"] = shown if statuses is None else [new_metric_status(item) for item in statuses]
    status["conditions"] = conditions or []
    return spec, status


def _read_extensions(spec: Json, status: Json | None, _: Json) -> Read:
    reference = spec.pop("scaleRef")
    spec["scaleTargetRef"] = {name: reference[name] for name in ("kind", "name", "apiVersion") if name in reference}
    utilization = spec.pop("cpuUtilization", None)
    percent = DEFAULT_CPU_PERCENT if utilization is None else utilization["targetPercentage"]
    spec["metrics"] = [cpu_utilization(percent)]
    if status is not None:
        percent = status.pop("currentCPUUtilizationPercentage", None)
        status["currentMetrics"] = None if percent is None else [_cpu_status(percent)]
        status["conditions"] = []
    return spec, status


def _read_behavior(spec: Json, annotations: Json) -> None:
    raw = _json_of(annotations, BEHAVIOR)
    if not isinstance(raw, dict):
        return
    try:
        behavior = go_object(V2, "Behavior", raw)
    except WrongType:
        return
    if behavior:
        spec["behavior"] = behavior


def _annotated(annotations: Json, name: str, shape: str) -> list[Json] | None:
    """The list in an annotation; None without one. One that cannot be read counts as absent (since 1.19 and picks)."""
    raw = _json_of(annotations, name)
    if not isinstance(raw, list):
        return None
    try:
        return [read(OLD, shape, item) for item in raw]
    except WrongType:
        return None


def _json_of(annotations: Json, name: str) -> Any:
    text = annotations.get(name)
    try:
        return json.loads(text) if text is not None and levels(text) <= JSON_LEVELS else None
    except ValueError:
        return None


_READERS: Mapping[str, Callable[[Json, Json | None, Json], Read]] = {
    EXTENSIONS: _read_extensions,
    V1: _read_v1,
    ALPHA: _read_alpha,
    BETA1: _read_old,
    "autoscaling/v2beta2": _read_new,
    "autoscaling/v2": _read_new,
}


def cpu_utilization(percent: int) -> Json:
    """The one metric that every version knows: cpu, in percent of its request."""
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


def _cpu_status(percent: int) -> Json:
    return {"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": percent}}}


def from_internal(hpa: Internal, version: str) -> Json:
    """The document in this version, as the API server shows it."""
    spec, status, annotations = _WRITERS[version](hpa)
    metadata = dict(hpa.metadata)
    _with_annotations(metadata, {**(hpa.metadata.get("annotations") or {}), **annotations})
    shapes = SHAPES[version]
    document = {
        "apiVersion": version,
        "kind": "HorizontalPodAutoscaler",
        "metadata": metadata,
        "spec": written(shapes, "Spec", spec),
    }
    return document if status is None else {**document, "status": written(shapes, "Status", status)}


Written = tuple[Json, Json | None, Json]


def _write_new(hpa: Internal) -> Written:
    return hpa.spec, hpa.status, {}


def _write_alpha(hpa: Internal) -> Written:
    """The metrics and statuses of the types that it knows; it has no behavior."""
    known = ("Object", "Pods", "Resource")
    spec = {**hpa.spec, "metrics": [metric for metric in hpa.spec["metrics"] if metric["type"] in known]}
    status = hpa.status
    if status is not None and (shown := status["currentMetrics"]) is not None:
        status = {**status, "currentMetrics": [metric for metric in shown if metric["type"] in ("", *known)]}
    spec, status, _ = _write_beta1(replace(hpa, spec=spec, status=status))
    return spec, status, {}


def _write_beta1(hpa: Internal) -> Written:
    metrics = [_without_container(old_metric(item)) for item in hpa.spec["metrics"]]
    spec, status = {**hpa.spec, "metrics": metrics}, hpa.status
    if status is not None and (shown := status["currentMetrics"]) is not None:
        status = {**status, "currentMetrics": [_without_container(old_metric_status(item)) for item in shown]}
    kept = hpa.spec.get("behavior")
    # v2beta1 was gone before a behavior had a tolerance.
    return spec, status, {} if kept is None else {BEHAVIOR: go_json(SHAPES["autoscaling/v2beta2"], "Behavior", kept)}


def _write_v1(hpa: Internal) -> Written:
    metrics = hpa.spec["metrics"]
    spec = _without_metrics(hpa.spec)
    percents = [percent for metric in metrics if (percent := _cpu_percent(metric)) is not None]
    if percents:
        spec["targetCPUUtilizationPercentage"] = percents[0]
    others = [old_metric(metric) for metric in metrics if _cpu_percent(metric) is None]
    annotations = {METRICS: _list_json("Metric", others)} if others else {}
    if hpa.spec.get("behavior") is not None:
        annotations[BEHAVIOR] = go_json(V2, "Behavior", hpa.spec["behavior"])
    if hpa.status is None:
        return spec, None, annotations
    if hpa.status["currentMetrics"]:
        statuses = [old_metric_status(item) for item in hpa.status["currentMetrics"]]
        annotations[STATUSES] = _list_json("MetricStatus", statuses)
    if hpa.status.get("conditions"):
        annotations[CONDITIONS] = _list_json("Condition", hpa.status["conditions"])
    return spec, _plain_status(hpa.status), annotations


def _write_extensions(hpa: Internal) -> Written:
    spec = _without_metrics(hpa.spec)
    spec["scaleRef"] = {**spec.pop("scaleTargetRef"), "subresource": "scale"}
    percent = next((percent for metric in hpa.spec["metrics"] if (percent := _cpu_percent(metric)) is not None), None)
    if percent is not None:
        spec["cpuUtilization"] = {"targetPercentage": percent}
    return spec, None if hpa.status is None else _plain_status(hpa.status), {}


def _without_metrics(spec: Json) -> Json:
    return {name: value for name, value in spec.items() if name not in ("metrics", "behavior")}


def _cpu_percent(metric: Json) -> int | None:
    """The utilization of a cpu metric; None for any other metric."""
    source = metric.get("resource") or {}
    if metric["type"] != "Resource" or source.get("name") != "cpu":
        return None
    percent: int | None = source["target"].get("averageUtilization")
    return percent


def _plain_status(status: Json) -> Json:
    """A status that can say a cpu utilization only: that of the last cpu metric."""
    shown = dict(status)
    for metric in status["currentMetrics"] or ():
        source = metric.get("resource") or {}
        percent = (source.get("current") or {}).get("averageUtilization")
        if metric["type"] == "Resource" and source.get("name") == "cpu" and percent is not None:
            shown["currentCPUUtilizationPercentage"] = percent
    return shown


def _list_json(shape: str, items: list[Json]) -> str:
    return json.dumps(
        [written(OLD, shape, item) for item in items], separators=(",", ":"), ensure_ascii=False
    ).translate(_HTML)


_HTML = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}

_WRITERS: Mapping[str, Callable[[Internal], Written]] = {
    EXTENSIONS: _write_extensions,
    V1: _write_v1,
    ALPHA: _write_alpha,
    BETA1: _write_beta1,
    "autoscaling/v2beta2": _write_new,
    "autoscaling/v2": _write_new,
}


def losses(hpa: Internal, version: str) -> Iterator[tuple[str, str]]:
    """What an HPA loses when it is stored in a version and read back: the kind of each loss, and its words."""
    back = to_internal(from_internal(hpa, version))
    was, now = hpa.spec, back.spec
    if was.get("behavior") is not None and now.get("behavior") is None:
        yield "behavior_lost_by_old_api", f"spec.behavior is lost: {version} has none, scaling is as without it"
    elif was.get("behavior") != now.get("behavior") and _has_tolerance(was["behavior"]):
        yield "behavior_lost_by_old_api", f"spec.behavior loses its tolerance: {version} has none"
    elif was.get("behavior") != now.get("behavior"):
        yield "behavior_filled_in", f"{version} fills in what spec.behavior does not say; the annotation left it out"
    yield from _metric_losses(was["metrics"], now["metrics"], version)
    if CUSTOM_METRICS in (hpa.metadata.get("annotations") or {}):
        yield (
            "annotation_not_followed",
            f"annotation {CUSTOM_METRICS} is followed by Kubernetes 1.2 to 1.5 only; newer ones want spec.metrics",
        )
    if hpa.status is not None:
        shown = back.status or {}
        if (hpa.status["currentMetrics"] or []) != (shown.get("currentMetrics") or []):
            yield "status_lost_by_old_api", f"status.currentMetrics is not whole in {version}"
        if (hpa.status.get("conditions") or []) != (shown.get("conditions") or []):
            yield "status_lost_by_old_api", f"status.conditions are lost: {version} has none"


def _has_tolerance(behavior: Json) -> bool:
    return any((rules or {}).get("tolerance") is not None for rules in behavior.values())


def _metric_losses(was: list[Json], now: list[Json], version: str) -> Iterator[tuple[str, str]]:
    left = list(now)
    missing = []
    for at, metric in enumerate(was):
        if metric in left:
            left.remove(metric)
        else:
            missing.append((at, metric))
    for at, metric in missing:
        altered = next((other for other in left if _named(other) == _named(metric)), None)
        words = f"is lost: {version} has no such metric"
        if altered is not None:
            left.remove(altered)
            words = f"is altered: {version} does not keep {', '.join(_differing(metric, altered))}"
        yield "metric_lost_by_old_api", f"spec.metrics[{at}], {_named(metric)}, {words}"
    if now != was and sorted(map(str, now)) == sorted(map(str, was)):
        yield (
            "metric_order_lost_by_old_api",
            f"the order of spec.metrics is lost: {version} puts the cpu utilization last; of equals the first wins",
        )
    if left:
        # Only where none is left: what a version fills in is a cpu utilization.
        yield (
            "metric_added_by_old_api",
            f"no metric is left: {version} then means a cpu utilization of {DEFAULT_CPU_PERCENT} %",
        )


def _differing(was: Any, now: Any, path: str = "") -> Iterator[str]:
    """The paths of the fields in which two metrics differ, such as `resource.target.type`."""
    if not isinstance(was, dict) or not isinstance(now, dict):
        yield path
        return
    for name in dict.fromkeys((*was, *now)):
        if was.get(name) != now.get(name):
            yield from _differing(was.get(name), now.get(name), f"{path}.{name}" if path else name)


def _named(metric: Json) -> str:
    kind = metric["type"]
    source = metric.get(kind[:1].lower() + kind[1:]) or {}
    name = source.get("name") or (source.get("metric") or {}).get("name") or ""
    return f"{kind} {name}".strip()
