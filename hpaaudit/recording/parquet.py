"""Writes rows into the Parquet file of a table, and reads them back."""

import io
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from hpaaudit.recording.columns import Encoding, Table
from hpaaudit.recording.schema import FORMAT_VERSION

Row = tuple[Any, ...]

ARROW_TYPES = {"int64": pa.int64(), "string": pa.string(), "bool": pa.bool_()}
ZSTD_LEVEL = 3  # more costs CPU and gains nothing on these columns
DICTIONARY_BYTES = 16 << 20  # a whole segment's JSON still fits: every text stands in a file once
BATCH_ROWS = 4096


def arrow_schema(table: Table) -> pa.Schema:
    """Return the table's Arrow schema."""
    return pa.schema(
        [pa.field(column.name, ARROW_TYPES[column.type], nullable=column.nullable) for column in table.columns],
    )


class Rows:
    """Rows of one table that wait to be written, kept as columns: a tenth of the memory of tuples."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._schema = arrow_schema(table)
        self._batches: list[pa.RecordBatch] = []
        self._packed = 0
        self._tail: list[Row] = []

    def append(self, row: Row) -> None:
        """Add a row, its values in the order of the table's columns."""
        self._tail.append(row)
        if len(self._tail) >= BATCH_ROWS:
            self._pack()

    def __len__(self) -> int:
        return self._packed + len(self._tail)

    def _pack(self) -> None:
        arrays = [
            pa.array(values, field.type)
            for values, field in zip(zip(*self._tail, strict=True), self._schema, strict=True)
        ]
        self._batches.append(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
        self._packed += len(self._tail)
        self._tail = []

    def to_bytes(self) -> bytes:
        """Return the rows as a Parquet file, sorted as the table says."""
        if self._tail:
            self._pack()
        rows = pa.Table.from_batches(self._batches, self._schema)
        if self.table.sort:
            rows = rows.sort_by([(name, "ascending") for name in (*self.table.sort, "seq")])
        columns = self.table.columns
        file = io.BytesIO()
        pq.write_table(
            rows.replace_schema_metadata({"hpaaudit.format_version": str(FORMAT_VERSION)}),
            file,
            row_group_size=max(rows.num_rows, 1),
            compression="zstd",
            compression_level=ZSTD_LEVEL,
            use_dictionary=[column.name for column in columns if column.encoding is Encoding.DICTIONARY],
            column_encoding={
                column.name: column.encoding.value for column in columns if column.encoding is not Encoding.DICTIONARY
            },
            dictionary_pagesize_limit=DICTIONARY_BYTES,
            write_statistics=False,
            store_schema=False,
        )
        return file.getvalue()


def read_table(table: Table, file: bytes, names: Sequence[str], *, threads: bool = False) -> pa.Table:
    """Return columns of a table's file; a text that is kept by dictionary stays one, so that it is decoded once.

    Raises `pyarrow.ArrowException`, `OSError` or `KeyError` where the file cannot be read as this table.
    """
    texts = [
        column.name for column in table.columns if (column.type, column.encoding) == ("string", Encoding.DICTIONARY)
    ]
    rows = pq.ParquetFile(pa.BufferReader(file), read_dictionary=texts).read(columns=list(names), use_threads=threads)
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
