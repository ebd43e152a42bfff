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
    """Without a behavior."""
    replicas, at_us = _columns(recommendations)
    held = rules.hold_plain(raw, replicas, at_us, len(recommendations), now_us, window_us)
    return _stabilized(held, raw, recommendations, now_us, window_us)


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
    """With a behavior; a scale-down window that is not given is the flag's, in whole seconds."""
    up_us = Micros((behavior.scale_up.stabilization_window_seconds or 0) * SECOND)
    down_seconds = behavior.scale_down.stabilization_window_seconds
    down_us = Micros((default_down_us // SECOND if down_seconds is None else down_seconds) * SECOND)
    replicas, at_us = _columns(recommendations)
    held = rules.hold(raw, current, replicas, at_us, len(recommendations), now_us, up_us, down_us, envelope)
    return _stabilized(held, raw, recommendations, now_us, up_us if raw >= current else down_us)


def _columns(recommendations: tuple[Recommendation, ...]) -> tuple[list[int], list[int]]:
    return [old.replicas for old in recommendations], [old.at_us for old in recommendations]


def _stabilized(
    held: rules.Held, raw: int, recommendations: tuple[Recommendation, ...], now_us: Micros, window_us: Micros
) -> Stabilized:
    """The outcome, with the raw proposal in the slot that is free, else at the end."""
    new = Recommendation(replicas=raw, at_us=now_us)
    slot = len(recommendations) if held.slot == rules.NONE else held.slot
    return Stabilized(
        replicas=held.replicas,
        recommendations=(*recommendations[:slot], new, *recommendations[slot + 1 :]),
        decisive=None if held.decisive == rules.NONE else recommendations[held.decisive],
        window_us=window_us,
    )
