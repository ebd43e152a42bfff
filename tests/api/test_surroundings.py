"""Quotas, limits, VPAs, nodes, admission: only the fields that can limit or change an HPA's pods become facts."""

import json
from typing import Any

import pytest

from hpaaudit.api.surroundings import ADMISSION, KINDS, Kind, surrounding_seen
from hpaaudit.model.units import Micros

SCALES = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["UPDATE"], "resources": ["*/scale"]}
SECRETS = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["secrets"]}
SERVICE = {"service": {"namespace": "mesh", "name": "injector", "path": "/x"}, "caBundle": "hunter2"}


def state(kind: Kind, raw: dict[str, Any]) -> dict[str, Any]:
    """What is kept of an object."""
    fact = surrounding_seen(Micros(0), kind, {"metadata": {"name": "one", "annotations": {"a": "hunter2"}}, **raw})
    assert "hunter2" not in fact.state_json
    by_name: dict[str, Any] = json.loads(fact.state_json)
    return by_name


@pytest.mark.parametrize(
    ("kind", "raw", "state_json"),
    [
        (
            ("", "resourcequotas"),
            {"spec": {"hard": {"pods": "9"}}, "status": {"hard": {"pods": "10"}, "used": {"pods": "9"}}},
            {"hard": {"pods": "10"}, "used": {"pods": "9"}},
        ),
        (
            ("", "resourcequotas"),
            {"spec": {"hard": {"pods": "9"}, "scopes": ["BestEffort"]}},
            {"hard": {"pods": "9"}, "scopes": ["BestEffort"]},
        ),
        (("", "limitranges"), {"spec": {"limits": [{"type": "Container"}]}}, {"limits": [{"type": "Container"}]}),
        (
            ("autoscaling.k8s.io", "verticalpodautoscalers"),
            {
                "spec": {"targetRef": {"kind": "Deployment", "name": "web"}, "updatePolicy": {"updateMode": "Auto"}},
                "status": {"recommendation": {"containerRecommendations": [
                    {"containerName": "app", "target": {"cpu": "250m"}, "upperBound": {"cpu": "1"}}]}},
            },
            {
                "targetRef": {"kind": "Deployment", "name": "web"},
                "updateMode": "Auto",
                "recommended": {"app": {"cpu": "250m"}},
            },
        ),
        (
            ("", "nodes"),
            {
                "spec": {"unschedulable": True, "taints": [{"key": "gone", "effect": "NoSchedule", "timeAdded": "…"}]},
                "status": {
                    "conditions": [{"type": "Ready", "status": "Unknown", "lastHeartbeatTime": "…"}],
                    "allocatable": {"cpu": "4", "memory": "16Gi", "pods": "110", "ephemeral-storage": "1"},
                },
            },
            {
                "ready": "Unknown",
                "unschedulable": True,
                "taints": [{"key": "gone", "effect": "NoSchedule"}],
                "allocatable": {"cpu": "4", "memory": "16Gi", "pods": "110"},
            },
        ),
        (
            (ADMISSION, "mutatingwebhookconfigurations"),
            {"webhooks": [
                {"name": "scales", "failurePolicy": "Fail", "rules": [SCALES], "clientConfig": SERVICE},
                {"name": "secrets", "rules": [SECRETS], "clientConfig": {"url": "https://hunter2"}},
            ]},
            {"webhooks": [{"name": "scales", "failurePolicy": "Fail", "timeoutSeconds": None, "rules": [SCALES],
                           "service": "mesh/injector"}]},
        ),
        ((ADMISSION, "validatingwebhookconfigurations"), {"webhooks": [{"name": "s", "rules": [SECRETS]}]}, {}),
        (
            (ADMISSION, "validatingadmissionpolicies"),
            {"spec": {"failurePolicy": "Fail", "matchConstraints": {"resourceRules": [SCALES, SECRETS]}}},
            {"failurePolicy": "Fail", "rules": [SCALES]},
        ),
        ((ADMISSION, "mutatingadmissionpolicies"), {"spec": {"matchConstraints": {"resourceRules": [SECRETS]}}}, {}),
    ],
)  # fmt: skip
def test_only_what_holds_pods_back_is_kept(kind: Kind, raw: dict[str, Any], state_json: dict[str, Any]) -> None:
    assert state(kind, raw) == state_json


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind[1])
def test_an_object_that_says_nothing_has_no_state(kind: Kind) -> None:
    assert state(kind, {}) == {}


@pytest.mark.parametrize(
    ("resource", "touches"),
    [
        ("pods", True), ("*", True), ("*/*", True), ("pods/*", True), ("*/scale", True), ("deployments/scale", True),
        ("rollouts/scale", True), ("replicasets", True), ("pods/exec", False), ("deployments/status", False),
        ("secrets", False), ("rollouts", False),
    ],
)  # fmt: skip
def test_a_rule_of_admission_counts_where_it_sees_a_pod_a_workload_or_a_scale(resource: str, touches: bool) -> None:
    rule = {**SCALES, "resources": ["secrets", resource]}
    policy = state(
        (ADMISSION, "validatingadmissionpolicies"), {"spec": {"matchConstraints": {"resourceRules": [rule]}}}
    )
    assert bool(policy) is touches
