"""What something takes: seconds of wall time, and of CPU on all cores."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Seconds(NamedTuple):
    """Wall and CPU seconds. The CPU seconds say more where other programs run beside."""

    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall:.2f} ({self.cpu:.2f} CPU)"


RUNS = 5
"""Of so many runs the median counts: one lucky or slow run moves nothing."""


def median(runs: Sequence[Seconds]) -> Seconds:
    """The run in the middle by its CPU seconds, which other programs disturb least."""
    return sorted(runs, key=lambda run: run.cpu)[len(runs) // 2]


def measured(run: Callable[[], object]) -> Seconds:
    """What one run takes, in all threads of this process."""
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    return Seconds(time.perf_counter() - wall, time.process_time() - cpu)
