"""Writes the scale if it must move, and says what status says of it."""

from dataclasses import replace

from hpaaudit.engine.behaviours.table import Rules
from hpaaudit.engine.controller.outcome import (
    Outcome,
    current_of,
    has_object_or_external,
    reference,
    refusal,
    server_of,
    status_of,
)
from hpaaudit.engine.controller.remember import remember_scale
from hpaaudit.engine.controller.status import with_condition, without_condition
from hpaaudit.model.decision import PostedEvent, ScaleAttempt
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Condition, Hpa, MetricStatus
from hpaaudit.model.observation import Observation, WriteOutcome
from hpaaudit.model.units import Micros

MAX_ATTEMPTS = 5  # client-go's DefaultRetry, on conflicts only (1.34)

_CONFLICT = 409
_OK = range(200, 300)


def act(
    seen: Observation,
    hpa: Hpa,
    outcome: Outcome,
    statuses: tuple[MetricStatus, ...] | None,
    flags: Flags,
    rules: Rules,
) -> Outcome:
    """Writes the scale if it must move, and says what status says of it.

    A failed write is followed by a read of the scale, on a conflict or not (1.34): the condition is as late as that.
    """
    scale, desired, conditions = outcome.scale, outcome.desired, outcome.status.conditions
    if scale is None or desired is None:
        raise AssertionError("a scale is written only after it was read")
    current = current_of(scale, rules)
    if desired == current:
        status = status_of(hpa, current, current, statuses, conditions, None, rules)
        return replace(outcome, status=status)
    attempts, last = _write(seen, desired, MAX_ATTEMPTS if rules.conflict_retry else 1)
    rereads = seen.scale_reads[1 : 1 + len(attempts)] if rules.conflict_retry else ()
    unread = (text for text in (refusal(read, flags) for read in rereads) if text)
    handled = tuple(f"error getting latest scale for {reference(hpa)} during conflict retry: {text}" for text in unread)
    events = outcome.events
    if last.status not in _OK:
        text = last.error if last.status else server_of(flags).without_answer("Put", last.path, last.error)
        message = f"New size: {desired}; reason: {outcome.scale_reason}; error: {text}"
        events = (*events, PostedEvent(type="Warning", reason="FailedRescale", message=message))
        conditions = with_condition(
            conditions,
            "AbleToScale",
            "False",
            "FailedUpdateScale",
            f"the HPA controller was unable to update the target scale: {text}",
            rereads[-1].at_us if rereads else last.at_us,
        )
        shown = statuses if rules.metrics_renewed_on_failure else hpa.status.current_metrics
        status = status_of(hpa, current, hpa.status.desired_replicas, shown, conditions, None, rules)
        return replace(
            outcome,
            status=status,
            attempts=attempts,
            events=events,
            error=f"failed to rescale {reference(hpa)}: {text}",
            partial_error=False,
            handled=handled,
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
        status=status_of(hpa, current, desired, statuses, conditions, last.at_us, rules),
        memory=remember_scale(outcome.memory, hpa.spec.behavior, current, desired, last.at_us),
        attempts=attempts,
        events=events,
        handled=handled,
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
    if current > 0 and desired == 0 and hpa.spec.min_replicas == 0 and has_object_or_external(hpa):
        message = "the HPA controller scaled the workload to zero"
        return with_condition(conditions, "ScaledToZero", "True", "ScaledToZero", message, now_us)
    message = "the HPA controller did not scale the workload to zero"
    return with_condition(conditions, "ScaledToZero", "False", "NotScaledToZero", message, now_us)
