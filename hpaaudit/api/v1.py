"""`autoscaling/v1`, as the controllers up to 1.22 read it: what it cannot say stands in annotations.

The annotations hold the metrics in the shape of `v2beta1`, and the behavior with Go's own field names.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from hpaaudit.api import quantity, v2
from hpaaudit.model.hpa import HpaSpec, HpaStatus, MetricSpec, MetricStatus, MetricTarget, MetricType, ObjectRef
from hpaaudit.model.units import Quantity

PREFIX = "autoscaling.alpha.kubernetes.io/"
_NOTHING: Mapping[str, Any] = {}


@lru_cache(maxsize=4096)
def decode_spec(spec_json: str, annotations_json: str) -> HpaSpec:
    """`spec`: the annotation's metrics first, then the cpu utilization that v1 itself can say."""
    raw = json.loads(spec_json)
    metrics = [_metric_spec(item) for item in _annotation(annotations_json, "metrics") or ()]
    percent = raw.get("targetCPUUtilizationPercentage")
    if percent is not None:
        metrics.append(v2.cpu_utilization(percent))
    behavior = _annotation(annotations_json, "behavior")
    return replace(
        v2.decode_spec(spec_json),
        metrics=tuple(metrics) or (v2.cpu_utilization(v2.DEFAULT_CPU_UTILIZATION),),
        behavior=v2.behavior(_plain_names(behavior)) if behavior else None,
    )


@lru_cache(maxsize=4096)
def decode_status(status_json: str, annotations_json: str) -> HpaStatus:
    """`status`, with the annotation's metrics and conditions."""
    raw = json.loads(status_json)
    shown = _annotation(annotations_json, "current-metrics")
    metrics: tuple[MetricStatus, ...] | None = None
    if shown is not None:
        metrics = tuple(_metric_status(item) for item in shown)
    elif raw.get("currentCPUUtilizationPercentage") is not None:
        metrics = (replace(_EMPTY, type=MetricType.RESOURCE, name="cpu",
                           average_utilization=raw["currentCPUUtilizationPercentage"]),)  # fmt: skip
    return replace(
        v2.decode_status(status_json),
        current_metrics=metrics,
        conditions=v2.conditions(_annotation(annotations_json, "conditions") or ()),
    )


def through_v1(status: HpaStatus) -> HpaStatus:
    """A status as it is read back from v1: Object and External always have a value, zero where none was set."""
    if status.current_metrics is None:
        return status
    return replace(status, current_metrics=tuple(_valued(metric) for metric in status.current_metrics))


def _valued(metric: MetricStatus) -> MetricStatus:
    if metric.type in (MetricType.OBJECT, MetricType.EXTERNAL) and metric.value is None:
        return replace(metric, value=quantity.parse("0"))
    return metric


_EMPTY = MetricStatus(
    type="",
    name="",
    container="",
    selector=None,
    described=None,
    value=None,
    average_value=None,
    average_utilization=None,
)


def _annotation(annotations_json: str, name: str) -> Any:
    """The JSON of an annotation; one that is not JSON counts as absent (since 1.15.12, 1.16.9, 1.17.5, 1.18)."""
    text = json.loads(annotations_json).get(PREFIX + name)
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def _plain_names(value: Any) -> Any:
    """Go's field names as those of the API: `ScaleUp` is `scaleUp`."""
    if isinstance(value, dict):
        return {key[:1].lower() + key[1:]: _plain_names(item) for key, item in value.items()}
    return [_plain_names(item) for item in value] if isinstance(value, list) else value


def _source(raw: Mapping[str, Any]) -> tuple[str, Mapping[str, Any] | None]:
    kind = raw.get("type", "")
    return kind, raw.get(kind[:1].lower() + kind[1:])


def _reference(raw: Mapping[str, Any] | None) -> ObjectRef | None:
    if raw is None:
        return None
    return ObjectRef(kind=raw.get("kind", ""), name=raw.get("name", ""), api_version=raw.get("apiVersion") or "")


def _quantity(raw: Any) -> Quantity | None:
    return None if raw is None else quantity.parse_json(raw)


def _metric_spec(raw: Mapping[str, Any]) -> MetricSpec:
    kind, source = _source(raw)
    body = source or _NOTHING
    value, average = _quantity(body.get("targetValue")), _quantity(body.get("targetAverageValue"))
    percent = body.get("targetAverageUtilization")
    match kind:
        case "Resource" | "ContainerResource":
            type_ = "AverageValue" if percent is None else "Utilization"
        case "Object":
            average = _quantity(body.get("averageValue"))
            type_ = "Value" if average is None else "AverageValue"
        case "External":
            type_ = "AverageValue" if value is None else "Value"
        case _:
            type_ = "AverageValue"
    target = MetricTarget(type=type_, value=value, average_value=average, average_utilization=percent)
    return MetricSpec(
        type=kind,
        name=body.get("metricName") or body.get("name") or "",
        container=body.get("container") or "",
        selector=v2.label_selector(body.get("metricSelector" if kind == "External" else "selector")),
        described=_reference(body.get("target")),
        target=None if source is None else target,
    )


def _metric_status(raw: Mapping[str, Any]) -> MetricStatus:
    kind, source = _source(raw)
    body = source or _NOTHING
    average = body.get("averageValue" if kind == "Object" else "currentAverageValue")
    return MetricStatus(
        type=kind,
        name=body.get("metricName") or body.get("name") or "",
        container=body.get("container") or "",
        selector=v2.label_selector(body.get("metricSelector" if kind == "External" else "selector")),
        described=_reference(body.get("target")),
        value=_quantity(body.get("currentValue")),
        average_value=_quantity(average),
        average_utilization=body.get("currentAverageUtilization"),
    )
