"""Attaches a results file read-only: only our own tables in it are read, through our own views.

A results file may come from anybody. DuckDB would run its views with the rights of whoever opens it: they could read
any file, or send requests. So external access and extensions are switched off, the settings are locked, and a query
sees only relations that our own SQL defines over the file's plain tables.
"""

import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

from hpaaudit.errors import BadQuery, NotResults
from hpaaudit.model.file_hint import HEAD_BYTES, file_hint
from hpaaudit.results import encoded, sql
from hpaaudit.results.interruptible import Result, interruptible
from hpaaudit.results.recorded_streams import Recorded, Stream

_MAGIC, _MAGIC_AT = b"DUCK", 8
MEMORY, SPILL, THREADS = "1GB", "10GB", 4
"""What a query may use: memory, disk space for temporary files, and threads."""
_SETTINGS: dict[str, str | int | bool] = {
    "memory_limit": MEMORY,
    "max_temp_directory_size": SPILL,
    "threads": THREADS,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,  # a name in SQL never refers to a Python variable
}
_LOCKED = ("set timezone = 'UTC'", "set enable_external_access = false", "set lock_configuration = true")
_READ = {"SELECT", "MULTI"}
"""Kinds of statements that only read. PIVOT without its values counts as several statements."""
_EXPLAINED = re.compile(r"\s*explain(\s+analyze)?\s+", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_COMMENT = re.compile(r"^--.*$", re.MULTILINE)
_CURRENT = "current_replay"
_EVERY_HPA, _EVERY_NUMBER = "/* of every HPA */", "/* of the number of every HPA */"
"""Stand in the SQL of a view until only some HPAs are shown. An encoded table is searched by numbers: that is quick."""
_LISTING = re.compile(
    r"(?:^|\(|;)\s*(?:show|describe|desc|summarize)\b|\b(?:information_schema|pg_catalog|sqlite_master|duckdb_\w+)\b"
)
"""What lists relations without naming them, in lower case. `desc` elsewhere is an order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedResults:
    """A results file behind a connection that can only read it.

    folder     DuckDB's folder for what does not fit into memory
    recorded   the recording, None if it was not given
    relations  the SQL of each view and macro that was not created yet, by name
    of_hpas    the SQL of each view on a table about HPAs, by name, with `_EVERY_HPA` or `_EVERY_NUMBER` where some may
               be left out
    hashes     SHA-256 of the files that the views on the recording read, by segment number and table
    copied     recorded tables of which the results file itself has rows
    streams    the recorded tables as streams, by the names that the views use; empty until a query needs them
    """

    connection: duckdb.DuckDBPyConnection
    folder: str
    recorded: Recorded | None
    relations: dict[str, str] = field(default_factory=dict)
    of_hpas: dict[str, str] = field(default_factory=dict)
    hashes: dict[tuple[int, str], str] = field(default_factory=dict)
    copied: set[str] = field(default_factory=set)
    streams: dict[str, Stream] = field(default_factory=dict)

    def ask(self, asked: duckdb.Statement | str, text: str, params: Mapping[str, Any]) -> duckdb.DuckDBPyRelation:
        """Runs a statement. Its answer is a relation, which DuckDB plans once more when its rows are fetched.

        text   of the statement
        """
        # Some statements run here already, for example EXPLAIN ANALYZE and PIVOT.
        return self._with_relations(text, lambda: self.connection.sql(asked, params=params or None))

    def rows(self, text: str, params: Mapping[str, Any]) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The names of the columns of a statement's answer, and its rows."""

        def work() -> tuple[list[str], list[tuple[Any, ...]]]:
            answer = self.connection.execute(text, params or None)
            return [name for name, *_ in answer.description], answer.fetchall()

        return self._with_relations(text, work)

    def _with_relations(self, text: str, work: Callable[[], Result]) -> Result:
        """What `work` returns, which runs this text. Creates only the relations it names: creating all takes long."""
        text = _COMMENT.sub("", text.lower())
        named = set(_WORD.findall(text))
        if named & sql.folder("recorded").keys():
            self._register_streams()
        self._create({*self.relations} if _LISTING.search(text) else named)
        try:
            return self.interruptible(work)
        except duckdb.Error:
            if not self.relations:
                raise
        self._create({*self.relations})  # a relation may be named in a string, as in query_table('pods')
        return self.interruptible(work)

    def narrow(self, hpas: Collection[str], hpa_uids: Collection[str]) -> None:
        """Shows only the rows of these HPAs from now on, in each relation that is about HPAs.

        hpas   as `namespace/name`, of which Events tell
        """
        of_them = f"hpa_uid in ({_listed(hpa_uids)})"
        their_events = (
            f"kind is distinct from 'HorizontalPodAutoscaler' or namespace || '/' || name in ({_listed(hpas)})"
        )
        for name, text in self.of_hpas.items():
            narrowed = text.replace(_EVERY_HPA, f" where {their_events if name == sql.EVENTS else of_them}")
            if _EVERY_NUMBER in narrowed:
                narrowed = narrowed.replace(_EVERY_NUMBER, f" where r.object in ({self._numbers(hpa_uids)})")
            self.relations[name] = narrowed.replace("create view", "create or replace view")

    def _numbers(self, hpa_uids: Collection[str]) -> str:
        """The numbers that stand for these HPAs in the encoded tables, as SQL for `in`."""
        texts = "select unnest(hpa_uid) as hpa_uid, unnest(range(len(hpa_uid))) as number from results.runs.texts"
        numbers = self.connection.execute(f"select number from ({texts}) where hpa_uid in ({_listed(hpa_uids)})")  # noqa: S608
        return ", ".join(str(number) for (number,) in numbers.fetchall()) or "null"

    def interruptible(self, work: Callable[[], Result]) -> Result:
        """What `work` returns, which uses the connection. Ctrl-C ends it at once."""
        return interruptible(self.connection, work)

    def _create(self, names: set[str]) -> None:
        """Creates our relations of these names if they were not created yet, and before them those that they read."""
        for name in names:
            text = self.relations.pop(name, None)
            if text is not None:
                self._create({*_WORD.findall(_COMMENT.sub("", text))})
                self.connection.execute(text)

    def _register_streams(self) -> None:
        """Registers the recorded tables for one query. DuckDB before 2.0 scans a registered stream only once."""
        if self.recorded is None:
            return
        is_first = not self.streams
        for table, columns in sql.recorded_columns().items():
            if any(name == table for _, name in self.hashes):
                pieces = partial(self.recorded.arrow_of, self.hashes, table, columns)
                self.streams[f"recorded_{table}"] = Stream(self.recorded.schema(table, columns), pieces)
        for name, rows in self.streams.items():
            self.connection.register(name, rows)
        if is_first:
            texts = self.on_recording({table: f"recorded_{table}" for table in sql.recorded_columns()})
            self.relations.update(texts)
            self._create({*texts})

    def on_recording(self, sources: Mapping[str, str]) -> dict[str, str]:
        """The SQL of the views on the recording, by name.

        sources   where the rows of each table's files come from
        """
        tables = {}
        for table, columns in sql.recorded_columns().items():
            parts = [sources[table]] if any(name == table for _, name in self.hashes) else []
            if table in self.copied:
                parts.append(f"results.recorded.{table}")
            if parts:
                listed = ", ".join(columns)
                tables[table] = f"({' union all '.join(f'select {listed} from {part}' for part in parts)})"  # noqa: S608 our own
        texts = {name: sql.with_sources(text, tables) for name, text in sql.folder("recorded").items()}
        return {name: text.replace("create view", "create or replace view") for name, text in texts.items()}

    def close(self) -> None:
        """Closes the file and removes the temporary files."""
        self.connection.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def only_reads(text: str) -> duckdb.Statement:
    """The one statement of a text; raises BadQuery unless it only reads."""
    statements = duckdb.extract_statements(text)
    if len(statements) != 1:
        raise BadQuery(f"{len(statements)} statements were given: give one at a time")
    kind = statements[0].type.name
    explained = _EXPLAINED.match(text)
    if kind == "EXPLAIN" and explained:
        only_reads(text[explained.end() :])
    elif kind not in _READ:
        raise BadQuery(f"{kind.replace('_', ' ')} is refused, because results are read-only: use select or from")
    return statements[0]


def is_results(path: Path) -> bool:
    """True if a file holds the results of a replay."""
    try:
        attached(path, None).close()
    except NotResults:
        return False
    return True


def write_ahead_logs(path: Path) -> list[Path]:
    """Files that DuckDB would apply as the write-ahead log of a database file."""
    name = f"{path.name}.wal"
    return sorted(other for other in path.parent.iterdir() if other.name.startswith(name))


def attached(path: Path, recorded: Recorded | None) -> AttachedResults:
    """Opens a results file for reading; raises NotResults."""
    _require_database(path)
    try:
        folder = tempfile.mkdtemp(prefix="hpaaudit-")
    except OSError as error:
        raise NotResults(f"{path} cannot be opened: no folder for temporary files can be written to") from error
    connection = duckdb.connect(config={**_SETTINGS, "temp_directory": f"{folder}/spill"})
    opened = AttachedResults(connection=connection, folder=folder, recorded=recorded)
    weakref.finalize(connection, shutil.rmtree, folder, ignore_errors=True)
    try:
        interruptible(connection, lambda: _attach(opened, path))
    except duckdb.Error as error:
        opened.close()
        again = "if it is damaged or cut, `hpaaudit replay RECORDING --into FILE` makes it anew"
        raise NotResults(f"{path} cannot be opened ({str(error).splitlines()[0]}): {again}") from error
    except NotResults:
        opened.close()
        raise
    return opened


def _require_database(path: Path) -> None:
    try:
        if not path.is_file():
            raise NotResults(f"{path} does not exist: `hpaaudit replay RECORDING --into {path}` makes it")
        with path.open("rb") as file:
            # DuckDB would read any CSV or JSON file as a database.
            head = file.read(HEAD_BYTES)
            if not head[_MAGIC_AT:].startswith(_MAGIC):
                hint = file_hint(str(path), head) or "`hpaaudit replay RECORDING --into FILE` makes one"
                raise NotResults(f"{path} is not a results file: {hint}")
        logs = write_ahead_logs(path.resolve())
    except OSError as error:
        raise NotResults(f"{path} cannot be read ({error.strerror})") from error
    if logs:
        raise NotResults(f"{logs[0]} holds changes of {path.name} that no replay made: replay again, or remove it")
    if odd := {*"\\?"} & {*str(path.resolve())}:
        # DuckDB would open another file, or look for the write-ahead log elsewhere.
        raise NotResults(f"{path} cannot be opened: DuckDB does not take {' '.join(odd)} in a path; move the file")


def _attach(opened: AttachedResults, path: Path) -> None:
    ask = opened.connection.execute
    quoted = str(path.resolve()).replace("'", "''")
    ask(f"attach '{quoted}' as results (read_only)")
    for text in _LOCKED:
        ask(text)
    tables = ask("select schema_name, table_name, column_count from duckdb_tables() where database_name = 'results'")
    tables_in_file = {(schema, table): count for schema, table, count in tables.fetchall()}
    reconciles = {("runs", "reconciles"), ("runs", encoded.stored("reconciles"))}
    if ("runs", "replays") not in tables_in_file or not reconciles & tables_in_file.keys():
        raise NotResults(f"{path} holds no results: `hpaaudit replay RECORDING --into FILE` makes such a file")
    ask("create schema runs")
    ask(sql.folder("views")[_CURRENT].replace("runs.replays", "results.runs.replays"))
    current = ask(f"select replay_id::varchar from {_CURRENT}").fetchone() or (None,)  # noqa: S608 our own name
    opened.relations.update(_relations(_columns_in_file(opened.connection, tables_in_file), current[0]))
    opened.of_hpas.update(
        (name, text) for name, text in opened.relations.items() if _EVERY_HPA in text or _EVERY_NUMBER in text
    )
    if ("recorded", "files") in tables_in_file:
        rows = ask('select segment, "table", sha256 from results.recorded.files').fetchall()
        opened.hashes.update({(segment, table): sha256 for segment, table, sha256 in rows})
        opened.copied.update(table for schema, table in tables_in_file if schema == "recorded")
    else:  # written by an older hpaaudit, which did not list the files
        opened.hashes.update({(0, table): "" for table in sql.recorded_columns()})
    unknown = {table: _unknown(columns) for table, columns in sql.recorded_columns().items()}
    opened.relations.update(opened.on_recording(unknown))
    complete = """
        select count(*)
        from replays as p
        join recordings as r using (replay_id)
        where p.manifest_sha256 is not null and p.path is not null and r.started_at <= r.ended_at
    """
    if opened.rows(complete, {})[1] != [(1,)]:
        raise NotResults(f"{path} holds no finished replay: `hpaaudit replay RECORDING --into FILE` makes one")


def _columns_in_file(
    connection: duckdb.DuckDBPyConnection, tables_in_file: Mapping[tuple[str, str], int]
) -> dict[str, set[str]]:
    """The columns of the file's tables in `runs`: those that we store, unless another version of hpaaudit wrote it."""
    if all(tables_in_file.get(("runs", table)) == len(columns) for table, columns in encoded.tables().items()):
        return {table: set(columns) for table, columns in encoded.tables().items()}
    return encoded.columns_in(connection, "results")


def _relations(in_file: Mapping[str, Collection[str]], current_replay: str | None) -> Iterator[tuple[str, str]]:
    """The SQL of our macros and views over the file's tables. A column that an older hpaaudit did not write is NULL.

    current_replay   the replay that schema main shows, written into each view: DuckDB plans a constant sooner
    """
    shown = "null" if current_replay is None else "'" + current_replay.replace("'", "''") + "'"
    yield from sql.folder("macros").items()
    for table, columns in sql.declared().items():
        values, source = encoded.reading(table, in_file, "results.")
        source = source if values else "(select 1) where false"
        listed = ", ".join(f'{values.get(name, "null")}::{kind} as "{name}"' for name, kind in columns.items())
        rows = f"select {listed} from {source}"  # noqa: S608 our own
        if table in sql.of_hpas():
            is_numbered = values.get("hpa_uid") != '"hpa_uid"' and "object" in in_file.get(encoded.stored(table), ())
            rows = f"{rows}{_EVERY_NUMBER}" if is_numbered else f"from ({rows}){_EVERY_HPA}"
        every = f"create view runs.{table} as {rows};"
        current = f"create view main.{table} as from runs.{table} where replay_id = {shown}"
        yield table, f"{every} {current}"
    yield from (view for view in sql.folder("views").items() if view[0] != _CURRENT)


def _listed(texts: Collection[str]) -> str:
    """The texts as SQL, for `in`."""
    return ", ".join("'" + text.replace("'", "''") + "'" for text in texts) or "null"


def _unknown(columns: Sequence[str]) -> str:
    """A source that raises when it is read: the recording was not named, or the query does not name the view itself."""
    nothing = ", ".join(f'null as "{column}"' for column in columns)
    message = "this view reads the recording: name the view in the query, and open the results with hpaaudit query"
    return f"(select {nothing} from (select error('{message}') as missing) where missing is null)"  # noqa: S608 our own
