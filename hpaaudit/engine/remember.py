"""Memory after a scale: which slot the new event takes."""

from dataclasses import replace

from hpaaudit.engine.rules.remember import slot_of
from hpaaudit.model.hpa import Behavior, ScalingRules
from hpaaudit.model.memory import Memory, ScaleEvent
from hpaaudit.model.units import SECOND, Micros


def remember_scale(memory: Memory, behavior: Behavior | None, before: int, after: int, now_us: Micros) -> Memory:
    """The memory with a scale event; without a behavior none is kept (`storeScaleEvent`).

    A write of the same number counts as a scale-down by nothing.
    """
    if behavior is None:
        return memory
    if after > before:
        return replace(memory, up=_stored(memory.up or (), behavior.scale_up, after - before, now_us))
    return replace(memory, down=_stored(memory.down or (), behavior.scale_down, before - after, now_us))


def _stored(
    events: tuple[ScaleEvent, ...], direction: ScalingRules, change: int, now_us: Micros
) -> tuple[ScaleEvent, ...]:
    """Marks what is outdated by its own direction, then takes the last such slot, else a new one."""
    longest_us = max((policy.period_seconds for policy in direction.policies), default=0) * SECOND
    marks = [event.outdated for event in events]
    slot = slot_of([event.at_us for event in events], marks, len(events), now_us, longest_us)
    marked = [replace(event, outdated=mark) for event, mark in zip(events, marks, strict=True)]
    new = ScaleEvent(change=change, at_us=now_us, outdated=False)
    return (*marked[:slot], new, *marked[slot + 1 :])
