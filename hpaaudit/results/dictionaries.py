"""Dictionary-encodes text columns over many batches: each text of a column gets a number, the same in every batch."""

from collections import defaultdict
from collections.abc import Sequence

import duckdb
import pyarrow as pa


class Dictionaries:
    """The texts so far and their numbers, by column name."""

    def __init__(self) -> None:
        self._numbers: defaultdict[str, dict[str, int]] = defaultdict(dict)

    def encoded(self, rows: pa.Table) -> pa.Table:
        """The same rows with the number of each text instead of the text, counted from 0."""
        for index, field in enumerate(rows.schema):
            column = rows.column(index)
            if pa.types.is_string(field.type):
                column = column.dictionary_encode()
            if pa.types.is_dictionary(column.type):
                chunks = [self._renumbered(field.name, chunk) for chunk in column.chunks]
                rows = rows.set_column(index, field.name, pa.chunked_array(chunks, pa.int32()))
        return rows

    def publish(self, connection: duckdb.DuckDBPyConnection, columns: Sequence[str]) -> None:
        """Sets the SQL variable `texts`: for each of these columns the list of its texts."""
        struct = pa.struct([(name, pa.list_(pa.string())) for name in columns])
        texts = pa.array([{name: list(self._numbers[name]) for name in columns}], struct)
        connection.register("arrived", pa.table({"texts": texts}))
        connection.execute("set variable texts = (select texts from arrived)")
        connection.unregister("arrived")

    def _renumbered(self, name: str, chunk: pa.DictionaryArray) -> pa.Array:
        """The same texts of a chunk, numbered by our dictionary instead of its own."""
        number_by_text = self._numbers[name]
        numbers = [number_by_text.setdefault(text, len(number_by_text)) for text in chunk.dictionary.to_pylist()]
        if numbers == list(range(len(numbers))):
            return chunk.indices.cast(pa.int32())
        return pa.array(numbers, pa.int32()).take(chunk.indices)
