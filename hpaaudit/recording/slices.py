"""Reads segments as columns, the next one in the background while the caller works with this one."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hpaaudit.model.columns import Columns, Numbers, Slice, Words
from hpaaudit.recording.manifest import Segment
from hpaaudit.recording.schema import TABLES
from hpaaudit.recording.segments import arrow


def read_slices(
    folder: Path,
    segments: Sequence[Segment],
    tables: Collection[str] | None,
    columns: Mapping[str, Collection[str]],
) -> Iterator[Slice]:
    """Yield segments as columns, in order; raises `Unsound`.

    One segment is read ahead and no more, so that two are in memory however long the recording is.
    """
    with ThreadPoolExecutor(1, "slices") as reader:
        ahead: Future[Slice] | None = None
        for segment in segments:
            following = reader.submit(_slice, folder, segment, tables, columns)
            if ahead is not None:
                yield ahead.result()
            ahead = following
        if ahead is not None:
            yield ahead.result()


def _slice(
    folder: Path, segment: Segment, tables: Collection[str] | None, columns: Mapping[str, Collection[str]]
) -> Slice:
    """Read one segment."""
    found = {}
    for file in segment.files:
        if tables is None or file.table in tables:
            wanted = columns.get(file.table)
            names = [column.name for column in TABLES[file.table].columns if wanted is None or column.name in wanted]
            rows = arrow(folder, segment, file.table, names, threads=True)
            if rows is not None:
                found[file.table] = _columns(rows)
    return Slice(
        number=segment.number,
        first_seq=segment.first_seq,
        facts=segment.facts,
        first_us=segment.first_us,
        last_us=segment.last_us,
        tables=found,
    )


def _columns(rows: pa.Table) -> Columns:
    """Return a table column by column."""
    return {name: _column(rows.column(name)) for name in rows.column_names}


def _column(column: pa.ChunkedArray) -> Numbers | Words:
    """Return one column; its arrays are read-only, for they are the file's own memory where nothing is NULL."""
    if pa.types.is_string(column.type):
        column = column.dictionary_encode()
    whole = _whole(column)
    if pa.types.is_dictionary(column.type):
        return Words(_array(pc.fill_null(whole.indices, -1)), tuple(whole.dictionary.to_pylist()))
    if not whole.null_count:
        return Numbers(_array(whole))
    return Numbers(_array(pc.fill_null(whole, 0)), _array(whole.is_null()))


def _whole(column: pa.ChunkedArray) -> pa.Array:
    """Return a column in one piece: as it is where it was one."""
    return column.chunk(0) if column.num_chunks == 1 else column.unify_dictionaries().combine_chunks()


def _array(array: pa.Array) -> NDArray[Any]:
    """Return the values of an array without NULLs."""
    values: NDArray[Any] = array.to_numpy(zero_copy_only=not pa.types.is_boolean(array.type))
    values.flags.writeable = False
    return values
