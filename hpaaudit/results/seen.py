"""Copies small facts out of a recording: pods, scales, writes, Events."""

from collections.abc import Collection

import duckdb

from hpaaudit.model.units import Micros
from hpaaudit.results import sql
from hpaaudit.results.recorded import Recorded, registered, stream


def copy(connection: duckdb.DuckDBPyConnection, recorded: Recorded, tables: Collection[str], until_us: Micros) -> None:
    """Asks the questions of `sql/seen/` of the recorded tables, as far as there are any.

    tables     that have rows
    until_us   no later fact is seen

    Raises what damage there is.
    """
    for text in sql.folder("seen").values():
        asked = {table: columns for table, columns in sql.asked(text).items() if table in tables}
        streams = {f"recorded_{table}": stream(recorded, table, columns) for table, columns in asked.items()}
        if streams:
            with registered(connection, streams):
                connection.execute(
                    sql.over({name: f"recorded_{name} where at_us <= {until_us}" for name in asked}, text)
                )
