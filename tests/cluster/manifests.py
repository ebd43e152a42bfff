"""The objects that tests and scenes create: Deployments, HPAs and their metrics."""

from typing import Any

Manifest = dict[str, Any]

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
"""Where policies of the API server are."""
WRITES_OF_SCALES: Manifest = {
    "apiGroups": ["apps"],
    "apiVersions": ["v1"],
    "operations": ["UPDATE"],
    "resources": ["deployments/scale"],
}
"""What a policy for HPAs matches."""
STORES_FIVE: Manifest = {
    "patchType": "JSONPatch",
    "jsonPatch": {"expression": '[JSONPatch{op: "replace", path: "/spec/replicas", value: 5}]'},
}
"""The mutation of a policy that stores 5 replicas, whatever is written."""


def deployment(name: str, *, replicas: int = 1, containers: tuple[str, ...] = ("app",)) -> Manifest:
    """A Deployment whose containers request 100m and 64Mi.

    With a nodeName a deleted pod lives on with a deletionTimestamp for a while, as on a real node.
    """
    labels, resources = {"app": name}, {"requests": {"cpu": "100m", "memory": "64Mi"}}
    spec = {
        "nodeName": "node-1",
        "terminationGracePeriodSeconds": 5,
        "containers": [{"name": container, "image": "none", "resources": resources} for container in containers],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }


def hpa(name: str, *metrics: Manifest, low: int = 1, high: int = 8, behavior: Manifest | None = None) -> Manifest:
    """An HPA of the Deployment of the same name."""
    spec = {
        "minReplicas": low,
        "maxReplicas": high,
        "metrics": list(metrics),
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": name},
    }
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": name},
        "spec": {**spec, **({"behavior": behavior} if behavior else {})},
    }


def cpu(percent: int) -> Manifest:
    """Resource metric: mean CPU utilization."""
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


def cpu_of(container: str, percent: int) -> Manifest:
    """ContainerResource metric: mean CPU utilization of one container."""
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "ContainerResource", "containerResource": {"name": "cpu", "container": container, "target": target}}


def per_pod(metric: str, value: str) -> Manifest:
    """Pods metric: mean value."""
    target = {"type": "AverageValue", "averageValue": value}
    return {"type": "Pods", "pods": {"metric": {"name": metric}, "target": target}}


def external(metric: str, labels: dict[str, str], value: str) -> Manifest:
    """External metric: value per pod."""
    target = {"type": "AverageValue", "averageValue": value}
    named = {"name": metric, "selector": {"matchLabels": labels}}
    return {"type": "External", "external": {"metric": named, "target": target}}


def of_service(service: str, metric: str, value: str) -> Manifest:
    """Object metric of a Service."""
    described = {"apiVersion": "v1", "kind": "Service", "name": service}
    target = {"type": "Value", "value": value}
    return {"type": "Object", "object": {"describedObject": described, "metric": {"name": metric}, "target": target}}
