"""HPAs as old API servers serve them: v2beta2 in the shape of v2, v2beta1 in its own."""

import json
from typing import Any

import pytest

from hpaaudit.api.decode import decode_hpa
from hpaaudit.model.facts import HpaSeen
from hpaaudit.model.hpa import HpaSpec, HpaStatus
from hpaaudit.model.units import Micros

TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
QUEUE = {"matchLabels": {"queue": "a"}}
INGRESS = {"kind": "Ingress", "name": "i", "apiVersion": "networking.k8s.io/v1"}


def decoded(version: str, spec: Any, status: Any = None, annotations: Any = None) -> tuple[HpaSpec, HpaStatus]:
    """An HPA of this version."""
    fact = HpaSeen(
        at_us=Micros(0), namespace="shop", name="web", uid="", api_version=f"autoscaling/{version}",
        resource_version="", generation=1, created_us=None,
        spec_json=json.dumps({"scaleTargetRef": TARGET, "maxReplicas": 5, **spec}),
        status_json=json.dumps(status or {}), annotations_json=json.dumps(annotations or {}),
    )  # fmt: skip
    hpa = decode_hpa(fact)
    return hpa.spec, hpa.status


CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "resource, utilization before value",
        {"type": "Resource", "resource": {"name": "cpu", "targetAverageUtilization": 30, "targetAverageValue": "1"}},
        {"type": "Resource", "resource": {"name": "cpu", "target": {
            "type": "Utilization", "averageUtilization": 30, "averageValue": "1"}}},
    ),
    (
        "pods",
        {"type": "Pods", "pods": {"metricName": "rps", "selector": QUEUE, "targetAverageValue": "10"}},
        {"type": "Pods", "pods": {"metric": {"name": "rps", "selector": QUEUE}, "target": {
            "type": "AverageValue", "averageValue": "10"}}},
    ),
    (
        "object, by value",
        {"type": "Object", "object": {"target": INGRESS, "metricName": "rps", "targetValue": "100"}},
        {"type": "Object", "object": {"describedObject": INGRESS, "metric": {"name": "rps"}, "target": {
            "type": "Value", "value": "100"}}},
    ),
    (
        "object, by average",
        {"type": "Object", "object": {"target": INGRESS, "metricName": "rps", "targetValue": "0", "averageValue": "5"}},
        {"type": "Object", "object": {"describedObject": INGRESS, "metric": {"name": "rps"}, "target": {
            "type": "AverageValue", "averageValue": "5", "value": "0"}}},
    ),
    (
        "external, by average",
        {"type": "External", "external": {"metricName": "q", "metricSelector": QUEUE, "targetAverageValue": "30"}},
        {"type": "External", "external": {"metric": {"name": "q", "selector": QUEUE}, "target": {
            "type": "AverageValue", "averageValue": "30"}}},
    ),
    (
        "external, value wins",
        {"type": "External", "external": {"metricName": "q", "targetValue": "30", "targetAverageValue": "3"}},
        {"type": "External", "external": {"metric": {"name": "q"}, "target": {
            "type": "Value", "value": "30", "averageValue": "3"}}},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_metric_of_v2beta1_means_what_v2_says(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert decoded("v2beta1", {"metrics": [old]}) == decoded("v2", {"metrics": [new]})


def test_v2beta1_without_metrics_is_cpu_at_80_percent() -> None:
    assert decoded("v2beta1", {}) == decoded("v2", {})


def test_v2beta1_keeps_its_behavior_in_an_annotation() -> None:
    annotation = json.dumps({"ScaleDown": {"StabilizationWindowSeconds": 60}})
    annotations = {"autoscaling.alpha.kubernetes.io/behavior": annotation}
    behavior = {"scaleDown": {"stabilizationWindowSeconds": 60}}
    assert decoded("v2beta1", {}, annotations=annotations) == decoded("v2", {"behavior": behavior})


def test_the_status_of_v2beta1_means_what_v2_says() -> None:
    conditions = [{"type": "AbleToScale", "status": "True", "reason": "ReadyForNewScale", "message": "ready"}]
    both = {"currentReplicas": 2, "desiredReplicas": 3, "conditions": conditions}
    old = {"name": "cpu", "currentAverageUtilization": 70, "currentAverageValue": "70m"}
    new = {"name": "cpu", "current": {"averageUtilization": 70, "averageValue": "70m"}}
    before = decoded("v2beta1", {}, {**both, "currentMetrics": [{"type": "Resource", "resource": old}]})
    assert before == decoded("v2", {}, {**both, "currentMetrics": [{"type": "Resource", "resource": new}]})


def test_v2beta2_has_the_shape_of_v2() -> None:
    spec = {"metrics": [CASES[1][2]], "behavior": {"scaleUp": {"selectPolicy": "Disabled"}}}
    assert decoded("v2beta2", spec) == decoded("v2", spec)
