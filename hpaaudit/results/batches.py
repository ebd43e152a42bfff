"""Brings rows and columns to DuckDB in bulk, through Arrow, as the tables in `sql/` declare them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import duckdb
import pyarrow as pa

from hpaaudit.results.texts import Texts

Row = Mapping[str, Any]
"""A row by column; a column that is absent is NULL. Times are microseconds."""

BATCH = 20_000
"""Rows of Python that wait before they are written: some megabytes."""
COLUMNS_BATCH = 120_000
"""Rows of columns that wait, in two parts or more: a row group of DuckDB, and something to do for two cores."""
_DECLARED = {"staged.replayed": "runs.reconciles"}
"""Tables that keep texts by number, and the table that says which of their columns are texts."""


class Batches:
    """Rows that wait, table by table, named as SQL names it.

    Keeps the order in which the rows of a table came.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, replay_id: str) -> None:
        self._connection = connection
        self._replay_id = replay_id
        self._rows: defaultdict[str, list[Row]] = defaultdict(list)
        self._columns: defaultdict[str, list[pa.Table]] = defaultdict(list)
        self._schemas: dict[str, pa.Schema] = {}
        self._texts = Texts()

    def add(self, table: str, rows: Iterable[Row]) -> None:
        """Takes rows for a table."""
        waiting = self._rows[table]
        waiting.extend(rows)
        if len(waiting) >= BATCH:
            self._write_rows(table)

    def add_columns(self, table: str, columns: pa.Table) -> None:
        """Takes rows of this replay as columns, times as microseconds; a column that is absent is NULL."""
        waiting = self._columns[table]
        if columns.num_rows:
            waiting.append(columns)
        if len(waiting) > 1 and sum(part.num_rows for part in waiting) >= COLUMNS_BATCH:
            self._write_columns(table)

    def flush(self) -> None:
        """Writes whatever waits, and tells SQL which texts there are."""
        for table in self._rows:
            self._write_rows(table)
        for table in self._columns:
            self._write_columns(table)
        for table in _DECLARED:
            texts = [field.name for field in self._schema(table) if pa.types.is_string(field.type)]
            self._texts.tell(self._connection, texts)

    def _write_rows(self, table: str) -> None:
        rows = self._rows[table]
        if rows:
            self._insert(table, pa.Table.from_pylist(rows, schema=self._schema(table)))
        rows.clear()

    def _write_columns(self, table: str) -> None:
        parts = self._columns[table]
        if parts:
            self._insert(table, _timed(pa.concat_tables(parts, promote_options="default"), self._schema(table)))
        parts.clear()

    def _insert(self, table: str, rows: pa.Table) -> None:
        if table in _DECLARED:
            rows = self._texts.placed(rows)
        is_told = "replay_id" in rows.column_names or "replay_id" not in self._schema(table).names
        same = "" if is_told else f"'{self._replay_id}' as replay_id, "
        self._connection.register("arrived", rows)
        self._connection.execute(f"insert into {table} by name select {same}* from arrived")  # noqa: S608 our own names
        self._connection.unregister("arrived")

    def _schema(self, table: str) -> pa.Schema:
        """The columns of a table as they arrive: texts as texts, JSON too."""
        if table not in self._schemas:
            columns = self._declared(table)
            if table in _DECLARED:
                kept = columns.names
                columns = [field for field in self._declared(_DECLARED[table]) if field.name in kept]
            self._schemas[table] = pa.schema(pa.field(field.name, _plain(field.type)) for field in columns)
        return self._schemas[table]

    def _declared(self, table: str) -> pa.Schema:
        return self._connection.sql(f"from {table} limit 0").to_arrow_table().schema


def _timed(rows: pa.Table, declared: pa.Schema) -> pa.Table:
    """The same rows; microseconds are times where the table declares a time."""
    for number, field in enumerate(rows.schema):
        kind = declared.field(field.name).type
        if pa.types.is_timestamp(kind) and pa.types.is_integer(field.type):
            rows = rows.set_column(number, field.name, rows.column(number).cast(kind))
    return rows


def _plain(kind: pa.DataType) -> pa.DataType:
    return pa.string() if isinstance(kind, pa.BaseExtensionType) else kind
