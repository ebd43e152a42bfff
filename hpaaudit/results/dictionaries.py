"""Gives the texts of a replay their numbers, the same in every batch, and the lists in which the texts are found."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import TypeAlias

import duckdb
import pyarrow as pa

from hpaaudit.results.encoded import TEXTS, texts

Texts: TypeAlias = tuple[str | None, ...]
"""Texts that share a number, one for each column."""


class Dictionaries:
    """The texts so far and their numbers, by the column that holds the numbers."""

    def __init__(self) -> None:
        self._numbers: defaultdict[str, dict[Texts, int]] = defaultdict(dict)

    def number(self, code: str, together: Texts) -> int:
        """The number of these texts of a column, a new one if they were not seen before."""
        numbers = self._numbers[code]
        return numbers.setdefault(together, len(numbers))

    def encoded(self, rows: pa.Table, codes: Mapping[str, Sequence[str]]) -> pa.Table:
        """The same rows with numbers for their texts, counted from 0; NULL where every text is NULL.

        codes   the columns of numbers, each with the columns of its texts; one that the rows lack is NULL
        """
        names_of_texts = {name for names in codes.values() for name in names}
        encoded = {name: rows.column(name) for name in rows.column_names if name not in names_of_texts}
        for code, names in codes.items():
            parts = [_dictionary(rows.column(name)) if name in rows.column_names else None for name in names]
            present = [part for part in parts if part is not None]
            if present:
                chunks = [
                    self._numbered(code, [None if part is None else part.chunk(number) for part in parts])
                    for number in range(present[0].num_chunks)
                ]
                encoded[code] = pa.chunked_array(chunks, pa.int32())
        return pa.table(encoded)

    def publish(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Stores the lists of texts, and sets the SQL variable `texts`: a struct with a list for each column."""
        lists = {
            name: [together[place] for together in self._numbers[code]]
            for code, names in texts().items()
            for place, name in enumerate(names)
        }
        struct = pa.struct([(name, pa.list_(pa.string())) for name in lists])
        connection.register("arrived", pa.table({"texts": pa.array([lists], struct)}))
        connection.execute("set variable texts = (select texts from arrived)")
        connection.execute(f"delete from runs.{TEXTS}")  # noqa: S608 our own table
        connection.execute(f"insert into runs.{TEXTS} by name select unnest(texts) from arrived")  # noqa: S608 our own table
        connection.unregister("arrived")

    def _numbered(self, code: str, columns: Sequence[pa.DictionaryArray | None]) -> pa.Array:
        """The numbers of the texts of one chunk."""
        present = [column for column in columns if column is not None]
        indices = present[0].indices
        if all(column.indices.equals(indices) for column in present[1:]):
            # The texts go together in the chunk too: each entry of its dictionaries has one number.
            rows = _rows([None if column is None else column.dictionary for column in columns])
            numbers = [self.number(code, row) for row in rows]
            return (
                indices.cast(pa.int32())
                if numbers == [*range(len(rows))]
                else pa.array(numbers, pa.int32()).take(indices)
            )
        rows = _rows(columns)
        number_of = {
            row: self.number(code, row) for row in dict.fromkeys(rows) if any(text is not None for text in row)
        }
        return pa.array([number_of.get(row) for row in rows], pa.int32())


def _dictionary(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column if pa.types.is_dictionary(column.type) else column.dictionary_encode()


def _rows(columns: Sequence[pa.Array | None]) -> list[Texts]:
    """The texts of columns row by row; a column that is None has none. It ends with the shortest."""
    return [*zip(*(repeat(None) if column is None else column.to_pylist() for column in columns), strict=False)]
