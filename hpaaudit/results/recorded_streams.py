"""Lends DuckDB the tables of a recording as Arrow streams. The recording opens and checks its own files."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import duckdb

from hpaaudit.errors import AuditError

if TYPE_CHECKING:
    import pyarrow as pa

Hashes = Mapping[tuple[int, str], str]
"""SHA-256 of each file, by segment number and table."""


class Recorded(Protocol):
    """A recording that yields columns of its tables. Each method raises the damage that it meets."""

    def schema(self, table: str, columns: Sequence[str]) -> "pa.Schema":
        """The types of these columns, with texts as strings."""

    def arrow(self, table: str, columns: Sequence[str]) -> "Iterator[pa.Table]":
        """These columns of all rows in several tables, those in the log included. Texts may be dictionaries."""

    def arrow_of(self, hashes: Hashes, table: str, columns: Sequence[str]) -> "Iterator[pa.Table]":
        """The same for these files alone."""


class ReplayedRecording(Recorded, Protocol):
    """A recording whose replay is being written.

    log_tables   Arrow tables of the rows that are in the log and in no file yet, by table
    """

    @property
    def log_tables(self) -> "Mapping[str, Any]":
        """See above."""


class Stream:
    """An Arrow stream that DuckDB may scan any number of times. Each scan opens the recording anew.

    problem   why the last scan failed; DuckDB itself reports only that it did
    """

    def __init__(self, schema: "pa.Schema", tables: "Callable[[], Iterator[pa.Table]]") -> None:
        self.schema = schema
        self.problem: AuditError | None = None
        self._tables = tables

    def __arrow_c_schema__(self) -> object:
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.reader().__arrow_c_stream__(requested_schema)

    def reader(self) -> "pa.RecordBatchReader":
        """Every row once, one table in memory at a time."""
        import pyarrow as pa

        return pa.RecordBatchReader.from_batches(self.schema, self._batches())

    def _batches(self) -> "Iterator[pa.RecordBatch]":
        self.problem = None
        try:
            for table in self._tables():
                yield from table.cast(self.schema).to_batches()
        except AuditError as problem:
            self.problem = problem
            raise


def stream(recorded: Recorded, table: str, columns: Sequence[str]) -> Stream:
    """A stream of these columns of all rows of a table."""
    return Stream(recorded.schema(table, columns), partial(recorded.arrow, table, columns))


@contextmanager
def registered(connection: duckdb.DuckDBPyConnection, streams: Mapping[str, Stream]) -> Iterator[None]:
    """Register streams with DuckDB under their names. Raises the recording's own error instead of DuckDB's.

    After an error the streams stay registered: a failed transaction takes no more statements.
    """
    for name, recorded_stream in streams.items():
        connection.register(name, recorded_stream)
    try:
        yield
    except duckdb.Error as error:
        raise_problem(streams.values(), error)
        raise
    for name in streams:
        connection.unregister(name)


def raise_problem(streams: Iterable[Stream], error: Exception) -> None:
    """Raise the problem of the stream that failed, if one did."""
    for recorded_stream in streams:
        if recorded_stream.problem is not None:
            raise recorded_stream.problem from error
