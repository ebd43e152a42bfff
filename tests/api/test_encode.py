"""A status to JSON and back: exactly as the API server shows it."""

import json
from typing import Any

import pytest

from hpaaudit.api.decode import decode_hpa
from hpaaudit.api.encode import status_json
from hpaaudit.engine.controller.status import same_status
from hpaaudit.model.facts import HpaSeen
from hpaaudit.model.hpa import HpaStatus
from hpaaudit.model.units import Micros
from tests.engine.scenes import (
    BLANK,
    SCALE_TO_ZERO,
    Loop,
    container,
    cpu,
    decide,
    external,
    memory,
    of_object,
    per_pod,
    pods,
)

QUEUE = {"matchLabels": {"queue": "a"}, "matchExpressions": [{"key": "zone", "operator": "Exists"}]}


def status_of(shown: str) -> HpaStatus:
    """Decode a status of `autoscaling/v2`."""
    fact = HpaSeen(
        at_us=Micros(0), namespace="shop", name="web", uid="", api_version="autoscaling/v2", resource_version="",
        generation=1, created_us=None, spec_json="{}", status_json=shown,
    )  # fmt: skip
    return decode_hpa(fact).status


SHOWN: list[tuple[str, dict[str, Any]]] = [
    ("nothing yet", {"desiredReplicas": 0, "currentMetrics": None}),
    ("no metrics", {"currentReplicas": 3, "desiredReplicas": 3, "currentMetrics": []}),
    ("a generation", {"observedGeneration": 4, "currentReplicas": 1, "desiredReplicas": 1, "currentMetrics": None}),
    (
        "a scale and its conditions",
        {
            "lastScaleTime": "2026-03-02T14:05:20Z",
            "currentReplicas": 3,
            "desiredReplicas": 5,
            "currentMetrics": [
                {"type": ""},
                {"type": "Resource", "resource": {
                    "name": "cpu", "current": {"averageValue": "75m", "averageUtilization": 75}}},
                {"type": "ContainerResource", "containerResource": {
                    "name": "cpu", "current": {"averageValue": "75m"}, "container": "app"}},
                {"type": "Pods", "pods": {"metric": {"name": "qps"}, "current": {"averageValue": "1500m"}}},
                {"type": "Object", "object": {"metric": {"name": "rps"}, "current": {"value": "5k"},
                    "describedObject": {"kind": "Ingress", "name": "i", "apiVersion": "networking.k8s.io/v1"}}},
                {"type": "External", "external": {
                    "metric": {"name": "q", "selector": QUEUE}, "current": {"value": "0"}}},
            ],
            "conditions": [
                {"type": "AbleToScale", "status": "True", "lastTransitionTime": "2026-03-02T14:05:20Z",
                    "reason": "SucceededRescale", "message": "with % and “quotes”"},
                {"type": "ScalingActive", "status": "True", "lastTransitionTime": None},
            ],
        },
    ),
]  # fmt: skip


@pytest.mark.parametrize("shown", [row[1] for row in SHOWN], ids=[row[0] for row in SHOWN])
def test_a_status_is_shown_as_it_was_read(shown: dict[str, Any]) -> None:
    text = json.dumps(shown, separators=(",", ":"), ensure_ascii=False)
    assert status_json(status_of(text)) == text


def test_every_status_that_the_engine_decides_is_read_back_the_same() -> None:
    metrics = (
        cpu(50), cpu(average=300), memory(50), container("app", 50), per_pod(300), of_object(900, value=500),
        of_object(900, average=500), external(900, 100, value=500), external(900, average=500, selector=QUEUE),
        external(average=500).failing(),
    )  # fmt: skip
    for replicas in (0, 1, 3, 200):
        scenes: tuple[dict[str, Any], ...] = ({}, {"behavior": {}}, {"flags": SCALE_TO_ZERO})
        for scene in scenes:
            decision = decide(*metrics, replicas=replicas, crowd=pods("3@400 1:pending"), **scene)
            assert decision.status is not None
            assert same_status(status_of(status_json(decision.status)), decision.status)


def test_times_are_shown_in_whole_seconds() -> None:
    loop = Loop(3)
    loop.reconcile(1000.75, external(900, average=100))
    shown = json.loads(status_json(loop.status))
    assert shown["lastScaleTime"] == shown["conditions"][0]["lastTransitionTime"] == "2026-03-02T14:16:40Z"


def test_nothing_equals_empty_and_quantities_are_equal_by_value() -> None:
    assert same_status(BLANK, status_of('{"desiredReplicas":0,"currentMetrics":[]}'))
    one, other, more = (
        status_of(json.dumps({"currentMetrics": [
            {"type": "Pods", "pods": {"metric": {"name": "q"}, "current": {"averageValue": value}}}]}))
        for value in ("1500m", "1.5", "1501m")
    )  # fmt: skip
    assert same_status(one, other)
    assert not same_status(one, more)
