"""Lets Arrow take little memory in a process that records for long."""

import ctypes
import sys

import pyarrow as pa

M_ARENA_MAX = -8  # glibc's malloc.h


def limit_arrow_memory() -> None:
    """From now on all memory comes from one heap of the system's.

    Arrow's own pool, and a heap of glibc's for each of its threads, keep what a segment took while it was written:
    of the memory of a recorder of 50,000 pods that was a fifth.
    """
    pa.set_memory_pool(pa.system_memory_pool())
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
        if mallopt:
            mallopt(M_ARENA_MAX, 1)
