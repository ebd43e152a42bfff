"""Compares two results files in every column of every relation: `python -m tests.bench.same BEFORE AFTER`.

A change that makes the replay faster must leave every row as it was. Exit code 1: something differs.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb

NOT_COMPARED = {"replay_id", "ran_at", "engine_version"}
"""Columns that say which run it was."""
SHOWN = 3


def differences(before: Path, after: Path) -> Iterator[str]:
    """Yields what differs: a relation that only one file has, other columns, and rows that only one file has."""
    with duckdb.connect() as connection:
        for name, path in (("before", before), ("after", after)):
            connection.execute(f"attach '{path}' as {name} (read_only)")
        ours, theirs = _columns(connection, "before"), _columns(connection, "after")
        for relation in sorted(ours.keys() | theirs.keys()):
            if ours.get(relation) != theirs.get(relation):
                yield f"{relation}: other columns, {ours.get(relation)} and {theirs.get(relation)}"
                continue
            columns = [f'"{column}"' for column, _ in ours[relation] if column not in NOT_COMPARED]
            for here, there in (("before", "after"), ("after", "before")):
                query = _only(f"{here}.main.{relation}", f"{there}.main.{relation}", columns)
                ((rows,),) = connection.sql(f"select count(*) from ({query})").fetchall()  # noqa: S608 our own
                if rows:
                    yield f"{relation}: {rows} rows only {here}, {len(columns)} columns compared"
                    yield from (f"    {row}" for row in connection.sql(f"{query} limit {SHOWN}").fetchall())


def _columns(connection: duckdb.DuckDBPyConnection, name: str) -> dict[str, list[tuple[str, str]]]:
    """The columns and types of the relations that a file shows, by relation. Those on the recording are left out."""
    rows = connection.execute(
        """
        select c.table_name, list((c.column_name, c.data_type) order by c.column_index)
        from duckdb_columns() as c
        join (
            select database_name, schema_name, table_name from duckdb_tables()
            union all
            select database_name, schema_name, view_name from duckdb_views()
        ) as t using (database_name, table_name)
        where database_name = ? and c.schema_name = 'main' and t.schema_name = 'runs'
        group by c.table_name
        """,
        [name],
    ).fetchall()
    return dict(rows)


def _only(here: str, there: str, columns: list[str]) -> str:
    listed = ", ".join(columns)
    return f"select {listed} from {here} except all select {listed} from {there}"  # noqa: S608 our own


def main() -> int:
    """Prints what differs."""
    before, after = map(Path, sys.argv[1:])
    found = list(differences(before, after))
    sys.stdout.write("".join(f"{line}\n" for line in found) or f"{before} and {after} hold the same rows\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
