"""Bounds a memory that nobody saw: what it may have held, whether that still counts, when it was made.

Whoever begins to record does not know what the controller recommended before. The real memory lies between extremes:
if they all decide alike, it does not matter. Upstream has no such thing.
"""


def recommendation_counts(unseen_us: int, now_us: int, longest_window_us: int) -> bool:
    """Whether a recommendation of the unseen time may still count: a window without behavior includes its edge."""
    return now_us - unseen_us <= longest_window_us


def event_counts(unseen_us: int, now_us: int, longest_period_us: int) -> bool:
    """Whether a scale event of the unseen time may still count: one exactly as old as its period does not."""
    return now_us - unseen_us < longest_period_us


def extreme_recommendation(nth: int, maximum: int, published: int) -> int:
    """The n-th recommendation that an unseen memory may have held.

    One more than maxReplicas, which is published in other words than maxReplicas itself; maxReplicas; none; and the
    published number: an old recommendation may have held it there, and neither end would have been published so.
    """
    if nth == 0:
        return maximum + 1
    if nth == 1:
        return maximum
    return 0 if nth == 2 else published  # noqa: PLR2004 (extremes are counted)


def shift_us(nth: int, period_us: int) -> int:
    """By how much all of a memory is moved in the n-th shift: half a sync period earlier, then later.

    The time between two reconciles is known to that half only.
    """
    return (nth * 2 - 1) * (period_us // 2)


def is_near_edge(at_us: int, now_us: int, edge_us: int, period_us: int) -> bool:
    """Whether something is so near the age at which it stops to count that its side is not known."""
    return abs(now_us - at_us - edge_us) <= period_us // 2
