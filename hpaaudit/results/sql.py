"""Finds the SQL that travels with the package: a folder of `sql/`, a name a file."""

import re
from collections.abc import Mapping, Sequence
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


def recorded(tables: Mapping[str, str]) -> list[str]:
    """The views on a recording's own files; one whose table has no rows is empty.

    tables   pattern of the Parquet files of each table that has rows
    """
    sources = {table: f"read_parquet({_quoted(pattern)})" for table, pattern in tables.items()}
    return [_over(sources, text) for text in folder("recorded").values()]


def seen(tables: Mapping[str, Sequence[str]], until_us: int) -> list[str]:
    """What copies small facts out of a recording's own files, as far as it has any of them.

    tables     the Parquet files of each table that has rows
    until_us   no later fact is seen
    """
    sources = {
        table: f"read_parquet([{', '.join(_quoted(path) for path in paths)}]) where at_us <= {until_us}"
        for table, paths in tables.items()
    }
    return [_over(sources, text) for text in folder("seen").values() if not _tables(text).isdisjoint(sources)]


def seen_tables() -> set[str]:
    """The tables of a recording that `seen` copies from."""
    return {table for text in folder("seen").values() for table in _tables(text)}


def _tables(text: str) -> set[str]:
    return {match[3] for match in _RECORDED.finditer(text)}


def _over(sources: Mapping[str, str], text: str) -> str:
    def source(match: re.Match[str]) -> str:
        name, columns, table = match.groups()
        if table in sources:
            return f"{name} ({columns}) as (select {columns} from {sources[table]})"  # noqa: S608 our own
        nothing = ", ".join("null" for _ in columns.split(","))
        return f"{name} ({columns}) as (select {nothing} where false)"

    return _RECORDED.sub(source, text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def heading(text: str) -> list[str]:
    """The comment lines that open a file, without their dashes: first its question, then what one row is."""
    lines = []
    for line in text.splitlines():
        if not line.startswith("--"):
            break
        lines.append(line.removeprefix("--").strip())
    return lines
