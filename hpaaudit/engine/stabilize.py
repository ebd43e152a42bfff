"""A recommendation held by the recent ones, and the memory of it."""

from dataclasses import dataclass

from hpaaudit.engine.rules import stabilize as rules
from hpaaudit.model.hpa import Behavior
from hpaaudit.model.memory import Recommendation
from hpaaudit.model.units import SECOND, Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Stabilized:
    """The number, the slots after it, and which old recommendation decided: the newest of that number, None if none."""

    replicas: int
    recommendations: tuple[Recommendation, ...]
    decisive: Recommendation | None
    window_us: Micros


def plain(raw: int, recommendations: tuple[Recommendation, ...], now_us: Micros, window_us: Micros) -> Stabilized:
    """Without a behavior: the highest of the window, even above current (`stabilizeRecommendation`)."""
    highest, slot, decisive = raw, None, None
    for index, old in enumerate(recommendations):
        if not rules.counts_plain(old.at_us, now_us, window_us):
            slot = index
        elif old.replicas > highest or _newer(old, decisive):
            highest, decisive = old.replicas, old
    return Stabilized(
        replicas=highest,
        recommendations=_stored(recommendations, slot, raw, now_us),
        decisive=decisive,
        window_us=window_us,
    )


def with_behavior(
    raw: int,
    current: int,
    recommendations: tuple[Recommendation, ...],
    behavior: Behavior,
    now_us: Micros,
    default_down_us: Micros,
    *,
    envelope: bool,
) -> Stabilized:
    """With a behavior: current replicas, moved as far as both windows agree (1.21).

    envelope   before, only the window of the raw direction held, and could pull beyond current

    A scale-down window that is not given is the flag's, in whole seconds.
    """
    up_us = Micros((behavior.scale_up.stabilization_window_seconds or 0) * SECOND)
    down_seconds = behavior.scale_down.stabilization_window_seconds
    down_us = Micros((default_down_us // SECOND if down_seconds is None else down_seconds) * SECOND)
    lowest, highest, slot = raw, raw, None
    low: Recommendation | None = None
    high: Recommendation | None = None
    for index, old in enumerate(recommendations):
        if rules.counts(old.at_us, now_us, up_us) and (old.replicas < lowest or _newer(old, low)):
            lowest, low = old.replicas, old
        if rules.counts(old.at_us, now_us, down_us) and (old.replicas > highest or _newer(old, high)):
            highest, high = old.replicas, old
        if rules.reusable(old.at_us, now_us, up_us, down_us):
            slot = index
    upward = raw >= current
    replicas = rules.envelope(current, lowest, highest) if envelope else (lowest if upward else highest)
    return Stabilized(
        replicas=replicas,
        recommendations=_stored(recommendations, slot, raw, now_us),
        decisive=None if replicas == raw else (low if upward else high),
        window_us=up_us if upward else down_us,
    )


def _newer(old: Recommendation, known: Recommendation | None) -> bool:
    return known is not None and old.replicas == known.replicas and old.at_us > known.at_us


def _stored(
    recommendations: tuple[Recommendation, ...], slot: int | None, raw: int, now_us: Micros
) -> tuple[Recommendation, ...]:
    """The raw proposal in the last expired slot, else at the end."""
    new = Recommendation(replicas=raw, at_us=now_us)
    if slot is None:
        return (*recommendations, new)
    return (*recommendations[:slot], new, *recommendations[slot + 1 :])
