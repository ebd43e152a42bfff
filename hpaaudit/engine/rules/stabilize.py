"""Stabilizes a recommendation with the recent ones (`stabilizeRecommendation…`)."""

from collections.abc import Sequence
from typing import NamedTuple

NONE = -1


class Held(NamedTuple):
    """The number, and places in the memory, NONE where there is none.

    decisive   the old recommendation that decided: the newest of that number
    slot       the last that nothing needs any more: the new recommendation takes it
    """

    replicas: int
    decisive: int
    slot: int


def counts_plain(at_us: int, now_us: int, window_us: int) -> bool:
    """Without a behavior a recommendation exactly as old as the window still counts."""
    return at_us >= now_us - window_us


def counts(at_us: int, now_us: int, window_us: int) -> bool:
    """With a behavior one exactly as old as the window no longer counts."""
    return at_us > now_us - window_us


def reusable(at_us: int, now_us: int, up_window_us: int, down_window_us: int) -> bool:
    """Older than both windows: its slot is used again."""
    return at_us < now_us - up_window_us and at_us < now_us - down_window_us


def envelope(current: int, lowest: int, highest: int) -> int:
    """Current replicas, moved no further than the windows agree on (1.21)."""
    stabilized = current
    stabilized = max(stabilized, lowest)
    return min(stabilized, highest)


def hold_plain(
    raw: int, replicas: Sequence[int], at_us: Sequence[int], count: int, now_us: int, window_us: int
) -> Held:
    """Without a behavior: the highest of the window, even above current (`stabilizeRecommendation`).

    replicas, at_us   the memory, of which the first `count` slots are taken
    """
    highest, slot, decisive = raw, NONE, NONE
    for index in range(count):
        if not counts_plain(at_us[index], now_us, window_us):
            slot = index
        elif replicas[index] > highest or _newer(replicas, at_us, index, decisive):
            highest, decisive = replicas[index], index
    return Held(highest, decisive, slot)


def hold(
    raw: int,
    current: int,
    replicas: Sequence[int],
    at_us: Sequence[int],
    count: int,
    now_us: int,
    up_window_us: int,
    down_window_us: int,
    both_hold: bool,
) -> Held:
    """With a behavior: current replicas, moved as far as both windows agree (1.21).

    both_hold   before, only the window of the raw direction held, and could pull beyond current
    """
    lowest, highest, slot = raw, raw, NONE
    low, high = NONE, NONE
    for index in range(count):
        if counts(at_us[index], now_us, up_window_us) and (
            replicas[index] < lowest or _newer(replicas, at_us, index, low)
        ):
            lowest, low = replicas[index], index
        if counts(at_us[index], now_us, down_window_us) and (
            replicas[index] > highest or _newer(replicas, at_us, index, high)
        ):
            highest, high = replicas[index], index
        if reusable(at_us[index], now_us, up_window_us, down_window_us):
            slot = index
    upward = raw >= current
    by_one = lowest if upward else highest
    stabilized = envelope(current, lowest, highest) if both_hold else by_one
    decisive = NONE if stabilized == raw else (low if upward else high)
    return Held(stabilized, decisive, slot)


def _newer(replicas: Sequence[int], at_us: Sequence[int], index: int, known: int) -> bool:
    return known != NONE and replicas[index] == replicas[known] and at_us[index] > at_us[known]
