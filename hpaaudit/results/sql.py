"""Finds the SQL that travels with the package: a folder of `sql/`, a name a file."""

import re
from collections.abc import Mapping
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


_RECORDED = re.compile(r"(\w+) \(([^)]*)\) as \(\s*\{(\w+)\}\s*\)")


def recorded(tables: Mapping[str, str], held: Mapping[str, int]) -> list[str]:
    """The views on a recording's own files; one whose table has no rows is empty.

    tables   pattern of the Parquet files of each table that has rows in files
    held     tables of which `recorded` has rows that were in no file yet, each with the number of its first fact:
             when they are in one, they are not told twice
    """
    quoted = {table: pattern.replace("'", "''") for table, pattern in tables.items()}
    sources = {table: f"read_parquet('{pattern}')" for table, pattern in quoted.items()}
    for table, first_seq in held.items():
        rows = f"select * from recorded.{table}"  # noqa: S608 our own
        if table in sources:
            rows = f"select * from {sources[table]} where seq < {first_seq} union all by name {rows}"  # noqa: S608 our own
        sources[table] = f"({rows})"
    return [over(sources, text) for text in folder("recorded").values()]


def recorded_tables() -> set[str]:
    """The tables of a recording that those views ask."""
    return {table for text in folder("recorded").values() for table in asked(text)}


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
