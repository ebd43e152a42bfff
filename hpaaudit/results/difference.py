"""Compares two replays of one recording reconcile by reconcile, and finds where they want different numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from hpaaudit.model.difference import ComparedHpa, Episode, Wanted
from hpaaudit.results import sql
from hpaaudit.results.account_rows import metric
from hpaaudit.results.read import Results


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Two replays side by side.

    own_ids     the reconciles of each episode, by their numbers in the first replay
    other_ids   the same, by their numbers in the second one
    """

    hpas: tuple[ComparedHpa, ...]
    episodes: tuple[Episode, ...]
    own_ids: tuple[tuple[int, ...], ...]
    other_ids: tuple[tuple[int, ...], ...]


def compared(own: Results, other: Results) -> Compared:
    """What two replays of one recording decide otherwise. Both files are only read."""
    texts = sql.folder("difference")
    with duckdb.connect(config={"python_enable_replacements": False}) as connection:
        for name, results in (("own", own), ("other", other)):
            rows = results.read(results.sql(texts["reconciles"]).to_arrow_table)
            connection.register(name, rows)
        connection.execute(texts["paired"])
        hpas = tuple(ComparedHpa(**row) for row in _rows(connection, texts["counts"]))
        rows_of_episodes = _rows(connection, texts["episodes"])
    return Compared(
        hpas=hpas,
        episodes=tuple(map(_episode, rows_of_episodes)),
        own_ids=tuple(tuple(row["own_ids"]) for row in rows_of_episodes),
        other_ids=tuple(tuple(row["other_ids"]) for row in rows_of_episodes),
    )


def _rows(connection: duckdb.DuckDBPyConnection, text: str) -> Sequence[dict[str, Any]]:
    answer = connection.sql(text)
    return [dict(zip(answer.columns, row, strict=True)) for row in answer.fetchall()]


def _episode(row: Mapping[str, Any]) -> Episode:
    return Episode(
        hpa=row["hpa"],
        first_us=row["first_us"],
        last_us=row["last_us"],
        reconciles=row["reconciles"],
        replicas=row["spec_replicas"],
        own=_wanted(row["own"]),
        other=_wanted(row["other"]),
    )


def _wanted(side: Mapping[str, Any]) -> Wanted:
    return Wanted(
        replicas=side["wanted"],
        reason_code=side["reason_code"] or "",
        metric=metric(side) if side["metric_name"] is not None else None,
    )
