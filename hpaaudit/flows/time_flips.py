"""Finds from when on the same metrics lead to another number, only because time passes."""

from collections.abc import Iterator
from dataclasses import replace

from hpaaudit.engine.controller.limits import windows
from hpaaudit.engine.replay.process import ReconcileInput
from hpaaudit.flows.desired import desired_of
from hpaaudit.model.decision import Decision
from hpaaudit.model.flips import TimeFlip
from hpaaudit.model.hpa import Hpa
from hpaaudit.model.units import SECOND, Micros


def time_flips(decision: Decision, inputs: ReconcileInput) -> Iterator[TimeFlip]:
    """The first instant after the reconcile at which it would have decided another number.

    Between the instants at which something becomes too old to count, the rules decide the same: only these are tried.
    """
    for later_us, cause, cause_us in sorted(_instants(decision, inputs)):
        if later_us <= 0:
            continue
        desired = _desired(inputs, later_us)
        if desired is None or desired == decision.desired:
            continue
        if _desired(inputs, later_us - 1) == decision.desired:
            if _desired(_younger(inputs, cause, cause_us), later_us) != decision.desired:
                continue  # something else becomes too old at the same instant
            at_us = Micros(inputs.observation.decided_us + later_us)
            yield TimeFlip(at_us=at_us, later_us=later_us, cause=cause, cause_us=cause_us, desired=desired)
        return  # otherwise something that is not known here changed the number earlier


def _instants(decision: Decision, inputs: ReconcileInput) -> Iterator[tuple[int, str, Micros]]:
    """When something becomes too old to count: how much later, what, and since when it was there."""
    hpa = inputs.observation.hpa
    if hpa is not None:
        yield from _memory_ages(inputs, hpa)
        yield from _pod_ages(decision, inputs)


def _memory_ages(inputs: ReconcileInput, hpa: Hpa) -> Iterator[tuple[int, str, Micros]]:
    """When what the controller remembers leaves its windows and periods."""
    memory, flags, now_us = inputs.memory, inputs.flags, inputs.observation.decided_us
    behavior = hpa.spec.behavior
    both = windows(behavior, flags.downscale_stabilization_us)
    for recommendation in memory.recommendations or ():
        for window_us in set(both):
            # With a behavior one exactly as old as the window has left it; without one it still counts.
            for age_us in (window_us, window_us + 1):
                yield recommendation.at_us + age_us - now_us, "recommendation", recommendation.at_us
    policies = () if behavior is None else (*behavior.scale_up.policies, *behavior.scale_down.policies)
    for event in (*(memory.up or ()), *(memory.down or ())):
        for period_seconds in {policy.period_seconds for policy in policies}:
            yield event.at_us + period_seconds * SECOND - now_us, "scale_event", event.at_us
    if hpa.status.last_scale_us is not None:
        for delay_us in (flags.upscale_delay_us, flags.downscale_delay_us):
            yield hpa.status.last_scale_us + delay_us - now_us, "last_scale", hpa.status.last_scale_us


def _pod_ages(decision: Decision, inputs: ReconcileInput) -> Iterator[tuple[int, str, Micros]]:
    """When the time ends in which a starting pod is not trusted."""
    observation = inputs.observation
    counted = {pod.pod for proposal in decision.proposals for pod in proposal.pods}
    for pod in observation.pods:
        if pod.name in counted and pod.start_us is not None:
            for metric_us in set(observation.metric_us):
                yield pod.start_us + inputs.flags.cpu_initialization_period_us - metric_us, "pod", pod.start_us


def _younger(inputs: ReconcileInput, cause: str, cause_us: Micros) -> ReconcileInput:
    """The same inputs, but what is named is a microsecond younger: with it the number must not change yet."""
    observation, memory = inputs.observation, inputs.memory
    by_one = Micros(cause_us + 1)
    if cause == "recommendation":
        recommendations = tuple(
            replace(one, at_us=by_one) if one.at_us == cause_us else one for one in memory.recommendations or ()
        )
        return replace(inputs, memory=replace(memory, recommendations=recommendations))
    if cause == "scale_event":
        up, down = (
            None
            if events is None
            else tuple(replace(one, at_us=by_one) if one.at_us == cause_us else one for one in events)
            for events in (memory.up, memory.down)
        )
        return replace(inputs, memory=replace(memory, up=up, down=down))
    if cause == "last_scale" and observation.hpa is not None:
        status = replace(observation.hpa.status, last_scale_us=by_one)
        return replace(inputs, observation=replace(observation, hpa=replace(observation.hpa, status=status)))
    pods = tuple(replace(pod, start_us=by_one) if pod.start_us == cause_us else pod for pod in observation.pods)
    return replace(inputs, observation=replace(observation, pods=pods))


def _desired(inputs: ReconcileInput, later_us: int) -> int | None:
    """What the same inputs lead to so much later."""
    before = inputs.observation
    later = replace(
        before,
        at_us=Micros(before.at_us + later_us),
        began_us=Micros(before.began_us + later_us),
        scale_us=Micros(before.scale_us + later_us),
        metric_us=tuple(Micros(at_us + later_us) for at_us in before.metric_us),
        decided_us=Micros(before.decided_us + later_us),
    )
    return desired_of(replace(inputs, observation=later))
