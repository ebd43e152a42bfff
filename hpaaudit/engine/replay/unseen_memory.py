"""The candidates for unknown memory: what it may contain from before the recording, and when it was made."""

from dataclasses import replace
from typing import TypeVar
from urllib.parse import unquote

from hpaaudit.engine.controller.remember import longest_us
from hpaaudit.engine.rules import unseen_memory as bounds
from hpaaudit.engine.rules.candidates import extreme_of
from hpaaudit.model.facts import Gap
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Behavior, Hpa
from hpaaudit.model.memory import Memory, Recommendation, ScaleEvent
from hpaaudit.model.units import SECOND, Micros

_SHOWING_HPAS = ("*", "/apis/autoscaling/", "/apis/extensions/")
"""Requests whose gaps hide what HPAs published."""

_Entry = TypeVar("_Entry", Recommendation, ScaleEvent)


def hides_reconciles(gap: Gap, period_us: Micros) -> bool:
    """True if a gap hides several reconciles. What a single one did follows from the next status."""
    return gap.until_us - gap.at_us > period_us and gap.prefix.startswith(_SHOWING_HPAS)


def hidden_hpa(gap: Gap) -> str | None:
    """The only HPA (`namespace/name`) that a gap hides; None if it hides more than one."""
    path = gap.prefix.partition("?")[0].partition("#")[0]
    match path.strip("/").split("/"):
        case ["apis", _, _, "namespaces", namespace, "horizontalpodautoscalers", name] if name:
            return f"{unquote(namespace)}/{unquote(name)}"
    return None


def recommendation_counts(hpa: Hpa, unseen_us: Micros, flags: Flags, now_us: Micros) -> bool:
    """True if a recommendation from before `unseen_us` may still count."""
    return bounds.recommendation_counts(unseen_us, now_us, longest_window_us(hpa.spec.behavior, flags))


def event_counts(hpa: Hpa, unseen_us: Micros, now_us: Micros) -> bool:
    """True if a scale event from before `unseen_us` may still count."""
    behavior = hpa.spec.behavior
    return behavior is not None and bounds.event_counts(unseen_us, now_us, longest_period_us(behavior))


def extreme(memory: Memory, nth: int, maximum: int, published: int, unseen_us: Micros) -> Memory:
    """The memory with the n-th extreme of what may have happened just before `unseen_us`.

    A recommendation, a scale event by as many replicas as the HPA may move at all, or both.
    """
    recommendation, event = extreme_of(nth)
    if recommendation >= 0:
        replicas = bounds.extreme_recommendation(recommendation, maximum, published)
        old = Recommendation(replicas=replicas, at_us=unseen_us)
        memory = replace(memory, recommendations=(*(memory.recommendations or ()), old))
    moved = ScaleEvent(change=maximum, at_us=unseen_us, outdated=False)
    if event == 1:
        return replace(memory, up=(*(memory.up or ()), moved))
    return memory if event < 0 else replace(memory, down=(*(memory.down or ()), moved))


def has_near_age(memory: Memory, hpa: Hpa, flags: Flags, now_us: Micros, period_us: Micros) -> bool:
    """True if something remembered is so near the age at which it stops counting that its side is not known."""
    ages = expiry_ages_us(hpa.spec.behavior, flags)
    made_us = [entry.at_us for entry in memory.recommendations or ()]
    made_us += [entry.at_us for entry in (*(memory.up or ()), *(memory.down or ()))]
    return any(bounds.is_near(at_us, now_us - age, period_us) for at_us in made_us for age in ages)


def shifted(memory: Memory, nth: int, period_us: Micros) -> Memory:
    """The same memory, made half a sync period earlier or later."""
    by_us = bounds.shift_us(nth, period_us)
    return replace(
        memory,
        recommendations=_moved(memory.recommendations, by_us),
        up=_moved(memory.up, by_us),
        down=_moved(memory.down, by_us),
    )


def _moved(entries: tuple[_Entry, ...] | None, by_us: int) -> tuple[_Entry, ...] | None:
    if entries is None:
        return None
    return tuple(replace(entry, at_us=Micros(entry.at_us + by_us)) for entry in entries)


def longest_window_us(behavior: Behavior | None, flags: Flags) -> Micros:
    """How long a recommendation can matter."""
    if behavior is None:
        return flags.downscale_stabilization_us
    down = behavior.scale_down.stabilization_window_seconds
    down_us = flags.downscale_stabilization_us if down is None else down * SECOND
    return Micros(max(down_us, (behavior.scale_up.stabilization_window_seconds or 0) * SECOND))


def expiry_ages_us(behavior: Behavior | None, flags: Flags) -> list[Micros]:
    """The ages at which something that is remembered stops counting: every window and every period."""
    ages = {flags.downscale_stabilization_us}
    for direction in () if behavior is None else (behavior.scale_up, behavior.scale_down):
        if direction.stabilization_window_seconds is not None:
            ages.add(Micros(direction.stabilization_window_seconds * SECOND))
        ages |= {Micros(policy.period_seconds * SECOND) for policy in direction.policies}
    return sorted(ages)


def longest_period_us(behavior: Behavior) -> Micros:
    """How long a scale event can matter."""
    return max(longest_us(behavior.scale_up), longest_us(behavior.scale_down))
