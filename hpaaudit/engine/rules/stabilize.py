"""Stabilizes a recommendation with the recent ones.

A window looks back: with one of 300 s the replicas fall only to the highest number that was recommended in the last
300 s. Upstream: `stabilizeRecommendation`, with a behavior `stabilizeRecommendationWithBehaviors` (1.18).
"""

from collections.abc import Sequence
from typing import NamedTuple

from hpaaudit.engine.rules.go_numbers import NONE


class Recommendations(NamedTuple):
    """What was recommended and when, a slot each; slots are used again, so that their order is not that of time."""

    replicas: Sequence[int]
    at_us: Sequence[int]


class Held(NamedTuple):
    """The number, and slots of the memory, NONE where there is none.

    decisive   the old recommendation that decided: the newest of that number
    slot       the last that nothing needs any more: the new recommendation takes it
    """

    replicas: int
    decisive: int
    slot: int


def counts_plain(at_us: int, now_us: int, window_us: int) -> bool:
    """Whether a recommendation still counts without a behavior. One exactly as old as the window does.

    Upstream skips those with `timestamp.Before(cutoff)`, which the edge is not.
    """
    return at_us >= now_us - window_us


def counts(at_us: int, now_us: int, window_us: int) -> bool:
    """Whether a recommendation still counts with a behavior. One exactly as old as the window does not.

    Upstream takes those with `timestamp.After(cutoff)`, which the edge is not.
    """
    return at_us > now_us - window_us


def reusable(at_us: int, now_us: int, up_window_us: int, down_window_us: int) -> bool:
    """Whether a slot is used again: its recommendation is older than both windows."""
    return at_us < now_us - up_window_us and at_us < now_us - down_window_us


def envelope(current: int, lowest: int, highest: int) -> int:
    """Current replicas, moved no further than both windows agree on (1.21, #97348).

    Up at most to the lowest recommendation of the scale-up window, down at most to the highest of the other.
    """
    stabilized = current
    stabilized = max(stabilized, lowest)
    return min(stabilized, highest)


def hold_plain(raw: int, past: Recommendations, now_us: int, window_us: int) -> Held:
    """Without a behavior: the highest of the window, even above current replicas.

    Upstream looks at what was recommended and not at what runs, so an old recommendation may even scale up.
    """
    highest, slot, decisive = raw, NONE, NONE
    for index in range(len(past.replicas)):
        if not counts_plain(past.at_us[index], now_us, window_us):
            slot = index
        elif past.replicas[index] > highest or _newer(past, index, decisive):
            highest, decisive = past.replicas[index], index
    return Held(highest, decisive, slot)


def hold(
    raw: int,
    current: int,
    past: Recommendations,
    now_us: int,
    up_window_us: int,
    down_window_us: int,
    both_hold: bool,
) -> Held:
    """With a behavior: current replicas, moved as far as both windows agree.

    both_hold   since 1.21; before, only the window of the raw direction held, and could pull beyond current replicas
    """
    lowest, highest, slot = raw, raw, NONE
    low, high = NONE, NONE
    for index in range(len(past.replicas)):
        replicas, at_us = past.replicas[index], past.at_us[index]
        if counts(at_us, now_us, up_window_us) and (replicas < lowest or _newer(past, index, low)):
            lowest, low = replicas, index
        if counts(at_us, now_us, down_window_us) and (replicas > highest or _newer(past, index, high)):
            highest, high = replicas, index
        if reusable(at_us, now_us, up_window_us, down_window_us):
            slot = index
    upward = raw >= current
    by_one = lowest if upward else highest
    stabilized = envelope(current, lowest, highest) if both_hold else by_one
    decisive = NONE if stabilized == raw else (low if upward else high)
    return Held(stabilized, decisive, slot)


def _newer(past: Recommendations, index: int, known: int) -> bool:
    """Whether a recommendation of the same number is newer. Upstream does not care; whoever explains it does."""
    return known != NONE and past.replicas[index] == past.replicas[known] and past.at_us[index] > past.at_us[known]
