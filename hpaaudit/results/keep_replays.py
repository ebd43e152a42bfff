"""Copies the replays of an earlier results file into the one that replaces it."""

from collections.abc import Mapping
from pathlib import Path

import duckdb
import pyarrow as pa

from hpaaudit.results import sql
from hpaaudit.results.batches import Batches
from hpaaudit.results.encoded import ENCODED, source_of, stored, values

EARLIER = """
select replay_id
from earlier.runs.replays
where manifest_sha256 = (select manifest_sha256 from runs.replays)
    and replay_id not in (select replay_id from runs.replays)
"""
"""The replays to keep: of the same state of the recording, and not the one that was just made again."""
COLUMNS = """
select table_name, column_name
from duckdb_columns()
where database_name = 'earlier' and schema_name = 'runs'
"""


def keep_replays(connection: duckdb.DuckDBPyConnection, path: Path, batches: Batches) -> None:
    """Copies them into schema `runs`, which holds the new replay alone. A file that cannot be read has none."""
    ask = connection.execute
    quoted = str(path.resolve()).replace("'", "''")
    try:
        ask(f"attach '{quoted}' as earlier (read_only)")
    except duckdb.Error:
        return
    try:
        columns_of: dict[str, list[str]] = {}
        for table, column in ask(COLUMNS).fetchall():
            columns_of.setdefault(table, []).append(column)
        replay_ids = [replay_id for (replay_id,) in ask(EARLIER).fetchall()]
        if replay_ids:
            _copy(connection, columns_of, replay_ids)
            _copy_encoded(connection, columns_of, replay_ids, batches)
    finally:
        ask("detach earlier")


def _copy(connection: duckdb.DuckDBPyConnection, in_file: Mapping[str, list[str]], replay_ids: list[str]) -> None:
    """Copies the rows of these replays, column by name: an older hpaaudit may not have had all columns."""
    connection.execute("begin")
    for table, declared in sql.declared().items():
        if table not in ENCODED and table in in_file:
            listed = ", ".join(f'"{column}"' for column in declared if column in in_file[table])
            connection.execute(
                f"insert into runs.{table} by name select {listed} from earlier.runs.{table} "  # noqa: S608 our own
                "where replay_id in (select unnest($kept))",
                {"kept": replay_ids},
            )
    connection.execute("commit")


def _copy_encoded(
    connection: duckdb.DuckDBPyConnection, in_file: Mapping[str, list[str]], replay_ids: list[str], batches: Batches
) -> None:
    """Copies their rows of the encoded tables, whose texts get other numbers here."""
    with connection.cursor() as reader:
        for table in ENCODED:
            if stored(table) in in_file:
                columns, source = values(table, in_file), source_of(table, "earlier.")
            else:  # an older hpaaudit wrote its texts
                columns, source = {name: f'"{name}"' for name in in_file.get(table, [])}, f"earlier.runs.{table}"
            if not columns:
                continue
            listed = ", ".join(
                f'{value} as "{name}"' for name, value in columns.items() if name in sql.declared()[table]
            )
            rows = reader.sql(
                f"from (select {listed} from {source}) where replay_id in (select unnest($kept))",  # noqa: S608 our own
                params={"kept": replay_ids},
            )
            for batch in pa.RecordBatchReader.from_stream(rows):
                batches.add_columns(f"runs.{table}", pa.Table.from_batches([batch]))
        batches.flush()
