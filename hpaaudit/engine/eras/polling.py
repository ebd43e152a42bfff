"""One reconcile of 1.1: CPU is the only metric, every HPA is polled each period, and bounds are no branch of their own.

Upstream: `horizontal.go`, `reconcileAutoscaler`. It works on a copy of the listed HPA, so that nothing is remembered. A
metric that fails ends it before the status is written.
"""

from dataclasses import replace

from hpaaudit.api import selector as selectors
from hpaaudit.api.v1 import cpu_status
from hpaaudit.api.v2 import DEFAULT_CPU_UTILIZATION
from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.controller.compute_metric import OldView, old_view
from hpaaudit.engine.controller.metrics_client import Problem
from hpaaudit.engine.controller.outcome import Outcome, gate
from hpaaudit.engine.controller.own_reads import OwnReads, selected
from hpaaudit.engine.controller.reconcile import Unreadable, decision_of, deleted, metric_context, read_scale
from hpaaudit.engine.controller.reconcile_state import ReconcileState, reference, state_of
from hpaaudit.engine.controller.steps import gate_chain
from hpaaudit.engine.controller.write_scale import write_scale
from hpaaudit.engine.eras.era_steps import chain_of, proposed, without_scale
from hpaaudit.engine.eras.limit_words import bounds_of
from hpaaudit.engine.eras.pod_averages import AveragesContext, cpu_utilization
from hpaaudit.engine.eras.windows import forbidden_windows
from hpaaudit.engine.rules import forbidden_windows as windows
from hpaaudit.engine.rules.bounds import bounded
from hpaaudit.engine.rules.go_numbers import divide_float
from hpaaudit.engine.rules.pod_average import averaged_replicas, fitting
from hpaaudit.engine.rules.reason_codes import ALL_INVALID, CODES
from hpaaudit.engine.rules.tolerance import within
from hpaaudit.model.decision import Decision, PostedEvent
from hpaaudit.model.flags import Flags
from hpaaudit.model.memory import EMPTY, Memory
from hpaaudit.model.observation import Observation

_REASONED = "; reason: "
_NO_TYPE = ""
"""The type of an Event: they had none yet."""


def reconcile(
    observation: Observation, memory: Memory, flags: Flags, *, keep_pods: bool = False
) -> tuple[Decision, Memory]:
    """One reconcile of one HPA: what the controller decides and writes. It remembers nothing."""
    hpa = observation.hpa
    if hpa is None:
        return deleted(observation), EMPTY
    scale = read_scale(observation, hpa, flags)
    if isinstance(scale, Unreadable):
        outcome = without_scale(hpa, scale, _NO_TYPE)
    else:
        outcome = _by_cpu(state_of(observation, hpa, EMPTY, scale, flags, keep_pods=keep_pods))
    decision = decision_of(observation, hpa, outcome, flags, behaviours_of(flags))
    return replace(decision, events=tuple(replace(event, type=_NO_TYPE) for event in decision.events)), memory


def as_map(selector: str) -> str:
    """The selector as a map of labels. Any other selector gives an empty map, which selects every pod."""
    try:
        return selector if selectors.equalities(selectors.parse(selector)) is not None else ""
    except selectors.BadSelector:
        return ""


def _by_cpu(state: ReconcileState) -> Outcome:
    """The outcome by CPU, the only metric of 1.1."""
    hpa, current = state.hpa, state.current
    context = metric_context(state, selected(state.observation.pods, as_map(state.scale.selector)))
    average = cpu_utilization(
        AveragesContext(
            reads=OwnReads(state.observation),
            watched=context.pods,
            selector=state.scale.selector,
            namespace=hpa.namespace,
            server=context.server,
            behaviours=state.behaviours,
        )
    )
    if isinstance(average, Problem):
        return _failed(state, average)
    percent = DEFAULT_CPU_UTILIZATION if hpa.cpu_target is None else hpa.cpu_target
    ratio = divide_float(average.value, float(percent))
    inside = within(ratio, context.tolerance)
    raw = averaged_replicas(ratio, current, current, context.tolerance, state.behaviours).replicas
    limits = bounded(raw, current, bounds_of(hpa), state.behaviours)
    desired = limits.replicas
    opened = forbidden_windows(hpa.status.last_scale_us, average.measured_us, state.flags, state.behaviours)
    rescales = windows.may_scale(current, desired, opened.last_scale_us, average.measured_us, opened.windows)
    utilization = int(average.value)
    view = OldView("Resource", "cpu", "Utilization", percent, ratio, fitting(raw), inside, fitting(utilization))
    outcome = Outcome(
        status=hpa.status,
        memory=EMPTY,
        scale=state.scale,
        raw=fitting(raw),
        desired=desired if rescales else current,
        proposals=(replace(old_view(view), is_winner=True),),
        chain=chain_of(proposed(raw, current), limits, current, opened, rescales=rescales),
    )
    after = write_scale(state, outcome, (cpu_status(utilization),))
    # A change is told without its reason.
    events = tuple(replace(event, message=event.message.replace(_REASONED, "", 1)) for event in after.events)
    # A status has no conditions yet: what somebody put there stays.
    status = replace(after.status, conditions=hpa.status.conditions)
    after = replace(after, status=status, events=events, memory=EMPTY)
    return replace(after, status=hpa.status, ends_without_status=True) if after.error else after


def _failed(state: ReconcileState, problem: Problem) -> Outcome:
    """The outcome where the metric failed: two Events, and no status is written."""
    error = f"failed to get cpu utilization: {problem.text}"
    return Outcome(
        status=state.hpa.status,
        memory=EMPTY,
        scale=state.scale,
        desired=state.scale.spec_replicas,
        events=(
            PostedEvent(type=_NO_TYPE, reason="FailedGetMetrics", message=problem.text),
            PostedEvent(type=_NO_TYPE, reason="FailedComputeReplicas", message=error),
        ),
        error=(
            f"failed to compute desired number of replicas based on CPU utilization for {reference(state.hpa)}: {error}"
        ),
        ends_without_status=True,
        chain=gate_chain(gate(CODES[ALL_INVALID], state.scale.spec_replicas, (("error", problem.text),))),
    )
