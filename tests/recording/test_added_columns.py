"""Columns that a table got later: NULL in recordings and logs that were written before, and what was written after."""

import io
from dataclasses import replace
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.model.facts import Fact, HpaGone, HpaSeen
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording.encoding import frames, parquet
from hpaaudit.recording.encoding.row_buffer import tables_of_rows
from hpaaudit.recording.encoding.single_row_facts import to_fact, to_row
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.writing.writer import Writer
from tests.recording.facts import at, hpa, lease

ADDED = [(table.name, column.name) for table in TABLES.values() for column in table.columns if column.added]
LABELLED = replace(hpa(0, "web", 3), labels_json='{"team":"shop"}')
LASTING = replace(lease(at(0)), duration_seconds=60)
FACTS: dict[str, tuple[Fact, Fact]] = {
    "hpas": (LABELLED, replace(LABELLED, labels_json=None)),
    "leases": (LASTING, replace(LASTING, duration_seconds=None)),
}
"""A fact of each table with an added column, as it is written today and as an older version wrote it."""


def without(data: bytes, column: str) -> bytes:
    """A table's file as a version wrote it that did not have the column."""
    file = io.BytesIO()
    pq.write_table(pq.read_table(pa.BufferReader(data)).drop_columns([column]), file, compression="zstd")
    return file.getvalue()


def file_of(fact: Fact) -> tuple[str, bytes]:
    """The table of a fact, and its file with this fact alone."""
    table, row = to_row(0, fact)
    return table, parquet.encode(TABLES[table], tables_of_rows([(table, [row])])[table])


def read(table: str, data: bytes) -> Fact:
    """The one fact of a table's file."""
    names = [column.name for column in TABLES[table].columns]
    rows = parquet.read_table(TABLES[table], data, names, 1)
    assert rows.column_names == names
    ((_, fact),) = (
        to_fact(table, row) for row in zip(*(parquet.to_python(rows.column(name)) for name in names), strict=True)
    )
    return fact


def test_added_columns_stand_last() -> None:
    assert [table for table, _ in ADDED] == [*FACTS]
    for table in TABLES.values():
        assert not any(column.added for column in table.columns[: len(table.columns) - table.added])
        assert all(column.nullable for column in table.columns if column.added)


@pytest.mark.parametrize(("table", "column"), ADDED)
def test_a_file_of_an_older_version_has_null_there(table: str, column: str) -> None:
    today, before = FACTS[table]
    assert file_of(today)[0] == table
    data = file_of(today)[1]
    assert read(table, data) == today
    assert read(table, without(data, column)) == before


def test_a_file_without_any_other_column_is_refused() -> None:
    table, data = file_of(LABELLED)
    for column in TABLES[table].columns[: -TABLES[table].added]:
        with pytest.raises(parquet.BadParquetFile, match=column.name):
            read(table, without(data, column.name))


@pytest.mark.parametrize(("table", "column"), ADDED)
def test_a_log_of_an_older_version_has_null_there(table: str, column: str) -> None:
    today, before = FACTS[table]
    _, row = to_row(0, today)
    assert column in [one.name for one in TABLES[table].columns[-TABLES[table].added :]]
    for written, fact in ((row, today), (row[: -TABLES[table].added], before)):
        body = msgspec.msgpack.encode({table: [written]})
        ((_, logged),) = frames._unpacked(frames._zstd.compress(body, asbytes=True), len(body)).items()
        assert [to_fact(table, one)[1] for one in logged] == [fact]


def test_a_row_of_a_log_that_lacks_another_column_is_refused() -> None:
    _, row = to_row(0, LABELLED)
    body = msgspec.msgpack.encode({"hpas": [row[:-2]]})
    with pytest.raises(ValueError, match="instead of"):
        tables_of_rows(frames._unpacked(frames._zstd.compress(body, asbytes=True), len(body)).items())


def test_recordings_of_before_labels_were_recorded_say_nothing_of_them() -> None:
    recordings = sorted((Path(__file__).parents[2] / "recordings").glob("*/recording.json"))
    old = [path.parent for path in recordings if not _has_labels(path.parent)]
    assert len(old) > 10
    for folder in old:
        assert {*open_recording(folder).labels().values()} == {None}, folder


def _has_labels(recording: Path) -> bool:
    """Whether its files have a column for the labels of HPAs."""
    return any("labels_json" in pq.read_schema(file).names for file in recording.glob("segments/*/hpas.parquet"))


NAMES = st.sampled_from(["web", "api", "pay"])
STATES = st.tuples(NAMES, st.none() | st.sampled_from(["{}", '{"team":"shop"}', '{"team":"bank","tier":"web"}']))


@settings(max_examples=60, deadline=None)
@given(st.lists(STATES | NAMES, min_size=1, max_size=12), st.integers(1, 4))
def test_the_labels_of_an_hpa_are_the_last_that_were_recorded(
    tmp_path_factory: pytest.TempPathFactory, states: list[tuple[str, str | None] | str], sealed_after: int
) -> None:
    """A name alone is the deletion of that HPA: another one may come after it."""
    folder, expected = tmp_path_factory.mktemp("labels") / "recording", dict[str, str | None]()
    with Writer(folder, source="test", started_us=Micros(0)) as writer:
        for number, state in enumerate(states):
            at_us = Micros(number * SECOND)
            if isinstance(state, str):
                writer.add(HpaGone(at_us=at_us, namespace="shop", name=state, uid="u"))
                expected.setdefault(f"shop/{state}", None)
            else:
                name, labels = state
                writer.add(replace(hpa(0, name, 1), at_us=at_us, labels_json=labels))
                expected[f"shop/{name}"] = labels or expected.get(f"shop/{name}")
            if number % sealed_after == 0:
                writer.seal()
    assert open_recording(folder).labels() == expected
    assert [fact.labels_json for fact in open_recording(folder).facts() if isinstance(fact, HpaSeen)] == [
        state[1] for state in states if not isinstance(state, str)
    ]
