"""Names of reconciles, such as `first`, that users can give instead of a time."""

from enum import StrEnum


class Landmark(StrEnum):
    """A reconcile that `--at` can name without its time.

    `next` and `prev` are the ones after and before the reconcile that matters most, which is shown without `--at`.
    """

    FIRST = "first"
    LAST = "last"
    NEXT = "next"
    PREV = "prev"
    FIRST_DIVERGENCE = "first-divergence"
