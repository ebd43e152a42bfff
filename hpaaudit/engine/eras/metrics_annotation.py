"""One reconcile of 1.2 to 1.5: CPU, and custom metrics that an annotation asks for, then forbidden windows.

Upstream: `horizontal.go`, `reconcileAutoscaler`. It changes the object in the cache of its informer. So the next
reconcile continues from what this one wanted to publish, even if the write failed, until a newer object arrives. A
status is written every time.
"""

from dataclasses import replace

from hpaaudit.api.v1 import cpu_status
from hpaaudit.api.v2 import DEFAULT_CPU_UTILIZATION
from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.controller.normalize import SCALE_REASONS
from hpaaudit.engine.controller.outcome import Outcome, gate
from hpaaudit.engine.controller.reconcile import Unreadable, decision_of, deleted, read_scale
from hpaaudit.engine.controller.reconcile_state import ReconcileState, reference, state_of
from hpaaudit.engine.controller.steps import Chain, gate_chain
from hpaaudit.engine.controller.write_scale import write_scale
from hpaaudit.engine.eras.annotation_metrics import CPU_UTILIZATION, MetricFailure, MetricsProposal, proposal_of_metrics
from hpaaudit.engine.eras.era_steps import chain_of, held_step, without_scale
from hpaaudit.engine.eras.era_steps import proposed as step_of_metrics
from hpaaudit.engine.eras.limit_words import bounds_of
from hpaaudit.engine.eras.pod_averages import Panic
from hpaaudit.engine.eras.windows import forbidden_windows
from hpaaudit.engine.rules import branch as branches
from hpaaudit.engine.rules import forbidden_windows as windows
from hpaaudit.engine.rules.bounds import bounded
from hpaaudit.engine.rules.normalize import ABOVE_MAXIMUM, AT_ZERO, BELOW_MINIMUM, scale_reason_of
from hpaaudit.engine.rules.pod_average import fitting
from hpaaudit.engine.rules.reason_codes import CODES, PANICKED
from hpaaudit.model.decision import Decision, PostedEvent, Step
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import HpaStatus, MetricStatus
from hpaaudit.model.memory import EMPTY, Memory
from hpaaudit.model.observation import Observation


def reconcile(
    observation: Observation, memory: Memory, flags: Flags, *, keep_pods: bool = False
) -> tuple[Decision, Memory]:
    """One reconcile of one HPA: what the controller decides and writes, and what is in its cache after it."""
    hpa = observation.hpa
    if hpa is None:
        return deleted(observation), EMPTY
    behaviours = behaviours_of(flags)
    if behaviours.cpu_always_asked and hpa.cpu_target is None:
        hpa = replace(hpa, cpu_target=DEFAULT_CPU_UTILIZATION)
    cached = hpa if memory.cached is None else replace(hpa, status=memory.cached)
    scale = read_scale(observation, cached, flags)
    if isinstance(scale, Unreadable):
        outcome = without_scale(cached, scale, "Warning")
    else:
        outcome = _decide(state_of(observation, cached, EMPTY, scale, flags, keep_pods=keep_pods))
    if memory.known_uid != hpa.uid and hpa.cpu_target is None and hpa.custom_metrics is None:
        text = "No scaling policy specified - will use default one. See documentation for details"
        outcome = replace(
            outcome, events=(PostedEvent(type="Normal", reason="DefaultPolicy", message=text), *outcome.events)
        )
    after = replace(memory, known_uid=hpa.uid)
    if not outcome.ends_without_status:
        after = replace(after, cached=outcome.status)
    return decision_of(observation, cached, outcome, flags, behaviours), after


def _decide(state: ReconcileState) -> Outcome:
    """The outcome of the branch that the reconcile takes."""
    maximum, minimum, current = state.hpa.spec.max_replicas, state.minimum, state.current
    taken = branches.branch(
        state.scale.spec_replicas, current, minimum, maximum, at_zero=False, behaviours=state.behaviours
    )
    if taken == branches.DISABLED:
        # Until 1.4 the window is asked here too, and a scale that had zero gets zero again.
        return _moved(state, 0, "", gate("gate.disabled_at_zero", 0, (), after=0), is_at_zero=True)
    if taken == branches.ABOVE_MAX:
        step = gate("gate.above_max", current, (("max", maximum),), after=maximum)
        return _moved(state, maximum, SCALE_REASONS[ABOVE_MAXIMUM], step)
    if taken == branches.BELOW_MIN:
        is_default = state.hpa.spec.min_replicas is None
        step = gate("gate.below_min", current, (("min", minimum),), after=minimum)
        return _moved(state, minimum, SCALE_REASONS[AT_ZERO if is_default else BELOW_MINIMUM], step)
    try:
        proposed = proposal_of_metrics(state)
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
    if isinstance(proposed, MetricFailure):
        return _failed(state, proposed)
    return _proposed(state, proposed)


def _moved(state: ReconcileState, desired: int, reason: str, step: Step, *, is_at_zero: bool = False) -> Outcome:
    """The outcome outside the bounds or at zero."""
    current, now_us = state.current, state.observation.scale_us
    opened = forbidden_windows(state.hpa.status.last_scale_us, now_us, state.flags, state.behaviours)
    is_open = windows.may_scale(current, desired, opened.last_scale_us, now_us, opened.windows)
    rescales = windows.may_scale_outside(is_at_zero, desired != current, is_open, state.behaviours)
    proposed = MetricsProposal(replicas=desired, name="", measured_us=now_us, cpu=None, custom="", events=(), views=())
    chain = gate_chain(step)
    if not rescales and desired != current and not state.behaviours.scaled_to_bound_at_once:
        window_step = held_step(desired, current, opened)
        chain = Chain((step, window_step), window_step.code)
    return _written(state, proposed, desired if rescales else current, reason, chain)


def _proposed(state: ReconcileState, proposed: MetricsProposal) -> Outcome:
    """The outcome of a proposal, after the bounds and the forbidden windows."""
    raw, current, hpa = proposed.replicas, state.current, state.hpa
    limits = bounded(raw, current, bounds_of(hpa), state.behaviours)
    opened = forbidden_windows(hpa.status.last_scale_us, proposed.measured_us, state.flags, state.behaviours)
    desired = limits.replicas
    rescales = windows.may_scale(current, desired, opened.last_scale_us, proposed.measured_us, opened.windows)
    reason = SCALE_REASONS[scale_reason_of(raw, current)].format(name=proposed.name)
    chain = chain_of(step_of_metrics(raw, current), limits, current, opened, rescales=rescales)
    return _written(state, proposed, desired if rescales else current, reason, chain)


def _written(state: ReconcileState, proposed: MetricsProposal, desired: int, reason: str, chain: Chain) -> Outcome:
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
    # A status has no conditions yet: what somebody put there stays.
    status = replace(after.status, custom_metrics=custom, conditions=state.hpa.status.conditions)
    return replace(after, status=status, memory=EMPTY)


def _shown_cpu(state: ReconcileState, proposed: MetricsProposal) -> tuple[MetricStatus, ...] | None:
    """The utilization that the status shows. Since 1.4 it is zero where none was computed."""
    if proposed.cpu is not None:
        return (cpu_status(proposed.cpu),)
    return (cpu_status(0),) if state.behaviours.zero_cpu_shown else None


def _failed(state: ReconcileState, failure: MetricFailure) -> Outcome:
    """The outcome where a metric has no proposal: only the current replicas of the status change."""
    of, reason = (
        ("Custom Metrics", "FailedComputeCMReplicas")
        if failure.is_custom
        else (CPU_UTILIZATION, "FailedComputeReplicas")
    )
    posted = PostedEvent(type="Warning", reason=reason, message=failure.error)
    status: HpaStatus = replace(state.hpa.status, current_replicas=state.current)
    return Outcome(
        status=status,
        memory=EMPTY,
        scale=state.scale,
        desired=state.scale.spec_replicas,
        events=failure.events,
        events_after_write=() if state.behaviours.first_minutes_forgiven else (posted,),
        error=f"failed to compute desired number of replicas based on {of} for {reference(state.hpa)}: {failure.error}",
        proposals=failure.views,
        handles_status_error=False,
        chain=gate_chain(gate(failure.code, state.scale.spec_replicas, (("error", failure.error),))),
    )
