"""The objects of the story, as they were recorded."""

import json
from dataclasses import replace

from hpaaudit.api.encode import status_json
from hpaaudit.model.facts import EventSeen, HpaSeen, TargetRef, TargetSeen
from hpaaudit.model.hpa import HpaStatus
from hpaaudit.model.target import Container, Pod, Scale
from hpaaudit.model.units import SECOND, Micros, Milli

START = Micros(1_772_460_000 * SECOND)  # 2026-03-02T14:00:00Z
SPEC = {
    "maxReplicas": 10,
    "metrics": [
        {"resource": {"name": "cpu", "target": {"averageUtilization": 60, "type": "Utilization"}}, "type": "Resource"}
    ],
    "minReplicas": 2,
    "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
}
WEB = TargetRef(group="apps", resource="deployments", namespace="shop", name="web")


def at(seconds: float) -> Micros:
    """Seconds after the story begins."""
    return Micros(int(START + seconds * SECOND))


def hpa_seen(seconds: float, status: HpaStatus, version: int) -> HpaSeen:
    """The HPA with this status."""
    return HpaSeen(
        at_us=at(seconds),
        namespace="shop",
        name="web",
        uid="u-web",
        api_version="autoscaling/v2",
        resource_version=str(version),
        generation=1,
        created_us=at(-3600),
        spec_json=json.dumps(SPEC),
        status_json=status_json(status),
    )


def target_seen(
    seconds: float, replicas: int, manager: str, operation: str, subresource: str, version: int
) -> TargetSeen:
    """The Deployment; helm's upgrade brings another pod template."""
    return TargetSeen(
        at_us=at(seconds),
        target=WEB,
        kind="Deployment",
        uid="d-web",
        resource_version=str(version),
        generation=version,
        scale=Scale(spec_replicas=replicas, status_replicas=replicas, selector="app=web"),
        manager=manager,
        operation=operation,
        subresource=subresource,
        written_us=at(int(seconds)),
        template_hash="v2" if manager == "helm" or seconds > 52 else "v1",
    )


def event_seen(index: int, kind: str, reason: str, message: str) -> EventSeen:
    """An Event about the HPA, just after its n-th reconcile."""
    at_us = at(15 * index + 0.15)
    return EventSeen(
        at_us=at_us,
        namespace="shop",
        name=f"web.{index}",
        uid=f"e-{index}",
        type=kind,
        reason=reason,
        message=message,
        kind="HorizontalPodAutoscaler",
        object_namespace="shop",
        object_name="web",
        object_uid="u-web",
        component="horizontal-pod-autoscaler",
        first_us=at(15 * index),
        last_us=at(15 * index),
        count=1,
    )


def event_about(seconds: float, kind: str, name: str, reason: str, message: str) -> EventSeen:
    """A warning about something that the Deployment made."""
    fact = event_seen(0, "Warning", reason, message)
    uid = f"e-{name}-{reason}"
    return replace(fact, at_us=at(seconds), name=uid, uid=uid, kind=kind, object_name=name, component="somebody")


def pod(name: str) -> Pod:
    """A pod that is ready."""
    return Pod(
        namespace="shop",
        name=name,
        uid=f"p-{name}",
        resource_version="7",
        labels=(("app", "web"),),
        phase="Running",
        deleting_us=None,
        start_us=at(-600),
        ready="True",
        ready_transition_us=at(-590),
        containers=(Container(name="app", requests=(("cpu", Milli(1000)),)),),
        init_containers=(),
        pod_requests=None,
        overhead=(),
        created_us=at(-601),
        owner_kind="ReplicaSet",
        owner_name="web-6f",
    )
