"""Compares what two replays made: NaN is equal to NaN, which Python 3.13's dataclasses deny."""

from collections.abc import Iterable


def texts(values: Iterable[object]) -> list[str]:
    """Values as their whole text: a double has all its digits, and a ratio of nothing is `nan`."""
    return [repr(value) for value in values]
