"""The answer to a query as rows, a polars frame, JSON, CSV or Parquet."""

import csv
import io
import json
from collections.abc import Iterator
from datetime import date
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from hpaaudit.errors import BadQuery
from hpaaudit.model.plain_values import distinct, plain, text_of
from hpaaudit.model.shown import Printed
from hpaaudit.results.read import Results
from hpaaudit.results.utc import frame_in_utc, relation_in_utc, rows_in_utc

if TYPE_CHECKING:
    import duckdb
    import polars as pl


class Answer(Printed):
    """The answer to a query. Its rows are read when they are asked for. Leaving a `with` block closes the results.

    Every method that reads rows raises BadQuery if the query fails half-way.
    """

    def __init__(self, results: Results, relation: "duckdb.DuckDBPyRelation | None") -> None:
        self.results = results
        self._relation = relation if relation is None else relation_in_utc(relation)
        self._columns = [] if self._relation is None else self._relation.columns
        self._kinds = [] if self._relation is None else [str(kind) for kind in self._relation.types]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {str(self.results.path)!r}: {', '.join(self.columns)}>"

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Each row by the names of its columns, in the types of Python; times are in UTC, with their zone."""
        keys = distinct(self.columns)
        for row in self.rows():
            yield dict(zip(keys, row, strict=True))

    def __len__(self) -> int:
        """Counted by DuckDB: `list` asks for it too, and reads the rows then."""
        return 0 if self._relation is None else self.results.read(self._relation.__len__)

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in order."""
        return self._columns

    def rows(self) -> list[tuple[Any, ...]]:
        """Every row, in the types of Python; times are in UTC, with their zone."""
        if self._relation is None:
            return []
        return rows_in_utc(self._kinds, self.results.read(self._relation.fetchall))

    def frame(self) -> "pl.DataFrame":
        """Every row in a polars frame; times are in UTC, with their zone."""
        import polars as pl

        if self._relation is None:
            return pl.DataFrame()
        frame: pl.DataFrame = self.results.read(self._relation.pl)
        return frame_in_utc(frame)

    def json(self) -> str:
        """An array with an object for each row, one per line; ASCII only, values as in `plain`."""
        return "[" + ",\n ".join(map(json.dumps, self.plain())) + "]\n"

    def plain(self) -> list[dict[str, Any]]:
        """Every row by the names of its columns, in the types of JSON; see `plain_values`."""
        keys = distinct(self.columns)
        return [dict(zip(keys, map(plain, row), strict=True)) for row in self.rows()]

    def csv(self, *, has_headings: bool = True) -> str:
        """A line of headings, then one line per row; NULL is empty."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        if has_headings:
            writer.writerow(self.columns)
        writer.writerows([_flat(value) for value in row] for row in self.rows())
        return out.getvalue()

    def parquet(self) -> bytes:
        """A Parquet file. Raises BadQuery, also for a type that Parquet does not have."""
        from pyarrow import ArrowException, parquet

        if self._relation is None:
            return b""
        out = io.BytesIO()
        try:
            parquet.write_table(self.results.read(self._relation.to_arrow_table), out)
        except ArrowException as error:
            raise BadQuery(f"the answer cannot be written as Parquet: {error}") from error
        return out.getvalue()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.results.close()


def _flat(value: Any) -> Any:
    """A value as a cell of CSV."""
    if isinstance(value, dict | list | tuple):
        return json.dumps(plain(value))
    return text_of(value) if isinstance(value, date | bytes) else value
