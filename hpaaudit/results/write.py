"""Writes a results file: facts and decisions in, the audit run, the finished file moved into its place."""

import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, Self

import duckdb
import pyarrow as pa

from hpaaudit.errors import FileExists, NotWritable
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
from hpaaudit.results.recorded import Recorded
from hpaaudit.results.safe import beside, is_results

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


_UNWRITABLE = (duckdb.IOException, duckdb.OutOfMemoryException, duckdb.FatalException, duckdb.TransactionException)
FILES = pa.schema([("segment", pa.int64()), ("table", pa.string()), ("sha256", pa.string())])
"""What is kept of each file of the recording that a view shows."""


class ResultsWriter:
    """One replay on its way into a results file: facts first, then passes or columns, then `finish`.

    The file appears whole or not at all; leaving a `with` block before `finish` drops what was written.
    `reconcile_id` must be unique in the replay, and the passes of one HPA come in the order of time.
    Pods, targets, writes and Events are taken from `recorded`, which checks them; None: there are none. `held` are
    Arrow tables of those of its rows that are in no file yet.

    Raises FileExists where a file is there that may not be replaced: without `overwrite` any, with it one that holds
    no results, but for the file that `owned` says is ours by its name. Raises NotWritable, and DamagedRecording.
    """

    def __init__(
        self,
        path: Path,
        info: RecordingInfo,
        replay: Replay,
        *,
        overwrite: bool,
        owned: bool = False,
        recorded: Recorded | None = None,
        held: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        if path.exists() and not overwrite:
            raise FileExists(f"{path} exists: name another file with --into, or add --overwrite")
        if path.is_dir() or (path.exists() and not owned and not is_results(path)):
            raise FileExists(f"{path} holds no results of ours and is not replaced: name another file with --into")
        if not path.parent.is_dir():
            raise FileExists(f"{path.parent} is no folder: create it first, or name another with --into")
        self._path = path
        self._info = info
        self._replay = replay
        self._recorded = recorded
        self._held = held
        self._folder = _private_folder(path)
        self._unfinished = self._folder / "results.duckdb"
        self._connection = duckdb.connect(config={"temp_directory": str(self._folder / "spill"), **_SETTINGS})
        try:
            self._prepare()
        except _UNWRITABLE as error:  # it takes a backslash in a path for a slash, and what follows a ? for no path
            self._connection.close()
            self._drop()
            raise self._unwritable(error) from error
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
        self._show_recorded()
        self._connection.execute("use memory")
        self._connection.execute("detach results")
        self._connection.close()
        self._unfinished.chmod(0o600)
        for changes in beside(self._path):  # of the file that goes: they would be taken for some of this one
            changes.unlink()
        self._unfinished.replace(self._path)
        self._drop()
        return open_results(self._path, self._recorded)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()
        self._drop()
        if isinstance(error, _UNWRITABLE):
            raise self._unwritable(error) from error

    def _unwritable(self, error: duckdb.Error) -> NotWritable:
        said = str(error).splitlines()[0]
        return NotWritable(f"{self._path} cannot be written ({said}): name another file with --into")

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
        for text in views.values():
            self._connection.execute(text)
        self._connection.execute("commit")
        staged = str(self._folder / "staged.duckdb").replace("'", "''")
        self._connection.execute(f"attach '{staged}' as staged (storage_version '{STORAGE_VERSION}')")
        for text in sql.folder("staging").values():
            self._connection.execute(text)

    def _show_recorded(self) -> None:
        """The views on the recording's own files, which files these were, and what was in none of them.

        Last of all, when every file was checked: DuckDB looks into them as it makes a view.
        """
        ask, columns = self._connection.execute, sql.recorded_columns()
        files = [file for file in self._info.files if file.table in columns]
        held = sorted(columns.keys() & self._held.keys())
        ask("begin")
        ask("create schema recorded")
        listed = {name: [getattr(file, name) for file in files] for name in FILES.names}
        self._copy("files", pa.table(listed, schema=FILES))
        for table in held:
            self._copy(table, self._held[table].select(columns[table]))
        paths = defaultdict(list)
        for file in files:
            paths[file.table].append(file.path)
        for name, text in sql.recorded(paths, held).items():
            try:
                ask(text)
            except duckdb.Error as error:
                self._check(columns)
                raise NotWritable(f"DuckDB cannot show {name} ({str(error).splitlines()[0]}): update it") from error
        ask("commit")

    def _copy(self, table: str, rows: pa.Table) -> None:
        self._connection.register("arrived", rows)
        self._connection.execute(f"create table recorded.{table} as from arrived")
        self._connection.unregister("arrived")

    def _check(self, tables: Mapping[str, Sequence[str]]) -> None:
        """Reads these columns once more, for the damage that there is now."""
        for table, columns in tables.items():
            for _ in self._recorded.arrow(table, columns) if self._recorded else ():
                pass

    def _audit(self) -> None:
        """Asks the questions of `sql/audit/` in turn; one about some HPAs ($first to $last) part by part."""
        ask = self._connection.execute
        ask("begin")  # one write to the disk for all of it
        if self._recorded is not None:
            until_us, tables = self._info.ended_us, {file.table for file in self._info.files} | self._held.keys()
            if self._repeated is not None:
                published.copy(self._connection, self._recorded, until_us, self._repeated)
            seen.copy(self._connection, self._recorded, tables, until_us)
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
        shutil.rmtree(self._folder, ignore_errors=True)


def _private_folder(path: Path) -> Path:
    """A folder beside a file that nobody else may enter; raises NotWritable."""
    try:
        return Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent))
    except OSError as error:
        raise NotWritable(f"{path} cannot be written ({error.strerror}): name another file with --into") from error
