"""The memory after a reconcile: the new recommendation and the new scale event in their slots."""

from dataclasses import replace

from hpaaudit.engine.rules.go_numbers import NONE
from hpaaudit.engine.rules.scale_events import NO_EVENT, UP_EVENT, event_of, slot_of
from hpaaudit.model.hpa import Behavior, ScalingRules
from hpaaudit.model.memory import Memory, Recommendation, ScaleEvent
from hpaaudit.model.units import SECOND, Micros


def remember_recommendation(memory: Memory, slot: int, replicas: int, now_us: Micros) -> Memory:
    """The memory with a recommendation in this slot; NONE means a new slot."""
    old = memory.recommendations or ()
    slot = len(old) if slot == NONE else slot
    new = Recommendation(replicas=replicas, at_us=now_us)
    return replace(memory, recommendations=(*old[:slot], new, *old[slot + 1 :]))


def remember_scale(memory: Memory, behavior: Behavior | None, before: int, after: int, now_us: Micros) -> Memory:
    """The memory with a scale event. Without a behavior there is none. Upstream: `storeScaleEvent`."""
    event = event_of(behavior is not None, before, after)
    if behavior is None or event == NO_EVENT:
        return memory
    change = abs(after - before)
    if event == UP_EVENT:
        return replace(memory, up=_stored(memory.up or (), behavior.scale_up, change, now_us))
    return replace(memory, down=_stored(memory.down or (), behavior.scale_down, change, now_us))


def longest_us(direction: ScalingRules | None) -> Micros:
    """The longest period of the policies of a direction (`getLongestPolicyPeriod`)."""
    policies = direction.policies if direction else ()
    return Micros(max((policy.period_seconds for policy in policies), default=0) * SECOND)


def _stored(
    events: tuple[ScaleEvent, ...], direction: ScalingRules, change: int, now_us: Micros
) -> tuple[ScaleEvent, ...]:
    """The events with a new one in its slot."""
    marks = [event.outdated for event in events]
    slot = slot_of([event.at_us for event in events], marks, now_us, longest_us(direction))
    marked = [replace(event, outdated=mark) for event, mark in zip(events, marks, strict=True)]
    new = ScaleEvent(change=change, at_us=now_us, outdated=False)
    return (*marked[:slot], new, *marked[slot + 1 :])
