"""Keeps a what-if from accusing the controller: what only the asked settings decide otherwise is put down to them."""

from collections.abc import Iterator, Sequence

import duckdb
import pyarrow as pa

from hpaaudit.model.what_if import AskedSetting, Audited, WhatIf
from hpaaudit.results import sql
from hpaaudit.results.read import Results
from hpaaudit.results.statements import run

_SETTINGS = pa.schema([
    ("place", pa.int64()),
    *((name, pa.string()) for name in (
        "key", "value", "alternative", "words", "audited_words", "also_key", "also_value", "also_alternative",
        "third_key", "third_value", "third_alternative",
    )),
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


def audited_in(audit: Results) -> Audited:
    """What the results of an audit say, for its what-ifs."""
    return Audited(**{name: _small(audit, text) for name, text in sql.folder("audited").items()})


def mismatches(audit: Results) -> pa.Table:
    """The reconciles that do not match."""
    return _small(audit, sql.folder("audited")["mismatches"])


def _small(audit: Results, text: str) -> pa.Table:
    """The answer to a query. Each text stands once in it, however many rows have it."""
    reader = pa.RecordBatchReader.from_stream(audit.sql(text))
    schema = pa.schema([
        (field.name, pa.dictionary(pa.int32(), pa.string()) if pa.types.is_string(field.type) else field.type)
        for field in reader.schema
    ])  # fmt: skip
    parts = audit.read(lambda: [pa.Table.from_batches([batch]).cast(schema) for batch in reader])
    return pa.concat_tables([schema.empty_table(), *parts]).unify_dictionaries()


class AskedSettings:
    """The settings of a what-if, beside the audit of the same recording."""

    def __init__(self, what_if: WhatIf) -> None:
        self._what_if = what_if

    def begin(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Brings in the settings and what the audit says, as temporary tables and variables."""
        for name in sql.folder("audited"):
            _create(connection, f"audited_{name}", getattr(self._what_if.audited, name))
        settings = self._what_if.settings
        _create(connection, "asked_settings", pa.Table.from_pylist([*_rows(settings)], schema=_SETTINGS))
        connection.execute("create temp table left_by as select 0 as place, * from audited_mismatches limit 0")
        for place, one in enumerate(settings):
            if one.left is not None:
                connection.register("arrived", one.left)
                connection.execute("insert into left_by select $place, * from arrived", {"place": place})
                connection.unregister("arrived")
        connection.execute("set variable moves_times = $moves", {"moves": self._what_if.moves_times})

    def after(self, connection: duckdb.DuckDBPyConnection, audit: str) -> None:
        """Corrects what a query of `sql/audit/` found."""
        if audit in _AFTER:
            run(connection, sql.folder("what_if")[_AFTER[audit]])

    def finish(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Adds the rows of `sensitivity`, when all others are there."""
        run(connection, sql.folder("what_if")["sensitivity"])


def _rows(settings: Sequence[AskedSetting]) -> Iterator[dict[str, str | int]]:
    """A row for each setting; of several one more row for all together, which names the first three of them."""
    for place, one in enumerate(settings):
        yield {"place": place, **_told(one), "words": _asked(one), "audited_words": _audited(one)}
    if len(settings) > 1:
        yield {
            "place": _TOGETHER,
            **_told(settings[0]),
            **{f"also_{name}": value for name, value in _told(settings[1]).items()},
            **{f"third_{name}": value for one in settings[2:3] for name, value in _told(one).items()},
            "words": " and ".join(map(_asked, settings)),
            "audited_words": " and ".join(map(_audited, settings)),
        }


def _told(one: AskedSetting) -> dict[str, str | int]:
    return {"key": one.kind, "value": one.value, "alternative": one.alternative}


def _asked(one: AskedSetting) -> str:
    """`tolerance 0.3`, `ScaleToZero off`."""
    return f"{one.key} {one.value.rpartition(' ')[2]}"


def _audited(one: AskedSetting) -> str:
    return f"{one.key} {one.recorded} ({'recorded' if one.is_recorded else 'assumed'})"


def _create(connection: duckdb.DuckDBPyConnection, name: str, rows: pa.Table) -> None:
    connection.register("arrived", rows)
    connection.execute(f"create temp table {name} as from arrived")
    connection.unregister("arrived")
