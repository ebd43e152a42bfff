"""Inserts rows and columns into DuckDB in bulk, as Arrow tables with the types that `sql/` declares."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import duckdb
import pyarrow as pa

from hpaaudit.results.dictionaries import Dictionaries
from hpaaudit.results.encoded import ENCODED, codes, stored

Row = Mapping[str, Any]
"""The values of a row by column. An absent column is NULL; times are microseconds."""

BATCH = 20_000
"""So many rows of Python objects are buffered before they are written: some megabytes."""
COLUMNS_BATCH = 120_000
"""So many rows of columns are buffered, in two parts or more: a row group of DuckDB, and work for two cores."""
_ENCODED = {"staged.replayed": "reconciles", **{f"runs.{table}": table for table in ENCODED}}
"""The tables whose texts are stored as numbers, and the table of `sql/schema` that declares their columns."""
_STORED = {f"runs.{table}": f"runs.{stored(table)}" for table in ENCODED}
"""The names under which these are stored, where `runs` has a view of their name."""


class Batches:
    """Buffers of rows, by the SQL name of the table. The rows of a table keep their order."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, replay_id: str) -> None:
        self._connection = connection
        self._replay_id = replay_id
        self._rows: defaultdict[str, list[Row]] = defaultdict(list)
        self._columns: defaultdict[str, list[pa.Table]] = defaultdict(list)
        self._schemas: dict[str, pa.Schema] = {}
        self._dictionaries = Dictionaries()
        self._dictionaries.number("evidence", ("assumed",))  # the audit may doubt what every reconcile took for proven

    def add(self, table: str, rows: Iterable[Row]) -> None:
        """Takes rows for a table."""
        buffer = self._rows[table]
        buffer.extend(rows)
        if len(buffer) >= BATCH:
            self._write_rows(table)

    def add_columns(self, table: str, columns: pa.Table) -> None:
        """Takes rows as columns. An absent column is NULL; times are microseconds."""
        buffer = self._columns[table]
        if columns.num_rows:
            buffer.append(columns)
        if len(buffer) > 1 and sum(part.num_rows for part in buffer) >= COLUMNS_BATCH:
            self._write_columns(table)

    def flush(self) -> None:
        """Writes all buffers to their tables, and stores the texts for which numbers were written."""
        for table in self._rows:
            self._write_rows(table)
        for table in self._columns:
            self._write_columns(table)
        self._dictionaries.publish(self._connection)

    def _write_rows(self, table: str) -> None:
        rows = self._rows[table]
        if rows:
            self._insert(table, pa.Table.from_pylist(rows, schema=self._schema(table)))
        rows.clear()

    def _write_columns(self, table: str) -> None:
        parts = self._columns[table]
        if parts:
            self._insert(
                table, _with_timestamps(pa.concat_tables(parts, promote_options="default"), self._schema(table))
            )
        parts.clear()

    def _insert(self, table: str, rows: pa.Table) -> None:
        replay_id = f"'{self._replay_id}'"
        if table in _ENCODED:
            rows = self._dictionaries.encoded(rows, codes(_ENCODED[table]))
            replay_id = str(self._dictionaries.number("replay_id", (self._replay_id,)))
        has_replay_id = "replay_id" in rows.column_names or "replay_id" not in self._schema(table).names
        added = "" if has_replay_id else f"{replay_id} as replay_id, "
        self._connection.register("arrived", rows)
        self._connection.execute(f"insert into {_STORED.get(table, table)} by name select {added}* from arrived")  # noqa: S608 our own names
        self._connection.unregister("arrived")

    def _schema(self, table: str) -> pa.Schema:
        """The columns of a table before encoding: texts and JSON as strings."""
        if table not in self._schemas:
            declared = self._declared(table)
            if table in _ENCODED:
                encoded = codes(_ENCODED[table])
                names = {text for name in declared.names for text in encoded.get(name, (name,))}
                declared = [field for field in self._declared(f"runs.{_ENCODED[table]}") if field.name in names]
            self._schemas[table] = pa.schema(pa.field(field.name, _without_extension(field.type)) for field in declared)
        return self._schemas[table]

    def _declared(self, table: str) -> pa.Schema:
        return self._connection.sql(f"from {table} limit 0").to_arrow_table().schema


def _with_timestamps(rows: pa.Table, declared: pa.Schema) -> pa.Table:
    """The same rows, with microseconds cast to timestamps where the table declares a timestamp."""
    for index, field in enumerate(rows.schema):
        declared_type = declared.field(field.name).type
        if pa.types.is_timestamp(declared_type) and pa.types.is_integer(field.type):
            rows = rows.set_column(index, field.name, rows.column(index).cast(declared_type))
    return rows


def _without_extension(data_type: pa.DataType) -> pa.DataType:
    """DuckDB's JSON is an extension type of strings."""
    return pa.string() if isinstance(data_type, pa.BaseExtensionType) else data_type
