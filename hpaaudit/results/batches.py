"""Brings rows and columns to DuckDB in bulk, through Arrow, as the tables in `sql/` declare them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import duckdb
import pyarrow as pa

Row = Mapping[str, Any]
"""A row by column; a column that is absent is NULL. Times are microseconds."""

BATCH = 20_000
"""Rows of Python that wait before they are written: some megabytes."""
COLUMNAR_BATCH = 250_000
"""Rows of columns that wait: two row groups of DuckDB, so that two cores have something to write."""


class Batches:
    """Rows that wait, table by table.

    Keeps the order in which the rows of a table came.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, replay_id: str) -> None:
        self._connection = connection
        self._replay_id = replay_id
        self._waiting: defaultdict[str, list[Row]] = defaultdict(list)
        self._columns: defaultdict[str, list[pa.Table]] = defaultdict(list)
        self._schemas: dict[str, pa.Schema] = {}

    def add(self, table: str, rows: Iterable[Row]) -> None:
        """Takes rows for a table, named as SQL names it."""
        waiting = self._waiting[table]
        waiting.extend(rows)
        if len(waiting) >= BATCH:
            self._write_rows(table)

    def add_columns(self, table: str, columns: pa.Table) -> None:
        """Takes rows of this replay as columns; one that is absent is NULL."""
        waiting = self._columns[table]
        waiting.append(columns)
        if sum(part.num_rows for part in waiting) >= COLUMNAR_BATCH:
            self._write_columns(table)

    def flush(self) -> None:
        """Writes whatever waits."""
        for table in self._waiting:
            self._write_rows(table)
        for table in self._columns:
            self._write_columns(table)

    def _write_rows(self, table: str) -> None:
        rows = self._waiting[table]
        if rows:
            insert(self._connection, table, pa.Table.from_pylist(rows, schema=self._schema(table)))
        rows.clear()

    def _write_columns(self, table: str) -> None:
        parts = self._columns[table]
        if parts:
            columns = timed(pa.concat_tables(parts, promote_options="default"), self._schema(table))
            insert(self._connection, table, columns, replay_id=self._replay_id)
        parts.clear()

    def _schema(self, table: str) -> pa.Schema:
        if table not in self._schemas:
            self._schemas[table] = schema(self._connection, table)
        return self._schemas[table]


def insert(connection: duckdb.DuckDBPyConnection, table: str, rows: pa.Table, *, replay_id: str | None = None) -> None:
    """Appends rows to a table, column by column of the same name."""
    same = "" if replay_id is None else f"'{replay_id}' as replay_id, "
    connection.register("arrived", rows)
    connection.execute(f"insert into {table} by name select {same}* from arrived")  # noqa: S608 our own names
    connection.unregister("arrived")


def timed(columns: pa.Table, declared: pa.Schema) -> pa.Table:
    """The same columns; microseconds are times where the table declares a time."""
    for place, name in enumerate(columns.column_names):
        kind = declared.field(name).type
        if pa.types.is_timestamp(kind) and pa.types.is_int64(columns.schema.field(name).type):
            columns = columns.set_column(place, name, columns[name].cast(kind))
    return columns


def schema(connection: duckdb.DuckDBPyConnection, table: str) -> pa.Schema:
    """The columns of a table, as Arrow brings them."""
    return pa.schema(
        pa.field(field.name, _plain(field.type))
        for field in connection.sql(f"from {table} limit 0").to_arrow_table().schema
    )


def _plain(kind: pa.DataType) -> pa.DataType:
    """JSON comes to DuckDB as text."""
    return pa.string() if isinstance(kind, pa.BaseExtensionType) else kind
