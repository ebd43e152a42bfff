"""The limits of unknown memory: what it may contain, whether that still counts, and when it was made.

A recording begins while the controller runs, so what it recommended before is unknown. The real memory lies between
extremes: if all of these decide alike, it does not matter. Upstream has no such thing.
"""


def recommendation_counts(unseen_us: int, now_us: int, longest_window_us: int) -> bool:
    """True if a recommendation from before `unseen_us` may still count. The plain window includes its edge."""
    return now_us - unseen_us <= longest_window_us


def event_counts(unseen_us: int, now_us: int, longest_period_us: int) -> bool:
    """True if a scale event from before `unseen_us` may still count. One exactly as old as its period does not."""
    return now_us - unseen_us < longest_period_us


def extreme_recommendation(nth: int, maximum: int, published: int) -> int:
    """The n-th extreme of what an unseen memory may have recommended.

    In this order: maxReplicas + 1, which ScalingLimited reports (TooManyReplicas); maxReplicas, which it does not; 0;
    the published number: an old recommendation may have kept the replicas there, and no other extreme would have
    published that; and one less and one more: then a policy held the rest.
    """
    if nth == 0:
        return maximum + 1
    if nth == 1:
        return maximum
    if nth == 2:  # noqa: PLR2004 (extremes are counted)
        return 0
    return published if nth == 3 else published - 1 if nth == 4 else published + 1  # noqa: PLR2004


def shift_us(nth: int, period_us: int) -> int:
    """By how much the n-th shift moves all of a memory: half a sync period earlier, then later.

    The time between two reconciles is only known to ± half a sync period.
    """
    return (nth * 2 - 1) * (period_us // 2)


def is_near(at_us: int, edge_us: int, period_us: int) -> bool:
    """True if a time is within half a sync period of another.

    edge_us   what was made at this time stops counting now

    Whether something made so near to it still counts is not known.
    """
    return abs(edge_us - at_us) <= period_us // 2
