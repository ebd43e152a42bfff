"""Stabilizes a recommendation with the recent ones.

A stabilization window looks back: with 300 s the replicas fall only to the highest number that was recommended in the
last 300 s. So a load that comes and goes does not stop and start pods all the time. Upstream: `horizontal.go`,
`stabilizeRecommendation`, and with a behavior `stabilizeRecommendationWithBehaviors` (1.18).
"""

from collections.abc import Sequence
from typing import NamedTuple

from hpaaudit.engine.rules.go_numbers import NONE


class Recommendations(NamedTuple):
    """What was recommended and when, in slots. A slot is used again, so their order is not that of time."""

    replicas: Sequence[int]
    at_us: Sequence[int]


class Windows(NamedTuple):
    """The stabilization windows on the way up and on the way down."""

    up_us: int
    down_us: int


class Stabilized(NamedTuple):
    """The stabilized recommendation.

    replicas   the number
    decisive   slot of the old recommendation that decided, the newest of that number; NONE if none did
    slot       slot for the new recommendation: the last one that no window needs any more, NONE for a new slot
    """

    replicas: int
    decisive: int
    slot: int


def counts_plain(at_us: int, now_us: int, window_us: int) -> bool:
    """True if a recommendation still counts without a behavior. One exactly as old as the window does.

    Upstream: `stabilizeRecommendation` skips those with `timestamp.Before(cutoff)`.
    """
    return at_us >= now_us - window_us


def counts(at_us: int, now_us: int, window_us: int) -> bool:
    """True if a recommendation still counts with a behavior. One exactly as old as the window does not.

    So a window of 0 s never counts an old recommendation. Upstream: `stabilizeRecommendationWithBehaviors` takes those
    with `timestamp.After(cutoff)`.
    """
    return at_us > now_us - window_us


def is_reusable(at_us: int, now_us: int, windows: Windows) -> bool:
    """True if a slot is used again: its recommendation is older than both windows. One exactly as old is not."""
    return at_us < now_us - windows.up_us and at_us < now_us - windows.down_us


def envelope(current: int, lowest: int, highest: int) -> int:
    """Current replicas, moved into what both windows agree on (1.21, #97348).

    They move up at most to the lowest recommendation of the scale-up window, and down at most to the highest of the
    scale-down window.
    """
    stabilized = current
    stabilized = max(stabilized, lowest)
    return min(stabilized, highest)


def stabilize_plain(raw: int, past: Recommendations, now_us: int, window_us: int) -> Stabilized:
    """Without a behavior: the highest recommendation within the window.

    Current replicas are not asked, so an old recommendation may even scale up. Upstream: `stabilizeRecommendation`.
    """
    highest, slot, decisive = raw, NONE, NONE
    for index in range(len(past.replicas)):
        if not counts_plain(past.at_us[index], now_us, window_us):
            slot = index
        elif past.replicas[index] > highest or _is_newer(past, index, decisive):
            highest, decisive = past.replicas[index], index
    return Stabilized(highest, decisive, slot)


def stabilize_with_behavior(
    raw: int, current: int, past: Recommendations, now_us: int, windows: Windows, has_envelope: bool
) -> Stabilized:
    """With a behavior: current replicas, moved as far as both windows agree.

    has_envelope   both windows count (1.21, #97348). Before, only the window of the direction of `raw` did, and its
                   recommendation could be on the other side of current replicas

    Upstream: `stabilizeRecommendationWithBehaviors`.
    """
    lowest, highest, slot = raw, raw, NONE
    low, high = NONE, NONE
    for index in range(len(past.replicas)):
        replicas, at_us = past.replicas[index], past.at_us[index]
        if counts(at_us, now_us, windows.up_us) and (replicas < lowest or _is_newer(past, index, low)):
            lowest, low = replicas, index
        if counts(at_us, now_us, windows.down_us) and (replicas > highest or _is_newer(past, index, high)):
            highest, high = replicas, index
        if is_reusable(at_us, now_us, windows):
            slot = index
    upward = raw >= current
    one_window = lowest if upward else highest
    stabilized = envelope(current, lowest, highest) if has_envelope else one_window
    decisive = NONE if stabilized == raw else (low if upward else high)
    return Stabilized(stabilized, decisive, slot)


def _is_newer(past: Recommendations, index: int, chosen: int) -> bool:
    """True if a recommendation of the same number is newer. Only explanations ask which one it was."""
    return chosen != NONE and past.replicas[index] == past.replicas[chosen] and past.at_us[index] > past.at_us[chosen]
