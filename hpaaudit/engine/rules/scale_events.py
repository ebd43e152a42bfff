"""Remembers a scale event after a write of the scale: which kind it is, and which slot it takes.

Policies count scale events: how many replicas were added or removed within a period. Upstream: `horizontal.go`,
`storeScaleEvent` and `markScaleEventsOutdated` (1.18).
"""

from collections.abc import MutableSequence, Sequence

NO_EVENT = 0
UP_EVENT = 1
DOWN_EVENT = 2


def event_of(has_behavior: bool, before: int, after: int) -> int:
    """The scale event that a write of the scale leaves.

    Without a behavior there is none, because only policies count events. A write of the same number leaves a scale-down
    by 0: upstream asks `newReplicas > prevReplicas` and else takes the other branch.
    """
    if not has_behavior:
        return NO_EVENT
    return UP_EVENT if after > before else DOWN_EVENT


def is_outdated(at_us: int, now_us: int, longest_period_us: int) -> bool:
    """True if a scale event is older than the longest period of its direction. One exactly as old is not.

    Upstream: `markScaleEventsOutdated`, `timestamp.Before(cutoff)`. A policy with that period no longer counts it
    either: `limit.in_period`.
    """
    return at_us < now_us - longest_period_us


def slot_of(
    at_us: Sequence[int],
    outdated: MutableSequence[bool] | MutableSequence[int],
    now_us: int,
    longest_period_us: int,
) -> int:
    """The slot for a new scale event: that of the last outdated one, else a new one. Marks what is outdated.

    at_us, outdated     the events of one direction, and their marks
    longest_period_us   of the policies of that direction

    A mark stays, even if the spec gets longer periods later. Upstream: `storeScaleEvent`.
    """
    slot = len(at_us)
    for index in range(len(at_us)):
        if is_outdated(at_us[index], now_us, longest_period_us):
            outdated[index] = True
        if outdated[index]:
            slot = index
    return slot
