"""Work in forked processes that nothing else has run in."""

import gc
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

WORKERS = 2


def in_workers(work: Callable[[Any], Any], parts: Sequence[Any], *, in_order: bool = True) -> Iterator[Any]:
    """The results of a function, each part worked on in a process that nothing else has run in."""
    gc.collect()
    gc.freeze()  # the workers share these pages as long as nobody collects them
    with multiprocessing.get_context("fork").Pool(WORKERS, maxtasksperchild=1) as pool:
        yield from (pool.imap if in_order else pool.imap_unordered)(work, parts, chunksize=1)


@contextmanager
def silence() -> Iterator[None]:
    """Lets tests write nothing to the terminal."""
    sys.stdout.flush()
    kept = [os.dup(number) for number in (1, 2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for number in (1, 2):
        os.dup2(nowhere, number)
    try:
        yield
    finally:
        for number, file in zip((1, 2), kept, strict=True):
            os.dup2(file, number)
            os.close(file)
        os.close(nowhere)
