"""One reconcile, top to bottom.

The order is upstream's (`reconcileAutoscaler`, 1.36), for effects depend on it: read the scale, keep a
first recommendation, choose a branch (disabled at zero, outside the bounds, metrics), stabilize, limit,
write the scale, write the status. Each clock of upstream's is an instant of the observation: the scale
when it was answered, each metric when it was, the decision after the last read, a write when it was answered.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from hpaaudit.api.answers import Server
from hpaaudit.api.quantity import approximate_float
from hpaaudit.api.selector import BadSelector, scale_selector
from hpaaudit.api.v1 import through_v1
from hpaaudit.engine import limit as limits
from hpaaudit.engine import stabilize
from hpaaudit.engine.explain import Chain, chain_of
from hpaaudit.engine.propose import Sight
from hpaaudit.engine.recommend import Recommended, recommend, select
from hpaaudit.engine.release import Rules, rules_of
from hpaaudit.engine.remember import remember_scale
from hpaaudit.engine.rules.numbers import MAX_INT64
from hpaaudit.engine.status import condition_of, same_status, with_condition, without_condition
from hpaaudit.model.decision import Decision, MetricProposal, PostedEvent, ScaleAttempt, Step
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Condition, Hpa, HpaStatus, MetricStatus, MetricType
from hpaaudit.model.memory import EMPTY, Memory, Recommendation
from hpaaudit.model.observation import Observation, WriteOutcome
from hpaaudit.model.target import Pod, Scale
from hpaaudit.model.units import Micros

ABOVE_MAX = "Current number of replicas above Spec.MaxReplicas"
BELOW_MIN = "Current number of replicas below Spec.MinReplicas"
MAX_ATTEMPTS = 5  # client-go's DefaultRetry, on conflicts only (1.34)

_CONFLICT = 409
_OK = range(200, 300)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """What a reconcile came to, before it becomes a Decision."""

    status: HpaStatus
    memory: Memory
    scale: Scale | None = None
    raw: int | None = None
    stabilized: int | None = None
    rate_limited: int | None = None
    desired: int | None = None
    scale_reason: str = ""
    attempts: tuple[ScaleAttempt, ...] = ()
    events: tuple[PostedEvent, ...] = ()
    events_after_write: tuple[PostedEvent, ...] = ()
    error: str = ""
    partial_error: bool = False
    proposals: tuple[MetricProposal, ...] = ()
    chain: Chain


def reconcile(seen: Observation, memory: Memory, flags: Flags, *, keep_pods: bool = False) -> tuple[Decision, Memory]:
    """One look at one HPA: what the controller decides, says and remembers.

    keep_pods   also keep how each metric counted each pod
    """
    if seen.hpa is None:
        return _gone(seen), replace(EMPTY, selector=memory.selector)
    rules = rules_of(flags)
    if rules.stale_cache_skips and _version(seen.hpa) < seen.written_version:
        return _decision(seen, seen.hpa, _stale(seen, seen.hpa, memory), flags), memory
    outcome = _decide(seen, seen.hpa, memory, flags, rules, keep_pods=keep_pods)
    return _decision(seen, seen.hpa, outcome, flags), outcome.memory


def _version(hpa: Hpa) -> int:
    """A resource version as a number; one that is none counts as new enough."""
    return int(hpa.resource_version) if hpa.resource_version.isdigit() else MAX_INT64


def _stale(seen: Observation, hpa: Hpa, memory: Memory) -> _Outcome:
    """The cache does not have our own last write yet: nothing is read, one period is skipped."""
    text = (
        f"read version: {hpa.resource_version} is not as new as written version: {seen.written_version} "
        "for group resource horizontalpodautoscalers.autoscaling"
    )
    gate = _gate("gate.stale_cache", None, (("error", text),))
    return _Outcome(status=hpa.status, memory=memory, error=text, chain=chain_of([gate]))


# --- reading the scale -------------------------------------------------------------------------------------


def _decide(seen: Observation, hpa: Hpa, memory: Memory, flags: Flags, rules: Rules, *, keep_pods: bool) -> _Outcome:
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
        return _Outcome(
            status=replace(hpa.status, conditions=conditions),
            memory=memory,
            scale=scale.seen,
            desired=None if scale.seen is None else scale.seen.spec_replicas,
            events=(PostedEvent(type="Warning", reason="FailedGetScale", message=scale.text),),
            error=scale.error,
            chain=chain_of([_gate("gate.target_unreadable", None, (("error", scale.text),))]),
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
        first = Recommendation(replicas=_current(scale, rules), at_us=seen.scale_us)
        memory = replace(memory, recommendations=(first,))
    current = _current(scale, rules)
    minimum = 1 if hpa.spec.min_replicas is None else hpa.spec.min_replicas
    if scale.spec_replicas == 0 and not _leaves_zero(hpa, minimum, rules):
        return _disabled(seen, hpa, scale, memory, conditions, rules)
    if current > hpa.spec.max_replicas:
        jump = _gate("gate.above_max", current, (("max", hpa.spec.max_replicas),), after=hpa.spec.max_replicas)
        return _jump(seen, hpa, scale, memory, conditions, hpa.spec.max_replicas, ABOVE_MAX, jump, flags, rules)
    if current != 0 and current < minimum:
        jump = _gate("gate.below_min", current, (("min", minimum),), after=minimum)
        return _jump(seen, hpa, scale, memory, conditions, minimum, BELOW_MIN, jump, flags, rules)
    return _by_metrics(seen, hpa, scale, memory, conditions, minimum, flags, rules, keep_pods=keep_pods)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unreadable:
    """Why there is no scale; `seen` is one that was answered but that the client refuses."""

    text: str
    error: str
    seen: Scale | None = None


def _server(flags: Flags) -> Server:
    return Server(flags.api_server, quoted=rules_of(flags).quoted_urls)


def _reference(hpa: Hpa) -> str:
    target = hpa.spec.target
    return f"{target.kind}/{hpa.namespace}/{target.name}"


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
        refused = read.scale
        if read.scale is not None:
            try:
                scale_selector(read.scale.selector)
            except BadSelector as bad:
                text = (
                    "received an object from a /scale endpoint which was not convertible to autoscaling Scale: "
                    f"failed to parse target selector: {rules_of(flags).told(bad)}"
                )
            else:
                return read.scale
        else:
            text = read.error if read.status else _server(flags).without_answer("Get", read.path, read.error)
    error = f"failed to query scale subresource for {_reference(hpa)}: {text}"
    return _Unreadable(text=text, error=error, seen=refused)


def _current(scale: Scale, rules: Rules) -> int:
    """Current replicas: those of the spec (since 1.16, and late patches of 1.13 to 1.15), before of the status."""
    return scale.spec_replicas if rules.spec_replicas_are_current else scale.status_replicas


# --- branches ----------------------------------------------------------------------------------------------


def _scaled_to_zero(hpa: Hpa, rules: Rules) -> bool:
    condition = condition_of(hpa.status.conditions, "ScaledToZero")
    on = rules.scale_to_zero and rules.scaled_to_zero_condition
    return on and condition is not None and condition.status == "True"


def _has_object_or_external(hpa: Hpa) -> bool:
    return any(metric.type in (MetricType.OBJECT, MetricType.EXTERNAL) for metric in hpa.spec.metrics)


def _leaves_zero(hpa: Hpa, minimum: int, rules: Rules) -> bool:
    """At zero the metrics are consulted only if this controller itself scaled to zero (1.36); before, if min is 0."""
    if not rules.scaled_to_zero_condition:
        return minimum == 0 and rules.scales_from_zero
    return _scaled_to_zero(hpa, rules) and (minimum != 0 or _has_object_or_external(hpa))


def _disabled(
    seen: Observation,
    hpa: Hpa,
    scale: Scale,
    memory: Memory,
    conditions: tuple[Condition, ...],
    rules: Rules,
) -> _Outcome:
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
    current = _current(scale, rules)
    status = _status(hpa, current, current, None, conditions, None, rules)
    chain = chain_of([_gate("gate.disabled_at_zero", 0, (), after=0)])
    return _Outcome(status=status, memory=memory, scale=scale, desired=0, chain=chain)


def _jump(
    seen: Observation,
    hpa: Hpa,
    scale: Scale,
    memory: Memory,
    conditions: tuple[Condition, ...],
    desired: int,
    reason: str,
    gate: Step,
    flags: Flags,
    rules: Rules,
) -> _Outcome:
    """Outside the bounds: straight to the bound, metrics and limits unasked."""
    outcome = _Outcome(
        status=replace(hpa.status, conditions=conditions),
        memory=memory,
        scale=scale,
        desired=desired,
        scale_reason=reason,
        chain=chain_of([gate]),
    )
    return _act(seen, hpa, outcome, None, flags, rules)


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
) -> _Outcome:
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
        return _Outcome(
            status=_status(hpa, _current(scale, rules), hpa.status.desired_replicas, statuses, conditions, None, rules),
            memory=memory,
            scale=scale,
            desired=scale.spec_replicas,
            events=found.events,
            events_after_write=(
                PostedEvent(type="Warning", reason="FailedComputeMetricsReplicas", message=found.error),
            ),
            error=(
                "failed to compute desired number of replicas based on listed metrics "
                f"for {_reference(hpa)}: {found.error}"
            ),
            proposals=found.views,
            chain=chain_of([_gate(found.code, scale.spec_replicas, (("error", found.error),))]),
        )
    outcome = _normalize(seen, hpa, scale, memory, conditions, minimum, found, flags, rules)
    return _act(seen, hpa, outcome, found.statuses, flags, rules)


def _sight(hpa: Hpa, scale: Scale, pods: tuple[Pod, ...], flags: Flags, rules: Rules, *, keep_pods: bool) -> Sight:
    down = up = flags.tolerance
    if hpa.spec.behavior is not None and rules.configurable_tolerance:
        if hpa.spec.behavior.scale_down.tolerance is not None:
            down = approximate_float(hpa.spec.behavior.scale_down.tolerance)
        if hpa.spec.behavior.scale_up.tolerance is not None:
            up = approximate_float(hpa.spec.behavior.scale_up.tolerance)
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


# --- stabilize and limit -----------------------------------------------------------------------------------


def _normalize(
    seen: Observation,
    hpa: Hpa,
    scale: Scale,
    memory: Memory,
    conditions: tuple[Condition, ...],
    minimum: int,
    found: Recommended,
    flags: Flags,
    rules: Rules,
) -> _Outcome:
    """`normalizeDesiredReplicas…`: the recommendation held by memory, policies and bounds."""
    now_us, current, maximum = seen.decided_us, _current(scale, rules), hpa.spec.max_replicas
    raw = max(found.replicas or 0, 0)  # a negative proposal leaves the zero that upstream starts from
    name = found.name if raw > 0 else ""
    reason = f"{name} above target" if raw > current else ("All metrics below target" if raw < current else "")
    behavior, old = hpa.spec.behavior, memory.recommendations or ()
    if behavior is None:
        held = stabilize.plain(raw, old, now_us, flags.downscale_stabilization_us)
        limited = limits.plain(held.replicas, current, minimum, maximum, own_words=rules.min_limit_says_so)
        without_memory = limits.plain(raw, current, minimum, maximum, own_words=rules.min_limit_says_so)
    else:
        held = stabilize.with_behavior(
            raw, current, old, behavior, now_us, flags.downscale_stabilization_us, envelope=rules.envelope
        )
        limited = limits.with_behavior(
            held.replicas,
            current,
            minimum,
            maximum,
            behavior,
            memory,
            now_us,
            both=rules.both_directions_count,
            min_moves=rules.min_policy_moves,
        )
        without_memory = limits.with_behavior(
            raw,
            current,
            minimum,
            maximum,
            behavior,
            memory,
            now_us,
            both=rules.both_directions_count,
            min_moves=rules.min_policy_moves,
        )
    conditions = _able(conditions, raw, current, held.replicas, now_us, behavior=behavior is not None)
    conditions = with_condition(
        conditions,
        "ScalingLimited",
        "False" if limited.replicas == held.replicas else "True",
        limited.reason,
        limited.message,
        now_us,
    )
    desired = limited.replicas
    if current == 0 and minimum != 0 and _scaled_to_zero(hpa, rules) and desired < minimum:
        desired, reason = minimum, reason or BELOW_MIN
    chain = chain_of(
        [],
        found.views,
        current=current,
        raw=raw,
        held=held,
        limited=limited,
        without_memory=without_memory,
        desired=desired,
        behavior=behavior is not None,
        bounds=(minimum, maximum),
    )
    return _Outcome(
        status=replace(hpa.status, conditions=conditions),
        memory=replace(memory, recommendations=held.recommendations),
        scale=scale,
        raw=raw,
        stabilized=held.replicas,
        rate_limited=limited.by_policy,
        desired=desired,
        scale_reason=reason,
        events=found.events,
        error=found.error if rules.partial_error_returned else "",
        partial_error=bool(found.error),
        proposals=found.views,
        chain=chain,
    )


def _able(
    conditions: tuple[Condition, ...], raw: int, current: int, stabilized: int, now_us: Micros, *, behavior: bool
) -> tuple[Condition, ...]:
    if stabilized == raw:
        reason, message = "ReadyForNewScale", "recommended size matches current size"
    elif behavior and raw >= current:
        reason = "ScaleUpStabilized"
        message = "recent recommendations were lower than current one, applying the lowest recent recommendation"
    else:
        reason = "ScaleDownStabilized"
        message = "recent recommendations were higher than current one, applying the highest recent recommendation"
    return with_condition(conditions, "AbleToScale", "True", reason, message, now_us)


# --- writing -----------------------------------------------------------------------------------------------


def _act(
    seen: Observation,
    hpa: Hpa,
    outcome: _Outcome,
    statuses: tuple[MetricStatus, ...] | None,
    flags: Flags,
    rules: Rules,
) -> _Outcome:
    """Writes the scale if it must move, and says what status says of it."""
    scale, desired, conditions = outcome.scale, outcome.desired, outcome.status.conditions
    if scale is None or desired is None:
        raise AssertionError("a scale is written only after it was read")
    current = _current(scale, rules)
    if desired == current:
        status = _status(hpa, current, current, statuses, conditions, None, rules)
        return replace(outcome, status=status)
    attempts, last = _write(seen, desired, MAX_ATTEMPTS if rules.conflict_retry else 1)
    events = outcome.events
    if last.status not in _OK:
        text = last.error if last.status else _server(flags).without_answer("Put", last.path, last.error)
        message = f"New size: {desired}; reason: {outcome.scale_reason}; error: {text}"
        events = (*events, PostedEvent(type="Warning", reason="FailedRescale", message=message))
        conditions = with_condition(
            conditions,
            "AbleToScale",
            "False",
            "FailedUpdateScale",
            f"the HPA controller was unable to update the target scale: {text}",
            last.at_us,
        )
        shown = statuses if rules.metrics_renewed_on_failure else hpa.status.current_metrics
        status = _status(hpa, current, hpa.status.desired_replicas, shown, conditions, None, rules)
        return replace(
            outcome,
            status=status,
            attempts=attempts,
            events=events,
            error=f"failed to rescale {_reference(hpa)}: {text}",
            chain=outcome.chain.failed(desired, current, text),
        )
    message = f"New size: {desired}; reason: {outcome.scale_reason}"
    events = (*events, PostedEvent(type="Normal", reason="SuccessfulRescale", message=message))
    conditions = with_condition(
        conditions,
        "AbleToScale",
        "True",
        "SucceededRescale",
        f"the HPA controller was able to update the target scale to {desired}",
        last.at_us,
    )
    conditions = _zero_condition(hpa, conditions, current, desired, last.at_us, rules)
    return replace(
        outcome,
        status=_status(hpa, current, desired, statuses, conditions, last.at_us, rules),
        memory=remember_scale(outcome.memory, hpa.spec.behavior, current, desired, last.at_us),
        attempts=attempts,
        events=events,
        chain=outcome.chain.written(current, desired, len(attempts) - 1),
    )


def _write(seen: Observation, desired: int, most: int) -> tuple[tuple[ScaleAttempt, ...], WriteOutcome]:
    """At most so many attempts while they conflict; without a recorded outcome the write succeeds."""
    attempts: list[ScaleAttempt] = []
    outcome = WriteOutcome(at_us=seen.decided_us, path="", status=200, error="")
    for number in range(most):
        if number < len(seen.scale_writes):
            outcome = seen.scale_writes[number]
        elif number:
            break
        attempts.append(ScaleAttempt(to=desired, status=outcome.status))
        if outcome.status != _CONFLICT:
            break
    return tuple(attempts), outcome


def _zero_condition(
    hpa: Hpa, conditions: tuple[Condition, ...], current: int, desired: int, now_us: Micros, rules: Rules
) -> tuple[Condition, ...]:
    """`ScaledToZero`, written with every scale while the gate is on, removed while it is off (1.36)."""
    if not rules.scaled_to_zero_condition:
        return conditions
    if not rules.scale_to_zero:
        return without_condition(conditions, "ScaledToZero")
    if current > 0 and desired == 0 and hpa.spec.min_replicas == 0 and _has_object_or_external(hpa):
        message = "the HPA controller scaled the workload to zero"
        return with_condition(conditions, "ScaledToZero", "True", "ScaledToZero", message, now_us)
    message = "the HPA controller did not scale the workload to zero"
    return with_condition(conditions, "ScaledToZero", "False", "NotScaledToZero", message, now_us)


def _status(
    hpa: Hpa,
    current: int,
    desired: int,
    statuses: tuple[MetricStatus, ...] | None,
    conditions: tuple[Condition, ...],
    scaled_us: Micros | None,
    rules: Rules,
) -> HpaStatus:
    """`setStatus`: rebuilt whole, so that observedGeneration is dropped (to 1.36)."""
    return HpaStatus(
        observed_generation=hpa.generation if rules.generation else None,
        last_scale_us=hpa.status.last_scale_us if scaled_us is None else scaled_us,
        current_replicas=current,
        desired_replicas=desired,
        current_metrics=statuses,
        conditions=conditions,
    )


# --- the decision ------------------------------------------------------------------------------------------


def _gate(
    code: str, before: int | None, detail: Iterable[tuple[str, str | int | float | None]], after: int | None = None
) -> Step:
    return Step(
        stage="gate",
        code=code,
        before=before,
        after=before if after is None else after,
        binding=True,
        detail=tuple(detail),
    )


def _decision(seen: Observation, hpa: Hpa, outcome: _Outcome, flags: Flags) -> Decision:
    """The outcome with its status written, or not."""
    writes = not same_status(outcome.status, hpa.status)
    events, errors = outcome.events, []
    failed = seen.status_write if writes else None
    if failed is not None and failed.status not in _OK:
        text = failed.error if failed.status else _server(flags).without_answer("Put", failed.path, failed.error)
        events = (*events, PostedEvent(type="Warning", reason="FailedUpdateStatus", message=text))
        errors.append(f"failed to update status for {hpa.name}: {text}")
    # The error of a metric that others made up for gives way to that of the status.
    if outcome.error and not (errors and outcome.partial_error):
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
        status=outcome.status if rules_of(flags).reads_v2 else through_v1(outcome.status),
        writes_status=writes,
        attempts=outcome.attempts,
        events=(*events, *outcome.events_after_write),
        error="\n".join(errors),
        proposals=outcome.proposals,
        steps=outcome.chain.steps,
        status_version="autoscaling/v2" if rules_of(flags).reads_v2 else "autoscaling/v2beta2",
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
