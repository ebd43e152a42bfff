"""Keeps texts by number: a column's texts stand in a list, each row has its place there."""

from collections import defaultdict
from collections.abc import Sequence

import duckdb
import pyarrow as pa


class Texts:
    """The texts of the columns that were placed so far, column by column of the same name."""

    def __init__(self) -> None:
        self._places: defaultdict[str, dict[str, int]] = defaultdict(dict)

    def placed(self, rows: pa.Table) -> pa.Table:
        """The same rows; a text is its place in the list, from 0."""
        for number, field in enumerate(rows.schema):
            column = rows.column(number)
            if pa.types.is_string(field.type):
                column = column.dictionary_encode()
            if pa.types.is_dictionary(column.type):
                places = [self._placed(field.name, part) for part in column.chunks]
                rows = rows.set_column(number, field.name, pa.chunked_array(places, pa.int32()))
        return rows

    def tell(self, connection: duckdb.DuckDBPyConnection, columns: Sequence[str]) -> None:
        """Gives SQL the lists of these columns, as its variable `texts`."""
        kind = pa.struct([(name, pa.list_(pa.string())) for name in columns])
        lists = pa.array([{name: list(self._places[name]) for name in columns}], kind)
        connection.register("arrived", pa.table({"texts": lists}))
        connection.execute("set variable texts = (select texts from arrived)")
        connection.unregister("arrived")

    def _placed(self, name: str, column: pa.DictionaryArray) -> pa.Array:
        known = self._places[name]
        places = [known.setdefault(text, len(known)) for text in column.dictionary.to_pylist()]
        if places == list(range(len(places))):
            return column.indices.cast(pa.int32())
        return pa.array(places, pa.int32()).take(column.indices)
