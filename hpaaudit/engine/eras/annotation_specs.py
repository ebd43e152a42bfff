"""The metrics of 1.1 to 1.5 as entries of a spec: CPU, and the custom metrics that an annotation asks for."""

from dataclasses import replace
from typing import NamedTuple

from hpaaudit.api.metric_labels import metric_labels
from hpaaudit.api.quantity import from_milli
from hpaaudit.api.v2 import DEFAULT_CPU_UTILIZATION, cpu_utilization
from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.controller.metric_target import (
    BAD_ANNOTATION,
    CPU_OF_REQUESTS,
    CUSTOM_AVERAGE,
    EMPTY_ANNOTATION,
)
from hpaaudit.engine.controller.metrics_client import Problem
from hpaaudit.engine.eras.custom_metrics import CustomTarget, targets_of
from hpaaudit.model.hpa import Hpa, MetricSpec, MetricTarget, MetricType

_NOTHING = MetricSpec(type="", name="", container="", selector=None, described=None, target=None)
"""In place of an annotation that asks for no metric: the reconcile ends there."""


class AskedMetric(NamedTuple):
    """A metric, how it is computed, a constant of `controller.metric_target`, and its target in percent or milli."""

    metric: MetricSpec
    how: int
    target: int


def asks_by_annotation(behaviours: Behaviours) -> bool:
    """True for 1.1 to 1.5, which know CPU and, except for 1.1, the metrics of an annotation."""
    return behaviours.polls or behaviours.metrics_annotation


def with_asked_metrics(hpa: Hpa, behaviours: Behaviours) -> Hpa:
    """The HPA with what these releases ask for as the metrics of its spec."""
    metrics = tuple(asked.metric for asked in asked_metrics(hpa, behaviours))
    return replace(hpa, spec=replace(hpa.spec, metrics=metrics))


def labels_of(hpa: Hpa, behaviours: Behaviours) -> tuple[str, ...]:
    """What people call each metric that the controller asks for, in the order of the proposals."""
    asked = with_asked_metrics(hpa, behaviours) if asks_by_annotation(behaviours) else hpa
    return metric_labels(asked.spec.metrics)


def asked_metrics(hpa: Hpa, behaviours: Behaviours) -> list[AskedMetric]:
    """The metrics in the order in which they are computed; as `eras.annotation_metrics`."""
    annotation = None if behaviours.polls else hpa.custom_metrics
    asked = []
    if hpa.cpu_target is not None or annotation is None or behaviours.cpu_always_asked:
        percent = DEFAULT_CPU_UTILIZATION if hpa.cpu_target is None else hpa.cpu_target
        asked.append(AskedMetric(cpu_utilization(percent), CPU_OF_REQUESTS, percent))
    targets = targets_of(annotation or "")
    if isinstance(targets, Problem):
        return [*asked, AskedMetric(_NOTHING, BAD_ANNOTATION, 0)]
    if annotation and not targets:
        return [*asked, AskedMetric(_NOTHING, EMPTY_ANNOTATION, 0)]
    return [*asked, *(AskedMetric(_custom(target), CUSTOM_AVERAGE, target.milli) for target in targets)]


def _custom(target: CustomTarget) -> MetricSpec:
    """A custom metric as a metric of pods."""
    average = MetricTarget(
        type="AverageValue", value=None, average_value=from_milli(target.milli), average_utilization=None
    )
    return replace(_NOTHING, type=MetricType.PODS, name=target.name, target=average)
