"""The large tables of a results file: they hold numbers for texts, and views show them as `sql/schema` declares them.

To write a number takes DuckDB a third of the time that a text takes. Texts that always go together share one number:
`object` stands for uid, namespace and name of an HPA. Table `runs.texts` has one row, with a list of texts for each
column; a number is a place in these lists, from 0.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

from hpaaudit.results import sql

_TOGETHER = {
    "object": ("hpa_uid", "namespace", "name"),
    "able": ("able_status", "able_reason"),
    "active": ("active_status", "active_reason"),
    "limited": ("limited_status", "limited_reason"),
    "metric": ("metric_type", "metric_name", "target_type"),
}
"""Columns of texts that share a number, by the column that holds it."""
_PLAIN = {"reconciles": {"decided_source", "verdict", "class", "missing_input"}, "metric_proposals": set[str]()}
"""The encoded tables, and those of their texts that are stored as texts, because the audit makes or changes them."""
ENCODED = tuple(_PLAIN)
TEXTS = "texts"


def stored(table: str) -> str:
    """The name under which an encoded table is stored."""
    return f"encoded_{table}"


@lru_cache(maxsize=8)
def codes(table: str) -> Mapping[str, tuple[str, ...]]:
    """The columns of an encoded table that hold numbers for texts, each with the columns that its texts belong to."""
    texts = [name for name, kind in sql.declared()[table].items() if kind == "varchar" and name not in _PLAIN[table]]
    together = {code: columns for code, columns in _TOGETHER.items() if columns[0] in texts}
    shared = {name for columns in together.values() for name in columns}
    return {**together, **{name: (name,) for name in texts if name not in shared}}


def columns(table: str) -> dict[str, str]:
    """The stored columns of an encoded table, with their types."""
    texts = {name for names in codes(table).values() for name in names}
    others = {name: kind for name, kind in sql.declared()[table].items() if name not in texts}
    return {**dict.fromkeys(codes(table), "integer"), **others}


def texts() -> dict[str, tuple[str, ...]]:
    """The columns of texts of all encoded tables, by the column that holds their number."""
    return {code: names for table in ENCODED for code, names in codes(table).items()}


@lru_cache(maxsize=1)
def tables() -> Mapping[str, dict[str, str]]:
    """The tables of schema `runs` as they are stored: their columns with types, by name."""
    plain = {table: typed for table, typed in sql.declared().items() if table not in ENCODED}
    lists = dict.fromkeys((name for names in texts().values() for name in names), "varchar[]")
    return {**plain, TEXTS: lists, **{stored(table): columns(table) for table in ENCODED}}


def creation() -> Iterator[str]:
    """The statements that create the encoded tables, their texts, and the views on them."""
    for name in (TEXTS, *map(stored, ENCODED)):
        listed = ", ".join(f'"{column}" {kind}' for column, kind in tables()[name].items())
        yield f"create table runs.{name} ({listed})"
    for table in ENCODED:
        listed = ", ".join(f'{value} as "{name}"' for name, value in values(table, tables()).items())
        yield f"create view runs.{table} as select {listed} from {source_of(table)}"  # noqa: S608 our own names


def source_of(table: str, database: str = "") -> str:
    """What a query reads an encoded table from, for the expressions of `values`; `database` ends with a dot."""
    return f"{database}runs.{stored(table)} as r cross join {database}runs.texts as t"


def values(table: str, in_file: Mapping[str, Collection[str]]) -> dict[str, str]:
    """The SQL of each column that `sql/schema` declares for an encoded table; a column that the file lacks is missing.

    in_file   the columns of the file's tables, by table
    """
    code_of = {name: code for code, names in codes(table).items() for name in names}
    there = in_file[stored(table)]
    return {
        name: f't."{name}"[r."{code_of[name]}" + 1]' if name in code_of else f'r."{name}"'
        for name in sql.declared()[table]
        if code_of.get(name, name) in there and (name not in code_of or name in in_file[TEXTS])
    }
