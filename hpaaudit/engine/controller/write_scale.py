"""Writes the scale if it must change, and sets the status after that."""

from dataclasses import replace

from hpaaudit.engine.controller.outcome import Outcome
from hpaaudit.engine.controller.reconcile_state import (
    ReconcileState,
    fetching,
    has_object_or_external,
    reference,
    refusal,
    server_of,
)
from hpaaudit.engine.controller.remember import remember_scale
from hpaaudit.model.decision import PostedEvent, ScaleAttempt
from hpaaudit.model.hpa import MetricStatus
from hpaaudit.model.observation import Observation, WriteOutcome
from hpaaudit.model.units import Micros

MAX_ATTEMPTS = 5  # steps of client-go's retry.DefaultRetry, on conflicts only (1.34, #132007)

_CONFLICT = 409
_OK = range(200, 300)


def write_scale(state: ReconcileState, outcome: Outcome, current_metrics: tuple[MetricStatus, ...] | None) -> Outcome:
    """The outcome after the write of the scale.

    A failed write is followed by a read of the scale, on a conflict or not (1.34): the condition is as late as that.
    """
    scale, desired = outcome.scale, outcome.desired
    if scale is None or desired is None:
        raise AssertionError("a scale is written only after it was read")
    state = replace(state, conditions=outcome.status.conditions)
    if desired == state.current:
        return replace(outcome, status=state.status(desired, current_metrics))
    attempts, last = _attempts(state.observation, desired, MAX_ATTEMPTS if state.behaviours.conflict_retry else 1)
    rereads = state.observation.scale_reads[1 : 1 + len(attempts)] if state.behaviours.conflict_retry else ()
    unread = (text for text in (refusal(read, state.flags) for read in rereads) if text)
    target = reference(state.hpa)
    handled = tuple(f"error getting latest scale for {target} during conflict retry: {text}" for text in unread)
    outcome = replace(outcome, attempts=attempts, handled_errors=handled)
    if last.status in _OK:
        return _written(state, outcome, desired, last.at_us, current_metrics)
    text = last.error if last.status else server_of(state.flags).without_answer("Put", last.path, last.error)
    if state.behaviours.scale_writes_named:
        # 1.9 says "fetch" here, which is upstream's mistake.
        verb = "update" if state.behaviours.scale_reads_named else "fetch"
        target_read = state.observation.scale_reads[0].target
        text = f"{fetching(target_read, verb)}{text}"
    failed_us = rereads[-1].at_us if rereads else last.at_us
    return _failed(state, outcome, text, failed_us, current_metrics)


def _written(
    state: ReconcileState,
    outcome: Outcome,
    desired: int,
    at_us: Micros,
    current_metrics: tuple[MetricStatus, ...] | None,
) -> Outcome:
    """The outcome after a write that was accepted."""
    current = state.current
    message = f"New size: {desired}; reason: {outcome.scale_reason}"
    event = PostedEvent(type="Normal", reason="SuccessfulRescale", message=message)
    state = state.with_condition(
        "AbleToScale",
        "True",
        "SucceededRescale",
        f"the HPA controller was able to update the target scale to {desired}",
        at_us,
    )
    state = _with_scaled_to_zero(state, desired, at_us)
    return replace(
        outcome,
        status=state.status(desired, current_metrics, at_us),
        memory=remember_scale(outcome.memory, state.hpa.spec.behavior, current, desired, at_us),
        events=(*outcome.events, event),
        chain=outcome.chain.written(current, desired, len(outcome.attempts) - 1),
    )


def _failed(
    state: ReconcileState,
    outcome: Outcome,
    text: str,
    at_us: Micros,
    current_metrics: tuple[MetricStatus, ...] | None,
) -> Outcome:
    """The outcome after a write that was refused: `desired` is still the number that was wanted."""
    desired, old = outcome.desired or 0, state.hpa.status
    message = f"New size: {desired}; reason: {outcome.scale_reason}; error: {text}"
    event = PostedEvent(type="Warning", reason="FailedRescale", message=message)
    state = state.with_condition(
        "AbleToScale",
        "False",
        "FailedUpdateScale",
        f"the HPA controller was unable to update the target scale: {text}",
        at_us,
    )
    shown = current_metrics if state.behaviours.metrics_renewed_on_failure else old.current_metrics
    return replace(
        outcome,
        status=state.status(old.desired_replicas, shown),
        events=(*outcome.events, event),
        error=f"failed to rescale {reference(state.hpa)}: {text}",
        is_partial_error=False,
        chain=outcome.chain.failed(desired, state.current, text),
    )


def _attempts(observation: Observation, desired: int, most: int) -> tuple[tuple[ScaleAttempt, ...], WriteOutcome]:
    """The attempts, at most so many while they conflict, and the last answer. Without a recorded one it succeeds."""
    attempts: list[ScaleAttempt] = []
    answer = WriteOutcome(at_us=observation.decided_us, path="", status=200, error="")
    for number in range(most):
        if number < len(observation.scale_writes):
            answer = observation.scale_writes[number]
        elif number:
            break
        attempts.append(ScaleAttempt(to=desired, status=answer.status))
        if answer.status != _CONFLICT:
            break
    return tuple(attempts), answer


def _with_scaled_to_zero(state: ReconcileState, desired: int, at_us: Micros) -> ReconcileState:
    """The state with the condition ScaledToZero.

    It is set with every write of the scale while the gate is on, and removed while it is off (1.36).
    """
    if not state.behaviours.scaled_to_zero_condition:
        return state
    if not state.behaviours.scale_to_zero:
        return state.without_condition("ScaledToZero")
    can_be_zero = state.hpa.spec.min_replicas == 0 and has_object_or_external(state.hpa)
    if state.current > 0 and desired == 0 and can_be_zero:
        message = "the HPA controller scaled the workload to zero"
        return state.with_condition("ScaledToZero", "True", "ScaledToZero", message, at_us)
    message = "the HPA controller did not scale the workload to zero"
    return state.with_condition("ScaledToZero", "False", "NotScaledToZero", message, at_us)
