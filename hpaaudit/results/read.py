"""Opens a results file and answers from it: SQL, polars frames, and how the replay was run."""

from collections.abc import Callable, Collection
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import duckdb

from hpaaudit.errors import BadQuery
from hpaaudit.model.shown import Shown
from hpaaudit.model.span import Span, is_part
from hpaaudit.results.read_only import AttachedResults, attached, only_reads
from hpaaudit.results.recorded_streams import Recorded, raise_problem
from hpaaudit.results.utc import frame_in_utc, without_zone

if TYPE_CHECKING:
    import polars as pl

    from hpaaudit.model.audit import Assumption

Read = TypeVar("Read")

Parameter = Any
"""A value for `$name` in SQL: text, number or datetime."""

_OF_THE_PACKAGE = frozenset({"bad_query", "hashes", "is_narrowed", "is_part", "narrow", "options", "read", "rows"})
"""Names that only the package itself uses: `dir(results)` does not list them."""


_FUNCTIONS = frozenset({"explain", "query", "replay", "report", "timeline"})
"""Functions of the package, such as `hpaaudit.explain(results)`, that some look for as methods of results."""


class Results(Shown):
    """A results file, open for reading.

    Each relation is an attribute, a polars frame, for example `results.reconciles`; `dir(results)` lists them.

    Its relations are those of `sql/schema/`, `sql/views/` and `sql/recorded/`. Times are UTC: frames have them
    with that zone, a relation of DuckDB, as `sql` returns it, without. Views and macros that the file itself may hold
    are not run.
    """

    def __init__(self, path: Path, attached_results: AttachedResults) -> None:
        self.path = path
        self.is_narrowed = False
        self._is_closed = False
        self._attached = attached_results

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {str(self.path)!r}>"

    def sql(self, text: str, **params: Parameter) -> duckdb.DuckDBPyRelation:
        """The answer to SQL that only reads. `$name` in it is replaced by the parameter of that name.

        A datetime with a zone may be such a parameter. The times of the relation have none, as in DuckDB.

        Raises BadQuery with DuckDB's message, or the error of the recording if the query reads it.
        """
        try:
            return self._attached.ask(only_reads(text), text, without_zone(params))
        except duckdb.Error as error:
            raise self.bad_query(error) from error

    def rows(self, text: str, **params: Parameter) -> list[dict[str, Any]]:
        """The rows of the answer as dictionaries by column; times have no zone, as in DuckDB. Raises as `sql`."""
        try:
            columns, rows = self._attached.rows(text, without_zone(params))
        except duckdb.Error as error:
            raise self.bad_query(error) from error
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def read(self, work: Callable[[], Read]) -> Read:
        """The result of `work`, which reads a relation that `sql` returned. Ctrl-C ends it at once. Raises as `sql`."""
        try:
            return self._attached.interruptible(work)
        except duckdb.Error as error:
            raise self.bad_query(error) from error

    def bad_query(self, error: duckdb.Error) -> BadQuery:
        """DuckDB's message in one line, as an error to raise. Raises the recording's error if that was the cause."""
        if self._is_closed:
            return BadQuery(f"these results are closed: open {self.path} again")
        raise_problem(self._attached.streams.values(), error)
        return BadQuery(" ".join(str(error).split("\nLINE ")[0].split("\nStack Trace")[0].split()))

    @property
    def manifest_sha256(self) -> str:
        """The hash of the recording's last manifest when it was replayed."""
        value: str = self._replay("manifest_sha256")
        return value

    @property
    def detail(self) -> str:
        """The amount of detail that the replay kept, as in `replay --detail`."""
        value: str = self._replay("detail")
        return value

    @property
    def recording(self) -> str:
        """The path of the recording when it was replayed."""
        value: str = self._replay("path")
        return value

    @property
    def is_whole(self) -> bool:
        """True if no option narrowed or changed the replay."""
        return self.options == ""

    def _replay(self, column: str) -> Any:
        return self.rows(f"select {column} from replays")[0][column]  # noqa: S608 our own column's name

    @property
    def labels(self) -> dict[str, str | None]:
        """The labels that each HPA had last, as JSON, by `namespace/name`; None if they were not recorded."""
        text = "select namespace || '/' || name as hpa, labels::varchar as labels from hpas order by seen_at, hpa_uid"
        known: dict[str, str | None] = {}
        for row in self.rows(text):
            known[row["hpa"]] = row["labels"] or known.get(row["hpa"])
        return known

    def narrow(self, hpas: Collection[str]) -> None:
        """Shows only the rows of these HPAs (`namespace/name`) from now on, in each relation that is about HPAs."""
        rows = self.rows(
            "select hpa_uid from hpas where namespace || '/' || name in (select unnest($hpas))", hpas=[*hpas]
        )
        self._attached.narrow(hpas, [row["hpa_uid"] for row in rows])
        self.is_narrowed = True

    @property
    def hashes(self) -> dict[tuple[int, str], str]:
        """SHA-256 of the recording's files that the views read, by segment number and table."""
        return self._attached.hashes

    @property
    def is_part(self) -> bool:
        """True if the replay shows a part of the recording's time alone: `--since` or `--until` was given."""
        return is_part(self.options)

    @property
    def options(self) -> str:
        """The options that narrowed or changed the replay, written as on its command line; empty if none did."""
        value: str = self._replay("options")
        return value

    @property
    def span(self) -> Span:
        """Begin and end of the recording, or of the part of it that is shown."""
        row = self.rows("select epoch_us(started_at) as started, epoch_us(ended_at) as ended from recordings")[0]
        if self.is_part:
            return Span(row["started"], row["ended"], f"{self.path}, which shows the recording only")
        return Span(row["started"], row["ended"])

    @property
    def assumptions(self) -> "tuple[Assumption, ...]":
        """The settings of the replay, ordered by name."""
        from hpaaudit.model.audit import Assumption

        return tuple(
            Assumption(**row)
            for row in self.rows("select key, value, source, in_place_of from assumptions order by key")
        )

    def frame(self, name: str) -> "pl.DataFrame":
        """A relation as a polars frame, for example `reconciles`; its times have the zone UTC. Raises as `sql`."""
        if not name.isidentifier():
            raise BadQuery(f"{name!r} is not a relation: `show all tables` lists them")
        frame: pl.DataFrame = self.read(self.sql(f"from {name}").pl)
        return frame_in_utc(frame)

    def __getattr__(self, name: str) -> "pl.DataFrame":
        """The relation of this name as a polars frame."""
        if name.startswith("_") or name not in self._relations():
            hint = "dir(results) lists them"
            if name in _FUNCTIONS:
                hint = f"hpaaudit.{name}(results, …) is a function"
            raise AttributeError(f"results have no relation {name!r}: {hint}")
        return self.frame(name)

    def __dir__(self) -> list[str]:
        # The views show the encoded tables, and the texts that these count on, as they are meant to be read.
        relations = (name for name in self._relations() if not name.startswith("encoded_") and name != "texts")
        return sorted({*super().__dir__(), *relations} - _OF_THE_PACKAGE)

    def _relations(self) -> list[str]:
        """The names of all relations."""
        rows = self.rows("""
            select distinct table_name from information_schema.tables
            where table_schema in ('main', 'runs') and table_name not like '\\_%' escape '\\'
            order by table_name
        """)
        return [row["table_name"] for row in rows]

    def close(self) -> None:
        """Closes the file."""
        self._is_closed = True
        self._attached.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_results(path: Path, recorded: Recorded | None = None) -> Results:
    """Opens a results file read-only.

    recorded   the recording that was replayed. Some views read it, when they are queried

    Raises NotResults if there is no file, DuckDB cannot read it, or it holds something else.
    """
    return Results(path, attached(path, recorded))
