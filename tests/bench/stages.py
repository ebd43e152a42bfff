"""Where time goes: wall and CPU seconds by stage, and the memory that is held after each."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.bench.seconds import Seconds

PAGE = 4096


@dataclass(slots=True)
class Stage:
    """A stage: what all its calls took, and the most bytes that were held after one, by the process and by Arrow."""

    calls: int = 0
    seconds: Seconds = field(default_factory=lambda: Seconds(0.0, 0.0))
    process_bytes: int = 0
    arrow_bytes: int = 0


@dataclass(slots=True)
class Stages:
    """The stages by name, in the order in which they began."""

    by_name: dict[str, Stage] = field(default_factory=dict)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Adds what the block takes to a stage. CPU seconds are those of all threads of the process."""
        stage = self.by_name.setdefault(name, Stage())
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            yield
        finally:
            before = stage.seconds
            stage.calls += 1
            stage.seconds = Seconds(before.wall + time.perf_counter() - wall, before.cpu + time.process_time() - cpu)
            stage.process_bytes = max(stage.process_bytes, resident_bytes())
            stage.arrow_bytes = max(stage.arrow_bytes, pa.total_allocated_bytes())

    def timing(self, call: Callable[..., Any], name: Callable[..., str]) -> Callable[..., Any]:
        """The same function, timed as the stage that `name` makes of its arguments."""

        @wraps(call)
        def timed(*arguments: Any, **named: Any) -> Any:
            with self.timed(name(*arguments, **named)):
                return call(*arguments, **named)

        return timed

    def each(self, items: Iterator[Any], name: str) -> Iterator[Any]:
        """The same items; to make each of them is timed."""
        end = object()
        while True:
            with self.timed(name):
                item = next(items, end)
            if item is end:
                return
            yield item


def resident_bytes() -> int:
    """The memory of this process that is in RAM."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE
