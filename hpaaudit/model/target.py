"""The scale subresource of a scale target, and its pods."""

from dataclasses import dataclass

from hpaaudit.model.units import Micros, Milli


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The scale subresource: replicas of its spec and of its status, and the selector as text."""

    spec_replicas: int
    status_replicas: int
    selector: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """A container of a pod's spec, with its requests. Only init containers have a `restart_policy`."""

    name: str
    requests: tuple[tuple[str, Milli], ...]
    restart_policy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """The fields of a pod that a reconcile reads.

    `ready` is the status of the Ready condition ("True", "False", "Unknown"), empty without one.
    `pod_requests` is None if the pod has no pod-level resources; `overhead` is empty if it has none.
    """

    namespace: str
    name: str
    uid: str
    resource_version: str
    labels: tuple[tuple[str, str], ...]
    phase: str
    deleting_us: Micros | None
    start_us: Micros | None
    ready: str
    ready_transition_us: Micros | None
    containers: tuple[Container, ...]
    init_containers: tuple[Container, ...]
    pod_requests: tuple[tuple[str, Milli], ...] | None
    overhead: tuple[tuple[str, Milli], ...]
    created_us: Micros | None = None
    owner_kind: str = ""
    owner_name: str = ""
