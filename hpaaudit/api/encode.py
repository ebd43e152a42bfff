"""Encodes a status as JSON, exactly as the API server shows it."""

import json
from typing import Any

from hpaaudit.api import times
from hpaaudit.model.hpa import Condition, HpaStatus, LabelSelector, MetricStatus, ObjectRef
from hpaaudit.model.units import Micros

OLD_SHAPED = ("autoscaling/v2beta1", "autoscaling/v2alpha1")
"""Versions whose metrics have the shape that came before v2beta2."""


PLAIN = ("autoscaling/v1", "extensions/v1beta1")
"""Versions whose status can say a cpu utilization only."""


def status_json(status: HpaStatus, version: str = "autoscaling/v2") -> str:
    """A `status` in upstream's order of fields, empty ones left out as that version does."""
    return json.dumps(status_object(status, version), separators=(",", ":"), ensure_ascii=False)


def status_object(status: HpaStatus, version: str = "autoscaling/v2") -> dict[str, Any]:
    """The same as a JSON object."""
    shown: dict[str, Any] = {}
    if status.observed_generation is not None:
        shown["observedGeneration"] = status.observed_generation
    if status.last_scale_us is not None:
        shown["lastScaleTime"] = times.whole_seconds(status.last_scale_us)
    if status.current_replicas or version != "autoscaling/v2":
        shown["currentReplicas"] = status.current_replicas
    shown["desiredReplicas"] = status.desired_replicas
    metrics = status.current_metrics
    if version in PLAIN:
        percent = metrics[0].average_utilization if metrics else None
        return shown if percent is None else {**shown, "currentCPUUtilizationPercentage": percent}
    encoded = _old_metric if version in OLD_SHAPED else _metric
    shown["currentMetrics"] = None if metrics is None else [encoded(item) for item in metrics]
    if metrics is None and version == "autoscaling/v2alpha1":
        shown["currentMetrics"] = []
    if status.conditions:
        shown["conditions"] = [_condition(item) for item in status.conditions]
    return shown


def _condition(condition: Condition) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "type": condition.type,
        "status": condition.status,
        "lastTransitionTime": _time(condition.last_transition_us),
    }
    if condition.reason:
        shown["reason"] = condition.reason
    if condition.message:
        shown["message"] = condition.message
    return shown


def _time(at_us: Micros | None) -> str | None:
    return None if at_us is None else times.whole_seconds(at_us)


def _metric(metric: MetricStatus) -> dict[str, Any]:
    current = _current(metric)
    match metric.type:
        case "Resource":
            return {"type": metric.type, "resource": {"name": metric.name, "current": current}}
        case "ContainerResource":
            source = {"name": metric.name, "current": current, "container": metric.container}
            return {"type": metric.type, "containerResource": source}
        case "Pods":
            return {"type": metric.type, "pods": {"metric": _identifier(metric), "current": current}}
        case "Object":
            described = {} if metric.described is None else _reference(metric.described)
            source = {"metric": _identifier(metric), "current": current, "describedObject": described}
            return {"type": metric.type, "object": source}
        case "External":
            return {"type": metric.type, "external": {"metric": _identifier(metric), "current": current}}
    return {"type": metric.type}


def _old_metric(metric: MetricStatus) -> dict[str, Any]:
    """The same in the shape of v2beta1. A field that is not a pointer in Go is always shown, as zero if it is unset."""
    average = "0" if metric.average_value is None else metric.average_value.text
    value = "0" if metric.value is None else metric.value.text
    match metric.type:
        case "Resource":
            shown: dict[str, Any] = {"name": metric.name}
            if metric.average_utilization is not None:
                shown["currentAverageUtilization"] = metric.average_utilization
            return {"type": metric.type, "resource": {**shown, "currentAverageValue": average}}
        case "Pods":
            return {"type": metric.type, "pods": {"metricName": metric.name, "currentAverageValue": average}}
        case "Object":
            target = {} if metric.described is None else _reference(metric.described)
            return {
                "type": metric.type,
                "object": {"target": target, "metricName": metric.name, "currentValue": value},
            }
        case "External":
            external: dict[str, Any] = {"metricName": metric.name}
            if metric.selector is not None:
                external["metricSelector"] = _selector(metric.selector)
            external["currentValue"] = value
            if metric.average_value is not None:
                external["currentAverageValue"] = average
            return {"type": metric.type, "external": external}
    return {"type": metric.type}


def _current(metric: MetricStatus) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for field, value in (("value", metric.value), ("averageValue", metric.average_value)):
        if value is not None:
            shown[field] = value.text
    if metric.average_utilization is not None:
        shown["averageUtilization"] = metric.average_utilization
    return shown


def _identifier(metric: MetricStatus) -> dict[str, Any]:
    shown: dict[str, Any] = {"name": metric.name}
    if metric.selector is not None:
        shown["selector"] = _selector(metric.selector)
    return shown


def _selector(selector: LabelSelector) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    if selector.match_labels:
        shown["matchLabels"] = dict(selector.match_labels)
    if selector.match_expressions:
        shown["matchExpressions"] = [
            {"key": e.key, "operator": e.operator} | ({"values": list(e.values)} if e.values else {})
            for e in selector.match_expressions
        ]
    return shown


def _reference(described: ObjectRef) -> dict[str, Any]:
    shown = {"kind": described.kind, "name": described.name}
    if described.api_version:
        shown["apiVersion"] = described.api_version
    return shown
