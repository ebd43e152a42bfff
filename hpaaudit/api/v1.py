"""Decodes `autoscaling/v1`, which the controllers up to 1.22 read. Fields that it lacks are in annotations.

The annotations hold the metrics in the shape of `v2beta1`, and the behavior as `v2beta1` keeps it.
"""

import json
from dataclasses import replace
from functools import lru_cache

from hpaaudit.api import quantity, v2
from hpaaudit.api.v2beta1 import annotation, kept_behavior, metric_spec, metric_status
from hpaaudit.model.hpa import HpaSpec, HpaStatus, MetricStatus, MetricType

STATUS_ANNOTATION = "alpha/status.custom-metrics.podautoscaler.kubernetes.io"
"""Where the controllers of 1.2 to 1.5 published custom metrics."""


@lru_cache(maxsize=4096)
def decode_spec(spec_json: str, annotations_json: str) -> HpaSpec:
    """`spec`: the annotation's metrics first, then the cpu utilization, the only metric with a field in v1."""
    raw = json.loads(spec_json)
    metrics = [metric_spec(item) for item in annotation(annotations_json, "metrics") or ()]
    percent = raw.get("targetCPUUtilizationPercentage")
    if percent is not None:
        metrics.append(v2.cpu_utilization(percent))
    return replace(
        v2.decode_spec(spec_json),
        metrics=tuple(metrics) or (v2.cpu_utilization(v2.DEFAULT_CPU_UTILIZATION),),
        behavior=kept_behavior(annotations_json),
    )


@lru_cache(maxsize=4096)
def decode_status(status_json: str, annotations_json: str) -> HpaStatus:
    """`status`, with the annotation's metrics and conditions."""
    raw = json.loads(status_json)
    shown = annotation(annotations_json, "current-metrics")
    metrics: tuple[MetricStatus, ...] | None = None
    if shown is not None:
        metrics = tuple(metric_status(item) for item in shown)
    elif raw.get("currentCPUUtilizationPercentage") is not None:
        metrics = (cpu_status(raw["currentCPUUtilizationPercentage"]),)
    return replace(
        v2.decode_status(status_json),
        current_metrics=metrics,
        conditions=v2.conditions(annotation(annotations_json, "conditions") or ()),
        custom_metrics=json.loads(annotations_json).get(STATUS_ANNOTATION) or "",
    )


def cpu_status(percent: int) -> MetricStatus:
    """The cpu utilization, the only metric with a field in the status of v1."""
    return replace(_EMPTY, type=MetricType.RESOURCE, name="cpu", average_utilization=percent)


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
