"""Reads segments as columns, the next ones in the background while the caller works with this one."""

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hpaaudit.model.columns import Columns, Numbers, Slice, Words
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.reading.segment import segment_tables

AHEAD = 1  # segment, read by a thread: decoding lets go of Python's lock


def read_slices(
    folder: Path,
    segments: Sequence[Segment],
    tables: Collection[str] | None,
    columns: Mapping[str, Collection[str]],
) -> Iterator[Slice]:
    """Yield segments as columns, in order; raises `DamagedFile`.

    One is read ahead and no more, so that memory stays the same however long the recording is.
    """
    with ThreadPoolExecutor(AHEAD, "slices") as readers:
        coming: deque[Future[Slice]] = deque()
        for segment in segments:
            coming.append(readers.submit(_slice, folder, segment, tables, columns))
            if len(coming) > AHEAD:
                yield coming.popleft().result()
        while coming:
            yield coming.popleft().result()


def _slice(
    folder: Path, segment: Segment, tables: Collection[str] | None, columns: Mapping[str, Collection[str]]
) -> Slice:
    """Read one segment."""
    wanted = {}
    for file in segment.files:
        if tables is None or file.table in tables:
            some = columns.get(file.table)
            every = (column.name for column in TABLES[file.table].columns)
            wanted[file.table] = [name for name in every if some is None or name in some]
    return Slice(
        number=segment.number,
        first_seq=segment.first_seq,
        facts=segment.facts,
        first_us=segment.first_us,
        last_us=segment.last_us,
        tables={table: as_columns(rows) for table, rows in segment_tables(folder, segment, wanted).items()},
    )


def as_columns(rows: pa.Table) -> Columns:
    """Return a table column by column."""
    return {name: _column(rows.column(name)) for name in rows.column_names}


def _column(column: pa.ChunkedArray) -> Numbers | Words:
    """Return one column; its arrays are read-only, for they are the file's own memory where nothing is NULL."""
    if pa.types.is_string(column.type):
        column = column.dictionary_encode()
    whole = _whole(column)
    if pa.types.is_dictionary(column.type):
        codes = whole.indices if not whole.null_count else pc.fill_null(whole.indices, -1)
        return Words(_array(codes), tuple(whole.dictionary.to_pylist()))
    if pa.types.is_boolean(column.type):
        return Numbers(_bits(whole, whole.buffers()[1]))
    if not whole.null_count:
        return Numbers(_array(whole))
    missing = ~_bits(whole, whole.buffers()[0])
    return Numbers(_zero_where(missing, whole), _locked(missing))


def _whole(column: pa.ChunkedArray) -> pa.Array:
    """Return a column in one piece: as it is where it was one."""
    return column.chunk(0) if column.num_chunks == 1 else column.unify_dictionaries().combine_chunks()


def _array(array: pa.Array) -> NDArray[Any]:
    """Return the values of an array without NULLs."""
    return _locked(array.to_numpy(zero_copy_only=True))


def _zero_where(missing: NDArray[np.bool_], array: pa.Array) -> NDArray[Any]:
    """Return the values of an array, zero where one is missing: in its own memory, which nobody else has."""
    buffer = array.buffers()[1]
    if not buffer.is_mutable:
        return _array(pc.fill_null(array, 0))
    values = np.frombuffer(buffer, np.int64)[array.offset : array.offset + len(array)]
    values[missing] = 0
    return _locked(values)


def _bits(array: pa.Array, bits: pa.Buffer) -> NDArray[np.bool_]:
    """Return a truth for each value of an array, from bits in Arrow's order."""
    spread = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")
    return _locked(spread[array.offset : array.offset + len(array)].view(np.bool_))


def _locked(values: NDArray[Any]) -> NDArray[Any]:
    values.flags.writeable = False
    return values
