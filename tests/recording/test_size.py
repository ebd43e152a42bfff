"""What did not change takes almost no bytes, and other programs can read the files."""

from pathlib import Path

import duckdb
import polars as pl
import pytest

from hpaaudit.model.facts import Fact, ResourceMetricsRead
from hpaaudit.model.units import Micros
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.reading.segment import segment_columns, segment_rows
from hpaaudit.recording.writing.writer import Writer


def reads_of(facts: list[Fact]) -> list[ResourceMetricsRead]:
    return [fact for fact in facts if isinstance(fact, ResourceMetricsRead)]


def rows_of(folder: Path, table: str) -> int:
    """Returns how many rows a table has in all segments."""
    return sum(file.rows for part in open_recording(folder).segments if (file := part.file(table)))


def test_an_answer_that_repeats_is_one_row(tmp_path: Path, facts: list[Fact]) -> None:
    first = reads_of(facts)[0]
    with Writer(tmp_path / "same", source="record", started_us=Micros(0)) as writer:
        for _ in range(100):
            writer.add(first)
    assert rows_of(tmp_path / "same", "reads") == 100
    assert rows_of(tmp_path / "same", "samples") == 4  # two pods of two containers


def test_a_failed_read_forgets_nothing(tmp_path: Path, facts: list[Fact]) -> None:
    first, failed = reads_of(facts)[:2]
    with Writer(tmp_path / "same", source="record", started_us=Micros(0)) as writer:
        for fact in (first, failed, first):
            writer.add(fact)
    assert rows_of(tmp_path / "same", "samples") == 4


def test_every_segment_begins_anew(tmp_path: Path, facts: list[Fact]) -> None:
    first = reads_of(facts)[0]
    with Writer(tmp_path / "twice", source="record", started_us=Micros(0)) as writer:
        writer.add(first)
        writer.seal()
        writer.add(first)
    assert rows_of(tmp_path / "twice", "samples") == 8


def test_reads_that_brought_nothing_new_share_their_answer_in_memory(tmp_path: Path, facts: list[Fact]) -> None:
    first = reads_of(facts)[0]
    with Writer(tmp_path / "same", source="record", started_us=Micros(0)) as writer:
        writer.add(first)
        writer.add(first)
    one, two = open_recording(tmp_path / "same").facts()
    assert isinstance(one, ResourceMetricsRead)
    assert isinstance(two, ResourceMetricsRead)
    assert one.samples is two.samples


def test_a_small_recording_is_small(folder: Path) -> None:
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 65_000


@pytest.mark.parametrize("name", TABLES)
def test_duckdb_and_polars_read_the_same_rows(folder: Path, name: str) -> None:
    recording = open_recording(folder)
    segment = next(segment for segment in recording.segments if segment.file(name))
    path = folder / f"segments/{segment.number:06d}/{name}.parquet"
    ours = list(segment_rows(folder, segment, name))
    with duckdb.connect() as connection:
        assert connection.from_parquet(str(path)).fetchall() == ours
    assert pl.read_parquet(path).rows() == ours


def test_a_few_columns_are_read_alone(folder: Path) -> None:
    segment = open_recording(folder).segments[0]
    assert segment_columns(folder, segment, "pods", ["name", "seq"]) == [["checkout-a", "checkout-b"], [7, 8]]
    assert segment_columns(folder, segment, "gaps", ["cause"]) == [[]]
