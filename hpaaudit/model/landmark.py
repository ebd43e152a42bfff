"""Names of reconciles, such as `first`, that users can give instead of a time."""

from enum import StrEnum


class Landmark(StrEnum):
    """A reconcile that `--at` can name without its time. `next` is the one after the moment that matters most."""

    FIRST = "first"
    LAST = "last"
    NEXT = "next"
    FIRST_DIVERGENCE = "first-divergence"
