"""Memory after a scale: which slot the new event takes."""

from dataclasses import replace

from hpaaudit.engine.rules.remember import outdated
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
    marked = [replace(e, outdated=True) if outdated(e.at_us, now_us, longest_us) else e for e in events]
    new = ScaleEvent(change=change, at_us=now_us, outdated=False)
    slot = max((index for index, event in enumerate(marked) if event.outdated), default=None)
    if slot is None:
        return (*marked, new)
    return (*marked[:slot], new, *marked[slot + 1 :])
