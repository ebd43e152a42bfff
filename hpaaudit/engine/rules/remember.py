"""Which slot of the memory a new entry takes (`storeScaleEvent`)."""

from collections.abc import MutableSequence, Sequence


def outdated(at_us: int, now_us: int, longest_period_us: int) -> bool:
    """Older than the longest period of its own direction; exactly as old is not."""
    return at_us < now_us - longest_period_us


def slot_of(
    at_us: Sequence[int],
    marks: MutableSequence[bool] | MutableSequence[int],
    count: int,
    now_us: int,
    longest_period_us: int,
) -> int:
    """The slot for a new scale event: the last outdated one, else `count`; marks what is outdated on the way."""
    slot = count
    for index in range(count):
        if outdated(at_us[index], now_us, longest_period_us):
            marks[index] = True
        if marks[index]:
            slot = index
    return slot
