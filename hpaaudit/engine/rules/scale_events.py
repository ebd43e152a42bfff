"""Remembers a scale event after a write: which kind it is, and which slot it takes.

Upstream: `storeScaleEvent`, `markScaleEventsOutdated` (1.18).
"""

from collections.abc import MutableSequence, Sequence

NO_EVENT = 0
UP_EVENT = 1
DOWN_EVENT = 2


def event_of(behaves: bool, before: int, after: int) -> int:
    """Which scale event a write of the scale leaves.

    None without a behavior: only policies count events. A write of the same number counts as a scale-down by nothing,
    because upstream asks `newReplicas > prevReplicas` and else takes the other branch.
    """
    if not behaves:
        return NO_EVENT
    return UP_EVENT if after > before else DOWN_EVENT


def outdated(at_us: int, now_us: int, longest_period_us: int) -> bool:
    """Older than the longest period of its own direction; exactly as old is not (`timestamp.Before(cutoff)`)."""
    return at_us < now_us - longest_period_us


def slot_of(
    at_us: Sequence[int],
    marks: MutableSequence[bool] | MutableSequence[int],
    now_us: int,
    longest_period_us: int,
) -> int:
    """The slot for a new scale event: the last outdated one, else one more; marks what is outdated on the way.

    at_us, marks   of the events of one direction;  longest_period_us   of its policies

    A mark stays even if the spec's periods grow later, as upstream's does.
    """
    slot = len(at_us)
    for index in range(len(at_us)):
        if outdated(at_us[index], now_us, longest_period_us):
            marks[index] = True
        if marks[index]:
            slot = index
    return slot
