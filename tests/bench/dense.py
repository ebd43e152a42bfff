"""The fleet as dense rows, one for each pod and poll, and what it costs DuckDB just to add them up."""

from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.bench.seconds import RUNS, Seconds, measured, median
from tests.bench.world.hpas import Whole
from tests.bench.world.pods import NEVER, SECOND
from tests.bench.world.step import Step
from tests.bench.world.usage import PAGE, rounded_up
from tests.bench.world.world import World

STEPS = 240  # an hour: rows of one HPA stand together within it
ROW_GROUP = 1 << 18
ZSTD_LEVEL = 3
THREADS = 2
QUERY = """
select count(*), sum(cpu), sum(memory)
from (
    select hpa, poll, sum(cpu_milli) as cpu, sum(memory_bytes) as memory
    from read_parquet(?)
    group by all
)
"""
"""Asks for both sums, so that DuckDB cannot leave them out: it computes only what somebody reads."""


@dataclass(slots=True)
class Dense:
    """Writes a row for each pod that exists at a poll, with its state and its sample, NULL where it has none."""

    path: Path
    _waiting: list[dict[str, Whole]] = field(default_factory=list)
    _writer: pq.ParquetWriter | None = None

    def look(self, world: World, step: Step) -> None:
        """Takes the pods of an interval that was just lived through."""
        pods, usage, hpas = world.pods, world.usage, world.hpas
        at = step.decided[pods["hpa"][pods.alive]]
        there = (pods["born"][pods.alive] <= at) & (at < pods["gone"][pods.alive])
        alive, at = pods.alive[there], at[there]
        of = pods["hpa"][alive]
        started = pods["started"][alive]
        self._waiting.append(
            {
                "hpa": of,
                "poll": np.full(len(alive), step.tick),
                "at_us": at,
                "pod": alive,
                "running": pods["running"][alive] <= at,
                "ready": pods.is_ready(alive, at),
                "deleting": pods["deleted"][alive] <= at,
                "start_us": np.where(started == NEVER, 0, started // SECOND * SECOND),
                "turned_us": np.where(started == NEVER, 0, pods.turned(alive, at)),
                "cpu_request": hpas.cpu_milli[of],
                "memory_request": hpas.memory_bytes[of],
                "sampled": world.listed.now[alive],
                "timestamp_us": usage["timestamp"][alive],
                "window_us": usage["window"][alive],
                "cpu_milli": rounded_up(usage["nano"][alive]),
                "memory_bytes": usage["pages"][alive] * PAGE,
            }
        )
        if len(self._waiting) == STEPS:
            self._flush()

    def _flush(self) -> None:
        rows = {name: np.concatenate([part[name] for part in self._waiting]) for name in self._waiting[0]}
        self._waiting = []
        order = np.argsort(rows["hpa"], kind="stable")
        missing = ~rows.pop("sampled")[order]
        columns = {}
        for number, (name, values) in enumerate(rows.items()):
            kind = pa.int32() if name in ("hpa", "poll", "pod", "cpu_milli") else None
            measured = number >= len(rows) - len(("timestamp_us", "window_us", "cpu_milli", "memory_bytes"))
            columns[name] = pa.array(values[order], kind, mask=missing if measured else None)
        table = pa.table(columns)
        if self._writer is None:
            self._writer = pq.ParquetWriter(self.path, table.schema, compression="zstd", compression_level=ZSTD_LEVEL)
        self._writer.write_table(table, row_group_size=ROW_GROUP)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._waiting:
            self._flush()
        if self._writer is not None:
            self._writer.close()


def group_by(path: Path) -> Seconds:
    """What a GROUP BY over all dense rows takes on two threads, the median."""
    with duckdb.connect(config={"threads": THREADS}) as connection:
        return median([measured(lambda: connection.execute(QUERY, [str(path)]).fetchall()) for _ in range(RUNS)])
