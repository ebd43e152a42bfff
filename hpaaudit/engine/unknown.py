"""What an unknown memory could change: what it held before we looked, and when exactly it was made."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar
from urllib.parse import unquote

from hpaaudit.model.facts import Gap
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Behavior, Hpa
from hpaaudit.model.memory import Memory, Recommendation, ScaleEvent
from hpaaudit.model.units import SECOND, Micros

_SHOWING_HPAS = ("*", "/apis/autoscaling/", "/apis/extensions/")
"""Streams whose gaps hide what HPAs published."""

_Entry = TypeVar("_Entry", Recommendation, ScaleEvent)


def blinds(gap: Gap, period_us: Micros) -> bool:
    """Whether several reconciles may have gone unseen: of a single one the next status tells what it did."""
    return gap.until_us - gap.at_us > period_us and gap.prefix.startswith(_SHOWING_HPAS)


def hidden(gap: Gap) -> str | None:
    """The HPA (`namespace/name`) that is all that a gap hides; None where it hides more than one."""
    path = gap.prefix.partition("?")[0].partition("#")[0]
    match path.strip("/").split("/"):
        case ["apis", _, _, "namespaces", namespace, "horizontalpodautoscalers", name] if name:
            return f"{unquote(namespace)}/{unquote(name)}"
    return None


def extremes(
    memory: Memory, hpa: Hpa, flags: Flags, unseen_until_us: Micros, now_us: Micros, published: int
) -> Iterator[Memory]:
    """Memories between which the real one lies, where what came before `unseen_until_us` still counts.

    Recommendations: one at zero, one at maxReplicas and one beyond, which is published in other words, and one at the
    published number: an old one may have held it there, and neither end would have been published so. Scale events of
    either direction: as many pods as the HPA may move at all. Nothing is yielded once every window and period lies
    behind us.
    """
    age_us = now_us - unseen_until_us
    just_before = Micros(unseen_until_us)
    behavior = hpa.spec.behavior
    if age_us <= longest_window_us(behavior, flags):
        for replicas in (hpa.spec.max_replicas + 1, hpa.spec.max_replicas, 0, published):
            old = Recommendation(replicas=replicas, at_us=just_before)
            yield replace(memory, recommendations=(*(memory.recommendations or ()), old))
    if behavior is not None and age_us < longest_period_us(behavior):
        event = ScaleEvent(change=hpa.spec.max_replicas, at_us=just_before, outdated=False)
        yield replace(memory, up=(*(memory.up or ()), event))
        yield replace(memory, down=(*(memory.down or ()), event))


def shifted(memory: Memory, hpa: Hpa, flags: Flags, now_us: Micros, slack_us: Micros) -> Iterator[Memory]:
    """The same memory, made a little earlier and a little later.

    Nothing is yielded unless something in it is within `slack_us` of the edge of its window or period: on which side
    it stands is then not known.
    """
    edges = edges_us(hpa.spec.behavior, flags)
    made_us = [entry.at_us for entry in memory.recommendations or ()]
    made_us += [entry.at_us for entry in (*(memory.up or ()), *(memory.down or ()))]
    if not any(abs(now_us - at_us - edge) <= slack_us for at_us in made_us for edge in edges):
        return
    for by_us in (-slack_us, slack_us):
        yield replace(
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


def edges_us(behavior: Behavior | None, flags: Flags) -> list[Micros]:
    """The ages at which something that is remembered stops to count: of every window and period."""
    edges = {flags.downscale_stabilization_us}
    for rules in () if behavior is None else (behavior.scale_up, behavior.scale_down):
        if rules.stabilization_window_seconds is not None:
            edges.add(Micros(rules.stabilization_window_seconds * SECOND))
        edges |= {Micros(policy.period_seconds * SECOND) for policy in rules.policies}
    return sorted(edges)


def longest_period_us(behavior: Behavior) -> Micros:
    """How long a scale event can matter."""
    policies = (*behavior.scale_up.policies, *behavior.scale_down.policies)
    return Micros(max((policy.period_seconds for policy in policies), default=0) * SECOND)
