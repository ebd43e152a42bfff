"""Encodes the rows of a table as a Parquet file, and reads them back."""

import io
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hpaaudit.recording.encoding.parquet_pages import BadPage, read_page_headers
from hpaaudit.recording.format.columns import Column, Encoding, Table
from hpaaudit.recording.format.reader_limits import COLUMNS, FOOTER_BYTES, PAGES, ROW_GROUPS, SEGMENT_BYTES
from hpaaudit.recording.format.schema import FORMAT_VERSION

ARROW_TYPES = {"int64": pa.int64(), "string": pa.string(), "bool": pa.bool_()}
PHYSICAL_TYPES = {"int64": "INT64", "string": "BYTE_ARRAY", "bool": "BOOLEAN"}
COMPRESSIONS = ("ZSTD", "UNCOMPRESSED")
SCHEMA_DEPTH = 4  # a table is flat
LONGEST_REASON = 200
ZSTD_LEVEL = 5  # finds what repeats; more costs CPU and gains nothing
ZSTD_LEVEL_OF_NOISE = 14  # what repeats not gets a tenth smaller from here on, for 0.5 µs a value
NOISE = (Encoding.DELTA, Encoding.SPLIT)
DICTIONARY_BYTES = 16 << 20  # a whole segment's JSON still fits: every text stands in a file once


def is_dictionary_encoded(column: Column) -> bool:
    """Tell whether a column is a text that repeats, of which each stands in a file once."""
    return (column.type, column.encoding) == ("string", Encoding.DICTIONARY)


def encode(table: Table, rows: pa.Table) -> bytes:
    """Return rows as a Parquet file, sorted as the table says, every column in its encoding.

    rows   have the table's columns in any order of rows; a text may be a dictionary, which is quicker, all of whose
           words some row has
    """
    rows = sorted_rows(table, rows)
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


def arrow_schema(table: Table, names: Sequence[str]) -> pa.Schema:
    """Return the types of columns of a table, a text as a text."""
    types = {column.name: ARROW_TYPES[column.type] for column in table.columns}
    return pa.schema([(name, types[name]) for name in names])


def sorted_rows(table: Table, rows: pa.Table) -> pa.Table:
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


class BadParquetFile(ValueError):
    """A file that is not what this format says of its table; its text is a predicate."""


def read_table(table: Table, file: bytes, names: Sequence[str], rows: int) -> pa.Table:
    """Return columns of a table's file; a text that repeats comes as a dictionary, so that it is decoded once.

    names   of columns;  rows   that the file must have

    What the file claims is checked before it is unpacked. Raises `BadParquetFile`.
    """
    footer = int.from_bytes(file[-8:-4], "little")
    if footer > FOOTER_BYTES:
        raise BadParquetFile(f"says {footer} bytes of itself, more than the {FOOTER_BYTES} that a table's file can")
    try:
        with pq.ParquetFile(
            pa.BufferReader(file),
            read_dictionary=[column.name for column in table.columns if is_dictionary_encoded(column)],
            thrift_string_size_limit=FOOTER_BYTES,
            thrift_container_size_limit=PAGES,
            schema_depth_limit=SCHEMA_DEPTH,
            arrow_extensions_enabled=False,
        ) as parquet:
            return _read(parquet, table, file, names, rows)
    except BadPage as error:
        raise BadParquetFile(str(error)) from error
    except (pa.ArrowException, OSError, KeyError, IndexError, OverflowError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())[:LONGEST_REASON]
        raise BadParquetFile(f"is no Parquet file of this format ({reason})") from error


def _read(parquet: pq.ParquetFile, table: Table, file: bytes, names: Sequence[str], rows: int) -> pa.Table:
    found = parquet.metadata
    if found.num_rows != rows:
        raise BadParquetFile(f"has {found.num_rows} rows, its manifest says {rows}")
    if found.num_columns > COLUMNS or found.num_row_groups > ROW_GROUPS:
        raise BadParquetFile(
            f"has {found.num_columns} columns in {found.num_row_groups} row groups, more than a file can"
        )
    places = {parquet.schema.column(index).path: index for index in range(found.num_columns)}
    missing = [name for name in names if name not in places]
    if missing or len(places) != found.num_columns:
        raise BadParquetFile(f"has not the column {missing[0]}" if missing else "has a column twice")
    types = {column.name: column for column in table.columns}
    steps = {}
    left = SEGMENT_BYTES
    for name in names:
        shape, column = parquet.schema.column(places[name]), types[name]
        if shape.physical_type != PHYSICAL_TYPES[column.type] or shape.max_repetition_level:
            raise BadParquetFile(f"has a column {name} of another type than {column.type}")
        steps[name], unpacked = _step(found, places[name], file, as_words=is_dictionary_encoded(column))
        left -= unpacked
        if left < 0:
            raise BadParquetFile(f"takes more than {SEGMENT_BYTES} bytes unpacked")
    whole = [name for name in names if not steps[name]]
    done = {}
    if whole:
        at_once = parquet.read(columns=whole, use_threads=False)
        done = {name: at_once.column(name) for name in whole}
    for name in names:
        if steps[name]:
            done[name] = _in_steps(parquet, name, steps[name])
    made = pa.table({name: done[name] for name in names})
    for name in names:
        if not _is_of(made.schema.field(name).type, types[name].type):
            raise BadParquetFile(f"has a column {name} of another type than {types[name].type}")
    return made


def _step(found: pq.FileMetaData, place: int, file: bytes, *, as_words: bool) -> tuple[int, int]:
    """How many rows of a column may be read at once, 0 where all of them, and what its pages take unpacked.

    A value that is told by what it shares with the one before may be as long as all letters of its page, and a word of
    a dictionary may stand in every row: so many values are unpacked at once that they cannot take more than a segment.
    """
    unpacked, largest, may_grow = 0, 0, False
    for group in range(found.num_row_groups):
        rows = found.row_group(group).num_rows
        chunk = found.row_group(group).column(place)
        if chunk.compression not in COMPRESSIONS or chunk.num_values != rows:
            raise BadParquetFile(f"is not compressed by zstd, or has {chunk.num_values} values in {rows} rows")
        begin = chunk.data_page_offset
        if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < begin:
            begin = chunk.dictionary_page_offset
        pages = read_page_headers(memoryview(file), begin, chunk.total_compressed_size, rows, PAGES)
        if pages.words > rows:
            raise BadParquetFile(f"has a dictionary of {pages.words} words for {rows} rows")
        unpacked += pages.unpacked
        largest = max(largest, pages.largest)
        text = chunk.physical_type == PHYSICAL_TYPES["string"]
        may_grow |= text and (pages.by_prefix or (pages.by_dictionary and not as_words))
    if not may_grow or largest * found.num_rows <= SEGMENT_BYTES:
        return 0, unpacked
    return max(SEGMENT_BYTES // largest, 1), unpacked


def _in_steps(parquet: pq.ParquetFile, name: str, step: int) -> pa.ChunkedArray:
    """Return a column that is unpacked a part at a time, and not beyond what a segment may take."""
    chunks, size = [], 0
    for batch in parquet.iter_batches(batch_size=step, columns=[name], use_threads=False):
        chunks.append(batch.column(0))
        size += batch.nbytes
        if size > SEGMENT_BYTES:
            raise BadParquetFile(f"takes more than {SEGMENT_BYTES} bytes unpacked")
    return pa.chunked_array(chunks)


def _is_of(found: pa.DataType, wanted: str) -> bool:
    if pa.types.is_dictionary(found):
        return wanted == "string" and found.index_type == pa.int32() and found.value_type == pa.string()
    return bool(found == ARROW_TYPES[wanted])


def to_python(column: pa.ChunkedArray) -> list[Any]:
    """Return a column as Python values."""
    if not pa.types.is_dictionary(column.type):
        plain: list[Any] = column.to_pylist()
        return plain
    found = []
    for chunk in column.chunks:
        words = chunk.dictionary.to_pylist()
        found += [None if index is None else words[index] for index in chunk.indices.to_pylist()]
    return found
