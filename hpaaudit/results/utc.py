"""Gives times of results, which DuckDB keeps in UTC without a zone, their zone for Python, and takes it off again."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb
    import polars as pl

_TIME = "TIMESTAMP"
_ZONED = "TIMESTAMP WITH TIME ZONE"


def relation_in_utc(relation: "duckdb.DuckDBPyRelation") -> "duckdb.DuckDBPyRelation":
    """The same rows, with timestamps of a zone in UTC, as all others are: Python reads those without a library."""
    quoted = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in relation.columns]
    kinds = [str(kind) for kind in relation.types]
    if not any(_ZONED in kind for kind in kinds) or len(set(quoted)) < len(quoted):
        return relation
    # The session's zone is UTC, so the cast drops nothing. A time may stand in a list, a struct or a map.
    columns = [
        f"{name}::{kind.replace(_ZONED, _TIME)} as {name}" if _ZONED in kind else name
        for name, kind in zip(quoted, kinds, strict=True)
    ]
    return relation.project(", ".join(columns))


def rows_in_utc(kinds: Sequence[object], rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The same rows; each time in them has the zone UTC, so that `at`, `since` and `until` take it.

    kinds   the type of each column, as DuckDB names it
    """
    are_times = [_TIME in str(kind) for kind in kinds]
    if not any(are_times):
        return rows
    return [
        tuple(_value_in_utc(value) if is_time else value for value, is_time in zip(row, are_times, strict=True))
        for row in rows
    ]


def frame_in_utc(frame: "pl.DataFrame") -> "pl.DataFrame":
    """The same frame; each time in it has the zone UTC, also inside lists and structs."""
    import polars as pl

    schema = {name: _dtype_in_utc(kind) for name, kind in frame.schema.items()}
    return frame.with_columns(pl.col(name).cast(kind) for name, kind in schema.items() if kind != frame.schema[name])


def without_zone(value: Any) -> Any:
    """A parameter of SQL; a datetime with a zone becomes UTC without one, as the times of the results are."""
    if isinstance(value, datetime):
        return value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
    if isinstance(value, list | tuple):
        return [without_zone(item) for item in value]
    return {key: without_zone(item) for key, item in value.items()} if isinstance(value, Mapping) else value


def _value_in_utc(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC)
    if isinstance(value, list | tuple):
        return type(value)(map(_value_in_utc, value))
    if isinstance(value, Mapping):
        return {_value_in_utc(key): _value_in_utc(item) for key, item in value.items()}
    return value


def _dtype_in_utc(kind: "pl.DataType") -> "pl.DataType":
    import polars as pl

    match kind:
        case pl.Datetime():
            return pl.Datetime(kind.time_unit, "UTC")
        case pl.List():
            return pl.List(_dtype_in_utc(_instance(kind.inner)))
        case pl.Array():
            return pl.Array(_dtype_in_utc(_instance(kind.inner)), kind.shape[0])
        case pl.Struct():
            return pl.Struct({field.name: _dtype_in_utc(_instance(field.dtype)) for field in kind.fields})
    return kind


def _instance(kind: Any) -> "pl.DataType":
    """A type of polars that may be named by its class."""
    made: pl.DataType = kind() if isinstance(kind, type) else kind
    return made
