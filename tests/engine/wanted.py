"""Turns short texts into metrics: the spec that a user writes, and what its API answers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One entry of `spec.metrics` as a user writes it, and what its API answers.

    values   of the series or of the object; None: the samples of the pods
    status, error   of an answer that failed
    exactly   its target stands against no replicas of status, so that no tolerance applies
    """

    written: Mapping[str, Any]
    values: tuple[int, ...] | None = None
    status: int = 200
    error: str = ""
    exactly: bool = False

    def failing(
        self, status: int = 503, error: str = "the server is currently unable to handle the request"
    ) -> "Metric":
        """Lets the API refuse instead."""
        return replace(self, status=status, error=error)


def _target(percent: int | None = None, average: int | None = None, value: int | None = None) -> dict[str, Any]:
    if percent is not None:
        return {"type": "Utilization", "averageUtilization": percent}
    if average is not None:
        return {"type": "AverageValue", "averageValue": f"{average}m"}
    return {"type": "Value", "value": f"{value}m"}


def resource(name: str, percent: int | None = None, *, average: int | None = None) -> Metric:
    """Asks for a percentage of requests, or for an average in thousandths."""
    return Metric(written={"type": "Resource", "resource": {"name": name, "target": _target(percent, average)}})


def cpu(percent: int | None = None, *, average: int | None = None) -> Metric:
    """Asks for cpu."""
    return resource("cpu", percent, average=average)


def memory(percent: int | None = None, *, average: int | None = None) -> Metric:
    """Asks for memory."""
    return resource("memory", percent, average=average)


def container(name: str, percent: int | None = None, *, average: int | None = None) -> Metric:
    """Asks for the cpu of one container."""
    source = {"name": "cpu", "container": name, "target": _target(percent, average)}
    return Metric(written={"type": "ContainerResource", "containerResource": source})


def per_pod(average: int, *, name: str = "qps", selector: Any = None) -> Metric:
    """Asks for a custom metric of each pod."""
    return Metric(
        written={"type": "Pods", "pods": {"metric": _identifier(name, selector), "target": _target(average=average)}}
    )


def of_object(
    *values: int, value: int | None = None, average: int | None = None, name: str = "rps", selector: Any = None
) -> Metric:
    """Asks for a custom metric of an Ingress, which answers with `seen`."""
    source = {
        "describedObject": {"kind": "Ingress", "name": "main-route", "apiVersion": "networking.k8s.io/v1"},
        "metric": _identifier(name, selector),
        "target": _target(average=average, value=value),
    }
    return Metric(written={"type": "Object", "object": source}, values=values)


def external(
    *values: int, value: int | None = None, average: int | None = None, name: str = "queue", selector: Any = None
) -> Metric:
    """Asks for an external metric, whose series are `seen`."""
    source = {"metric": _identifier(name, selector), "target": _target(average=average, value=value)}
    return Metric(written={"type": "External", "external": source}, values=values)


def asks(replicas: int, *, name: str = "queue") -> Metric:
    """Propose this number of replicas, whatever the pods do."""
    return replace(external(replicas * 1000, average=1000, name=name), exactly=True)


def _identifier(name: str, selector: Any) -> dict[str, Any]:
    return {"name": name} if selector is None else {"name": name, "selector": selector}
