"""The API server's defaults: they fill in what a spec leaves out, and applying them twice changes nothing more."""

import json
from typing import Any

import pytest

from hpaaudit.api.decode import decode_hpa
from hpaaudit.model.facts import HpaSeen
from hpaaudit.model.hpa import HpaSpec, ScalingPolicy, ScalingRules
from hpaaudit.model.units import Micros

TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
CPU_80 = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}
CPU_50 = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}
UP = {
    "stabilizationWindowSeconds": 0,
    "selectPolicy": "Max",
    "policies": [
        {"type": "Pods", "value": 4, "periodSeconds": 15},
        {"type": "Percent", "value": 100, "periodSeconds": 15},
    ],
}
DOWN = {"selectPolicy": "Max", "policies": [{"type": "Percent", "value": 100, "periodSeconds": 15}]}
SLOW = [{"type": "Pods", "value": 1, "periodSeconds": 60}]


def spec_of(**written: Any) -> HpaSpec:
    """Decode a spec of `autoscaling/v2`."""
    fact = HpaSeen(
        at_us=Micros(0), namespace="shop", name="web", uid="", api_version="autoscaling/v2", resource_version="",
        generation=1, created_us=None, spec_json=json.dumps({"scaleTargetRef": TARGET, "maxReplicas": 5} | written),
        status_json="{}",
    )  # fmt: skip
    return decode_hpa(fact).spec


CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    # name, as written, as served
    ("nothing: one replica, cpu at 80 %", {}, {"minReplicas": 1, "metrics": [CPU_80]}),
    ("null is nothing", {"minReplicas": None, "metrics": None, "behavior": None},
        {"minReplicas": 1, "metrics": [CPU_80]}),
    ("an empty list of metrics", {"metrics": []}, {"minReplicas": 1, "metrics": [CPU_80]}),
    ("zero stays zero", {"minReplicas": 0}, {"minReplicas": 0, "metrics": [CPU_80]}),
    ("metrics stay", {"metrics": [CPU_50]}, {"minReplicas": 1, "metrics": [CPU_50]}),
    ("an empty behavior: both directions", {"behavior": {}}, {"behavior": {"scaleUp": UP, "scaleDown": DOWN}}),
    ("empty directions likewise", {"behavior": {"scaleUp": {}, "scaleDown": None}},
        {"behavior": {"scaleUp": UP, "scaleDown": DOWN}}),
    ("a window replaces only itself", {"behavior": {"scaleDown": {"stabilizationWindowSeconds": 60}}},
        {"behavior": {"scaleUp": UP, "scaleDown": DOWN | {"stabilizationWindowSeconds": 60}}}),
    ("a window of zero is one", {"behavior": {"scaleDown": {"stabilizationWindowSeconds": 0}}},
        {"behavior": {"scaleUp": UP, "scaleDown": DOWN | {"stabilizationWindowSeconds": 0}}}),
    ("a select policy replaces only itself", {"behavior": {"scaleUp": {"selectPolicy": "Disabled"}}},
        {"behavior": {"scaleUp": UP | {"selectPolicy": "Disabled"}, "scaleDown": DOWN}}),
    ("policies replace only themselves", {"behavior": {"scaleUp": {"policies": SLOW}}},
        {"behavior": {"scaleUp": UP | {"policies": SLOW}, "scaleDown": DOWN}}),
    ("a tolerance is copied and never filled in", {"behavior": {"scaleUp": {"tolerance": "50m"}}},
        {"behavior": {"scaleUp": UP | {"tolerance": "50m"}, "scaleDown": DOWN}}),
    ("a target keeps fields that contradict it", {"metrics": [
        {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Value", "averageUtilization": 50}}}]},
        {"metrics": [
        {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Value", "averageUtilization": 50}}}]}),
]  # fmt: skip


@pytest.mark.parametrize(("written", "served"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_a_spec_as_written_equals_it_as_served(written: dict[str, Any], served: dict[str, Any]) -> None:
    assert spec_of(**written) == spec_of(**served)


def test_without_a_behavior_there_is_none() -> None:
    assert spec_of().behavior is None


def test_an_empty_behavior_has_two_directions_and_no_window_downward() -> None:
    behavior = spec_of(behavior={}).behavior
    assert behavior is not None
    assert behavior.scale_up == ScalingRules(
        stabilization_window_seconds=0,
        select_policy="Max",
        policies=(
            ScalingPolicy(type="Pods", value=4, period_seconds=15),
            ScalingPolicy(type="Percent", value=100, period_seconds=15),
        ),
        tolerance=None,
    )
    assert behavior.scale_down == ScalingRules(
        stabilization_window_seconds=None,
        select_policy="Max",
        policies=(ScalingPolicy(type="Percent", value=100, period_seconds=15),),
        tolerance=None,
    )


def test_an_empty_list_of_policies_is_kept() -> None:
    behavior = spec_of(behavior={"scaleUp": {"policies": []}}).behavior
    assert behavior is not None
    assert behavior.scale_up.policies == ()


def test_a_metric_without_its_source_has_no_target() -> None:
    (metric,) = spec_of(metrics=[{"type": "Pods", "resource": {"name": "cpu"}}]).metrics
    assert (metric.type, metric.name, metric.target) == ("Pods", "", None)


def test_an_object_may_have_both_targets() -> None:
    source = {
        "describedObject": {"kind": "Service", "name": "s"},
        "metric": {"name": "rps"},
        "target": {"type": "Value", "value": "2k", "averageValue": "100"},
    }
    target = spec_of(metrics=[{"type": "Object", "object": source}]).metrics[0].target
    assert target is not None
    assert target.value is not None
    assert target.average_value is not None
    assert (target.type, target.value.milli, target.average_value.milli) == ("Value", 2_000_000, 100_000)


def test_null_and_empty_selectors_are_two_things() -> None:
    external = {"metric": {"name": "q"}, "target": {"type": "Value", "value": "1"}}
    without = spec_of(metrics=[{"type": "External", "external": external}]).metrics[0]
    selected = {**external, "metric": {"name": "q", "selector": {}}}
    empty = spec_of(metrics=[{"type": "External", "external": selected}]).metrics[0]
    assert without.selector is None
    assert empty.selector is not None
