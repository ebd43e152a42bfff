"""Reads segments as numpy columns, and the next segment in the background meanwhile."""

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hpaaudit.model.fleet_columns import Columns, Numbers, Slice, Words
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.reading.segment import segment_tables

AHEAD = 1  # segments that the thread reads ahead: decoding releases Python's global lock


def read_slices(
    folder: Path,
    segments: Sequence[Segment],
    tables: Collection[str] | None,
    columns: Mapping[str, Collection[str]],
) -> Iterator[Slice]:
    """Yields segments as columns, in order. Raises `DamagedFile`.

    Only one segment is read ahead, so memory does not grow with the recording.
    """
    with ThreadPoolExecutor(1, "slices") as reader:
        pending: deque[Future[Slice]] = deque()
        for segment in segments:
            pending.append(reader.submit(_slice, folder, segment, tables, columns))
            if len(pending) > AHEAD:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


def _slice(
    folder: Path, segment: Segment, tables: Collection[str] | None, columns: Mapping[str, Collection[str]]
) -> Slice:
    """One segment as columns."""
    wanted = {}
    for file in segment.files:
        if tables is None or file.table in tables:
            names = columns.get(file.table)
            all_names = (column.name for column in TABLES[file.table].columns)
            wanted[file.table] = [name for name in all_names if names is None or name in names]
    return Slice(
        number=segment.number,
        first_seq=segment.first_seq,
        facts=segment.facts,
        first_us=segment.first_us,
        last_us=segment.last_us,
        tables={table: as_columns(rows) for table, rows in segment_tables(folder, segment, wanted).items()},
    )


def as_columns(rows: pa.Table) -> Columns:
    """A table as numpy columns, by name."""
    return {name: _column(rows.column(name)) for name in rows.column_names}


def _column(column: pa.ChunkedArray) -> Numbers | Words:
    """One column. Its arrays are read-only: without NULLs they share the memory of the Arrow table."""
    if pa.types.is_string(column.type):
        column = column.dictionary_encode()
    array = _in_one_chunk(column)
    if pa.types.is_dictionary(column.type):
        codes = array.indices if not array.null_count else pc.fill_null(array.indices, -1)
        return Words(_values(codes), tuple(array.dictionary.to_pylist()))
    if pa.types.is_boolean(column.type):
        return Numbers(_bits(array, array.buffers()[1]))
    if not array.null_count:
        return Numbers(_values(array))
    missing = ~_bits(array, array.buffers()[0])
    return Numbers(_zero_where(missing, array), _read_only(missing))


def _in_one_chunk(column: pa.ChunkedArray) -> pa.Array:
    """A column as one array. It is not copied if it has one chunk."""
    return column.chunk(0) if column.num_chunks == 1 else column.unify_dictionaries().combine_chunks()


def _values(array: pa.Array) -> NDArray[Any]:
    """The values of an array without NULLs."""
    return _read_only(array.to_numpy(zero_copy_only=True))


def _zero_where(missing: NDArray[np.bool_], array: pa.Array) -> NDArray[Any]:
    """The values of an array, zero where one is missing. Written into its own memory if nothing else refers to that."""
    buffer = array.buffers()[1]
    if not buffer.is_mutable:
        return _values(pc.fill_null(array, 0))
    values = np.frombuffer(buffer, np.int64)[array.offset : array.offset + len(array)]
    values[missing] = 0
    return _read_only(values)


def _bits(array: pa.Array, bits: pa.Buffer) -> NDArray[np.bool_]:
    """One bool per value of an array, from bits in Arrow's order."""
    flags = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")
    return _read_only(flags[array.offset : array.offset + len(array)].view(np.bool_))


def _read_only(values: NDArray[Any]) -> NDArray[Any]:
    values.flags.writeable = False
    return values
