"""Opens a results file, whoever made it, and answers from it: SQL, frames, facts about the replay."""

from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import duckdb

from hpaaudit.errors import BadQuery
from hpaaudit.model.audit import Assumption
from hpaaudit.model.units import Micros
from hpaaudit.results.recorded import Recorded, raise_problem
from hpaaudit.results.safe import Opened, attached, only_reads

if TYPE_CHECKING:
    import polars as pl

Parameter = Any
"""What a question may be asked with: text, number, datetime."""


class Results:
    """A finished results file, open for reading.

    The relations are those of `sql/schema/`, `sql/views/` and `sql/recorded/`; times are UTC. Nothing else that the
    file may hold is run.
    """

    def __init__(self, path: Path, opened: Opened) -> None:
        self.path = path
        self._opened = opened

    def sql(self, text: str, **params: Parameter) -> duckdb.DuckDBPyRelation:
        """The answer to any SQL that only reads; `$name` in it stands for the parameter of that name.

        Raises BadQuery with DuckDB's own words, and what was wrong with the recording that it asks.
        """
        try:
            return self._opened.ask(only_reads(text), text, params)
        except duckdb.Error as error:
            raise self.refused(error) from error

    def rows(self, text: str, **params: Parameter) -> list[dict[str, Any]]:
        """The answer to a question of ours as one mapping per row, by column; raises as `sql`."""
        try:
            answer = self._opened.ask(text, text, params)
            return [dict(zip(answer.columns, row, strict=True)) for row in answer.fetchall()]
        except duckdb.Error as error:
            raise self.refused(error) from error

    def refused(self, error: duckdb.Error) -> BadQuery:
        """DuckDB's words without its drawing of the place; raises what was wrong with the recording if that was it."""
        raise_problem(self._opened.streams.values(), error)
        return BadQuery(" ".join(str(error).split("\nLINE ")[0].split("\nStack Trace")[0].split()))

    @property
    def manifest_sha256(self) -> str:
        """The last hash of the recording that was replayed."""
        found: str = self._replay("manifest_sha256")
        return found

    @property
    def detail(self) -> str:
        """What the replay kept, as `replay --detail` names it."""
        found: str = self._replay("detail")
        return found

    @property
    def recording(self) -> str:
        """Where the recording was."""
        found: str = self._replay("path")
        return found

    @property
    def is_whole(self) -> bool:
        """Whether the whole recording was replayed as it was recorded: no option narrowed or changed it."""
        return bool(self._replay("options") == "")

    def _replay(self, column: str) -> Any:
        return self.rows(f"select {column} from replays")[0][column]  # noqa: S608 our own column's name

    @property
    def hashes(self) -> dict[tuple[int, str], str]:
        """SHA-256 of the recording's files that the views show, by the number of the segment and the table."""
        return self._opened.hashes

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
        answer = self.sql(f"from {name}")
        try:
            frame: pl.DataFrame = answer.pl()
        except duckdb.Error as error:
            raise self.refused(error) from error
        return frame

    def close(self) -> None:
        """Lets go of the file."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_results(path: Path, recorded: Recorded | None = None) -> Results:
    """Opens a results file read only.

    recorded   the recording that it was made from, for the views that show it: it is read when they are asked

    Raises NotResults where there is none, where DuckDB cannot read it, or where it holds something else.
    """
    return Results(path, attached(path, recorded))
