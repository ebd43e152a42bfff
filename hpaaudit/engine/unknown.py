"""What an unknown memory could change: the extremes that it may hold while a replay warms up."""

from collections.abc import Iterator
from dataclasses import replace

from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Behavior, Hpa
from hpaaudit.model.memory import Memory, Recommendation, ScaleEvent
from hpaaudit.model.units import SECOND, Micros


def extremes(memory: Memory, hpa: Hpa, flags: Flags, unseen_until_us: Micros, now_us: Micros) -> Iterator[Memory]:
    """Memories between which the real one lies, where what came before `unseen_until_us` still counts.

    Recommendations: one at maxReplicas, one at zero. Scale events of either direction: as many pods as
    the HPA may move at all. Nothing is yielded once every window and period lies behind us.
    """
    age_us = now_us - unseen_until_us
    just_before = Micros(unseen_until_us)
    behavior = hpa.spec.behavior
    if age_us <= longest_window_us(behavior, flags):
        for replicas in (hpa.spec.max_replicas, 0):
            old = Recommendation(replicas=replicas, at_us=just_before)
            yield replace(memory, recommendations=(*(memory.recommendations or ()), old))
    if behavior is not None and age_us < longest_period_us(behavior):
        event = ScaleEvent(change=hpa.spec.max_replicas, at_us=just_before, outdated=False)
        yield replace(memory, up=(*(memory.up or ()), event))
        yield replace(memory, down=(*(memory.down or ()), event))


def longest_window_us(behavior: Behavior | None, flags: Flags) -> Micros:
    """How long a recommendation can matter."""
    if behavior is None:
        return flags.downscale_stabilization_us
    down = behavior.scale_down.stabilization_window_seconds
    down_us = flags.downscale_stabilization_us if down is None else down * SECOND
    return Micros(max(down_us, (behavior.scale_up.stabilization_window_seconds or 0) * SECOND))


def longest_period_us(behavior: Behavior) -> Micros:
    """How long a scale event can matter."""
    policies = (*behavior.scale_up.policies, *behavior.scale_down.policies)
    return Micros(max((policy.period_seconds for policy in policies), default=0) * SECOND)
