"""Lets Python's cycle collector look seldom, where much is kept for long and little has cycles."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = 10_000, 20, 100
"""Objects that come before the youngest are looked at, and how many such looks before the older ones are."""


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Meanwhile; Python's own pace, a look at every 700 objects, took half of the decoding of a large list."""
    before = gc.get_threshold()
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
