"""What a published status tells of the memory of the pass that came to it."""

KEPT = 0
UNDONE = 1
REPLACED = 2


def followed(
    scaled: bool, published_desired: int, published_current: int, desired: int, current: int, moves: bool
) -> int:
    """What becomes of the scale event of a pass: KEPT as decided, UNDONE, or REPLACED by the published number.

    scaled   the published status tells of a scale that the one before did not;  moves   by us there was one
    """
    if scaled and published_desired != desired:
        return REPLACED
    if not scaled and moves and published_current == current:
        return UNDONE
    return KEPT


def is_unbent(fails: bool, ready: bool, within: bool, active: bool) -> bool:
    """Whether conditions say that nothing bent the recommendation: then it is the published number.

    A failed computation (ScalingActive=False) recommends nothing, which is known as well.
    """
    return fails or (ready and within and active)
