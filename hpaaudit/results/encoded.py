"""The large tables of a results file: they hold numbers for texts, and views show them as `sql/schema` declares them.

To write a number takes DuckDB a third of the time that a text takes. Texts that always go together share one number:
`object` stands for uid, namespace and name of an HPA. Table `runs.texts` has one row, with a list of texts for each
column; a number is a place in these lists, from 0.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

import duckdb

from hpaaudit.results import sql

_TOGETHER = {
    "object": ("hpa_uid", "namespace", "name"),
    "able": ("able_status", "able_reason"),
    "active": ("active_status", "active_reason"),
    "limited": ("limited_status", "limited_reason"),
    "metric": ("metric_type", "metric_name", "metric_label", "target_type"),
}
"""Text columns that always go together and share one number: the column of the number, and theirs."""
_PLAIN = {"reconciles": {"decided_source", "verdict", "class", "missing_input"}, "metric_proposals": set[str]()}
"""The encoded tables, and those of their texts that are stored as texts, because the audit makes or changes them."""
ENCODED = tuple(_PLAIN)
TEXTS = "texts"


def stored(table: str) -> str:
    """The name under which an encoded table is stored."""
    return f"encoded_{table}"


@lru_cache(maxsize=8)
def codes(table: str) -> Mapping[str, tuple[str, ...]]:
    """The columns in which an encoded table stores numbers, each with the text columns that its numbers stand for."""
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
        columns, source = reading(table, tables())
        listed = ", ".join(f'{value} as "{name}"' for name, value in columns.items())
        yield f"create view runs.{table} as select {listed} from {source}"  # noqa: S608 our own names


def columns_in(connection: duckdb.DuckDBPyConnection, database: str) -> dict[str, set[str]]:
    """The columns of each table in schema `runs` of an attached results file. Views are left out: any may be there."""
    columns_of: dict[str, set[str]] = {}
    for table, column in connection.execute(
        """
        select table_name, column_name
        from duckdb_columns()
        semi join duckdb_tables() using (database_name, schema_name, table_name)
        where database_name = $database and schema_name = 'runs'
        """,
        {"database": database},
    ).fetchall():
        columns_of.setdefault(table, set()).add(column)
    return columns_of


def reading(table: str, in_file: Mapping[str, Collection[str]], database: str = "") -> tuple[dict[str, str], str]:
    """How a query reads a table as `sql/schema` declares it: the SQL of each column that the file has, and a source.

    in_file    the columns of the file's tables, by table; an older hpaaudit stored no numbers, and fewer columns
    database   the name of the attached file with a dot; empty: the current one
    """
    declared = sql.declared()[table]
    if table not in ENCODED or not {stored(table), TEXTS} <= in_file.keys():
        return {name: f'"{name}"' for name in declared if name in in_file.get(table, ())}, f"{database}runs.{table}"
    code_of = {name: code for code, names in codes(table).items() for name in names}
    columns = {
        name: f't."{name}"[r."{code_of[name]}" + 1]' if name in code_of else f'r."{name}"'
        for name in declared
        if code_of.get(name, name) in in_file[stored(table)] and (name not in code_of or name in in_file[TEXTS])
    }
    return columns, f"{database}runs.{stored(table)} as r cross join {database}runs.texts as t"
