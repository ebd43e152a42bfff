"""Steps of the world as the rows of a recording: facts numbered in the order of their times, segment by segment."""

import numpy as np
import pyarrow as pa

from hpaaudit.recording.encoding.row_buffer import NUMBER_BYTES
from hpaaudit.recording.format.schema import PARTS, TABLES
from tests.bench.world.columns import whole
from tests.bench.world.facts import Chunk, Facts
from tests.bench.world.hpas import Whole
from tests.bench.world.pods import SECOND
from tests.bench.world.step import Polled, Step
from tests.bench.world.world import START, World

MS = 1_000
LISTED_US = 300 * MS  # when the recorder has listed everything


class Rows:
    """Facts of the world that wait for their segment, a list of columns for each table."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._facts = Facts(world)
        self._waiting: dict[str, list[Chunk]] = {name: [] for name in TABLES}
        self._reads = 0
        self._first_read = 0
        self._taken = 0
        self.bytes = 0
        everybody = np.arange(len(world.hpas))
        at = np.full(len(world.hpas), START)
        self._add("controllers", at=at[:1])
        self._add("hpas", at=at + 50 * MS, hpa=everybody, current=world.spec.copy(), desired=world.spec.copy())
        long_ago = at - 3600 * SECOND
        scales = {"spec": world.spec.copy(), "status": world.status.copy(), "template": world.pods.latest.copy()}
        self._add("targets", at=at + 100 * MS, hpa=everybody, written=long_ago, **scales)
        self._add("pods", at=np.full(len(world.pods.alive), START + LISTED_US), who=world.pods.alive)

    def _add(self, table: str, **columns: Whole) -> None:
        size = len(next(iter(columns.values())))
        if size:
            self._waiting[table].append(columns)
            self.bytes += size * NUMBER_BYTES * len(TABLES[table].columns)

    def add(self, step: Step) -> None:
        """Take what a step brought."""
        self._polled("samples", step.metrics, 0)
        self._polled("metric_values", step.values, len(self._world.hpas.namespaces))
        self._add("reconciles", at=step.decided, hpa=np.arange(len(step.decided)), began=step.began)
        statuses, scales = step.statuses, step.scales
        self._add("hpas", at=statuses.at, hpa=statuses.hpa, current=statuses.current, desired=statuses.desired)
        self._add(
            "targets",
            at=scales.at,
            hpa=scales.hpa,
            spec=scales.spec,
            status=scales.status,
            template=scales.template,
            written=scales.written,
        )
        later = step.when > START + LISTED_US
        self._add("pods", at=step.when[later], who=step.changed[later])

    def _polled(self, table: str, polled: Polled, streams: int) -> None:
        stream = streams + np.arange(len(polled.at))
        self._add("reads", at=polled.at, took=polled.took, stream=stream, items=polled.items)
        rows = {"who": polled.who, "place": polled.place, "gone": polled.gone, **polled.numbers}
        self._add(table, read=self._reads + polled.read, stream=stream[polled.read], **rows)
        self._reads += len(polled.at)

    def end(self, at: int) -> None:
        """Say that everything was seen to here."""
        self._add("ends", at=np.array([at]))

    def take(self, until: int | None) -> dict[str, pa.Table]:
        """Return the tables of a segment: the facts before an instant, all of them without one."""
        facts = {name: rows for name in TABLES if name not in PARTS and (rows := self._before(name, until))}
        times = np.concatenate([rows["at"] for rows in facts.values()])
        seq = np.empty(len(times), np.int64)
        seq[np.argsort(times, kind="stable")] = np.arange(self._taken, self._taken + len(times))
        numbers = dict(
            zip(facts, np.split(seq, np.cumsum([len(rows["at"]) for rows in facts.values()])[:-1]), strict=True)
        )
        for name in PARTS:
            if self._waiting[name]:
                facts[name] = _joined(self._waiting[name])
                numbers[name] = numbers["reads"][facts[name]["read"] - self._first_read]
                self._waiting[name] = []
        self._first_read = self._reads
        self._taken += len(times)
        self.bytes = 0
        return {name: self._table(name, numbers[name], rows) for name, rows in facts.items()}

    def _before(self, table: str, until: int | None) -> Chunk:
        """Take the rows of a table before an instant; those after it go on waiting."""
        if not self._waiting[table]:
            return {}
        rows = _joined(self._waiting[table])
        now = np.ones(len(rows["at"]), bool) if until is None else rows["at"] < until
        self._waiting[table] = [] if now.all() else [{name: values[~now] for name, values in rows.items()}]
        return {name: values[now] for name, values in rows.items()} if now.any() else {}

    def _table(self, name: str, seq: Whole, rows: Chunk) -> pa.Table:
        columns = {"seq": whole(seq)} | self._facts.columns(name, rows)
        return pa.table({column.name: columns[column.name] for column in TABLES[name].columns})


def _joined(chunks: list[Chunk]) -> Chunk:
    return {name: np.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0]}
