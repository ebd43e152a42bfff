"""Finds the SQL that travels with the package: a folder of `sql/`, a name a file."""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files


@lru_cache(maxsize=16)
def folder(name: str) -> dict[str, str]:
    """Every file of `sql/<name>/` under its stem, in the order of the names."""
    found = files("hpaaudit") / "sql" / name
    texts = {
        entry.name.removesuffix(".sql"): entry.read_text("utf-8")
        for entry in found.iterdir()
        if entry.name.endswith(".sql")
    }
    return dict(sorted(texts.items()))


_GLOB = re.compile(r"[\[*?]")
_RECORDED = re.compile(r"(\w+) \(([^)]*)\) as \(\s*\{(\w+)\}\s*\)")


def recorded(paths: Mapping[str, Sequence[str]], held: Collection[str]) -> dict[str, str]:
    """The views on a recording's own files, by name; one whose table has no rows is empty.

    paths   of the Parquet files of each table that has rows in files
    held    tables of which `recorded` has rows that were in no file yet
    """
    sources = {table: _parquet(files) for table, files in paths.items()}
    for table in held:
        rows = f"from recorded.{table}"
        sources[table] = f"(from {sources[table]} union all by name {rows})" if table in sources else f"({rows})"
    return {name: over(sources, text) for name, text in folder("recorded").items()}


def _parquet(files: Sequence[str]) -> str:
    """These very files: a letter that means more in a pattern means itself, `a=b` in a path is no column."""
    listed = ", ".join("'" + _GLOB.sub(r"[\g<0>]", path).replace("'", "''") + "'" for path in files)
    return f"read_parquet([{listed}], hive_partitioning = false)"


def recorded_columns() -> dict[str, list[str]]:
    """The tables of a recording that those views ask, and all columns that they ask of each."""
    found: dict[str, list[str]] = {}
    for text in folder("recorded").values():
        for table, columns in asked(text).items():
            known = found.setdefault(table, [])
            known += [column for column in columns if column not in known]
    return found


def asked(text: str) -> dict[str, list[str]]:
    """The tables of a recording that a query asks, and which columns of each."""
    return {
        table: [column.strip().strip('"') for column in columns.split(",")]
        for _, columns, table in _RECORDED.findall(text)
    }


def over(sources: Mapping[str, str], text: str) -> str:
    """A query with its recorded tables in their places; one without a source is empty."""

    def source(match: re.Match[str]) -> str:
        name, columns, table = match.groups()
        if table in sources:
            return f"{name} ({columns}) as (select {columns} from {sources[table]})"  # noqa: S608 our own
        nothing = ", ".join("null" for _ in columns.split(","))
        return f"{name} ({columns}) as (select {nothing} where false)"

    return _RECORDED.sub(source, text)


def heading(text: str) -> list[str]:
    """The comment lines that open a file, without their dashes: first its question, then what one row is."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("--"):
            break
        lines.append(line.removeprefix("--").strip())
    return lines
