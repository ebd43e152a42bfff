"""What the metrics of 1.2 to 1.5 propose: CPU first, then the custom metrics that an annotation asks for.

Upstream: `computeReplicasForCPUUtilization` and `computeReplicasForCustomMetrics` in `horizontal.go`. The highest
proposal wins; a metric that fails ends the reconcile.
"""

from dataclasses import dataclass, replace

from hpaaudit.api.v2 import DEFAULT_CPU_UTILIZATION, cpu_utilization
from hpaaudit.engine.controller import replica_calculator as calculator
from hpaaudit.engine.controller.compute_metric import OldView, invalid_view, old_view
from hpaaudit.engine.controller.heapster_client import pod_resource
from hpaaudit.engine.controller.metric_context import MetricContext
from hpaaudit.engine.controller.metrics_client import ZERO_TIME_US, Problem
from hpaaudit.engine.controller.own_reads import OwnReads, selected
from hpaaudit.engine.controller.reconcile import metric_context
from hpaaudit.engine.controller.reconcile_state import ReconcileState
from hpaaudit.engine.eras import custom_metrics, float_calculator, pod_averages
from hpaaudit.engine.eras.pod_averages import AveragesContext, Panic
from hpaaudit.engine.rules import pod_average as rules
from hpaaudit.engine.rules.go_numbers import divide_float
from hpaaudit.engine.rules.pod_average import fitting
from hpaaudit.engine.rules.reason_codes import ALL_INVALID, CODES, METRIC_FAILED, SELECTOR_MISSING
from hpaaudit.engine.rules.tolerance import within
from hpaaudit.model.decision import MetricProposal, PostedEvent
from hpaaudit.model.flags import UPSCALE_DELAY_US
from hpaaudit.model.units import Micros

CPU_UTILIZATION = "CPU utilization"
"""The name of CPU as a metric, in Events and errors."""

_SELECTOR_REQUIRED = "selector is required"


def custom_name(metric: str) -> str:
    """The name of a custom metric, in Events and errors."""
    return f"Custom metric {metric}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricFailure:
    """Why a metric ended the reconcile.

    events   what is said at once;  error   as it is returned
    """

    events: tuple[PostedEvent, ...]
    error: str
    is_custom: bool
    code: str
    views: tuple[MetricProposal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsProposal:
    """The highest proposal of all metrics, the metric that made it, and when that metric was measured.

    cpu      the utilization that was computed, None if it was not asked
    custom   the annotation that publishes custom metrics, empty without any
    asked    how many replicas each metric asked for
    """

    replicas: int
    name: str
    measured_us: Micros
    cpu: int | None
    custom: str
    events: tuple[PostedEvent, ...]
    views: tuple[MetricProposal, ...]
    asked: tuple[int, ...] = ()


def proposal_of_metrics(state: ReconcileState) -> MetricsProposal | MetricFailure:
    """The highest proposal: CPU first, then the custom metrics, each only if it is more. Raises Panic."""
    hpa = state.hpa
    context = replace(
        metric_context(state, selected(state.observation.pods, state.scale.selector)),
        reads=OwnReads(state.observation),
    )
    best = MetricsProposal(
        replicas=0, name="", measured_us=state.observation.scale_us, cpu=None, custom="", events=(), views=()
    )
    if hpa.cpu_target is not None or hpa.custom_metrics is None:
        cpu = _cpu(state, context)
        if isinstance(cpu, MetricFailure):
            return _among(cpu, best, _count(hpa.custom_metrics))
        best = replace(best, cpu=cpu.cpu, events=cpu.events, views=cpu.views, asked=(cpu.replicas,))
        if cpu.replicas > best.replicas:
            best = replace(best, replicas=cpu.replicas, name=CPU_UTILIZATION, measured_us=cpu.measured_us)
    if hpa.custom_metrics is not None:
        custom = _custom(state, context, hpa.custom_metrics)
        if isinstance(custom, MetricFailure):
            failure = replace(custom, events=(*best.events, *custom.events))
            return _among(failure, best, _count(hpa.custom_metrics) - 1)
        best = replace(
            best,
            custom=custom.custom,
            events=(*best.events, *custom.events),
            views=(*best.views, *custom.views),
            asked=(*best.asked, *custom.asked),
        )
        if custom.replicas > best.replicas:
            best = replace(best, replicas=custom.replicas, name=custom.name, measured_us=custom.measured_us)
    highest = rules.NOTHING_PROPOSED
    for index, replicas in enumerate(best.asked):
        highest = rules.with_proposal(highest, index, replicas)
    views = tuple(
        replace(view, metric_idx=index, is_winner=index == highest.winner) for index, view in enumerate(best.views)
    )
    return replace(best, views=views)


def _among(failure: MetricFailure, best: MetricsProposal, others: int) -> MetricFailure:
    """A failure beside what was computed before it, and so many others. The first that fails ends the reconcile."""
    views = tuple(replace(view, metric_idx=index) for index, view in enumerate((*best.views, *failure.views)))
    is_one_of_several = failure.code == CODES[ALL_INVALID] and (others > 0 or len(views) > 1)
    return replace(failure, views=views, code=CODES[METRIC_FAILED] if is_one_of_several else failure.code)


def _count(annotation: str | None) -> int:
    targets = custom_metrics.targets_of(annotation or "")
    return 0 if isinstance(targets, Problem) else len(targets)


def _without_selector(*, is_custom: bool) -> MetricFailure:
    event = PostedEvent(type="Warning", reason="SelectorRequired", message=_SELECTOR_REQUIRED)
    return MetricFailure(events=(event,), error=_SELECTOR_REQUIRED, is_custom=is_custom, code=CODES[SELECTOR_MISSING])


def _unread_metric(state: ReconcileState, problem: Problem, view: MetricProposal, *, is_custom: bool) -> MetricFailure:
    """The failure of a metric that could not be read."""
    what, reason = (
        ("custom metric value", "FailedGetCustomMetrics") if is_custom else (CPU_UTILIZATION, "FailedGetMetrics")
    )
    kind = "Warning"
    if state.behaviours.first_minutes_forgiven and not _is_late(state):
        kind, reason = "Normal", "CustomMetricsNotAvailableYet" if is_custom else "MetricsNotAvailableYet"
    return MetricFailure(
        events=(PostedEvent(type=kind, reason=reason, message=problem.text),),
        error=f"failed to get {what}: {problem.text}",
        is_custom=is_custom,
        code=CODES[ALL_INVALID],
        views=(view,),
    )


def _unread_cpu(state: ReconcileState, problem: Problem, percent: int) -> MetricFailure:
    view = invalid_view(0, "Resource", "cpu", ("Utilization", percent), problem)
    return _unread_metric(state, problem, view, is_custom=False)


def _is_late(state: ReconcileState) -> bool:
    """True if the last change of the scale, else the creation of the HPA, is more than the upscale window ago (1.5)."""
    last_us = state.hpa.status.last_scale_us
    since_us = last_us if last_us is not None else state.hpa.created_us
    return since_us is None or state.observation.decided_us > since_us + UPSCALE_DELAY_US


def _cpu(state: ReconcileState, context: MetricContext) -> MetricsProposal | MetricFailure:
    """What CPU proposes. Raises Panic. Upstream: `computeReplicasForCPUUtilization`."""
    if not state.scale.selector:
        return _without_selector(is_custom=False)
    percent = DEFAULT_CPU_UTILIZATION if state.hpa.cpu_target is None else state.hpa.cpu_target
    if state.behaviours.replica_calculator:
        return _calculated_cpu(state, context, percent)
    average = pod_averages.cpu_utilization(_averages(state, context))
    if isinstance(average, Problem):
        return _unread_cpu(state, average, percent)
    utilization = rules.utilization(int(average.value), state.behaviours)
    ratio = divide_float(float(utilization), float(percent))
    inside = within(ratio, context.tolerance)
    multiplied = rules.multiplied_pods(average.pods, state.current, state.behaviours)
    replicas = rules.averaged_replicas(ratio, state.current, multiplied, context.tolerance, state.behaviours).replicas
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
    return MetricsProposal(
        replicas=replicas,
        name=CPU_UTILIZATION,
        measured_us=average.measured_us,
        cpu=utilization,
        custom="",
        events=events,
        views=(view,),
    )


def _averages(state: ReconcileState, context: MetricContext) -> AveragesContext:
    if context.reads is None:
        raise AssertionError("reads are given to every reconcile of this era")
    return AveragesContext(
        reads=context.reads,
        watched=context.pods,
        selector=context.scale.selector,
        namespace=state.hpa.namespace,
        server=context.server,
        behaviours=state.behaviours,
    )


def _calculated_cpu(state: ReconcileState, context: MetricContext, percent: int) -> MetricsProposal | MetricFailure:
    """What CPU proposes by the replica calculator (1.5)."""
    answer = None if context.reads is None else context.reads.heapster(context.resources_question)
    values = pod_resource(answer, "cpu", context.server, "failed to get heapster service")
    if isinstance(values, Problem):
        return _unread_cpu(state, values.under("unable to get metrics for resource cpu"), percent)
    samples, measured_us = values
    metric = cpu_utilization(percent)
    calculated = calculator.resource_replicas(metric, samples, percent, state.observation.decided_us, context)
    if isinstance(calculated, Problem):
        return _unread_cpu(state, calculated, percent)
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
    return MetricsProposal(
        replicas=calculated.replicas,
        name=CPU_UTILIZATION,
        measured_us=measured_us,
        cpu=utilization,
        custom="",
        events=events,
        views=(view,),
    )


def _custom(state: ReconcileState, context: MetricContext, annotation: str) -> MetricsProposal | MetricFailure:
    """What the custom metrics propose together. Upstream: `computeReplicasForCustomMetrics`."""
    targets = custom_metrics.targets_of(annotation)
    if isinstance(targets, Problem):
        event = PostedEvent(type="Warning", reason="FailedParseCustomMetricsAnnotation", message=targets.text)
        warnings = (event,) if state.behaviours.first_minutes_forgiven else ()
        return MetricFailure(events=warnings, error=targets.text, is_custom=True, code=CODES[ALL_INVALID])
    best = MetricsProposal(replicas=0, name="", measured_us=ZERO_TIME_US, cpu=None, custom="", events=(), views=())
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
            unread = invalid_view(0, "Pods", target.name, ("AverageValue", target.milli), proposal)
            failure = _unread_metric(state, proposal, unread, is_custom=True)
            return replace(failure, views=(*best.views, *failure.views))
        if proposal.replicas > best.replicas:
            best = replace(
                best,
                replicas=proposal.replicas,
                name=custom_name(target.name),
                measured_us=proposal.measured_us,
            )
        try:
            text = custom_metrics.published(proposal.average, keeps_text=not state.behaviours.full_integers)
            values.append((target.name, text))
        except ValueError as error:
            event = PostedEvent(type="Warning", reason="FailedSetCustomMetrics", message=str(error))
            warnings = (event,) if state.behaviours.first_minutes_forgiven else ()
            text = f"failed to set custom metric value: {error}"
            return MetricFailure(events=warnings, error=text, is_custom=True, code=CODES[ALL_INVALID])
        inside = within(proposal.ratio, context.tolerance)
        replicas = fitting(proposal.replicas)
        view = OldView("Pods", target.name, "AverageValue", target.milli, proposal.ratio, replicas, inside)
        best = replace(best, views=(*best.views, old_view(view)), asked=(*best.asked, proposal.replicas))
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
    average = pod_averages.custom_average(target.name, _averages(state, context))
    if isinstance(average, Problem):
        return average
    ratio = divide_float(average.value, target.amount)
    proposal = rules.averaged_replicas(ratio, state.current, state.current, context.tolerance, state.behaviours)
    return float_calculator.FloatProposal(
        replicas=proposal.replicas, average=average.value, ratio=ratio, measured_us=average.measured_us
    )
