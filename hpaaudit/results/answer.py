"""The answer to a query as rows, a polars frame, JSON, CSV or Parquet."""

import csv
import io
import json
from datetime import date, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from hpaaudit.api.canonical import finite
from hpaaudit.results.read import Results

if TYPE_CHECKING:
    import duckdb
    import polars as pl


class Answer:
    """The answer to a query. Its rows are read when they are asked for. Leaving a `with` block closes the results.

    Every method that reads rows raises BadQuery if the query fails half-way.
    """

    def __init__(self, results: Results, relation: "duckdb.DuckDBPyRelation | None") -> None:
        self.results = results
        self._relation = relation if relation is None else _in_utc(relation)

    @property
    def columns(self) -> list[str]:
        """The names of the columns, in order."""
        return [] if self._relation is None else self._relation.columns

    def rows(self) -> list[tuple[Any, ...]]:
        """Every row."""
        if self._relation is None:
            return []
        return self.results.read(self._relation.fetchall)

    def frame(self) -> "pl.DataFrame":
        """Every row in a polars frame."""
        import polars as pl

        if self._relation is None:
            return pl.DataFrame()
        frame: pl.DataFrame = self.results.read(self._relation.pl)
        return frame

    def json(self) -> str:
        """An array with an object for each row, one per line; ASCII only, times as RFC 3339."""
        lines = [json.dumps(row, default=_plain) for row in self._records()]
        return "[" + ",\n ".join(lines) + "]\n"

    def plain(self) -> list[dict[str, Any]]:
        """Every row by the names of its columns, in the types of JSON; times as RFC 3339."""
        plain: list[dict[str, Any]] = json.loads(json.dumps(self._records(), default=_plain))
        return plain

    def _records(self) -> list[dict[str, Any]]:
        return [finite(dict(zip(self.columns, row, strict=True))) for row in self.rows()]

    def csv(self) -> str:
        """A line of headings, then one line per row; NULL is empty."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_flat(value) for value in row] for row in self.rows())
        return out.getvalue()

    def parquet(self) -> bytes:
        """A Parquet file."""
        from pyarrow import parquet

        if self._relation is None:
            return b""
        out = io.BytesIO()
        parquet.write_table(self.results.read(self._relation.to_arrow_table), out)
        return out.getvalue()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.results.close()


def _in_utc(relation: "duckdb.DuckDBPyRelation") -> "duckdb.DuckDBPyRelation":
    """The same rows, with timestamps of a zone in UTC, as all others are: Python reads those without a library."""
    quoted = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in relation.columns]
    zoned = [str(kind) == "TIMESTAMP WITH TIME ZONE" for kind in relation.types]
    if not any(zoned) or len(set(quoted)) < len(quoted):
        return relation
    columns = [
        f"make_timestamp(epoch_us({name})) as {name}" if is_zoned else name
        for name, is_zoned in zip(quoted, zoned, strict=True)
    ]
    return relation.project(", ".join(columns))


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat() + "Z"
    if isinstance(value, date):
        return value.isoformat()
    return str(value)


def _flat(value: Any) -> Any:
    if isinstance(value, dict | list):
        return json.dumps(value, default=_plain)
    return _plain(value) if isinstance(value, date) else value
