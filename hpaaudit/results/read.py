"""Opens a results file and answers from it: SQL, frames, facts about the replay."""

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import duckdb

from hpaaudit.errors import BadQuery, NotResults
from hpaaudit.model.audit import Assumption
from hpaaudit.model.units import Micros

if TYPE_CHECKING:
    import polars as pl

_MAGIC, _MAGIC_AT = b"DUCK", 8

Parameter = Any
"""What a question may be asked with: text, number, datetime."""


class Results:
    """A finished results file, open for reading.

    The relations are those of `sql/schema/` and `sql/views/`; times are UTC.
    """

    def __init__(self, path: Path, connection: duckdb.DuckDBPyConnection) -> None:
        self.path = path
        self._connection = connection

    def sql(self, text: str, **params: Parameter) -> duckdb.DuckDBPyRelation:
        """The answer to any SQL, read only; `$name` in it stands for the parameter of that name.

        Raises BadQuery with DuckDB's own words.
        """
        try:
            return self._connection.sql(text, params=params or None)
        except duckdb.Error as error:
            raise BadQuery(_one_line(error)) from error

    def rows(self, text: str, **params: Parameter) -> list[dict[str, Any]]:
        """The answer as one mapping per row, by column."""
        answer = self.sql(text, **params)
        try:
            return [dict(zip(answer.columns, row, strict=True)) for row in answer.fetchall()]
        except duckdb.Error as error:
            raise BadQuery(_one_line(error)) from error

    @property
    def manifest_sha256(self) -> str:
        """The last hash of the recording that was replayed."""
        found: str = self.rows("select manifest_sha256 from replays")[0]["manifest_sha256"]
        return found

    @property
    def detail(self) -> str:
        """What the replay kept, as `replay --detail` names it."""
        found: str = self.rows("select detail from replays")[0]["detail"]
        return found

    @property
    def span(self) -> tuple[Micros, Micros]:
        """When the recording begins and ends."""
        row = self.rows("select epoch_us(started_at) as started, epoch_us(ended_at) as ended from recordings")[0]
        return row["started"], row["ended"]

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """The settings that the replay used, by their names."""
        return tuple(Assumption(**row) for row in self.rows("select key, value, source from assumptions order by key"))

    def frame(self, name: str) -> "pl.DataFrame":
        """One relation, `reconciles` for example, as a polars frame."""
        if not name.isidentifier():
            raise BadQuery(f"{name!r} is no relation: ask `show all tables` for their names")
        frame: pl.DataFrame = self.sql(f"from {name}").pl()
        return frame

    def close(self) -> None:
        """Lets go of the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_results(path: Path) -> Results:
    """Opens a results file read only.

    Raises NotResults where there is none, where DuckDB cannot read it, or where it holds something else.
    """
    if not path.is_file():
        raise NotResults(f"{path} does not exist: `hpaaudit replay RECORDING --into {path}` makes it")
    with path.open("rb") as file:
        # DuckDB would make a database of any CSV or JSON file.
        if file.read(_MAGIC_AT + len(_MAGIC))[_MAGIC_AT:] != _MAGIC:
            raise NotResults(f"{path} is no results file: `hpaaudit replay RECORDING --into FILE` makes one")
    try:
        connection = duckdb.connect(str(path), read_only=True)
    except duckdb.Error as error:
        raise NotResults(f"{path} cannot be opened: {str(error).splitlines()[0]}") from error
    tables = connection.sql(
        "select count(*) from duckdb_tables() where schema_name = 'runs' and table_name = 'reconciles'"
    )
    if tables.fetchall() != [(1,)]:
        connection.close()
        raise NotResults(f"{path} holds no results: `hpaaudit replay RECORDING --into FILE` makes such a file")
    return Results(path, connection)


def _one_line(error: duckdb.Error) -> str:
    """DuckDB's words without its drawing of the place."""
    return " ".join(str(error).split("\nLINE ")[0].split())
