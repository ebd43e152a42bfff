"""The HorizontalPodAutoscaler: what the user asked for, and what its status says."""

from dataclasses import dataclass
from enum import StrEnum

from hpaaudit.model.units import Micros, Quantity


class MetricType(StrEnum):
    """The types of metrics in `autoscaling/v2`."""

    RESOURCE = "Resource"
    CONTAINER_RESOURCE = "ContainerResource"
    PODS = "Pods"
    OBJECT = "Object"
    EXTERNAL = "External"


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectRef:
    """A `CrossVersionObjectReference`: an object of the HPA's namespace."""

    kind: str
    name: str
    api_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One `matchExpressions` entry of a label selector; operator as written."""

    key: str
    operator: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSelector:
    """A `metav1.LabelSelector`; None in its place selects nothing and prints as nothing."""

    match_labels: tuple[tuple[str, str], ...]
    match_expressions: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricTarget:
    """The target of a metric. Which field counts depends on the type of the metric, not always on `type`."""

    type: str
    value: Quantity | None
    average_value: Quantity | None
    average_utilization: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSpec:
    """One entry of `spec.metrics`.

    `name` is the resource or the metric; `container` only for ContainerResource; `selector` and
    `described` only where the source has them. `target` is None if the entry has no source.
    """

    type: str
    name: str
    container: str
    selector: LabelSelector | None
    described: ObjectRef | None
    target: MetricTarget | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingPolicy:
    """A policy: at most `value` pods, or percent of them, may change within `period_seconds`."""

    type: str
    value: int
    period_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingRules:
    """`HPAScalingRules` of one direction, with defaults. A window of None means that the controller's flag counts."""

    stabilization_window_seconds: int | None
    select_policy: str | None
    policies: tuple[ScalingPolicy, ...]
    tolerance: Quantity | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Behavior:
    """`spec.behavior`. If it is present, even empty, the controller uses another algorithm."""

    scale_up: ScalingRules
    scale_down: ScalingRules


@dataclass(frozen=True, slots=True, kw_only=True)
class HpaSpec:
    """`spec`, with the API server's defaults."""

    target: ObjectRef
    min_replicas: int | None
    max_replicas: int
    metrics: tuple[MetricSpec, ...]
    behavior: Behavior | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One entry of `status.conditions`; `last_transition_us` is None for upstream's zero time."""

    type: str
    status: str
    reason: str
    message: str
    last_transition_us: Micros | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricStatus:
    """One entry of `status.currentMetrics`; `type` is empty where the metric was invalid."""

    type: str
    name: str
    container: str
    selector: LabelSelector | None
    described: ObjectRef | None
    value: Quantity | None
    average_value: Quantity | None
    average_utilization: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HpaStatus:
    """`status`. `current_metrics` None is JSON null, which equals the empty list.

    custom_metrics   the annotation in which the controllers of 1.2 to 1.5 published custom metrics, empty without one
    """

    observed_generation: int | None
    last_scale_us: Micros | None
    current_replicas: int
    desired_replicas: int
    current_metrics: tuple[MetricStatus, ...] | None
    conditions: tuple[Condition, ...]
    custom_metrics: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hpa:
    """A HorizontalPodAutoscaler as the controller's cache holds it.

    custom_metrics   the annotation that asked for custom metrics (1.2 to 1.5), None without one
    cpu_target       the cpu utilization that `autoscaling/v1` itself can say, None where it says none
    """

    namespace: str
    name: str
    uid: str
    resource_version: str
    generation: int
    spec: HpaSpec
    status: HpaStatus
    created_us: Micros | None = None
    custom_metrics: str | None = None
    cpu_target: int | None = None

    @property
    def key(self) -> str:
        """`namespace/name`, under which the controller keeps its memory."""
        return f"{self.namespace}/{self.name}"
