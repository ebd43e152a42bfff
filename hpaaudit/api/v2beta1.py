"""`autoscaling/v2beta1`: metrics in their old shape, and the behavior in an annotation."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from hpaaudit.api import quantity, v2
from hpaaudit.api.canonical import levels
from hpaaudit.api.type_check import JSON_LEVELS
from hpaaudit.model.hpa import Behavior, HpaSpec, HpaStatus, MetricSpec, MetricStatus, MetricTarget, ObjectRef
from hpaaudit.model.units import Quantity

PREFIX = "autoscaling.alpha.kubernetes.io/"
_NOTHING: Mapping[str, Any] = {}


@lru_cache(maxsize=4096)
def decode_spec(spec_json: str, annotations_json: str) -> HpaSpec:
    """`spec`, defaults filled in."""
    metrics = tuple(metric_spec(item) for item in json.loads(spec_json).get("metrics") or ())
    return replace(
        v2.decode_spec(spec_json),
        metrics=metrics or (v2.cpu_utilization(v2.DEFAULT_CPU_UTILIZATION),),
        behavior=kept_behavior(annotations_json),
    )


@lru_cache(maxsize=4096)
def decode_status(status_json: str) -> HpaStatus:
    """`status`. Its conditions are as in v2."""
    shown = json.loads(status_json).get("currentMetrics")
    metrics = None if shown is None else tuple(metric_status(item) for item in shown)
    return replace(v2.decode_status(status_json), current_metrics=metrics)


def kept_behavior(annotations_json: str) -> Behavior | None:
    """The behavior of an annotation, which has Go's own field names; None without one."""
    behavior_json = annotation(annotations_json, "behavior")
    return v2.behavior(_plain_names(behavior_json)) if behavior_json else None


def annotation(annotations_json: str, name: str) -> Any:
    """The JSON of an annotation; one that is not JSON counts as absent (since 1.15.12, 1.16.9, 1.17.5, 1.18)."""
    text = json.loads(annotations_json).get(PREFIX + name)
    if text is None:
        return None
    try:
        return json.loads(text) if levels(text) <= JSON_LEVELS else None
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


def metric_spec(raw: Mapping[str, Any]) -> MetricSpec:
    """A metric in the old shape."""
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


def metric_status(raw: Mapping[str, Any]) -> MetricStatus:
    """A metric of a status in the old shape."""
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
