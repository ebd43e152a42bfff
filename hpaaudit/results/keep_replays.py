"""Copies the replays of an earlier results file into the one that replaces it."""

from collections.abc import Mapping
from pathlib import Path

import duckdb
import pyarrow as pa

from hpaaudit.results import sql
from hpaaudit.results.batches import Batches
from hpaaudit.results.encoded import ENCODED, columns_in, reading

EARLIER = """
select replay_id
from earlier.runs.replays
where manifest_sha256 = (select manifest_sha256 from runs.replays)
    and replay_id not in (select replay_id from runs.replays)
"""
"""The replays to keep: of the same state of the recording, and not the one that was just made again."""


def keep_replays(connection: duckdb.DuckDBPyConnection, path: Path, batches: Batches) -> None:
    """Copies them into schema `runs`, which holds the new replay alone. A file that cannot be read has none."""
    ask = connection.execute
    quoted = str(path.resolve()).replace("'", "''")
    try:
        ask(f"attach '{quoted}' as earlier (read_only)")
    except duckdb.Error:
        return
    try:
        in_file = columns_in(connection, "earlier")
        replay_ids = [replay_id for (replay_id,) in ask(EARLIER).fetchall()]
        if replay_ids:
            _copy(connection, in_file, replay_ids)
            _copy_encoded(connection, in_file, replay_ids, batches)
    finally:
        ask("detach earlier")


def _copy(connection: duckdb.DuckDBPyConnection, in_file: Mapping[str, set[str]], replay_ids: list[str]) -> None:
    """Copies the rows of these replays, column by name: an older hpaaudit may not have had all columns."""
    connection.execute("begin")
    for table in sql.declared().keys() - {*ENCODED}:
        if kept := _kept(table, in_file):
            connection.execute(f"insert into runs.{table} by name {kept}", {"kept": replay_ids})
    connection.execute("commit")


def _copy_encoded(
    connection: duckdb.DuckDBPyConnection, in_file: Mapping[str, set[str]], replay_ids: list[str], batches: Batches
) -> None:
    """Copies their rows of the encoded tables, whose texts get other numbers here."""
    with connection.cursor() as reader:
        for table in ENCODED:
            if kept := _kept(table, in_file):
                rows = reader.sql(kept, params={"kept": replay_ids})
                for batch in pa.RecordBatchReader.from_stream(rows):
                    batches.add_columns(f"runs.{table}", pa.Table.from_batches([batch]))
        batches.flush()


def _kept(table: str, in_file: Mapping[str, set[str]]) -> str:
    """The query of the rows to keep, with the columns that the earlier file has; empty if it lacks the table."""
    columns, source = reading(table, in_file, "earlier.")
    listed = ", ".join(f'{value} as "{name}"' for name, value in columns.items())
    return f"from (select {listed} from {source}) where replay_id in (select unnest($kept))" if columns else ""  # noqa: S608 our own
