"""Rows of a table that wait to be written, as columns: a tenth of the memory that their tuples would take."""

from collections.abc import Iterable, Mapping

import pyarrow as pa

from hpaaudit.recording.encoding.parquet import ARROW_TYPES, is_dictionary_encoded
from hpaaudit.recording.format.columns import Row, Table
from hpaaudit.recording.format.schema import TABLES

BATCH_ROWS = 4096
NUMBER_BYTES = 8
WORD_BYTES = 150  # of a word that waits: its object and its place in the dictionary, without its letters


class Rows:
    """Rows of one table that wait; a text that repeats is one object and a number a row."""

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
        """Add a row, its values in the order of the table's columns; return about how many bytes it takes."""
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
        """Return the rows, in the order in which they came."""
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
    """Return the tables of rows that were made before; raises `ValueError` or `KeyError` where they are none."""
    found = {name: Rows(table) for name, table in TABLES.items()}
    for name, rows in parts:
        width = len(TABLES[name].columns)
        for row in rows:
            if len(row) != width:
                raise ValueError(f"a row of {name} has {len(row)} values instead of {width}")
            found[name].append(row)
    return filled_tables(found)


def filled_tables(rows: Mapping[str, Rows]) -> dict[str, pa.Table]:
    """The Arrow tables that have rows."""
    return {name: found.to_arrow() for name, found in rows.items() if len(found)}
