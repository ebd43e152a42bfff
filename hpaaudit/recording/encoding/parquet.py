"""Encodes the rows of a table as a Parquet file, and decodes them within limits."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from hpaaudit.model.counted import counted
from hpaaudit.recording.encoding.parquet_pages import BadPage, read_page_headers
from hpaaudit.recording.format.column_types import Column, Encoding, Table
from hpaaudit.recording.format.reader_limits import COLUMNS, FOOTER_BYTES, PAGES, ROW_GROUPS, SEGMENT_BYTES
from hpaaudit.recording.format.schema import FORMAT_VERSION

ARROW_TYPES = {"int64": pa.int64(), "string": pa.string(), "bool": pa.bool_()}
PHYSICAL_TYPES = {"int64": "INT64", "string": "BYTE_ARRAY", "bool": "BOOLEAN"}
COMPRESSIONS = ("ZSTD", "UNCOMPRESSED")
SCHEMA_DEPTH = 4  # our tables are flat
MAX_REASON_CHARS = 200
ZSTD_LEVEL = 5  # for columns that repeat: a higher level costs CPU and gains nothing
ZSTD_LEVEL_OF_NUMBERS = 14  # numbers that rarely repeat get a tenth smaller, for 0.5 µs a value
NUMBER_ENCODINGS = (Encoding.DELTA, Encoding.SPLIT)
MANY_ROWS = 50_000  # to decode so many costs more than to decode their columns one by one
DICTIONARY_BYTES = 16 << 20  # the JSON of a whole segment fits, so that each text is stored once


def is_dictionary_encoded(column: Column) -> bool:
    """True if a column is text that repeats: each text is stored once per file."""
    return (column.type, column.encoding) == ("string", Encoding.DICTIONARY)


def encode(table: Table, rows: pa.Table) -> bytes:
    """Rows as a Parquet file, sorted as the table says, each column in its encoding.

    rows   in any order; text may be a dictionary, which is faster, if every word of it is used by a row
    """
    rows = sorted_rows(table, rows)
    file = io.BytesIO()
    pq.write_table(
        rows.select([column.name for column in table.columns]).cast(_schema(table, rows)),
        file,
        row_group_size=max(rows.num_rows, 1),
        compression="zstd",
        compression_level={
            column.name: ZSTD_LEVEL_OF_NUMBERS if column.encoding in NUMBER_ENCODINGS else ZSTD_LEVEL
            for column in table.columns
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
    """The schema of a file: which columns may be NULL, and the version of the format."""
    fields = [pa.field(column.name, rows.schema.field(column.name).type, column.nullable) for column in table.columns]
    return pa.schema(fields, {"hpaaudit.format_version": str(FORMAT_VERSION)})


def arrow_schema(table: Table, names: Sequence[str]) -> pa.Schema:
    """The Arrow types of columns of a table, without dictionaries."""
    types = {column.name: ARROW_TYPES[column.type] for column in table.columns}
    return pa.schema([(name, types[name]) for name in names])


def sorted_rows(table: Table, rows: pa.Table) -> pa.Table:
    """Rows in the order of the table."""
    # `_order` is a function of its own so that its ranks are freed before `take`: a third of the memory.
    return rows.take(_order(table, rows))


def _order(table: Table, rows: pa.Table) -> pa.Array:
    keys = {name: _ranks(rows.column(name)) for name in (*table.sort, "seq")}
    return pc.sort_indices(pa.table(keys), [(name, "ascending") for name in keys])


def _ranks(values: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    """Numbers in the order of the values: for a dictionary, the rank of each word."""
    if not pa.types.is_dictionary(values.type):
        return values
    array = values.unify_dictionaries().combine_chunks()
    return pc.rank(array.dictionary, tiebreaker="first").take(array.indices)


class BadParquetFile(ValueError):
    """A file that does not fit the format of its table. Its text is a predicate."""


EVERY_ROW: Mapping[str, str] = {}


def read_table(
    table: Table, file: bytes, names: Sequence[str], rows: int, where: Mapping[str, str] = EVERY_ROW
) -> pa.Table:
    """Columns of a table's file. Text that repeats comes as a dictionary, so that it is decoded once.

    names   of columns
    rows    number of rows that the file must have
    where   only rows in which these columns of text have these values. Of long dictionaries only their words are kept

    A column that was added to the format later is NULL if the file lacks it.

    Sizes that the file claims are checked before anything is unpacked. Raises `BadParquetFile`.
    """
    footer = int.from_bytes(file[-8:-4], "little")
    if footer > FOOTER_BYTES:
        raise BadParquetFile(f"says {footer} bytes of itself, more than the {FOOTER_BYTES} that a table's file can")
    try:
        with pq.ParquetFile(
            pa.BufferReader(file),
            read_dictionary=[
                column.name
                for column in table.columns
                # pyarrow refuses names that the file does not have. Its footer has each name as it is.
                if is_dictionary_encoded(column) and (not column.added or column.name.encode() in file[-8 - footer :])
            ],
            thrift_string_size_limit=FOOTER_BYTES,
            thrift_container_size_limit=PAGES,
            schema_depth_limit=SCHEMA_DEPTH,
            arrow_extensions_enabled=False,
        ) as parquet:
            return _read(parquet, table, file, names, rows, where)
    except BadPage as error:
        raise BadParquetFile(str(error)) from error
    except (pa.ArrowException, OSError, KeyError, IndexError, OverflowError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())[:MAX_REASON_CHARS]
        raise BadParquetFile(f"is not a Parquet file of this format ({reason})") from error


def _read(
    parquet: pq.ParquetFile, table: Table, file: bytes, names: Sequence[str], rows: int, where: Mapping[str, str]
) -> pa.Table:
    types = {column.name: column for column in table.columns}
    indices = _column_indices(parquet, [types[name] for name in names], rows)
    wanted, names = names, [name for name in names if name in indices]
    batch_rows, unpacked = {}, 0
    for name in names:
        stored, column = parquet.schema.column(indices[name]), types[name]
        if stored.physical_type != PHYSICAL_TYPES[column.type] or stored.max_repetition_level:
            raise BadParquetFile(f"has a column {name} of another type than {column.type}")
        as_dictionary = is_dictionary_encoded(column)
        batch_rows[name], size = _batch_rows(parquet.metadata, indices[name], file, as_dictionary=as_dictionary)
        unpacked += size
        if unpacked > SEGMENT_BYTES:
            raise BadParquetFile(f"takes more than {SEGMENT_BYTES} bytes unpacked")
    columns = _matching(parquet, batch_rows, where) if where else _every(parquet, batch_rows)
    count = len(next(iter(columns.values()), ()))
    result = pa.table({name: columns[name] if name in columns else _nulls(types[name], count) for name in wanted})
    for name in names:
        if not _has_type(result.schema.field(name).type, types[name].type):
            raise BadParquetFile(f"has a column {name} of another type than {types[name].type}")
    return result


def _every(parquet: pq.ParquetFile, batch_rows: Mapping[str, int]) -> dict[str, pa.ChunkedArray]:
    """Columns of all rows, decoded together where they may be. `batch_rows` is as `_batch_rows` says, by column."""
    at_once = [name for name, batch in batch_rows.items() if not batch]
    columns = {}
    if at_once:
        decoded = parquet.read(columns=at_once, use_threads=False)
        columns = {name: decoded.column(name) for name in at_once}
    return {**columns, **{name: _read_in_batches(parquet, name, batch) for name, batch in batch_rows.items() if batch}}


def _matching(
    parquet: pq.ParquetFile, batch_rows: Mapping[str, int], where: Mapping[str, str]
) -> dict[str, pa.ChunkedArray]:
    """Columns of some rows. Many rows are decoded column by column, so that the memory of one serves the next."""
    if parquet.metadata.num_rows <= MANY_ROWS:
        rows = pa.table(_every(parquet, batch_rows))
        for name, value in where.items():
            rows = rows.filter(equals(rows.column(name), value))
        return {name: used_words(rows.column(name)) for name in rows.column_names}
    keep = None
    for name, value in where.items():
        equal = equals(_every(parquet, {name: batch_rows[name]})[name], value)
        keep = equal if keep is None else pc.and_(keep, equal)
    return {name: used_words(_every(parquet, {name: batch})[name].filter(keep)) for name, batch in batch_rows.items()}


def equals(column: pa.ChunkedArray, value: str) -> pa.ChunkedArray:
    """Where a column of text has a value. A dictionary is searched once, not once per row."""
    if not pa.types.is_dictionary(column.type):
        return pc.equal(column, value)
    return pa.chunked_array(
        [pc.equal(chunk.indices, pc.index(chunk.dictionary, value)) for chunk in column.chunks], pa.bool_()
    )


def used_words(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The same column; a dictionary of more words than rows without those that no row has."""
    if not pa.types.is_dictionary(column.type):
        return column
    chunks = []
    for chunk in column.chunks:
        if len(chunk.dictionary) > len(chunk):
            used = chunk.indices.unique().drop_null()
            words = chunk.dictionary.take(used)
            chunks.append(pa.DictionaryArray.from_arrays(pc.index_in(chunk.indices, used), words))
        else:
            chunks.append(chunk)
    return pa.chunked_array(chunks, column.type)


def _nulls(column: Column, rows: int) -> pa.ChunkedArray:
    """A column of a file whose writer did not have it yet."""
    kind = ARROW_TYPES[column.type]
    return pa.chunked_array(
        [pa.nulls(rows, pa.dictionary(pa.int32(), kind) if is_dictionary_encoded(column) else kind)]
    )


def _column_indices(parquet: pq.ParquetFile, columns: Sequence[Column], rows: int) -> dict[str, int]:
    """The index of each column in the file. Raises `BadParquetFile`."""
    metadata = parquet.metadata
    if metadata.num_rows != rows:
        raise BadParquetFile(f"has {counted(metadata.num_rows, 'row')}, its manifest says {rows}")
    if metadata.num_columns > COLUMNS or metadata.num_row_groups > ROW_GROUPS:
        claim = f"{counted(metadata.num_columns, 'column')} in {counted(metadata.num_row_groups, 'row group')}"
        raise BadParquetFile(f"has {claim}, more than a file can")
    indices = {parquet.schema.column(index).path: index for index in range(metadata.num_columns)}
    missing = [column.name for column in columns if column.name not in indices and not column.added]
    if missing or len(indices) != metadata.num_columns:
        raise BadParquetFile(f"lacks the column {missing[0]}" if missing else "has a column twice")
    return indices


def _batch_rows(metadata: pq.FileMetaData, index: int, file: bytes, *, as_dictionary: bool) -> tuple[int, int]:
    """How many rows of a column may be decoded at once, 0 for all, and the size of its pages unpacked.

    A prefix-encoded value may be as long as its whole page, and a long word of a dictionary may be in every row. So
    only as many values are decoded at once as cannot take more memory than a segment may.
    """
    unpacked, largest, may_grow = 0, 0, False
    for group in range(metadata.num_row_groups):
        rows = metadata.row_group(group).num_rows
        chunk = metadata.row_group(group).column(index)
        if chunk.compression not in COMPRESSIONS or chunk.num_values != rows:
            raise BadParquetFile(
                f"is not compressed by zstd, or has {counted(chunk.num_values, 'value')} in {counted(rows, 'row')}"
            )
        begin = chunk.data_page_offset
        if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < begin:
            begin = chunk.dictionary_page_offset
        pages = read_page_headers(memoryview(file), begin, chunk.total_compressed_size, rows, PAGES)
        if pages.words > rows:
            raise BadParquetFile(f"has a dictionary of {counted(pages.words, 'word')} for {counted(rows, 'row')}")
        unpacked += pages.unpacked
        largest = max(largest, pages.largest)
        is_text = chunk.physical_type == PHYSICAL_TYPES["string"]
        may_grow |= is_text and (pages.by_prefix or (pages.by_dictionary and not as_dictionary))
    if not may_grow or largest * metadata.num_rows <= SEGMENT_BYTES:
        return 0, unpacked
    return max(SEGMENT_BYTES // largest, 1), unpacked


def _read_in_batches(parquet: pq.ParquetFile, name: str, rows: int) -> pa.ChunkedArray:
    """A column that is decoded in batches of rows. Raises `BadParquetFile` if it takes more than a segment may."""
    chunks, size = [], 0
    for batch in parquet.iter_batches(batch_size=rows, columns=[name], use_threads=False):
        chunks.append(batch.column(0))
        size += batch.nbytes
        if size > SEGMENT_BYTES:
            raise BadParquetFile(f"takes more than {SEGMENT_BYTES} bytes unpacked")
    return pa.chunked_array(chunks)


def _has_type(arrow_type: pa.DataType, column_type: str) -> bool:
    if pa.types.is_dictionary(arrow_type):
        is_text = arrow_type.index_type == pa.int32() and arrow_type.value_type == pa.string()
        return column_type == "string" and is_text
    return bool(arrow_type == ARROW_TYPES[column_type])


def to_python(column: pa.ChunkedArray) -> list[Any]:
    """A column as Python values."""
    if not pa.types.is_dictionary(column.type):
        plain: list[Any] = column.to_pylist()
        return plain
    values = []
    for chunk in column.chunks:
        words = chunk.dictionary.to_pylist()
        values += [None if index is None else words[index] for index in chunk.indices.to_pylist()]
    return values
