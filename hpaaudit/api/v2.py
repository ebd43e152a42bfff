"""`autoscaling/v2` to the model, with the defaults that the API server fills in."""

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from hpaaudit.api import quantity, times
from hpaaudit.model.hpa import (
    Behavior,
    Condition,
    HpaSpec,
    HpaStatus,
    LabelSelector,
    MetricSpec,
    MetricStatus,
    MetricTarget,
    MetricType,
    ObjectRef,
    Requirement,
    ScalingPolicy,
    ScalingRules,
)
from hpaaudit.model.units import Quantity

DEFAULT_MIN_REPLICAS = 1
DEFAULT_CPU_UTILIZATION = 80

SOURCE_FIELD = {
    "Resource": "resource",
    "ContainerResource": "containerResource",
    "Pods": "pods",
    "Object": "object",
    "External": "external",
}
"""Where the source of a metric stands, by its type."""

_UP_POLICIES = (
    ScalingPolicy(type="Pods", value=4, period_seconds=15),
    ScalingPolicy(type="Percent", value=100, period_seconds=15),
)
_DOWN_POLICIES = (ScalingPolicy(type="Percent", value=100, period_seconds=15),)


@lru_cache(maxsize=4096)
def decode_spec(text: str) -> HpaSpec:
    """`spec` of `autoscaling/v2`, defaults filled in (idempotent on what the server already did)."""
    raw = json.loads(text)
    target = raw.get("scaleTargetRef") or {}
    minimum = raw.get("minReplicas")
    metrics = tuple(_metric_spec(item) for item in raw.get("metrics") or ())
    present = raw.get("behavior")
    return HpaSpec(
        target=_object_ref(target),
        min_replicas=DEFAULT_MIN_REPLICAS if minimum is None else minimum,
        max_replicas=raw.get("maxReplicas") or 0,
        metrics=metrics or (cpu_utilization(DEFAULT_CPU_UTILIZATION),),
        behavior=None if present is None else behavior(present),
    )


@lru_cache(maxsize=4096)
def decode_status(text: str) -> HpaStatus:
    """`status` of `autoscaling/v2`."""
    raw = json.loads(text)
    metrics = raw.get("currentMetrics")
    return HpaStatus(
        observed_generation=raw.get("observedGeneration"),
        last_scale_us=times.maybe_micros(raw.get("lastScaleTime")),
        current_replicas=raw.get("currentReplicas") or 0,
        desired_replicas=raw.get("desiredReplicas") or 0,
        current_metrics=None if metrics is None else tuple(metric_status(item) for item in metrics),
        conditions=conditions(raw.get("conditions") or ()),
    )


def conditions(raw: Iterable[Mapping[str, Any]]) -> tuple[Condition, ...]:
    """The conditions, in their order."""
    return tuple(
        Condition(
            type=item.get("type", ""),
            status=item.get("status", ""),
            reason=item.get("reason") or "",
            message=item.get("message") or "",
            last_transition_us=times.maybe_micros(item.get("lastTransitionTime")),
        )
        for item in raw
    )


def label_selector(raw: Mapping[str, Any] | None) -> LabelSelector | None:
    """A `metav1.LabelSelector`; null stays None, which means something else than an empty one."""
    if raw is None:
        return None
    return LabelSelector(
        match_labels=tuple(sorted((raw.get("matchLabels") or {}).items())),
        match_expressions=tuple(
            Requirement(
                key=item.get("key", ""), operator=item.get("operator", ""), values=tuple(item.get("values") or ())
            )
            for item in raw.get("matchExpressions") or ()
        ),
    )


def _object_ref(raw: Mapping[str, Any]) -> ObjectRef:
    return ObjectRef(kind=raw.get("kind", ""), name=raw.get("name", ""), api_version=raw.get("apiVersion") or "")


def _quantity(raw: Any) -> Quantity | None:
    return None if raw is None else quantity.parse_json(raw)


def _metric_spec(raw: Mapping[str, Any]) -> MetricSpec:
    kind = raw.get("type", "")
    source = raw.get(SOURCE_FIELD.get(kind, ""))
    body: Mapping[str, Any] = source or {}
    metric = body.get("metric") or {}
    described = body.get("describedObject")
    return MetricSpec(
        type=kind,
        name=metric.get("name") or body.get("name") or "",
        container=body.get("container") or "",
        selector=label_selector(metric.get("selector")),
        described=None if described is None else _object_ref(described),
        target=None if source is None else _metric_target(body.get("target") or {}),
    )


def _metric_target(raw: Mapping[str, Any]) -> MetricTarget:
    return MetricTarget(
        type=raw.get("type", ""),
        value=_quantity(raw.get("value")),
        average_value=_quantity(raw.get("averageValue")),
        average_utilization=raw.get("averageUtilization"),
    )


def cpu_utilization(percent: int) -> MetricSpec:
    """The one metric that every version knows: cpu, in percent of its request."""
    target = MetricTarget(type="Utilization", value=None, average_value=None, average_utilization=percent)
    return MetricSpec(type=MetricType.RESOURCE, name="cpu", container="", selector=None, described=None, target=target)


def behavior(raw: Mapping[str, Any]) -> Behavior:
    """Both directions are there as soon as `behavior` is, filled in field by field."""
    return Behavior(
        scale_up=_rules(raw.get("scaleUp") or {}, window=0, policies=_UP_POLICIES),
        # The window of scale-down is never filled in: the controller takes its flag.
        scale_down=_rules(raw.get("scaleDown") or {}, window=None, policies=_DOWN_POLICIES),
    )


def _rules(raw: Mapping[str, Any], *, window: int | None, policies: tuple[ScalingPolicy, ...]) -> ScalingRules:
    own = raw.get("policies")
    seconds = raw.get("stabilizationWindowSeconds")
    return ScalingRules(
        stabilization_window_seconds=window if seconds is None else seconds,
        select_policy=raw.get("selectPolicy") or "Max",
        policies=policies
        if own is None
        else tuple(
            ScalingPolicy(type=p.get("type", ""), value=p.get("value") or 0, period_seconds=p.get("periodSeconds") or 0)
            for p in own
        ),
        tolerance=_quantity(raw.get("tolerance")),
    )


def metric_status(raw: Mapping[str, Any]) -> MetricStatus:
    """An entry of `currentMetrics`."""
    kind = raw.get("type", "")
    body: Mapping[str, Any] = raw.get(SOURCE_FIELD.get(kind, "")) or {}
    metric = body.get("metric") or {}
    current = body.get("current") or {}
    described = body.get("describedObject")
    return MetricStatus(
        type=kind,
        name=metric.get("name") or body.get("name") or "",
        container=body.get("container") or "",
        selector=label_selector(metric.get("selector")),
        described=None if described is None else _object_ref(described),
        value=_quantity(current.get("value")),
        average_value=_quantity(current.get("averageValue")),
        average_utilization=current.get("averageUtilization"),
    )
