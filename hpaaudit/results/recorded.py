"""Shows DuckDB the tables of a recording as columns that are checked when they are read, never as files by name."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Protocol

import duckdb

from hpaaudit.errors import AuditError

if TYPE_CHECKING:
    import pyarrow as pa

Hashes = Mapping[tuple[int, str], str]
"""SHA-256 of a file, by the number of its segment and its table."""


class Recorded(Protocol):
    """A recording that gives the columns of its tables; each raises what damage there is."""

    def schema(self, table: str, columns: Sequence[str]) -> "pa.Schema":
        """The types of these columns; texts are texts."""

    def arrow(self, table: str, columns: Sequence[str]) -> "Iterator[pa.Table]":
        """These columns of all rows, those of the log as well, in pieces; a text may be a dictionary."""

    def arrow_of(self, hashes: Hashes, table: str, columns: Sequence[str]) -> "Iterator[pa.Table]":
        """The same of these files alone."""


class Stream:
    """Columns that DuckDB may scan again and again: each scan begins anew, and nothing is opened before.

    problem   why the last scan broke off
    """

    def __init__(self, schema: "pa.Schema", pieces: "Callable[[], Iterator[pa.Table]]") -> None:
        self.schema = schema
        self.problem: AuditError | None = None
        self._pieces = pieces

    def __arrow_c_schema__(self) -> object:
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.reader().__arrow_c_stream__(requested_schema)

    def reader(self) -> "pa.RecordBatchReader":
        """Every row once, a piece in memory at a time."""
        import pyarrow as pa

        return pa.RecordBatchReader.from_batches(self.schema, self._batches())

    def _batches(self) -> "Iterator[pa.RecordBatch]":
        self.problem = None
        try:
            for piece in self._pieces():
                yield from piece.cast(self.schema).to_batches()
        except AuditError as problem:
            self.problem = problem  # DuckDB tells only that something broke off
            raise


def stream(recorded: Recorded, table: str, columns: Sequence[str]) -> Stream:
    """Columns of all rows of a table."""
    return Stream(recorded.schema(table, columns), partial(recorded.arrow, table, columns))


@contextmanager
def registered(connection: duckdb.DuckDBPyConnection, streams: Mapping[str, Stream]) -> Iterator[None]:
    """Lends streams to DuckDB by their names; raises what was wrong with a recording in its own words.

    After an error they are still lent: a transaction that failed takes no more statements.
    """
    for name, rows in streams.items():
        connection.register(name, rows)
    try:
        yield
    except duckdb.Error as error:
        raise_problem(streams.values(), error)
        raise
    for name in streams:
        connection.unregister(name)


def raise_problem(streams: Iterable[Stream], error: Exception) -> None:
    """Raises what broke a stream off, if that was it."""
    for rows in streams:
        if rows.problem is not None:
            raise rows.problem from error
