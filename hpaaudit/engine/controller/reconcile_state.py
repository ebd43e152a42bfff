"""The state of a reconcile in progress: what it read and remembers, and the conditions that it has set so far."""

from dataclasses import dataclass, replace

from hpaaudit.api.client_errors import Server
from hpaaudit.api.selector import BadSelector, scale_selector
from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.controller.status import condition_of, with_condition, without_condition
from hpaaudit.engine.rules.current_replicas import current_replicas
from hpaaudit.model.facts import ScaleRead, TargetRef
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Condition, Hpa, HpaStatus, MetricStatus, MetricType
from hpaaudit.model.memory import Memory
from hpaaudit.model.observation import Observation
from hpaaudit.model.target import Scale
from hpaaudit.model.units import Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcileState:
    """One reconcile after its scale was read.

    memory, conditions   as they are so far
    keep_pods            the decision keeps how each metric counted each pod
    """

    observation: Observation
    hpa: Hpa
    scale: Scale
    memory: Memory
    conditions: tuple[Condition, ...]
    flags: Flags
    behaviours: Behaviours
    keep_pods: bool

    @property
    def current(self) -> int:
        """Current replicas."""
        return current_replicas(self.scale.spec_replicas, self.scale.status_replicas, self.behaviours)

    @property
    def minimum(self) -> int:
        """The minReplicas of the spec, 1 by default."""
        return 1 if self.hpa.spec.min_replicas is None else self.hpa.spec.min_replicas

    @property
    def scaled_to_zero(self) -> bool:
        """True if this controller itself scaled the target to zero."""
        return scaled_to_zero(self.hpa.status.conditions, self.behaviours)

    def with_condition(self, kind: str, status: str, reason: str, message: str, at_us: Micros) -> "ReconcileState":
        """The state with a condition set."""
        return replace(self, conditions=with_condition(self.conditions, kind, status, reason, message, at_us))

    def without_condition(self, kind: str) -> "ReconcileState":
        """The state with a condition removed."""
        return replace(self, conditions=without_condition(self.conditions, kind))

    def status(
        self, desired: int, current_metrics: tuple[MetricStatus, ...] | None, scaled_us: Micros | None = None
    ) -> HpaStatus:
        """The status of the HPA, rebuilt whole, so that observedGeneration is dropped until 1.36.

        scaled_us   when the scale was written, None if it was not

        Upstream: `setStatus`.
        """
        return HpaStatus(
            observed_generation=self.hpa.generation if self.behaviours.generation else None,
            last_scale_us=self.hpa.status.last_scale_us if scaled_us is None else scaled_us,
            current_replicas=self.current,
            desired_replicas=desired,
            current_metrics=current_metrics,
            conditions=self.conditions,
        )


def state_of(
    observation: Observation, hpa: Hpa, memory: Memory, scale: Scale, flags: Flags, *, keep_pods: bool
) -> ReconcileState:
    """The reconcile as it begins, right after its scale was read."""
    return ReconcileState(
        observation=observation,
        hpa=hpa,
        scale=scale,
        memory=memory,
        conditions=hpa.status.conditions,
        flags=flags,
        behaviours=behaviours_of(flags),
        keep_pods=keep_pods,
    )


def scaled_to_zero(conditions: tuple[Condition, ...], behaviours: Behaviours) -> bool:
    """True if this controller itself scaled the target to zero, which its condition says (1.36).

    Upstream: `getScaledToZeroConditionStatus`.
    """
    condition = condition_of(conditions, "ScaledToZero")
    is_asked = behaviours.scale_to_zero and behaviours.scaled_to_zero_condition
    return is_asked and condition is not None and condition.status == "True"


def has_object_or_external(hpa: Hpa) -> bool:
    """True if a metric can rise while there are no pods. Upstream: `hasObjectOrExternalMetrics`."""
    return any(metric.type in (MetricType.OBJECT, MetricType.EXTERNAL) for metric in hpa.spec.metrics)


def server_of(flags: Flags) -> Server:
    """The API server as the controller's errors name it."""
    return Server(flags.api_server, quoted=behaviours_of(flags).quoted_urls)


def refusal(read: ScaleRead, flags: Flags) -> str:
    """Why the scale client refuses an answer, in its own words; empty if it accepts it."""
    if read.scale is None:
        text = read.error if read.status else server_of(flags).without_answer("Get", read.path, read.error)
        return f"{fetching(read.target)}{text}" if behaviours_of(flags).scale_reads_named else text
    behaviours = behaviours_of(flags)
    if not (behaviours.scale_client or behaviours.metrics_annotation):
        return ""
    try:
        scale_selector(read.scale.selector)
    except BadSelector as bad:
        text = behaviours.selector_error(bad)
        if behaviours.metrics_annotation:
            return f"failed to parse target selector: {text}"
        return (
            "received an object from a /scale endpoint which was not convertible to autoscaling Scale: "
            f"failed to parse target selector: {text}"
        )
    return ""


def fetching(target: TargetRef, verb: str = "fetch") -> str:
    """How the scale clients of 1.9 and 1.10 began an error."""
    resource = f"{target.resource}.{target.group}" if target.group else target.resource
    return f"could not {verb} the scale for {resource} {target.name}: "


def reference(hpa: Hpa) -> str:
    """The target as errors name it: `Kind/namespace/name`."""
    target = hpa.spec.target
    return f"{target.kind}/{hpa.namespace}/{target.name}"
