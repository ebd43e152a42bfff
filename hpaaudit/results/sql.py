"""Reads the SQL files of the package, and fills in where they read a recorded table from."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files


@lru_cache(maxsize=16)
def folder(name: str) -> dict[str, str]:
    """The texts of the files in `sql/<name>/` by file name without `.sql`, in the order of the names."""
    path = files("hpaaudit") / "sql" / name
    texts = {
        entry.name.removesuffix(".sql"): entry.read_text("utf-8")
        for entry in path.iterdir()
        if entry.name.endswith(".sql")
    }
    return dict(sorted(texts.items()))


EVENTS = "k8s_events"
"""The table of Events, of HPAs and of others."""
_NAME = re.compile(r"\w+")
_COLUMN = re.compile(r"^    (\w+) (.+?),?$", re.MULTILINE)


@lru_cache(maxsize=1)
def declared() -> Mapping[str, dict[str, str]]:
    """The columns of our tables with their types, by table, as `sql/schema` declares them."""
    return {table: dict(_COLUMN.findall(text)) for table, text in folder("schema").items()}


@lru_cache(maxsize=1)
def relations() -> frozenset[str]:
    """Every relation that results have: tables, views, and views on the recording."""
    return frozenset({*declared(), *folder("views"), *recorded_columns()})


@lru_cache(maxsize=1)
def of_hpas() -> frozenset[str]:
    """The relations that are about HPAs: the tables whose rows are of one each, their Events, and the views on them."""
    tables = {table for table, columns in declared().items() if "hpa_uid" in columns}
    views = (name for name, text in folder("views").items() if tables & {*_NAME.findall(text)})
    return frozenset({*tables, EVENTS, *views})


_GLOB = re.compile(r"[\[*?]")
_RECORDED = re.compile(r"(\w+) \(([^)]*)\) as \(\s*\{(\w+)\}\s*\)")


def recorded(paths: Mapping[str, Sequence[str]], copied: Collection[str]) -> dict[str, str]:
    """The views on a recording's own files, by name. They are for plain DuckDB: `hpaaudit query` replaces them.

    paths   the Parquet files of each table that has rows in files
    copied  the tables whose rows in the log were copied into the schema `recorded`
    """
    sources = {table: _parquet(files) for table, files in paths.items()}
    for table in copied:
        rows = f"from recorded.{table}"
        sources[table] = f"(from {sources[table]} union all by name {rows})" if table in sources else f"({rows})"
    return {name: with_sources(text, sources) for name, text in folder("recorded").items()}


def _parquet(files: Sequence[str]) -> str:
    """A scan of these files. Characters of glob patterns are escaped, and `a=b` in a path is not a column."""
    listed = ", ".join("'" + _GLOB.sub(r"[\g<0>]", path).replace("'", "''") + "'" for path in files)
    return f"read_parquet([{listed}], hive_partitioning = false)"


def recorded_columns() -> dict[str, list[str]]:
    """The recorded tables that the views on a recording read, and all columns that they read of each."""
    columns_of: dict[str, list[str]] = {}
    for text in folder("recorded").values():
        for table, columns in recorded_tables_of(text).items():
            columns_of_table = columns_of.setdefault(table, [])
            columns_of_table += [column for column in columns if column not in columns_of_table]
    return columns_of


def recorded_tables_of(text: str) -> dict[str, list[str]]:
    """The recorded tables that a query reads, and the columns of each.

    A query names them in a `with` clause: `pods (seq, name) as ({pods})`.
    """
    return {
        table: [column.strip().strip('"') for column in columns.split(",")]
        for _, columns, table in _RECORDED.findall(text)
    }


def with_sources(text: str, sources: Mapping[str, str]) -> str:
    """The query with its recorded tables read from these sources. A table without a source is empty."""

    def source(match: re.Match[str]) -> str:
        name, columns, table = match.groups()
        if table in sources:
            return f"{name} ({columns}) as (select {columns} from {sources[table]})"  # noqa: S608 our own
        nothing = ", ".join("null" for _ in columns.split(","))
        return f"{name} ({columns}) as (select {nothing} where false)"

    return _RECORDED.sub(source, text)


def heading(text: str) -> list[str]:
    """The comment lines at the top of a file, without their dashes: its question, then what one row is."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("--"):
            break
        lines.append(line.removeprefix("--").strip())
    return lines


_COLUMNS = "Columns:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """What a file says at its top.

    asks      the question that it answers
    row       what one row of the answer is
    columns   what each column is, in order; empty if the file does not say
    """

    asks: str
    row: str
    columns: Mapping[str, str]


def described(text: str) -> Heading:
    """The heading of a file that describes its columns: a line `name: what` for each, below `Columns:`."""
    asks, *rest = heading(text)
    here = rest.index(_COLUMNS) if _COLUMNS in rest else len(rest)
    columns = dict(line.split(": ", 1) for line in rest[here + 1 :])
    return Heading(asks=asks, row=" ".join(rest[:here]), columns=columns)
