"""Writes a results file: facts and decisions in, the audit run, the finished file moved into its place."""

import contextlib
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from glob import glob
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Self

import duckdb

from hpaaudit.errors import FileExists
from hpaaudit.model.audit import Pass, RecordingInfo, Replay
from hpaaudit.model.columns import Decided
from hpaaudit.model.facts import Fact
from hpaaudit.model.units import SECOND
from hpaaudit.results import fact_rows, pass_rows, published, seen, sql
from hpaaudit.results.batches import Batches
from hpaaudit.results.columns import to_arrow
from hpaaudit.results.facts import Facts
from hpaaudit.results.keep import Keep
from hpaaudit.results.read import Results, open_results

STORAGE_VERSION = "v1.4.0"  # what DuckDB 1.4 and newer can open
NUMBERS = "numbers"
"""The detail of a replay that keeps neither steps nor pods, as a compiled one."""
_MEMORIES = {"all"}
_PODS = {"pods", *_MEMORIES}
_STEPS = {"steps", *_PODS}
"""The details that keep these of every pass, and not only where something moved or differs."""
MEMORY = "300MB"
"""What DuckDB may hold: enough for a fleet-day; a fleet-week spills to the disk."""
_SETTINGS: dict[str, str | int] = {
    "memory_limit": MEMORY,
    "checkpoint_threshold": "1TB",  # once, when the file is done
    "max_vacuum_tasks": 0,  # what was just written is not written once more into fuller row groups
}


class ResultsWriter:
    """One replay on its way into a results file: facts first, then passes or columns, then `finish`.

    The file appears whole or not at all; leaving a `with` block before `finish` drops what was written.
    `reconcile_id` must be unique in the replay, and the passes of one HPA come in the order of time.
    Pods, targets, writes and Events are taken from the recording's own files, which `info` names, and from `held`:
    Arrow tables of what is in no file of it yet.
    """

    def __init__(
        self,
        path: Path,
        info: RecordingInfo,
        replay: Replay,
        *,
        overwrite: bool,
        held: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        if path.exists() and not overwrite:
            raise FileExists(f"{path} exists: name another file with --into, or add --overwrite")
        if not path.parent.is_dir():
            raise FileExists(f"{path.parent} is no folder: create it first, or name another with --into")
        self._path = path
        self._info = info
        self._replay = replay
        self._held = held
        self._unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        self._spill = path.with_name(f".{path.name}.{os.getpid()}.spill")
        self._drop()
        self._connection = duckdb.connect(config={"temp_directory": str(self._spill), **_SETTINGS})
        self._prepare()
        self._batches = Batches(self._connection, replay.replay_id)
        self._facts = Facts(self._batches, info, replay)
        self._repeated: Sequence[int] | None = None
        self._keep = Keep(self._facts.published, self._facts.gaps)
        ran_at_us = int(datetime.now(UTC).timestamp() * SECOND)
        self._batches.add("runs.replays", [{**fact_rows.replay(info, replay), "ran_at": ran_at_us}])
        self._batches.add("runs.assumptions", fact_rows.assumptions(replay))

    def add_facts(self, facts: Iterable[Fact], *, repeated: Sequence[int] | None = None) -> None:
        """Takes what was recorded, in the order in which it was seen, before any pass.

        repeated   facts that show an HPA with the status that it had before: then all others are taken from the
                   recording's own files, and only specs from the facts given here
        """
        self._repeated = repeated
        self._facts.statuses = repeated is None
        self._facts.add(facts)

    def add(self, passes: Iterable[Pass]) -> None:
        """Takes what was replayed; a pass over an HPA that is gone leaves no row."""
        for done in passes:
            if not done.decision.gone:
                self._add(done)

    def add_columns(self, decided: Decided) -> None:
        """Takes what a compiled replay decided: numbers, but no steps, no pods, no texts of errors.

        The arrays are kept until there are enough of them: they must not change any more.
        """
        self._batches.add_columns("staged.replayed", to_arrow(decided.reconciles))
        self._batches.add_columns("runs.metric_proposals", to_arrow(decided.proposals))
        self._batches.add_columns("runs.predicted_writes", to_arrow(decided.writes))

    def finish(self) -> Results:
        """Runs the audit and moves the file into its place; the results are open for reading."""
        for done in self._keep.rest():
            self._add_moved(done)
        self._facts.finish()
        self._batches.flush()
        try:
            self._audit()
        except duckdb.OutOfMemoryException:  # not everything can spill
            self._connection.execute("rollback")
            self._connection.execute("reset memory_limit")
            self._audit()
        self._connection.execute("use memory")
        self._connection.execute("detach results")
        self._connection.close()
        self._unfinished.replace(self._path)
        self._drop()
        return open_results(self._path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()
        self._drop()

    def _prepare(self) -> None:
        target = str(self._unfinished).replace("'", "''")
        self._connection.execute(f"attach '{target}' as results (storage_version '{STORAGE_VERSION}')")
        self._connection.execute("use results")
        self._connection.execute("begin")  # one write to the disk for all of it
        self._connection.execute("create schema runs")
        for name in ("macros", "schema"):
            for text in sql.folder(name).values():
                self._connection.execute(text)
        views = dict(sql.folder("views"))
        self._connection.execute(views.pop("current_replay"))
        tables = self._connection.sql("select table_name from duckdb_tables() where schema_name = 'runs'").fetchall()
        for (table,) in tables:
            self._connection.execute(
                f"create view main.{table} as from runs.{table} "  # noqa: S608 our own table's name
                "where replay_id = (select replay_id from main.current_replay)"
            )
        for text in (*views.values(), *self._recorded()):
            self._connection.execute(text)
        self._connection.execute("commit")
        self._spill.mkdir()
        staged = str(self._spill / "staged.duckdb").replace("'", "''")
        self._connection.execute(f"attach '{staged}' as staged (storage_version '{STORAGE_VERSION}')")
        for text in sql.folder("staging").values():
            self._connection.execute(text)

    def _recorded(self) -> list[str]:
        """The views on the recording's own files, and on what was in none of them: that is kept here."""
        self._connection.execute("create schema recorded")
        first_seqs = {}
        for table in sorted(sql.recorded_tables() & self._held.keys()):
            self._connection.register("held", self._held[table])
            self._connection.execute(f"create table recorded.{table} as from held")
            self._connection.unregister("held")
            first_seqs[table] = min(self._held[table].column("seq").to_pylist())
        known = {table: pattern for table, pattern in self._info.tables if table not in first_seqs or glob(pattern)}  # noqa: PTH207 (the pattern is absolute)
        return sql.recorded(known, first_seqs)

    def _audit(self) -> None:
        """Asks the questions of `sql/audit/` in turn; one about some HPAs ($first to $last) part by part."""
        ask = self._connection.execute
        ask("begin")  # one write to the disk for all of it
        if self._repeated is not None:
            published.copy(self._connection, dict(self._info.tables), self._held, self._info.ended_us, self._repeated)
        seen.copy(self._connection, dict(self._info.tables), self._held, self._info.ended_us)
        for text in sql.folder("audit").values():
            if "$first" in text:
                for first, last in self._parts():
                    ask(text, {"first": first, "last": last})
            else:
                ask(text)
        ask("commit")

    def _parts(self) -> list[tuple[int, int]]:
        """The first and the last HPA of those that are audited together."""
        return self._connection.sql(
            "select min(hpa), max(hpa) from replayed_hpas group by part order by part"
        ).fetchall()

    def _add(self, done: Pass) -> None:
        add, detail = self._batches.add, self._replay.detail
        same = pass_rows.identity(self._replay.replay_id, done)
        add("staged.replayed", [pass_rows.reconcile(done, same)])
        add("runs.metric_proposals", pass_rows.metric_proposals(done, same))
        add("runs.predicted_writes", pass_rows.predicted_writes(done, same))
        if detail == NUMBERS:
            return
        add("runs.predicted_statuses", pass_rows.predicted_status(done, same))
        add("runs.predicted_events", pass_rows.predicted_events(done, same))
        add("runs.stabilization_inputs", pass_rows.stabilization_inputs(done, same))
        if detail in _MEMORIES:
            add("runs.memories", [pass_rows.memory(done.memory, same)])
        self._add_detail(done, steps=detail in _STEPS, pods=detail in _PODS)
        for before in self._keep.see(done):
            self._add_moved(before)

    def _add_moved(self, done: Pass) -> None:
        """What is not kept of every pass."""
        detail = self._replay.detail
        self._add_detail(done, steps=detail not in _STEPS, pods=detail not in _PODS)

    def _add_detail(self, done: Pass, *, steps: bool, pods: bool) -> None:
        same = pass_rows.identity(self._replay.replay_id, done)
        if steps:
            self._batches.add("replayed_steps", pass_rows.steps(done.decision, same))
        if pods:
            self._batches.add("replayed_pods", pass_rows.pods(done.decision, same))

    def _drop(self) -> None:
        for leftover in (self._unfinished, self._unfinished.with_name(f"{self._unfinished.name}.wal")):
            with contextlib.suppress(FileNotFoundError):
                leftover.unlink()
        shutil.rmtree(self._spill, ignore_errors=True)
