"""Keeps what the replay said of each reconcile until the audit, in few bytes: every text by its place in a list."""

from collections import defaultdict

import duckdb
import pyarrow as pa

from hpaaudit.results.batches import BATCH, Row, insert, schema, timed

TABLE = "replayed"


class Replayed:
    """The rows of `replayed`; `finish` tells SQL the texts, in its variable `texts`."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        kept = schema(connection, TABLE).names
        self._schema = pa.schema(field for field in schema(connection, "runs.reconciles") if field.name in kept)
        self._places: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self._waiting: list[Row] = []

    def add(self, row: Row) -> None:
        """Takes one row; a column that is absent is NULL."""
        self._waiting.append(row)
        if len(self._waiting) >= BATCH:
            self._write_rows()

    def add_columns(self, columns: pa.Table) -> None:
        """Takes rows as columns, the texts by their place among words of their own."""
        columns = timed(columns, self._schema)
        for place, field in enumerate(columns.schema):
            if pa.types.is_dictionary(field.type):
                columns = columns.set_column(place, field.name, self._placed(field.name, columns[field.name]))
        insert(self._connection, TABLE, columns)

    def finish(self) -> None:
        """Writes what waits, and says which texts there are."""
        self._write_rows()
        texts = [field.name for field in self._schema if pa.types.is_string(field.type)]
        kind = pa.struct([(name, pa.list_(pa.string())) for name in texts])
        found = pa.array([{name: list(self._places[name]) for name in texts}], kind)
        self._connection.register("arrived", pa.table({"texts": found}))
        self._connection.execute("set variable texts = (select texts from arrived)")
        self._connection.unregister("arrived")

    def _write_rows(self) -> None:
        if self._waiting:
            rows = pa.Table.from_pylist(self._waiting, schema=self._schema)
            self.add_columns(
                pa.table(
                    {
                        name: column.dictionary_encode() if pa.types.is_string(column.type) else column
                        for name, column in zip(rows.column_names, rows.columns, strict=True)
                    }
                )
            )
        self._waiting.clear()

    def _placed(self, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
        return pa.chunked_array([self._place(name, part) for part in column.chunks], pa.int32())

    def _place(self, name: str, column: pa.DictionaryArray) -> pa.Array:
        words: list[str] = column.dictionary.to_pylist()
        known = self._places[name]
        places = [known.setdefault(word, len(known)) for word in words]
        if places == list(range(len(places))):
            return column.indices.cast(pa.int32())
        return pa.array(places, pa.int32()).take(column.indices)
