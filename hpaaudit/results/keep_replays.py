"""Copies the replays of an earlier results file into the one that replaces it."""

from pathlib import Path

import duckdb

from hpaaudit.results import sql

EARLIER = """
select replay_id
from earlier.runs.replays
where manifest_sha256 = (select manifest_sha256 from runs.replays)
    and replay_id not in (select replay_id from runs.replays)
"""
"""The replays to keep: of the same state of the recording, and not the one that was just made again."""


def keep_replays(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Copy them into schema `runs`, which holds the new replay alone. A file that cannot be read has none."""
    ask = connection.execute
    quoted = str(path.resolve()).replace("'", "''")
    try:
        ask(f"attach '{quoted}' as earlier (read_only)")
    except duckdb.Error:
        return
    try:
        replay_ids = [replay_id for (replay_id,) in ask(EARLIER).fetchall()]
        if replay_ids:
            _copy(connection, replay_ids)
    finally:
        ask("detach earlier")


def _copy(connection: duckdb.DuckDBPyConnection, replay_ids: list[str]) -> None:
    """Copy the rows of these replays, column by name: an older hpaaudit may not have had all columns."""
    rows = connection.execute("""
        select e.table_name, list(e.column_name)
        from duckdb_columns() as e
        join duckdb_columns() as n
            on n.table_name = e.table_name
            and n.column_name = e.column_name
            and n.database_name = 'results'
            and n.schema_name = 'runs'
        where e.database_name = 'earlier' and e.schema_name = 'runs'
        group by e.table_name
    """).fetchall()
    connection.execute("begin")
    for table, columns in rows:
        if table in sql.folder("schema"):
            listed = ", ".join(f'"{column}"' for column in columns)
            connection.execute(
                f"insert into runs.{table} by name select {listed} from earlier.runs.{table} "  # noqa: S608 our own
                "where replay_id in (select unnest($kept))",
                {"kept": replay_ids},
            )
    connection.execute("commit")
