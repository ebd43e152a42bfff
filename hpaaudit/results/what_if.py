"""Keeps a what-if from accusing the controller: what only the asked settings decide otherwise is put down to them."""

from collections.abc import Iterable, Iterator, Sequence

import duckdb
import pyarrow as pa

from hpaaudit.model.what_if import AskedSetting, Row, WhatIf
from hpaaudit.results import sql
from hpaaudit.results.statements import run

_WHERE, _WHEN, _TEXT = ("hpa_uid", pa.string()), pa.timestamp("us"), pa.string()
_TABLES = {
    "mismatches": pa.schema([
        _WHERE, ("ts", _WHEN), ("reconcile_id", pa.int64()), ("verdict", _TEXT), ("class", _TEXT),
        ("missing_input", _TEXT), ("is_alike", pa.bool_()),
    ]),
    "writers": pa.schema([
        _WHERE, ("at_hi", _WHEN), ("from_replicas", pa.int32()), ("to_replicas", pa.int32()), ("writer_class", _TEXT),
        ("writer_name", _TEXT), ("evidence_level", _TEXT),
    ]),
    "reports": pa.schema([_WHERE, ("ts", _WHEN), ("class", _TEXT)]),
    "findings": pa.schema([_WHERE, ("pattern", _TEXT)]),
}  # fmt: skip
"""The columns of what the audit says, table by table."""

_LEFT = pa.schema([("place", pa.int64()), *_TABLES["mismatches"]])
_SETTINGS = pa.schema([
    ("place", pa.int64()), ("key", _TEXT), ("value", _TEXT), ("alternative", _TEXT), ("words", _TEXT),
    ("audited_words", _TEXT), ("also_key", _TEXT), ("also_value", _TEXT), ("also_alternative", _TEXT),
])  # fmt: skip
_TOGETHER = -1
"""In place of the place of a setting: it takes all of them to make the difference."""

_AFTER = {
    "40_actual_scale_events": "writers",
    "50_verdicts": "verdicts",
    "64_divergences": "divergences",
    "66_reports": "reports",
    "69_found": "findings",
}
"""Queries of `sql/audit/`, and the one of `sql/what_if/` that corrects what each found."""


class AskedSettings:
    """The settings of a what-if, beside the audit of the same recording."""

    def __init__(self, what_if: WhatIf) -> None:
        self._what_if = what_if

    def begin(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Brings in the settings and what the audit says, as temporary tables and variables."""
        for name, schema in _TABLES.items():
            _create(connection, f"audited_{name}", getattr(self._what_if.audited, name), schema)
        settings = self._what_if.settings
        left = [{"place": place, **row} for place, one in enumerate(settings) for row in one.left]
        _create(connection, "left_by", left, _LEFT)
        _create(connection, "asked_settings", _rows(settings), _SETTINGS)
        connection.execute("set variable moves_times = $moves", {"moves": self._what_if.moves_times})

    def after(self, connection: duckdb.DuckDBPyConnection, audit: str) -> None:
        """Corrects what a query of `sql/audit/` found."""
        if audit in _AFTER:
            run(connection, sql.folder("what_if")[_AFTER[audit]])

    def finish(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Adds the rows of `sensitivity`, when all others are there."""
        run(connection, sql.folder("what_if")["sensitivity"])


def _rows(settings: Sequence[AskedSetting]) -> Iterator[Row]:
    """A row for each setting, and of several one for all of them, which names the first two as `sensitivity` does."""
    for place, one in enumerate(settings):
        yield {"place": place, **_told(one), "words": _asked(one), "audited_words": _audited(one)}
    if len(settings) > 1:
        yield {
            "place": _TOGETHER,
            **_told(settings[0]),
            **{f"also_{name}": value for name, value in _told(settings[1]).items()},
            "words": " and ".join(map(_asked, settings)),
            "audited_words": " and ".join(map(_audited, settings)),
        }


def _told(one: AskedSetting) -> Row:
    return {"key": one.kind, "value": one.value, "alternative": one.alternative}


def _asked(one: AskedSetting) -> str:
    """`tolerance 0.3`, `ScaleToZero off`."""
    return f"{one.key} {one.value.rpartition(' ')[2]}"


def _audited(one: AskedSetting) -> str:
    return f"{one.key} {one.recorded} ({'recorded' if one.is_recorded else 'assumed'})"


def _create(connection: duckdb.DuckDBPyConnection, name: str, rows: Iterable[Row], schema: pa.Schema) -> None:
    connection.register("arrived", pa.Table.from_pylist([dict(row) for row in rows], schema=schema))
    connection.execute(f"create temp table {name} as from arrived")
    connection.unregister("arrived")
