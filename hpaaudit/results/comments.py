"""Writes what each relation and column is into the results file, so that every SQL client shows it."""

from collections.abc import Collection, Iterator

import duckdb

from hpaaudit.results import sql

OF_A_REPLAY = {"replay_id": "which replay, of `replays`"}
OF_AN_HPA = {
    **OF_A_REPLAY,
    "hpa_uid": "uid of the HPA, of `hpas`; without one its namespace and name",
    "namespace": "of the HPA",
    "name": "of the HPA",
}
"""What the columns are that begin every relation about an HPA. Its file does not repeat them."""


def comments(connection: duckdb.DuckDBPyConnection, folders: Collection[str]) -> Iterator[str]:
    """The statements that describe relations of schema `main` and their columns, as their SQL does.

    folders   those of `sql/` whose files made the relations
    """
    for folder in folders:
        for name, text in sql.folder(folder).items():
            columns = [column for column, *_ in connection.execute(f"describe main.{name}").fetchall()]
            yield from _comments(name, columns, sql.described(text))


def said(column: str, columns: list[str], heading: sql.Heading) -> str:
    """What a column is; the file's own words come before those that all files share."""
    shared = OF_AN_HPA if columns[: len(OF_AN_HPA)] == [*OF_AN_HPA] else OF_A_REPLAY
    return heading.columns[column] if column in heading.columns else shared[column]


def _comments(name: str, columns: list[str], heading: sql.Heading) -> Iterator[str]:
    yield f"comment on view main.{name} is {_quoted(f'{heading.asks} {heading.row}')}"
    for column in columns:
        yield f'comment on column main.{name}."{column}" is {_quoted(said(column, columns, heading))}'


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
