"""What something takes: seconds of wall time, and of CPU on all cores."""

import compileall
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import hpaaudit


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


@lru_cache(maxsize=1)
def byte_code() -> None:
    """Compiles hpaaudit to byte code, as an installed package is: to do that anew in each run would count too."""
    compileall.compile_dir(Path(hpaaudit.__file__).parent, quiet=1)


def whole_process(*words: object) -> tuple[Seconds, float]:
    """What a whole `hpaaudit` process takes, and the most memory that it held, in MB."""
    byte_code()
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "hpaaudit", *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise AssertionError(f"hpaaudit {' '.join(map(str, words))} failed")
    seconds = Seconds(time.perf_counter() - begun, usage.ru_utime + usage.ru_stime)
    return seconds, usage.ru_maxrss * 1024 / 1e6
