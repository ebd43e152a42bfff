"""Writes a results file: takes facts and decisions, runs the audit, and moves the finished file to its path."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path
from types import TracebackType
from typing import Self

import duckdb
import pyarrow as pa

from hpaaudit.errors import FileExists, NotWritable
from hpaaudit.model.audit import RecordingInfo, Replay, ReplayedReconcile
from hpaaudit.model.facts import Fact
from hpaaudit.model.fleet_columns import Decided
from hpaaudit.model.sensitivity import Compared, Sensitivity, Value
from hpaaudit.model.units import SECOND
from hpaaudit.results import fact_rows, reconcile_rows, sql
from hpaaudit.results.arrow_tables import to_arrow
from hpaaudit.results.batches import Batches
from hpaaudit.results.comments import comments
from hpaaudit.results.copy_facts import copy_facts
from hpaaudit.results.copy_statuses import copy_statuses
from hpaaudit.results.empty_file import STORAGE_VERSION, empty_file
from hpaaudit.results.facts import FactTables
from hpaaudit.results.findings import findings
from hpaaudit.results.interruptible import interruptible, is_interruption
from hpaaudit.results.keep_replays import keep_replays
from hpaaudit.results.mismatch_filter import MismatchFilter
from hpaaudit.results.open_questions import OpenQuestions
from hpaaudit.results.private_folder import private_folder
from hpaaudit.results.read import Results, open_results
from hpaaudit.results.read_only import is_results, write_ahead_logs
from hpaaudit.results.recorded_streams import ReplayedRecording
from hpaaudit.results.statements import run
from hpaaudit.results.what_if import AskedSettings

NUMBERS = "numbers"
"""The detail that keeps neither steps nor pods. The compiled rules know no other."""
_MEMORIES = {"all"}
_PODS = {"pods", *_MEMORIES}
_STEPS = {"steps", *_PODS}
"""The details that keep memory, pods and steps of every reconcile, not only of one that scaled or may not match."""
MEMORY = "300MB"
"""DuckDB's memory limit: enough for a fleet and a day; a week spills to disk."""
_SETTINGS: dict[str, str | int] = {
    "memory_limit": MEMORY,
    "checkpoint_threshold": "1TB",  # checkpoint once, when the file is finished
    "max_vacuum_tasks": 0,  # do not rewrite fresh row groups into fuller ones
}


Explain = Callable[[Mapping[str, Sequence[Compared]]], Iterable[Sensitivity]]
"""Finds settings that explain divergences, in the reconciles of each HPA that has some."""

_UNWRITABLE = (duckdb.IOException, duckdb.OutOfMemoryException, duckdb.FatalException, duckdb.TransactionException)
NARROWING, NOT_RUN, FOUND = "63_shown", "31_not_run", "69_found"
"""Queries of `sql/audit/`: what --since and --until leave out, what did not take place, and a place for findings."""
MADE_AGAIN = ("64_divergences", "65_effects", "66_reports")
"""Queries of `sql/audit/` whose rows are other ones in a part of the time: `63_shown` deletes those of the whole."""
FILES = pa.schema([("segment", pa.int64()), ("table", pa.string()), ("sha256", pa.string())])
"""The table of the recording's files that the views read."""


class ResultsWriter:
    """Writes one replay: first the facts, then the reconciles as objects or columns, then `finish`.

    The file appears whole or not at all. Leaving a `with` block before `finish` drops what was written.
    Each `reconcile_id` is unique in the replay, and the reconciles of one HPA come in the order of time.

    recorded            the recording, from which pods, targets, writes and Events are copied; None: there are none
    overwrite           replace a results file that is there
    keeps_replays       the other replays of the same recording that the file holds are kept in schema `runs`
    cache               a folder in which the file without rows is kept for later processes; None: none

    Raises FileExists if a file is there that may not be replaced, NotWritable, and DamagedRecording.
    """

    def __init__(  # noqa: PLR0913 what a writer needs to know, none follows from another
        self,
        path: Path,
        info: RecordingInfo,
        replay: Replay,
        *,
        overwrite: bool,
        keeps_replays: bool = False,
        recorded: ReplayedRecording | None = None,
        cache: Path | None = None,
    ) -> None:
        if path.exists() and not overwrite:
            raise FileExists(f"{path} exists: name another file with --into, or add --overwrite")
        if path.is_dir() or (path.exists() and not is_results(path)):
            raise FileExists(
                f"{path} is not a results file of hpaaudit and is not replaced: name another file with --into"
            )
        if not path.parent.is_dir():
            raise FileExists(f"{path.parent} is not a folder: create it first, or name another file with --into")
        self._path = path
        self._info = info
        self._replay = replay
        self._recorded = recorded
        self._cache = cache
        self._asked = None if replay.what_if is None else AskedSettings(replay.what_if)
        self._keeps_replays = keeps_replays
        self._log_tables: Mapping[str, pa.Table] = {} if recorded is None else recorded.log_tables
        self._private = private_folder(path)
        self._folder = self._private.path
        self._unfinished = self._folder / "results.duckdb"
        self._connection = duckdb.connect(config={"temp_directory": str(self._folder / "spill"), **_SETTINGS})
        try:
            interruptible(self._connection, self._prepare)
        except (*_UNWRITABLE, OSError) as error:  # also for a path with a \ or a ?: DuckDB misreads these
            self._connection.close()
            self._drop()
            raise self._unwritable(error) from error
        self._batches = Batches(self._connection, replay.replay_id)
        self._facts = FactTables(self._batches, info, replay)
        self._repeated: Sequence[int] | None = None
        self._mismatches = MismatchFilter(self._facts.published, self._facts.gaps)
        ran_at_us = int(datetime.now(UTC).timestamp() * SECOND)
        self._batches.add("runs.replays", [{**fact_rows.replay(info, replay), "ran_at": ran_at_us}])
        self._batches.add("runs.assumptions", fact_rows.assumptions(replay))

    def add_facts(self, facts: Iterable[Fact], *, repeated: Sequence[int] | None = None) -> None:
        """Takes the recorded facts in their order, before any reconcile.

        repeated   the facts here bring specs only; statuses are copied from the recording, except those of the facts
                   with these sequence numbers, which show the same status as the one before. None: the facts here
                   bring statuses too
        """
        self._repeated = repeated
        self._facts.statuses = repeated is None
        self._facts.add(facts)

    def add(self, reconciles: Iterable[ReplayedReconcile]) -> None:
        """Takes replayed reconciles. One whose HPA is gone leaves no row."""
        for reconcile in reconciles:
            if not reconcile.decision.gone:
                self._add(reconcile)

    def add_columns(self, decided: Decided) -> None:
        """Takes decisions of the compiled rules: numbers, without steps, pods and error texts.

        The arrays are buffered. The caller must not change them afterwards.
        """
        self._batches.add_columns("staged.replayed", to_arrow(decided.reconciles))
        self._batches.add_columns("runs.metric_proposals", to_arrow(decided.proposals))
        self._batches.add_columns("runs.predicted_writes", to_arrow(decided.writes))

    def finish(self, explain: Explain | None = None) -> Results:
        """Runs the audit, moves the file to its path, and opens it for reading.

        explain   finds other settings that explain what the audit could not
        """
        for reconcile in self._mismatches.flush():
            self._add_steps_and_pods_of_mismatch(reconcile)
        self._facts.finish()
        self._batches.flush()
        try:
            interruptible(self._connection, self._audit)
        except duckdb.OutOfMemoryException:  # some operators cannot spill to disk
            self._connection.execute("rollback")
            self._connection.execute("reset memory_limit")
            interruptible(self._connection, self._audit)
        if explain is not None:
            self._settle(explain)
        if self._asked is not None:
            self._asked.finish(self._connection)
        self._show_recorded()
        if self._keeps_replays:
            interruptible(self._connection, lambda: keep_replays(self._connection, self._path, self._batches))
        self._connection.execute("use memory")
        self._connection.execute("detach results")
        self._connection.close()
        self._unfinished.chmod(0o600)
        for wal in write_ahead_logs(self._path):  # of the replaced file: DuckDB would apply them to the new one
            wal.unlink()
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
        if is_interruption(error):
            raise KeyboardInterrupt from error

    def _unwritable(self, error: duckdb.Error | OSError) -> NotWritable:
        reason = str(error).splitlines()[0]
        return NotWritable(f"{self._path} cannot be written ({reason}): name another file with --into")

    def _prepare(self) -> None:
        self._unfinished.write_bytes(empty_file(self._cache))
        target = str(self._unfinished).replace("'", "''")
        self._connection.execute(f"attach '{target}' as results")
        self._connection.execute("use results")
        staged = str(self._folder / "staged.duckdb").replace("'", "''")
        self._connection.execute(f"attach '{staged}' as staged (storage_version '{STORAGE_VERSION}')")
        for text in sql.folder("staging").values():
            run(self._connection, text)

    def _show_recorded(self) -> None:
        """Creates the views on the recording's files, the list of these files, and a copy of the rows in the log.

        This comes last, when every file was checked: to create a view on a file, DuckDB opens it. No row is read.
        """
        ask, columns = self._connection.execute, sql.recorded_columns()
        files = [file for file in self._info.files if file.table in columns]
        copied = sorted(columns.keys() & self._log_tables.keys())
        ask("begin")
        ask("create schema recorded")
        listed = {name: [getattr(file, name) for file in files] for name in FILES.names}
        self._copy("files", pa.table(listed, schema=FILES))
        for table in copied:
            self._copy(table, self._log_tables[table].select(columns[table]))
        paths = defaultdict(list)
        for file in files:
            paths[file.table].append(file.path)
        for name, text in sql.recorded(paths, copied).items():
            try:
                ask(text)
            except duckdb.Error as error:
                self._check(columns)
                raise NotWritable(f"DuckDB cannot show {name} ({str(error).splitlines()[0]}): update it") from error
        ask(";".join(comments(self._connection, ("recorded",))))
        ask("commit")

    def _copy(self, table: str, rows: pa.Table) -> None:
        self._connection.register("arrived", rows)
        self._connection.execute(f"create table recorded.{table} as from arrived")
        self._connection.unregister("arrived")

    def _check(self, tables: Mapping[str, Sequence[str]]) -> None:
        """Reads these columns again and raises the damage that it meets."""
        for table, columns in tables.items():
            for _ in self._recorded.arrow(table, columns) if self._recorded else ():
                pass

    def _audit(self) -> None:
        """Runs the queries of `sql/audit/` in order. One with $first and $last runs once for each part of the HPAs."""
        ask = self._connection.execute
        ask("begin")  # one commit for everything
        if self._recorded is not None:
            until_us, tables = self._info.ended_us, {file.table for file in self._info.files} | self._log_tables.keys()
            if self._repeated is not None:
                copy_statuses(self._connection, self._recorded, until_us, self._repeated)
            copy_facts(self._connection, self._recorded, tables, until_us)
        ask("set variable since = make_timestamp($at)", {"at": self._replay.since_us})
        ask("set variable until = make_timestamp($at)", {"at": self._replay.until_us})
        is_narrowed = self._replay.since_us is not None or self._replay.until_us is not None
        if self._asked is not None:
            self._asked.begin(self._connection)
        for name in sql.folder("audit"):
            if name == NARROWING or (name == NOT_RUN and not self._has_inferred()):
                continue
            self._run(name)
            if name == FOUND and is_narrowed:
                # Findings are those of the whole recording; what is told of single reconciles is made again.
                for again in (NARROWING, *MADE_AGAIN):
                    self._run(again)
        ask("commit")

    def _run(self, name: str) -> None:
        """Runs a query of `sql/audit/`, and what belongs to it."""
        text = sql.folder("audit")[name]
        if "$first" not in text:
            run(self._connection, text)
        else:
            for first, last in self._parts():
                run(self._connection, text, {"first": first, "last": last})
        if name == FOUND:
            self._find()
        if self._asked is not None:
            self._asked.after(self._connection, name)

    def _find(self) -> None:
        """Runs the queries of `sql/findings/` whose pattern may occur, each named after the pattern that it finds."""
        signs = {sign for (sign,) in self._connection.execute("select sign from signs").fetchall()}
        for finding in findings():
            if not finding.needs or finding.needs & signs:
                run(self._connection, finding.insert)

    def _has_inferred(self) -> bool:
        """Whether any reconcile was inferred between two that left a trace: only these may not have taken place."""
        sources = "select distinct getvariable('texts').at_source[at_source + 1] from staged.replayed"
        return ("grid",) in self._connection.execute(sources).fetchall()

    def _settle(self, explain: Explain) -> None:
        """Asks for settings that explain the unexplained divergences, and gives these their class."""
        if not self._connection.execute("from runs.divergences where class = 'unexplained' limit 1").fetchall():
            return
        texts = sql.folder("sensitivity")
        self._connection.execute(texts["open_questions"])
        questions = OpenQuestions(self._connection)
        for sensitivity in explain(questions) if questions else ():
            self._connection.execute(texts["insert"], _row_of(sensitivity))
        for name in (
            "settled",
            "settle_reconciles",
            "settle_divergences",
            "settle_silence",
            "settle_silent_reconciles",
            "settle_samples",
            "settle_sampled_reconciles",
        ):
            self._connection.execute(texts[name])

    def _parts(self) -> list[tuple[int, int]]:
        """The first and the last HPA of each part that is audited at once."""
        return self._connection.sql(
            "select min(hpa), max(hpa) from replayed_hpas group by part order by part"
        ).fetchall()

    def _add(self, reconcile: ReplayedReconcile) -> None:
        add, detail = self._batches.add, self._replay.detail
        same = reconcile_rows.identity(self._replay.replay_id, reconcile)
        add("staged.replayed", [reconcile_rows.reconcile(reconcile, same)])
        add("runs.metric_proposals", reconcile_rows.metric_proposals(reconcile, same))
        add("runs.predicted_writes", reconcile_rows.predicted_writes(reconcile, same))
        if detail == NUMBERS:
            return
        add("runs.predicted_statuses", reconcile_rows.predicted_status(reconcile, same))
        add("runs.predicted_events", reconcile_rows.predicted_events(reconcile, same))
        add("runs.stabilization_inputs", reconcile_rows.stabilization_inputs(reconcile, same))
        if detail in _MEMORIES:
            add("runs.memories", [reconcile_rows.memory(reconcile.memory, same)])
        self._add_steps_and_pods(reconcile, steps=detail in _STEPS, pods=detail in _PODS)
        for before in self._mismatches.add(reconcile):
            self._add_steps_and_pods_of_mismatch(before)

    def _add_steps_and_pods_of_mismatch(self, reconcile: ReplayedReconcile) -> None:
        """Adds those of the two that are not kept of every reconcile anyway."""
        detail = self._replay.detail
        self._add_steps_and_pods(reconcile, steps=detail not in _STEPS, pods=detail not in _PODS)

    def _add_steps_and_pods(self, reconcile: ReplayedReconcile, *, steps: bool, pods: bool) -> None:
        same = reconcile_rows.identity(self._replay.replay_id, reconcile)
        if steps:
            self._batches.add("replayed_steps", reconcile_rows.steps(reconcile.decision, same))
        if pods:
            self._batches.add("replayed_pods", reconcile_rows.pods(reconcile.decision, same))

    def _drop(self) -> None:
        self._private.drop()


def _row_of(found: Sensitivity) -> dict[str, object]:
    """The parameters of `sql/sensitivity/insert.sql`."""
    row: dict[str, object] = {
        "hpa": found.hpa, "differing": found.differing, "explained": found.explained, "broken": found.broken,
        "divergence_ids": list(found.divergence_ids), "is_recorded": found.is_recorded,
    }  # fmt: skip
    for prefix, setting in zip_longest(("", "also_", "third_"), found.settings):
        row |= {f"{prefix}{name}": getattr(setting, name, None) for name in Value._fields}
    return row
