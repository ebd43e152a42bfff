"""Encodes the rows of a table as a Parquet file, and reads them back."""

import io
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hpaaudit.recording.columns import Column, Encoding, Table
from hpaaudit.recording.schema import FORMAT_VERSION

ARROW_TYPES = {"int64": pa.int64(), "string": pa.string(), "bool": pa.bool_()}
ZSTD_LEVEL = 5  # finds what repeats; more costs CPU and gains nothing
ZSTD_LEVEL_OF_NOISE = 14  # what repeats not gets a tenth smaller from here on, for 0.5 µs a value
NOISE = (Encoding.DELTA, Encoding.SPLIT)
DICTIONARY_BYTES = 16 << 20  # a whole segment's JSON still fits: every text stands in a file once


def kept_as_words(column: Column) -> bool:
    """Tell whether a column is a text that repeats, of which each stands in a file once."""
    return (column.type, column.encoding) == ("string", Encoding.DICTIONARY)


def encode(table: Table, rows: pa.Table) -> bytes:
    """Return rows as a Parquet file, sorted as the table says, every column in its encoding.

    rows   have the table's columns in any order of rows; a text may be a dictionary, which is quicker, all of whose
           words some row has
    """
    rows = ordered(table, rows)
    file = io.BytesIO()
    pq.write_table(
        rows.select([column.name for column in table.columns]).cast(_schema(table, rows)),
        file,
        row_group_size=max(rows.num_rows, 1),
        compression="zstd",
        compression_level={
            column.name: ZSTD_LEVEL_OF_NOISE if column.encoding in NOISE else ZSTD_LEVEL for column in table.columns
        },
        use_dictionary=[column.name for column in table.columns if column.encoding is Encoding.DICTIONARY],
        column_encoding={
            column.name: column.encoding.value for column in table.columns if column.encoding is not Encoding.DICTIONARY
        },
        dictionary_pagesize_limit=DICTIONARY_BYTES,
        write_statistics=False,
        store_schema=False,
    )
    return file.getvalue()


def _schema(table: Table, rows: pa.Table) -> pa.Schema:
    """Return the schema of a file: what may be NULL, and the version of the format."""
    fields = [pa.field(column.name, rows.schema.field(column.name).type, column.nullable) for column in table.columns]
    return pa.schema(fields, {"hpaaudit.format_version": str(FORMAT_VERSION)})


def schema(table: Table, names: Sequence[str]) -> pa.Schema:
    """Return the types of columns of a table, a text as a text."""
    types = {column.name: ARROW_TYPES[column.type] for column in table.columns}
    return pa.schema([(name, types[name]) for name in names])


def ordered(table: Table, rows: pa.Table) -> pa.Table:
    """Return rows in the order of the table."""
    return rows.take(_order(table, rows))  # by now the ranks are let go: a third of the memory that this takes


def _order(table: Table, rows: pa.Table) -> pa.Array:
    keys = {name: _ranks(rows.column(name)) for name in (*table.sort, "seq")}
    return pc.sort_indices(pa.table(keys), [(name, "ascending") for name in keys])


def _ranks(values: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    """Return numbers that are in the order of the values: of a text that repeats, the rank of its word."""
    if not pa.types.is_dictionary(values.type):
        return values
    whole = values.unify_dictionaries().combine_chunks()
    return pc.rank(whole.dictionary, tiebreaker="first").take(whole.indices)


def read_table(table: Table, file: bytes, names: Sequence[str]) -> pa.Table:
    """Return columns of a table's file; a text that repeats comes as a dictionary, so that it is decoded once.

    Raises `pyarrow.ArrowException`, `OSError` or `KeyError` where the file cannot be read as this table.
    """
    words = [column.name for column in table.columns if kept_as_words(column)]
    rows = pq.ParquetFile(pa.BufferReader(file), read_dictionary=words).read(columns=list(names), use_threads=False)
    return rows.select(list(names))


def values(column: pa.ChunkedArray) -> list[Any]:
    """Return a column as Python values."""
    if not pa.types.is_dictionary(column.type):
        plain: list[Any] = column.to_pylist()
        return plain
    found = []
    for chunk in column.chunks:
        words = chunk.dictionary.to_pylist()
        found += [None if index is None else words[index] for index in chunk.indices.to_pylist()]
    return found
