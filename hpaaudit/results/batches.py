"""Brings rows to DuckDB in bulk, through Arrow, as the tables in `sql/` declare them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import duckdb
import pyarrow as pa

Row = Mapping[str, Any]
"""A row by column; a column that is absent is NULL. Times are microseconds."""

BATCH = 20_000
"""Rows that wait before they are written: some megabytes."""


class Batches:
    """Rows that wait, table by table.

    Keeps the order in which the rows of a table came.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._waiting: defaultdict[str, list[Row]] = defaultdict(list)
        self._schemas: dict[str, pa.Schema] = {}

    def add(self, table: str, rows: Iterable[Row]) -> None:
        """Takes rows for a table, named as SQL names it."""
        waiting = self._waiting[table]
        waiting.extend(rows)
        if len(waiting) >= BATCH:
            self._write(table)

    def flush(self) -> None:
        """Writes whatever waits."""
        for table in self._waiting:
            self._write(table)

    def _write(self, table: str) -> None:
        rows = self._waiting[table]
        if not rows:
            return
        self._connection.register("arrived", pa.Table.from_pylist(rows, schema=self._schema(table)))
        self._connection.execute(f"insert into {table} by name from arrived")
        self._connection.unregister("arrived")
        rows.clear()

    def _schema(self, table: str) -> pa.Schema:
        if table not in self._schemas:
            self._schemas[table] = pa.schema(
                pa.field(field.name, _plain(field.type))
                for field in self._connection.sql(f"from {table} limit 0").to_arrow_table().schema
            )
        return self._schemas[table]


def _plain(kind: pa.DataType) -> pa.DataType:
    """JSON comes to DuckDB as text."""
    return pa.string() if isinstance(kind, pa.BaseExtensionType) else kind
