"""Copies recorded facts into the results by SQL: pods, scales, writes of replicas, Events and the like."""

from collections.abc import Collection

import duckdb

from hpaaudit.model.units import Micros
from hpaaudit.results import sql
from hpaaudit.results.recorded_streams import Recorded, registered, stream


def copy_facts(
    connection: duckdb.DuckDBPyConnection, recorded: Recorded, tables: Collection[str], until_us: Micros
) -> None:
    """Run the queries of `sql/facts/` over the recorded tables.

    tables     the recorded tables that have rows
    until_us   no later fact is copied

    Raises the damage of the recording.
    """
    for text in sql.folder("facts").values():
        columns_by_table = {
            table: columns for table, columns in sql.recorded_tables_of(text).items() if table in tables
        }
        streams = {f"recorded_{table}": stream(recorded, table, columns) for table, columns in columns_by_table.items()}
        if streams:
            sources = {table: f"recorded_{table} where at_us <= {until_us}" for table in columns_by_table}
            with registered(connection, streams):
                connection.execute(sql.with_sources(text, sources))
