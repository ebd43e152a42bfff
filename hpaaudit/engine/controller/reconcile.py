"""One reconcile, top to bottom.

The order is upstream's (`reconcileAutoscaler`, 1.36), for effects depend on it: read the scale, keep a
first recommendation, choose a branch (disabled at zero, outside the bounds, metrics), stabilize, limit,
write the scale, write the status. Each clock of upstream's is an instant of the observation: the scale
when it was answered, each metric when it was, the decision after the last read, a write when it was answered.
"""

from dataclasses import dataclass, replace

from hpaaudit.api.v1 import through_v1
from hpaaudit.engine.behaviours.release import rules_of
from hpaaudit.engine.behaviours.table import Rules
from hpaaudit.engine.controller.compute_metrics import recommend, select
from hpaaudit.engine.controller.metric_context import Sight, tolerances
from hpaaudit.engine.controller.normalize import WHY, normalize
from hpaaudit.engine.controller.outcome import (
    Outcome,
    current_of,
    gate,
    has_object_or_external,
    reference,
    refusal,
    scaled_to_zero,
    server_of,
    status_of,
)
from hpaaudit.engine.controller.status import same_status, with_condition, without_condition
from hpaaudit.engine.controller.steps import gate_chain
from hpaaudit.engine.controller.write_scale import act
from hpaaudit.engine.rules import branch as gates
from hpaaudit.engine.rules.go_numbers import MAX_INT64
from hpaaudit.engine.rules.normalize import ABOVE_MAXIMUM, BELOW_MINIMUM
from hpaaudit.model.decision import Decision, PostedEvent, Step
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Condition, Hpa
from hpaaudit.model.memory import EMPTY, Memory, Recommendation
from hpaaudit.model.observation import Observation
from hpaaudit.model.target import Pod, Scale
from hpaaudit.model.version import version_number

_OK = range(200, 300)


def reconcile(seen: Observation, memory: Memory, flags: Flags, *, keep_pods: bool = False) -> tuple[Decision, Memory]:
    """One look at one HPA: what the controller decides, says and remembers.

    keep_pods   also keep how each metric counted each pod
    """
    if seen.hpa is None:
        return _gone(seen), replace(EMPTY, selector=memory.selector)
    rules = rules_of(flags)
    if rules.stale_cache_skips and _version(seen.hpa) < seen.written_version:
        return _decision(seen, seen.hpa, _stale(seen, seen.hpa, memory), flags, rules), memory
    outcome = _decide(seen, seen.hpa, memory, flags, rules, keep_pods=keep_pods)
    return _decision(seen, seen.hpa, outcome, flags, rules), outcome.memory


def _version(hpa: Hpa) -> int:
    """A resource version as a number; one that is none counts as new enough."""
    number = version_number(hpa.resource_version)
    return MAX_INT64 if number is None else number


def _stale(seen: Observation, hpa: Hpa, memory: Memory) -> Outcome:
    """The cache does not have our own last write yet: nothing is read, one period is skipped."""
    text = (
        f"read version: {hpa.resource_version} is not as new as written version: {seen.written_version} "
        "for group resource horizontalpodautoscalers.autoscaling"
    )
    chain = gate_chain(gate("gate.stale_cache", None, (("error", text),)))
    return Outcome(status=hpa.status, memory=memory, error=text, chain=chain)


def _decide(seen: Observation, hpa: Hpa, memory: Memory, flags: Flags, rules: Rules, *, keep_pods: bool) -> Outcome:
    scale = _read_scale(seen, hpa, flags)
    if isinstance(scale, _Unreadable):
        conditions = with_condition(
            hpa.status.conditions,
            "AbleToScale",
            "False",
            "FailedGetScale",
            f"the HPA controller was unable to get the target's current scale: {scale.text}",
            seen.scale_us,
        )
        # The rest of the status stays as it was: upstream does not come to setStatus.
        return Outcome(
            status=replace(hpa.status, conditions=conditions),
            memory=memory,
            scale=scale.seen,
            desired=None if scale.seen is None else scale.seen.spec_replicas,
            events=(PostedEvent(type="Warning", reason="FailedGetScale", message=scale.text),),
            error=scale.error,
            status_error_told=rules.status_error_told,
            chain=gate_chain(gate("gate.target_unreadable", None, (("error", scale.text),))),
        )
    conditions = with_condition(
        hpa.status.conditions,
        "AbleToScale",
        "True",
        "SucceededGetScale",
        "the HPA controller was able to get the target's current scale",
        seen.scale_us,
    )
    if memory.recommendations is None:
        first = Recommendation(replicas=current_of(scale, rules), at_us=seen.scale_us)
        memory = replace(memory, recommendations=(first,))
    current = current_of(scale, rules)
    minimum = 1 if hpa.spec.min_replicas is None else hpa.spec.min_replicas
    to_zero = scaled_to_zero(hpa.status.conditions, rules)
    leaves = gates.leaves_zero(minimum, to_zero, has_object_or_external(hpa), rules)
    taken = gates.branch(scale.spec_replicas, current, minimum, hpa.spec.max_replicas, leaves, rules)
    if taken == gates.DISABLED:
        return _disabled(seen, hpa, scale, memory, conditions, rules)
    if taken == gates.ABOVE_MAX:
        jump = gate("gate.above_max", current, (("max", hpa.spec.max_replicas),), after=hpa.spec.max_replicas)
        return _jump(seen, hpa, scale, memory, conditions, hpa.spec.max_replicas, ABOVE_MAXIMUM, jump, flags, rules)
    if taken == gates.BELOW_MIN:
        jump = gate("gate.below_min", current, (("min", minimum),), after=minimum)
        return _jump(seen, hpa, scale, memory, conditions, minimum, BELOW_MINIMUM, jump, flags, rules)
    return _by_metrics(seen, hpa, scale, memory, conditions, minimum, flags, rules, keep_pods=keep_pods)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unreadable:
    """Why there is no scale; `seen` is one that was answered but that the client refuses."""

    text: str
    error: str
    seen: Scale | None = None


def _read_scale(seen: Observation, hpa: Hpa, flags: Flags) -> Scale | _Unreadable:
    """The scale, or why it could not be had; a selector that the scale client refuses makes it unreadable."""
    version = hpa.spec.target.api_version
    if version.count("/") > 1:
        text = f"unexpected GroupVersion string: {version}"
        return _Unreadable(text=text, error=f"invalid API version in scale target reference: {text}")
    if seen.target_error:
        error = f"unable to determine resource for scale target reference: {seen.target_error}"
        return _Unreadable(text=seen.target_error, error=error)
    refused: Scale | None = None
    if not seen.scale_reads:
        text = "no answer of the scale was recorded"
    else:
        read = seen.scale_reads[0]
        text = refusal(read, flags)
        if read.scale is not None and not text:
            return read.scale
        refused = read.scale
    error = f"failed to query scale subresource for {reference(hpa)}: {text}"
    return _Unreadable(text=text, error=error, seen=refused)


def _disabled(
    seen: Observation,
    hpa: Hpa,
    scale: Scale,
    memory: Memory,
    conditions: tuple[Condition, ...],
    rules: Rules,
) -> Outcome:
    if rules.scaled_to_zero_condition and not rules.scale_to_zero:
        conditions = without_condition(conditions, "ScaledToZero")
    conditions = with_condition(
        conditions,
        "ScalingActive",
        "False",
        "ScalingDisabled",
        "scaling is disabled since the replica count of the target is zero",
        seen.decided_us,
    )
    current = current_of(scale, rules)
    status = status_of(hpa, current, current, None, conditions, None, rules)
    chain = gate_chain(gate("gate.disabled_at_zero", 0, (), after=0))
    return Outcome(status=status, memory=memory, scale=scale, desired=0, chain=chain)


def _jump(
    seen: Observation,
    hpa: Hpa,
    scale: Scale,
    memory: Memory,
    conditions: tuple[Condition, ...],
    desired: int,
    why: int,
    step: Step,
    flags: Flags,
    rules: Rules,
) -> Outcome:
    """Outside the bounds: straight to the bound, metrics and limits unasked."""
    outcome = Outcome(
        status=replace(hpa.status, conditions=conditions),
        memory=memory,
        scale=scale,
        desired=desired,
        scale_reason=WHY[why],
        chain=gate_chain(step),
    )
    return act(seen, hpa, outcome, None, flags, rules)


def _by_metrics(
    seen: Observation,
    hpa: Hpa,
    scale: Scale,
    memory: Memory,
    conditions: tuple[Condition, ...],
    minimum: int,
    flags: Flags,
    rules: Rules,
    *,
    keep_pods: bool,
) -> Outcome:
    if scale.selector:
        memory = replace(memory, selector=scale.selector)
    pods, refused = select(hpa, scale, seen.pods, seen.rivals, rules)
    found = refused or recommend(hpa, seen, _sight(hpa, scale, pods, flags, rules, keep_pods=keep_pods))
    if found.flickers:
        conditions = with_condition(conditions, "ScalingActive", "False", "", "", seen.decided_us)
    if found.reason:
        active = "False" if found.replicas is None else "True"
        conditions = with_condition(conditions, "ScalingActive", active, found.reason, found.message, seen.decided_us)
    else:
        # A metric that a gate forbids fails without a condition; upstream sets the empty one.
        conditions = with_condition(conditions, "", "", "", "", seen.decided_us)
    if found.replicas is None:
        statuses = found.statuses if rules.metrics_renewed_on_failure else hpa.status.current_metrics
        return Outcome(
            status=status_of(
                hpa, current_of(scale, rules), hpa.status.desired_replicas, statuses, conditions, None, rules
            ),
            memory=memory,
            scale=scale,
            desired=scale.spec_replicas,
            events=found.events,
            events_after_write=(
                PostedEvent(type="Warning", reason="FailedComputeMetricsReplicas", message=found.error),
            ),
            error=(
                "failed to compute desired number of replicas based on listed metrics "
                f"for {reference(hpa)}: {found.error}"
            ),
            proposals=found.views,
            chain=gate_chain(gate(found.code, scale.spec_replicas, (("error", found.error),))),
        )
    outcome = normalize(seen, hpa, scale, memory, conditions, minimum, found, flags, rules)
    return act(seen, hpa, outcome, found.statuses, flags, rules)


def _sight(hpa: Hpa, scale: Scale, pods: tuple[Pod, ...], flags: Flags, rules: Rules, *, keep_pods: bool) -> Sight:
    down, up = tolerances(hpa, flags, rules)
    return Sight(
        namespace=hpa.namespace,
        scale=scale,
        pods=pods,
        names=frozenset(pod.name for pod in pods),
        down=down,
        up=up,
        flags=flags,
        rules=rules,
        keep_pods=keep_pods,
    )


def _decision(seen: Observation, hpa: Hpa, outcome: Outcome, flags: Flags, rules: Rules) -> Decision:
    """The outcome with its status written, or not."""
    writes = not same_status(outcome.status, hpa.status)
    events, errors = outcome.events, [*outcome.handled]
    failed = seen.status_write if writes else None
    refused = failed is not None and failed.status not in _OK
    if failed is not None and refused:
        text = failed.error if failed.status else server_of(flags).without_answer("Put", failed.path, failed.error)
        events = (*events, PostedEvent(type="Warning", reason="FailedUpdateStatus", message=text))
        if outcome.status_error_told:
            errors.append(f"failed to update status for {hpa.name}: {text}")
    # The error of a metric that others made up for gives way to that of the status.
    if outcome.error and not (refused and outcome.partial_error):
        errors.append(outcome.error)
    current = None if outcome.scale is None else outcome.scale.spec_replicas
    return Decision(
        at_us=seen.at_us,
        namespace=hpa.namespace,
        name=hpa.name,
        uid=hpa.uid,
        gone=False,
        spec_replicas=current,
        status_replicas=None if outcome.scale is None else outcome.scale.status_replicas,
        min_replicas=hpa.spec.min_replicas,
        max_replicas=hpa.spec.max_replicas,
        raw_desired=outcome.raw,
        stabilized=outcome.stabilized,
        rate_limited=outcome.rate_limited,
        desired=outcome.desired,
        status_desired=outcome.status.desired_replicas,
        action=_action(current, outcome.desired),
        reason_code=outcome.chain.reason_code,
        scale_reason=outcome.scale_reason,
        status=outcome.status if rules.reads_v2 else through_v1(outcome.status),
        writes_status=writes,
        attempts=outcome.attempts,
        events=(*events, *outcome.events_after_write),
        error="\n".join(errors),
        proposals=outcome.proposals,
        steps=outcome.chain.steps,
        status_version="autoscaling/v2" if rules.reads_v2 else "autoscaling/v2beta2",
    )


def _action(current: int | None, desired: int | None) -> str:
    if current is None or desired is None or current == desired:
        return "hold"
    return "scale_up" if desired > current else "scale_down"


def _gone(seen: Observation) -> Decision:
    return Decision(
        at_us=seen.at_us,
        namespace=seen.namespace,
        name=seen.name,
        uid="",
        gone=True,
        spec_replicas=None,
        status_replicas=None,
        min_replicas=None,
        max_replicas=None,
        raw_desired=None,
        stabilized=None,
        rate_limited=None,
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
