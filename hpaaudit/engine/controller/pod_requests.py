"""Computes what each pod requests of a resource, the denominator of a utilization."""

from collections.abc import Mapping, Sequence

from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.controller.metrics_client import Problem
from hpaaudit.engine.rules.go_numbers import wrap64
from hpaaudit.model.target import Container, Pod
from hpaaudit.model.units import Milli


def calculate_requests(
    pods: Sequence[Pod], container: str, resource: str, behaviours: Behaviours
) -> Mapping[str, Milli] | Problem:
    """The request of each pod, of one container or of all. A single pod without a request makes the metric invalid.

    A request of the pod level counts where no container is named (1.34, #132430). Upstream: `calculateRequests`.
    """
    requests: dict[str, Milli] = {}
    for pod in pods:
        whole = behaviours.pod_level_resources and not container and _has_pod_level(pod)
        request = _of_pod(pod, resource, behaviours) if whole else _of_containers(pod, container, resource, behaviours)
        if isinstance(request, Problem):
            return request
        requests[pod.name] = request
    return requests


def _supported(resource: str) -> bool:
    return resource in ("cpu", "memory") or resource.startswith("hugepages-")


def _has_pod_level(pod: Pod) -> bool:
    return pod.pod_requests is not None and any(_supported(name) for name, _ in pod.pod_requests)


def _sidecar(container: Container) -> bool:
    return container.restart_policy == "Always"


def _of_containers(pod: Pod, name: str, resource: str, behaviours: Behaviours) -> Milli | Problem:
    """The request of the containers, then of sidecars (1.29); a named container ends the search (1.35, #133128)."""
    total = 0
    sidecars = filter(_sidecar, pod.init_containers) if behaviours.sidecars_count else ()
    for container in (*pod.containers, *sidecars):
        if name and container.name != name:
            continue
        request = dict(container.requests).get(resource)
        if request is None:
            text = f"missing request for {resource}"
            if behaviours.missing_request_names_pod:
                text += f" on container {container.name} in pod {pod.namespace}/{pod.name}"
            elif behaviours.named_missing_request:
                text += f" in container {container.name} of Pod {pod.name}"
            return Problem("metric.invalid.missing_request", text)
        total = wrap64(total + request)
        if name and behaviours.absent_container_fails:
            return Milli(total)
    if name and behaviours.absent_container_fails:
        return Problem("metric.invalid.container_missing", f"container {name} not found in Pod {pod.name}")
    return Milli(total)


def _of_pod(pod: Pod, resource: str, behaviours: Behaviours) -> Milli | Problem:
    """The effective request of a pod with pod-level resources (`PodRequests`), to 1.37 with its overhead.

    What the pod level does not name falls back to the sum over containers and sidecars, or to the
    peak of the init containers' sequence, whichever is higher.
    """
    running = [dict(container.requests).get(resource) for container in pod.containers]
    restartable: list[int | None] = []
    peaks: list[int | None] = []
    for container in pod.init_containers:
        request = dict(container.requests).get(resource)
        if _sidecar(container):
            restartable.append(request)
            running.append(request)
            peaks.append(_sum(restartable))
        else:
            peaks.append(_sum([request, *restartable]))
    amounts = [amount for amount in (_sum(running), *peaks) if amount is not None]
    own = dict(pod.pod_requests or ()).get(resource) if _supported(resource) else None
    total = own if own is not None else (max(amounts) if amounts else None)
    overhead = None if behaviours.overhead_excluded else dict(pod.overhead).get(resource)
    total = _sum([total, overhead])
    if total is None:
        return Problem("metric.invalid.missing_request", f"missing pod-level request for {resource} in Pod {pod.name}")
    return Milli(total)


def _sum(amounts: Sequence[int | None]) -> int | None:
    present = [amount for amount in amounts if amount is not None]
    return sum(present) if present else None
