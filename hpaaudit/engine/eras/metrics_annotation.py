"""One reconcile of 1.2 to 1.5: CPU, and custom metrics that an annotation asks for, then forbidden windows.

Upstream: `horizontal.go`, `reconcileAutoscaler`. It changes the object in the cache of its informer. So the next
reconcile continues from what this one wanted to publish, even if the write failed, until a newer object arrives. A
status is written every time.
"""

from dataclasses import dataclass, replace

from hpaaudit.api.v1 import cpu_status
from hpaaudit.api.v2 import DEFAULT_CPU_UTILIZATION, cpu_utilization
from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.controller import replica_calculator as calculator
from hpaaudit.engine.controller.compute_metric import OldView, old_view
from hpaaudit.engine.controller.heapster_client import pod_resource
from hpaaudit.engine.controller.metric_context import MetricContext
from hpaaudit.engine.controller.metrics_client import ZERO_TIME_US, Problem
from hpaaudit.engine.controller.normalize import SCALE_REASONS
from hpaaudit.engine.controller.outcome import Outcome, gate
from hpaaudit.engine.controller.pass_reads import PassReads, selected
from hpaaudit.engine.controller.reconcile import Unreadable, decision_of, deleted, metric_context, read_scale
from hpaaudit.engine.controller.reconcile_state import ReconcileState, reference
from hpaaudit.engine.controller.steps import Chain, gate_chain
from hpaaudit.engine.controller.write_scale import write_scale
from hpaaudit.engine.eras import custom_metrics, float_calculator, pod_averages
from hpaaudit.engine.eras.bounds import bounded
from hpaaudit.engine.eras.era_steps import chain_of, fitting, held_step
from hpaaudit.engine.eras.era_steps import proposed as step_of_metrics
from hpaaudit.engine.eras.pod_averages import AveragesContext, Panic
from hpaaudit.engine.eras.windows import forbidden_windows
from hpaaudit.engine.rules import branch as branches
from hpaaudit.engine.rules import forbidden_windows as windows
from hpaaudit.engine.rules.go_numbers import ceil, divide_float, to_int32, to_int64
from hpaaudit.engine.rules.normalize import ABOVE_MAXIMUM, AT_ZERO, BELOW_MINIMUM, scale_reason_of
from hpaaudit.engine.rules.reason_codes import (
    ALL_INVALID,
    CODES,
    PANICKED,
    SELECTOR_MISSING,
    UNREADABLE,
)
from hpaaudit.engine.rules.tolerance import within
from hpaaudit.model.decision import Decision, MetricProposal, PostedEvent, Step
from hpaaudit.model.flags import UPSCALE_DELAY_US, Flags
from hpaaudit.model.hpa import Hpa, HpaStatus, MetricStatus
from hpaaudit.model.memory import EMPTY, Memory
from hpaaudit.model.observation import Observation
from hpaaudit.model.units import Micros

_CPU = "CPU utilization"
_SELECTOR_REQUIRED = "selector is required"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failure:
    """Why a metric ended the reconcile.

    events   what is said at once;  error   as it is returned
    """

    events: tuple[PostedEvent, ...]
    error: str
    is_custom: bool
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Proposed:
    """What all metrics came to: the highest proposal, whose it is, and when that was measured.

    cpu      the utilization that was computed, None if it was not asked
    custom   the annotation that publishes custom metrics, empty without any
    """

    replicas: int
    name: str
    measured_us: Micros
    cpu: int | None
    custom: str
    events: tuple[PostedEvent, ...]
    views: tuple[MetricProposal, ...]


def reconcile(
    observation: Observation, memory: Memory, flags: Flags, *, keep_pods: bool = False
) -> tuple[Decision, Memory]:
    """One reconcile of one HPA: what the controller decides and writes, and what is in its cache after it."""
    hpa = observation.hpa
    if hpa is None:
        return deleted(observation), EMPTY
    cached = hpa if memory.cached is None else replace(hpa, status=memory.cached)
    outcome = _reconciled(observation, cached, flags, keep_pods=keep_pods)
    if memory.known_uid != hpa.uid and hpa.cpu_target is None and hpa.custom_metrics is None:
        text = "No scaling policy specified - will use default one. See documentation for details"
        outcome = replace(
            outcome, events=(PostedEvent(type="Normal", reason="DefaultPolicy", message=text), *outcome.events)
        )
    after = replace(memory, known_uid=hpa.uid)
    if not outcome.ends_without_status:
        after = replace(after, cached=outcome.status)
    return decision_of(observation, cached, outcome, flags, behaviours_of(flags)), after


def _reconciled(observation: Observation, hpa: Hpa, flags: Flags, *, keep_pods: bool) -> Outcome:
    """The outcome, from reading the scale on."""
    scale = read_scale(observation, hpa, flags)
    if isinstance(scale, Unreadable):
        return Outcome(
            status=hpa.status,
            memory=EMPTY,
            scale=scale.refused_scale,
            desired=None if scale.refused_scale is None else scale.refused_scale.spec_replicas,
            events=(PostedEvent(type="Warning", reason="FailedGetScale", message=scale.text),),
            error=scale.error,
            ends_without_status=True,
            chain=gate_chain(gate(CODES[UNREADABLE], None, (("error", scale.text),))),
        )
    state = ReconcileState(
        observation=observation,
        hpa=hpa,
        scale=scale,
        memory=EMPTY,
        conditions=(),
        flags=flags,
        behaviours=behaviours_of(flags),
        keep_pods=keep_pods,
    )
    return _decide(state)


def _decide(state: ReconcileState) -> Outcome:
    """The outcome of the branch that the reconcile takes."""
    maximum, minimum, current = state.hpa.spec.max_replicas, state.minimum, state.current
    spec_replicas = state.scale.spec_replicas if state.behaviours.zero_disables else 1
    taken = branches.branch(spec_replicas, current, minimum, maximum, at_zero=False, behaviours=state.behaviours)
    if taken == branches.DISABLED:
        # Until 1.4 the window is asked here too, and a scale that had zero gets zero again.
        step = gate("gate.disabled_at_zero", 0, (), after=0)
        return _moved(state, 0, "", step, at_once=False, never=state.behaviours.scaled_to_bound_at_once)
    if taken == branches.ABOVE_MAX:
        step = gate("gate.above_max", current, (("max", maximum),), after=maximum)
        return _moved(state, maximum, SCALE_REASONS[ABOVE_MAXIMUM], step, at_once=True)
    if taken == branches.BELOW_MIN:
        is_default = state.hpa.spec.min_replicas is None
        step = gate("gate.below_min", current, (("min", minimum),), after=minimum)
        return _moved(state, minimum, SCALE_REASONS[AT_ZERO if is_default else BELOW_MINIMUM], step, at_once=True)
    try:
        proposed = _by_metrics(state)
    except Panic as panic:
        return Outcome(
            status=state.hpa.status,
            memory=EMPTY,
            scale=state.scale,
            desired=state.scale.spec_replicas,
            error=f"panic: {panic}",
            ends_without_status=True,
            chain=gate_chain(gate(CODES[PANICKED], state.scale.spec_replicas, (("error", str(panic)),))),
        )
    if isinstance(proposed, _Failure):
        return _failed(state, proposed)
    return _proposed(state, proposed)


def _moved(
    state: ReconcileState, desired: int, reason: str, step: Step, *, at_once: bool, never: bool = False
) -> Outcome:
    """The outcome outside the bounds or at zero. Up to 1.4 the windows count there as well.

    at_once   since 1.5 they do not (commit 1ef7fd36fb);  never   nothing is written
    """
    current, now_us = state.current, state.observation.scale_us
    opened = forbidden_windows(state.hpa.status.last_scale_us, now_us, state.flags, state.behaviours)
    rescales = desired != current and not never
    if not (at_once and state.behaviours.scaled_to_bound_at_once):
        rescales = rescales and windows.may_scale(current, desired, opened.last_scale_us, now_us, opened.windows)
    proposed = _Proposed(replicas=desired, name="", measured_us=now_us, cpu=None, custom="", events=(), views=())
    chain = gate_chain(step)
    if not rescales and not never and desired != current:
        held = held_step(desired, current, opened)
        chain = Chain((step, held), held.code)
    return _written(state, proposed, desired if rescales else current, reason, chain)


def _proposed(state: ReconcileState, proposed: _Proposed) -> Outcome:
    """The outcome of a proposal: within the bounds, and in an open window."""
    raw, current, hpa = proposed.replicas, state.current, state.hpa
    limits = bounded(raw, current, hpa.spec.min_replicas, hpa.spec.max_replicas, state.behaviours)
    opened = forbidden_windows(hpa.status.last_scale_us, proposed.measured_us, state.flags, state.behaviours)
    desired = limits.replicas
    rescales = windows.may_scale(current, desired, opened.last_scale_us, proposed.measured_us, opened.windows)
    reason = SCALE_REASONS[scale_reason_of(raw, current)].format(name=proposed.name)
    chain = chain_of(step_of_metrics(raw, current), limits, current, opened, rescales=rescales)
    return _written(state, proposed, desired if rescales else current, reason, chain)


def _written(state: ReconcileState, proposed: _Proposed, desired: int, reason: str, chain: Chain) -> Outcome:
    """The outcome after the scale was written, if it must be."""
    outcome = Outcome(
        status=state.hpa.status,
        memory=EMPTY,
        scale=state.scale,
        raw=fitting(proposed.replicas),
        desired=desired,
        scale_reason=reason,
        events=proposed.events,
        proposals=proposed.views,
        chain=chain,
    )
    after = write_scale(state, outcome, _shown_cpu(state, proposed))
    if after.error:
        return replace(after, status=state.hpa.status, memory=EMPTY, ends_without_status=True)
    custom = proposed.custom or state.hpa.status.custom_metrics
    return replace(after, status=replace(after.status, custom_metrics=custom), memory=EMPTY)


def _shown_cpu(state: ReconcileState, proposed: _Proposed) -> tuple[MetricStatus, ...] | None:
    """The utilization that the status shows. Since 1.4 it is zero where none was computed."""
    if proposed.cpu is not None:
        return (cpu_status(proposed.cpu),)
    return (cpu_status(0),) if state.behaviours.zero_cpu_shown else None


def _failed(state: ReconcileState, failure: _Failure) -> Outcome:
    """The outcome where a metric has no proposal: only the current replicas of the status change."""
    of, reason = ("Custom Metrics", "FailedComputeCMReplicas") if failure.is_custom else (_CPU, "FailedComputeReplicas")
    said = PostedEvent(type="Warning", reason=reason, message=failure.error)
    status: HpaStatus = replace(state.hpa.status, current_replicas=state.current)
    return Outcome(
        status=status,
        memory=EMPTY,
        scale=state.scale,
        desired=state.scale.spec_replicas,
        events=failure.events,
        events_after_write=() if state.behaviours.first_minutes_forgiven else (said,),
        error=f"failed to compute desired number of replicas based on {of} for {reference(state.hpa)}: {failure.error}",
        handles_status_error=False,
        chain=gate_chain(gate(failure.code, state.scale.spec_replicas, (("error", failure.error),))),
    )


def _by_metrics(state: ReconcileState) -> _Proposed | _Failure:
    """The highest proposal: CPU first, then the custom metrics, each only if it is more. Raises Panic."""
    hpa = state.hpa
    context = replace(
        metric_context(state, selected(state.observation.pods, state.scale.selector)),
        reads=PassReads(state.observation.pass_reads),
    )
    best = _Proposed(
        replicas=0, name="", measured_us=state.observation.scale_us, cpu=None, custom="", events=(), views=()
    )
    if hpa.cpu_target is not None or hpa.custom_metrics is None:
        cpu = _cpu(state, context)
        if isinstance(cpu, _Failure):
            return cpu
        best = replace(best, cpu=cpu.cpu, events=cpu.events, views=cpu.views)
        if cpu.replicas > best.replicas:
            best = replace(best, replicas=cpu.replicas, name=_CPU, measured_us=cpu.measured_us)
    if hpa.custom_metrics is not None:
        custom = _custom(state, context, hpa.custom_metrics)
        if isinstance(custom, _Failure):
            return replace(custom, events=(*best.events, *custom.events))
        best = replace(
            best, custom=custom.custom, events=(*best.events, *custom.events), views=(*best.views, *custom.views)
        )
        if custom.replicas > best.replicas:
            best = replace(best, replicas=custom.replicas, name=custom.name, measured_us=custom.measured_us)
    views = tuple(replace(view, is_winner=view.proposal == fitting(best.replicas)) for view in best.views)
    return replace(best, views=views)


def _without_selector(*, is_custom: bool) -> _Failure:
    event = PostedEvent(type="Warning", reason="SelectorRequired", message=_SELECTOR_REQUIRED)
    return _Failure(events=(event,), error=_SELECTOR_REQUIRED, is_custom=is_custom, code=CODES[SELECTOR_MISSING])


def _not_had(state: ReconcileState, problem: Problem, *, is_custom: bool) -> _Failure:
    """The failure of a metric that could not be had."""
    what, reason = ("custom metric value", "FailedGetCustomMetrics") if is_custom else (_CPU, "FailedGetMetrics")
    kind = "Warning"
    if state.behaviours.first_minutes_forgiven and not _is_late(state):
        kind, reason = "Normal", "CustomMetricsNotAvailableYet" if is_custom else "MetricsNotAvailableYet"
    return _Failure(
        events=(PostedEvent(type=kind, reason=reason, message=problem.text),),
        error=f"failed to get {what}: {problem.text}",
        is_custom=is_custom,
        code=CODES[ALL_INVALID],
    )


def _is_late(state: ReconcileState) -> bool:
    """True if the last change of the scale, else the creation of the HPA, is more than the upscale window ago (1.5)."""
    last_us = state.hpa.status.last_scale_us
    since_us = last_us if last_us is not None else state.hpa.created_us
    return since_us is None or state.observation.decided_us > since_us + UPSCALE_DELAY_US


def _ceiled(ratio: float, pods: int, state: ReconcileState) -> int:
    number = ceil(ratio * float(pods))
    return to_int64(number) if state.behaviours.full_integers else to_int32(number)


def _cpu(state: ReconcileState, context: MetricContext) -> _Proposed | _Failure:
    """What CPU proposes. Raises Panic. Upstream: `computeReplicasForCPUUtilization`."""
    if not state.scale.selector:
        return _without_selector(is_custom=False)
    percent = DEFAULT_CPU_UTILIZATION if state.hpa.cpu_target is None else state.hpa.cpu_target
    if state.behaviours.replica_calculator:
        return _calculated_cpu(state, context, percent)
    average = pod_averages.cpu_utilization(_averages(state, context))
    if isinstance(average, Problem):
        return _not_had(state, average, is_custom=False)
    utilization = int(average.value) if state.behaviours.full_integers else _int32(int(average.value))
    ratio = divide_float(float(utilization), float(percent))
    inside = within(ratio, context.tolerance)
    multiplied = average.pods if state.behaviours.running_pods_multiplied else state.current
    replicas = state.current if inside else _ceiled(ratio, multiplied, state)
    events: tuple[PostedEvent, ...] = ()
    if not inside and state.behaviours.running_pods_multiplied:
        text = (
            f"Computed the desired num of replicas: {replicas}, on a base of {average.pods} report(s) "
            f"(avgCPUutil: {utilization}, current replicas: {state.current})"
        )
        events = (PostedEvent(type="Normal", reason="DesiredReplicasComputed", message=text),)
    view = old_view(
        OldView("Resource", "cpu", "Utilization", percent, ratio, fitting(replicas), inside, fitting(utilization))
    )
    return _Proposed(
        replicas=replicas,
        name=_CPU,
        measured_us=average.measured_us,
        cpu=utilization,
        custom="",
        events=events,
        views=(view,),
    )


def _int32(number: int) -> int:
    """The low 32 bits: `int32(*currentUtilization)` of an int."""
    return (number + 2**31) % 2**32 - 2**31


def _averages(state: ReconcileState, context: MetricContext) -> AveragesContext:
    if context.reads is None:
        raise AssertionError("reads are given to every reconcile of this era")
    return AveragesContext(
        reads=context.reads,
        watched=context.pods,
        namespace=state.hpa.namespace,
        server=context.server,
        behaviours=state.behaviours,
    )


def _calculated_cpu(state: ReconcileState, context: MetricContext, percent: int) -> _Proposed | _Failure:
    """What CPU proposes by the replica calculator (1.5)."""
    answer = None if context.reads is None else context.reads.heapster()
    given = pod_resource(answer, "cpu", context.server, "failed to get heapster service")
    if isinstance(given, Problem):
        return _not_had(state, given.under("unable to get metrics for resource cpu"), is_custom=False)
    samples, measured_us = given
    metric = cpu_utilization(percent)
    calculated = calculator.resource_replicas(metric, samples, percent, state.observation.decided_us, context)
    if isinstance(calculated, Problem):
        return _not_had(state, calculated, is_custom=False)
    utilization = calculated.utilization or 0
    events: tuple[PostedEvent, ...] = ()
    if calculated.replicas != state.current:
        text = (
            f"Computed the desired num of replicas: {calculated.replicas} "
            f"(avgCPUutil: {utilization}, current replicas: {state.current})"
        )
        events = (PostedEvent(type="Normal", reason="DesiredReplicasComputed", message=text),)
    view = old_view(
        OldView(
            "Resource",
            "cpu",
            "Utilization",
            percent,
            calculated.ratio,
            calculated.replicas,
            calculated.inside,
            utilization,
        )
    )
    return _Proposed(
        replicas=calculated.replicas,
        name=_CPU,
        measured_us=measured_us,
        cpu=utilization,
        custom="",
        events=events,
        views=(view,),
    )


def _custom(state: ReconcileState, context: MetricContext, annotation: str) -> _Proposed | _Failure:
    """What the custom metrics propose together. Upstream: `computeReplicasForCustomMetrics`."""
    targets = custom_metrics.targets_of(annotation)
    if isinstance(targets, Problem):
        event = PostedEvent(type="Warning", reason="FailedParseCustomMetricsAnnotation", message=targets.text)
        said = (event,) if state.behaviours.first_minutes_forgiven else ()
        return _Failure(events=said, error=targets.text, is_custom=True, code=CODES[ALL_INVALID])
    best = _Proposed(replicas=0, name="", measured_us=ZERO_TIME_US, cpu=None, custom="", events=(), views=())
    if not annotation:
        return best
    if not targets:
        raise Panic("runtime error: invalid memory address or nil pointer dereference")
    values: list[tuple[str, str]] = []
    for target in targets:
        if not state.scale.selector:
            return _without_selector(is_custom=True)
        proposal = _custom_proposal(state, context, target)
        if isinstance(proposal, Problem):
            return _not_had(state, proposal, is_custom=True)
        if proposal.replicas > best.replicas:
            best = replace(
                best,
                replicas=proposal.replicas,
                name=f"Custom metric {target.name}",
                measured_us=proposal.measured_us,
            )
        try:
            text = custom_metrics.published(proposal.average, keeps_text=not state.behaviours.full_integers)
            values.append((target.name, text))
        except ValueError as error:
            event = PostedEvent(type="Warning", reason="FailedSetCustomMetrics", message=str(error))
            said = (event,) if state.behaviours.first_minutes_forgiven else ()
            text = f"failed to set custom metric value: {error}"
            return _Failure(events=said, error=text, is_custom=True, code=CODES[ALL_INVALID])
        inside = within(proposal.ratio, context.tolerance)
        replicas = fitting(proposal.replicas)
        view = OldView("Pods", target.name, "AverageValue", target.milli, proposal.ratio, replicas, inside)
        best = replace(best, views=(*best.views, old_view(view)))
    events: tuple[PostedEvent, ...] = ()
    if state.behaviours.replica_calculator and best.replicas != state.current:
        text = (
            f"Computed the desired num of replicas: {best.replicas}, metric: {best.name}, "
            f"current replicas: {state.current}"
        )
        events = (PostedEvent(type="Normal", reason="DesiredReplicasComputedCustomMetric", message=text),)
    return replace(best, custom=custom_metrics.status_annotation(values), events=events)


def _custom_proposal(
    state: ReconcileState, context: MetricContext, target: custom_metrics.CustomTarget
) -> float_calculator.FloatProposal | Problem:
    """What one custom metric proposes. Until 1.4 its ratio multiplies the current replicas."""
    if state.behaviours.replica_calculator:
        return float_calculator.custom_replicas(target.name, target.amount, context)
    average = pod_averages.custom_average(_averages(state, context))
    if isinstance(average, Problem):
        return average
    ratio = divide_float(average.value, target.amount)
    inside = within(ratio, context.tolerance)
    replicas = state.current if inside else _ceiled(ratio, state.current, state)
    return float_calculator.FloatProposal(
        replicas=replicas, average=average.value, ratio=ratio, measured_us=average.measured_us
    )
