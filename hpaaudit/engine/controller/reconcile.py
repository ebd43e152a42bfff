"""One reconcile, top to bottom: upstream's `reconcileAutoscaler`.

The order is upstream's, because effects depend on it: read the scale, keep a first recommendation, choose a branch
(disabled at zero, outside the bounds, by the metrics), stabilize, limit, write the scale, write the status.

Upstream asks the clock many times in one reconcile. Each of these times is a time of the observation: the scale's is
when it was answered, a metric's when that was, the decision's after the last read, a write's when it was answered.
"""

from dataclasses import dataclass, replace

from hpaaudit.api.v1 import through_v1
from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.behaviours.release import behaviours_of, version_of
from hpaaudit.engine.controller.compute_metrics import MetricsRecommendation, compute_replicas_for_metrics, select_pods
from hpaaudit.engine.controller.metric_context import MetricContext, tolerances
from hpaaudit.engine.controller.normalize import SCALE_REASONS, normalize, other_number
from hpaaudit.engine.controller.outcome import Outcome, gate
from hpaaudit.engine.controller.reconcile_state import (
    ReconcileState,
    fetching,
    has_object_or_external,
    reference,
    refusal,
    server_of,
    state_of,
)
from hpaaudit.engine.controller.status import condition_of, same_status, with_condition
from hpaaudit.engine.controller.steps import gate_chain
from hpaaudit.engine.controller.write_scale import write_scale
from hpaaudit.engine.rules import branch as branches
from hpaaudit.engine.rules.current_replicas import current_replicas, scale_change
from hpaaudit.engine.rules.go_numbers import MAX_INT64
from hpaaudit.engine.rules.normalize import ABOVE_MAXIMUM, BELOW_MINIMUM
from hpaaudit.model.decision import Decision, PostedEvent, Step
from hpaaudit.model.facts import TargetRef
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Hpa, HpaStatus
from hpaaudit.model.memory import EMPTY, Memory, Recommendation
from hpaaudit.model.observation import Observation
from hpaaudit.model.resource_version import version_number
from hpaaudit.model.target import Pod, Scale

_OK = range(200, 300)


def reconcile(
    observation: Observation, memory: Memory, flags: Flags, *, keep_pods: bool = False
) -> tuple[Decision, Memory]:
    """One reconcile of one HPA: what the controller decides and writes, and what it remembers after it.

    keep_pods   the decision keeps how each metric counted each pod
    """
    if observation.hpa is None:
        return deleted(observation), replace(EMPTY, selector=memory.selector)
    behaviours = behaviours_of(flags)
    if behaviours.stale_cache_skips and _version(observation.hpa) < observation.written_version:
        return decision_of(
            observation, observation.hpa, _stale(observation, observation.hpa, memory), flags, behaviours
        ), memory
    scale = read_scale(observation, observation.hpa, flags)
    if isinstance(scale, Unreadable):
        outcome = unreadable(observation, observation.hpa, memory, scale, behaviours)
    else:
        state = able_to_scale(state_of(observation, observation.hpa, memory, scale, flags, keep_pods=keep_pods))
        outcome = _decide(with_first_recommendation(state))
    return decision_of(observation, observation.hpa, outcome, flags, behaviours), outcome.memory


def _version(hpa: Hpa) -> int:
    """A resource version as a number. One that is not a number counts as new enough."""
    number = version_number(hpa.resource_version)
    return MAX_INT64 if number is None else number


def _stale(observation: Observation, hpa: Hpa, memory: Memory) -> Outcome:
    """The outcome with a cache that does not have the controller's own last write yet: it skips one sync period."""
    text = (
        f"read version: {hpa.resource_version} is not as new as written version: {observation.written_version} "
        "for group resource horizontalpodautoscalers.autoscaling"
    )
    chain = gate_chain(gate("gate.stale_cache", None, (("error", text),)))
    return Outcome(status=hpa.status, memory=memory, error=text, chain=chain)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """Why there is no scale; `refused_scale` is one that was answered, but that the scale client refuses."""

    text: str
    error: str
    refused_scale: Scale | None = None


def read_scale(observation: Observation, hpa: Hpa, flags: Flags) -> Scale | Unreadable:
    """The scale, or why there is none. A selector that the scale client refuses makes the scale unreadable."""
    version = hpa.spec.target.api_version
    if version.count("/") > 1:
        text = f"unexpected GroupVersion string: {version}"
        return Unreadable(text=text, error=f"invalid API version in scale target reference: {text}")
    if observation.target_error:
        error = f"unable to determine resource for scale target reference: {observation.target_error}"
        return Unreadable(text=observation.target_error, error=error)
    refused_scale: Scale | None = None
    if not observation.scale_reads:
        text = "no answer of the scale was recorded"
    else:
        read = observation.scale_reads[0]
        text = refusal(read, flags)
        if read.scale is not None and not text:
            return read.scale
        refused_scale = read.scale
    error = f"failed to query scale subresource for {reference(hpa)}: {text}"
    return Unreadable(text=text, error=error, refused_scale=refused_scale)


_UNREADABLE = "the HPA controller was unable to get the target's current scale: "


def told_scale_error(status: HpaStatus, target: TargetRef) -> str:
    """The error of the read of the scale, as a published status tells it; empty if it tells of none.

    Without the words that the scale clients of 1.9 and 1.10 put before it.
    """
    condition = condition_of(status.conditions, "AbleToScale")
    if condition is None or not condition.message.startswith(_UNREADABLE):
        return ""
    return condition.message.removeprefix(_UNREADABLE).removeprefix(fetching(target))


def unreadable(
    observation: Observation, hpa: Hpa, memory: Memory, problem: Unreadable, behaviours: Behaviours
) -> Outcome:
    """The outcome without a scale. Only a condition changes: upstream returns before `setStatus`."""
    text = problem.text
    conditions = with_condition(
        hpa.status.conditions,
        "AbleToScale",
        "False",
        "FailedGetScale",
        f"{_UNREADABLE}{text}",
        observation.scale_us,
    )
    return Outcome(
        status=replace(hpa.status, conditions=conditions),
        memory=memory,
        scale=problem.refused_scale,
        desired=None if problem.refused_scale is None else problem.refused_scale.spec_replicas,
        events=(PostedEvent(type="Warning", reason="FailedGetScale", message=text),),
        error=problem.error,
        handles_status_error=behaviours.status_error_told,
        chain=gate_chain(gate("gate.target_unreadable", None, (("error", text),))),
    )


def able_to_scale(state: ReconcileState) -> ReconcileState:
    """The state with the condition that the scale was read."""
    message = "the HPA controller was able to get the target's current scale"
    return state.with_condition("AbleToScale", "True", "SucceededGetScale", message, state.observation.scale_us)


def with_first_recommendation(state: ReconcileState) -> ReconcileState:
    """The state in which a memory without recommendations has the current replicas as its first.

    Upstream: `recordInitialRecommendation`. So a process that just started does not scale down at once.
    """
    if state.memory.recommendations is not None:
        return state
    first = Recommendation(replicas=state.current, at_us=state.observation.scale_us)
    return replace(state, memory=replace(state.memory, recommendations=(first,)))


def _decide(state: ReconcileState) -> Outcome:
    """The outcome of the branch that the reconcile takes."""
    hpa, current, minimum, behaviours = state.hpa, state.current, state.minimum, state.behaviours
    maximum = hpa.spec.max_replicas
    at_zero = branches.computes_at_zero(minimum, state.scaled_to_zero, has_object_or_external(hpa), behaviours)
    taken = branches.branch(state.scale.spec_replicas, current, minimum, maximum, at_zero, behaviours)
    if taken == branches.DISABLED:
        return disabled(state)
    if taken == branches.ABOVE_MAX:
        step = gate("gate.above_max", current, (("max", maximum),), after=maximum)
        return to_bound(state, maximum, SCALE_REASONS[ABOVE_MAXIMUM], step)
    if taken == branches.BELOW_MIN:
        step = gate("gate.below_min", current, (("min", minimum),), after=minimum)
        return to_bound(state, minimum, SCALE_REASONS[BELOW_MINIMUM], step)
    return _by_metrics(state)


def disabled(state: ReconcileState) -> Outcome:
    """The outcome at zero replicas that somebody else set: the HPA is switched off."""
    if state.behaviours.scaled_to_zero_condition and not state.behaviours.scale_to_zero:
        state = state.without_condition("ScaledToZero")
    state = state.with_condition(
        "ScalingActive",
        "False",
        "ScalingDisabled",
        "scaling is disabled since the replica count of the target is zero",
        state.observation.decided_us,
    )
    chain = gate_chain(gate("gate.disabled_at_zero", 0, (), after=0))
    status = state.status(state.current, None)
    return Outcome(status=status, memory=state.memory, scale=state.scale, desired=0, chain=chain)


def to_bound(state: ReconcileState, desired: int, scale_reason: str, step: Step) -> Outcome:
    """The outcome outside minReplicas and maxReplicas: the nearer of them, without metrics and limits."""
    outcome = Outcome(
        status=replace(state.hpa.status, conditions=state.conditions),
        memory=state.memory,
        scale=state.scale,
        desired=desired,
        scale_reason=scale_reason,
        chain=gate_chain(step),
    )
    return write_scale(state, outcome, None)


def _by_metrics(state: ReconcileState) -> Outcome:
    """The outcome by the metrics."""
    hpa, scale, now_us = state.hpa, state.scale, state.observation.decided_us
    if scale.selector:
        state = replace(state, memory=replace(state.memory, selector=scale.selector))
    pods, failure = select_pods(hpa, scale, state.observation.pods, state.observation.rivals, state.behaviours)
    recommendation = failure or compute_replicas_for_metrics(hpa, state.observation, metric_context(state, pods))
    if recommendation.is_inactive_first:
        state = state.with_condition("ScalingActive", "False", "", "", now_us)
    if recommendation.reason:
        active = "False" if recommendation.replicas is None else "True"
        state = state.with_condition("ScalingActive", active, recommendation.reason, recommendation.message, now_us)
    else:
        # A metric that a feature gate forbids fails without a condition, and upstream sets an empty one.
        state = state.with_condition("", "", "", "", now_us)
    if recommendation.replicas is None:
        return without_recommendation(state, recommendation)
    return write_scale(state, normalize(state, recommendation), recommendation.current_metrics)


def without_recommendation(state: ReconcileState, recommendation: MetricsRecommendation) -> Outcome:
    """The outcome where the metrics come to no recommendation."""
    hpa, error = state.hpa, recommendation.error
    renewed = state.behaviours.metrics_renewed_on_failure
    current_metrics = recommendation.current_metrics if renewed else hpa.status.current_metrics
    return Outcome(
        status=state.status(hpa.status.desired_replicas, current_metrics),
        memory=state.memory,
        scale=state.scale,
        desired=state.scale.spec_replicas,
        events=recommendation.events,
        events_after_write=(PostedEvent(type="Warning", reason="FailedComputeMetricsReplicas", message=error),),
        error=f"failed to compute desired number of replicas based on listed metrics for {reference(hpa)}: {error}",
        proposals=recommendation.views,
        unheld=other_number(state, recommendation),
        chain=gate_chain(gate(recommendation.code, state.scale.spec_replicas, (("error", error),))),
    )


def metric_context(state: ReconcileState, pods: tuple[Pod, ...]) -> MetricContext:
    """What all metrics of the reconcile share."""
    down, up = tolerances(state.hpa, state.flags, state.behaviours)
    return MetricContext(
        namespace=state.hpa.namespace,
        scale=state.scale,
        pods=pods,
        names=frozenset(pod.name for pod in pods),
        down=down,
        up=up,
        flags=state.flags,
        behaviours=state.behaviours,
        keep_pods=state.keep_pods,
    )


def decision_of(observation: Observation, hpa: Hpa, outcome: Outcome, flags: Flags, behaviours: Behaviours) -> Decision:
    """The outcome as a decision, with the write of the status if it changed; until 1.6 also if it did not (#47078)."""
    always = not behaviours.unchanged_status_kept
    writes = not outcome.ends_without_status and (always or not same_status(outcome.status, hpa.status))
    events, errors = outcome.events, [*outcome.handled_errors]
    failed = observation.status_write if writes else None
    refused = failed is not None and failed.status not in _OK
    if failed is not None and refused:
        text = failed.error if failed.status else server_of(flags).without_answer("Put", failed.path, failed.error)
        events = (*events, PostedEvent(type="Warning", reason="FailedUpdateStatus", message=text))
        if outcome.handles_status_error:
            errors.append(f"failed to update status for {hpa.name}: {text}")
    # A failed status write hides the error of a failed metric if other metrics still gave a proposal.
    if outcome.error and not (refused and outcome.is_partial_error):
        errors.append(outcome.error)
    scale = outcome.scale
    return Decision(
        at_us=observation.at_us,
        namespace=hpa.namespace,
        name=hpa.name,
        uid=hpa.uid,
        gone=False,
        spec_replicas=None if scale is None else scale.spec_replicas,
        status_replicas=None if scale is None else scale.status_replicas,
        min_replicas=hpa.spec.min_replicas,
        max_replicas=hpa.spec.max_replicas,
        raw_desired=outcome.raw,
        stabilized=outcome.stabilized,
        rate_limited=outcome.rate_limited,
        unheld=outcome.unheld,
        desired=outcome.desired,
        status_desired=outcome.status.desired_replicas,
        action=_action(scale, outcome.desired, behaviours),
        reason_code=outcome.chain.reason_code,
        scale_reason=outcome.scale_reason,
        status=outcome.status if behaviours.reads_v2 else through_v1(outcome.status),
        writes_status=writes,
        attempts=outcome.attempts,
        events=(*events, *outcome.events_after_write),
        error="\n".join(errors),
        proposals=outcome.proposals,
        steps=outcome.chain.steps,
        status_version=status_version(flags, behaviours),
    )


def status_version(flags: Flags, behaviours: Behaviours) -> str:
    """The API version in which the controller computes a status."""
    if behaviours.reads_v2:
        return "autoscaling/v2"
    if not behaviours.forbidden_windows:
        return "autoscaling/v2beta2"
    if behaviours.polls or behaviours.metrics_annotation:
        return "extensions/v1beta1" if behaviours.polls else "autoscaling/v1"
    return "autoscaling/v2beta1" if version_of(flags.release) >= (1, 8, 0) else "autoscaling/v2alpha1"


def _action(scale: Scale | None, desired: int | None, behaviours: Behaviours) -> str:
    if scale is None or desired is None:
        return "hold"
    current = current_replicas(scale.spec_replicas, scale.status_replicas, behaviours)
    change = scale_change(scale.spec_replicas, current, desired)
    if change == 0:
        return "hold"
    return "scale_up" if change > 0 else "scale_down"


def deleted(observation: Observation) -> Decision:
    """The decision where the HPA is gone."""
    return Decision(
        at_us=observation.at_us,
        namespace=observation.namespace,
        name=observation.name,
        uid="",
        gone=True,
        spec_replicas=None,
        status_replicas=None,
        min_replicas=None,
        max_replicas=None,
        raw_desired=None,
        stabilized=None,
        rate_limited=None,
        unheld=None,
        desired=None,
        status_desired=None,
        action="hold",
        reason_code="gate.hpa_deleted",
        scale_reason="",
        status=None,
        writes_status=False,
        attempts=(),
        events=(),
        error="",
        proposals=(),
        steps=(),
    )
