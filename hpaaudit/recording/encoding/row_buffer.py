"""Holds rows of a table that wait to be written, as columns: a tenth of the memory that tuples would take."""

from collections.abc import Iterable, Mapping

import pyarrow as pa

from hpaaudit.model.counted import counted
from hpaaudit.recording.encoding.parquet import ARROW_TYPES, is_dictionary_encoded
from hpaaudit.recording.format.column_types import Row, Table
from hpaaudit.recording.format.schema import TABLES

BATCH_ROWS = 4096
NUMBER_BYTES = 8
WORD_BYTES = 150  # of a new word: its object and its entry in the dictionary, without its letters


class RowBuffer:
    """Rows of one table. A text that repeats is stored once, and as a number per row."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._words: dict[int, dict[str, int]] = {
            index: {} for index, column in enumerate(table.columns) if is_dictionary_encoded(column)
        }
        self._texts = tuple(
            index for index, column in enumerate(table.columns) if column.type == "string" and index not in self._words
        )
        self._batches: list[list[pa.Array]] = []
        self._packed = 0
        self._tail: list[Row] = []

    def append(self, row: Row) -> int:
        """Adds a row. Return about how many bytes of memory it takes."""
        size = NUMBER_BYTES * len(row)
        for index, words in self._words.items():
            word = row[index]
            if word is not None and word not in words:
                words[word] = len(words)
                size += WORD_BYTES + len(word)
        for index in self._texts:
            size += len(row[index] or "")
        self._tail.append(row)
        if len(self._tail) >= BATCH_ROWS:
            self._pack()
        return size

    def __len__(self) -> int:
        return self._packed + len(self._tail)

    def _pack(self) -> None:
        batch = []
        for index, (column, values) in enumerate(zip(self.table.columns, zip(*self._tail, strict=True), strict=True)):
            words = self._words.get(index)
            if words is None:
                batch.append(pa.array(values, ARROW_TYPES[column.type]))
            else:
                batch.append(pa.array(map(words.get, values), pa.int32(), size=len(values)))
        self._batches.append(batch)
        self._packed += len(self._tail)
        self._tail = []

    def to_arrow(self) -> pa.Table:
        """The rows, in the order in which they were added."""
        if self._tail:
            self._pack()
        columns = {}
        for index, (column, chunks) in enumerate(
            zip(self.table.columns, zip(*self._batches, strict=True), strict=True)
        ):
            if index in self._words:
                words = pa.array(self._words[index], pa.string())
                columns[column.name] = pa.chunked_array(
                    [pa.DictionaryArray.from_arrays(codes, words) for codes in chunks]
                )
            else:
                columns[column.name] = pa.chunked_array(chunks)
        return pa.table(columns)


def tables_of_rows(parts: Iterable[tuple[str, list[Row]]]) -> dict[str, pa.Table]:
    """The Arrow tables of rows. Raises `ValueError` or `KeyError` if they are no rows of their table."""
    buffers = {name: RowBuffer(table) for name, table in TABLES.items()}
    for name, rows in parts:
        width = len(TABLES[name].columns)
        for row in rows:
            if len(row) != width:
                raise ValueError(f"a row of {name} has {counted(len(row), 'value')} instead of {width}")
            buffers[name].append(row)
    return filled_tables(buffers)


def filled_tables(buffers: Mapping[str, RowBuffer]) -> dict[str, pa.Table]:
    """The Arrow tables that have rows."""
    return {name: buffer.to_arrow() for name, buffer in buffers.items() if len(buffer)}
