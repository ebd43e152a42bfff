"""Copies small facts out of a recording's own files: pods, scales, writes, Events."""

from collections.abc import Iterator, Mapping, Sequence
from glob import glob
from itertools import chain

import duckdb
import pyarrow as pa
from pyarrow.parquet import ParquetFile

from hpaaudit.model.units import Micros
from hpaaudit.results import sql


def copy(
    connection: duckdb.DuckDBPyConnection, tables: Mapping[str, str], held: Mapping[str, pa.Table], until_us: Micros
) -> None:
    """Asks the questions of `sql/seen/` of the recorded tables, as far as there are any.

    tables     pattern of the Parquet files of each table that has rows
    held       rows of tables that are in no file yet
    until_us   no later fact is seen
    """
    for text in sql.folder("seen").values():
        known = {name: columns for name, columns in sql.asked(text).items() if name in tables}
        read = {name: reader(tables[name], columns, held.get(name)) for name, columns in known.items()}
        found = {name: rows for name, rows in read.items() if rows is not None}
        if not found:
            continue
        for name, rows in found.items():
            connection.register(f"recorded_{name}", rows)
        connection.execute(sql.over({name: f"recorded_{name} where at_us <= {until_us}" for name in found}, text))
        for name in found:
            connection.unregister(f"recorded_{name}")


def reader(pattern: str, columns: Sequence[str], held: pa.Table | None = None) -> pa.RecordBatchReader | None:
    """Some columns of a table, to be read once, file by file, then those `held`; None where there is nothing.

    By Arrow, for DuckDB below 2.0 does not know all encodings of our files. It ends before the first file that is
    damaged: what was replayed was checked, so such a file lies behind it.
    """
    paths = sorted(glob(pattern))  # noqa: PTH207 (the pattern is absolute)
    rows = chain(_sound(paths, list(columns)), [] if held is None else [_plain(held.select(list(columns)))])
    first = next(rows, None)
    if first is None:
        return None

    def batches() -> Iterator[pa.RecordBatch]:
        yield from first.to_batches()
        for more in rows:
            yield from more.to_batches()

    return pa.RecordBatchReader.from_batches(first.schema, batches())


def _plain(rows: pa.Table) -> pa.Table:
    """Rows as they come from a file: texts are no dictionaries."""
    texts = [
        column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column for column in rows.itercolumns()
    ]
    return pa.table(texts, names=rows.column_names)


def _sound(paths: Sequence[str], columns: list[str]) -> Iterator[pa.Table]:
    for path in paths:
        try:
            rows = ParquetFile(path).read(columns)
        except (OSError, pa.ArrowInvalid):
            return
        yield rows.select(columns).replace_schema_metadata()
