"""A recording read as columns holds the same as read as rows; its watched facts are those that are no reads."""

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.errors import DamagedRecording
from hpaaudit.model.facts import Fact, Reconciled, ResourceMetricsRead, ScaleRead, ValuesRead
from hpaaudit.model.fleet_columns import Columns, Numbers, Slice, Words
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.reading.segment import segment_rows

REPOSITORY = Path(__file__).parents[2]
BUNDLED = sorted(path.parent for path in (REPOSITORY / "recordings").glob("*/recording.json"))


def values(column: Numbers | Words) -> list[Any]:
    """Returns a column as Python values, None where it is NULL."""
    if isinstance(column, Words):
        return [None if code < 0 else column.words[code] for code in column.codes.tolist()]
    if column.missing is None:
        return column.values.tolist()
    return [None if missing else value for value, missing in zip(column.values.tolist(), column.missing, strict=True)]


def as_rows(columns: Columns) -> list[tuple[Any, ...]]:
    """Returns a table row by row."""
    return list(zip(*map(values, columns.values()), strict=True))


def slices_of(recording: Path) -> list[Slice]:
    """Returns all slices of a recording."""
    return list(open_recording(recording).slices())


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.name)
def test_slices_of_a_bundled_recording_hold_what_its_rows_hold(path: Path) -> None:
    for segment, part in zip(open_recording(path).segments, slices_of(path), strict=True):
        for table, columns in part.tables.items():
            assert as_rows(columns) == list(segment_rows(path, segment, table)), table


def test_slices_hold_what_the_rows_hold_of_every_table_with_its_nulls(folder: Path) -> None:
    tables = set()
    for segment, part in zip(open_recording(folder).segments, slices_of(folder), strict=True):
        assert (part.number, part.first_seq, part.facts) == (segment.number, segment.first_seq, segment.facts)
        assert (part.first_us, part.last_us) == (segment.first_us, segment.last_us)
        assert set(part.tables) == {file.table for file in segment.files}
        for table, columns in part.tables.items():
            tables.add(table)
            assert list(columns) == [column.name for column in TABLES[table].columns]
            # As text too: 1 equals True, and would not be the same value.
            assert repr(as_rows(columns)) == repr(list(segment_rows(folder, segment, table)))
    assert tables == set(TABLES)


def test_numbers_are_zero_where_they_are_missing_and_say_nothing_of_it_where_all_are_there(folder: Path) -> None:
    samples = slices_of(folder)[1].tables["samples"]
    memory, cpu = samples["memory_bytes"], samples["cpu_milli"]
    assert isinstance(memory, Numbers)
    assert isinstance(cpu, Numbers)
    assert memory.missing is not None
    assert memory.values[memory.missing].tolist() == [0] * int(memory.missing.sum()) != []
    assert cpu.missing is None
    assert (str(cpu.values.dtype), str(samples["gone"].values.dtype)) == ("int64", "bool")  # type: ignore[union-attr]


def test_a_word_stands_once_however_often_it_is_said(folder: Path) -> None:
    for table in ("samples", "pods", "events"):
        for part in slices_of(folder):
            for column in part.tables.get(table, {}).values():
                if isinstance(column, Words):
                    assert len(set(column.words)) == len(column.words)
                    assert str(column.codes.dtype) == "int32"


def test_nobody_changes_a_column(folder: Path) -> None:
    for columns in slices_of(folder)[0].tables.values():
        for column in columns.values():
            arrays = [column.codes] if isinstance(column, Words) else [column.values]
            assert not any(array.flags.writeable for array in arrays)


def test_only_the_tables_and_columns_that_are_wanted_are_read(folder: Path) -> None:
    (folder / "segments/000003/gaps.parquet").write_bytes(
        bytes((folder / "segments/000003/gaps.parquet").stat().st_size)
    )
    parts = list(open_recording(folder).slices(["samples", "reads"], columns={"samples": {"cpu_milli", "seq"}}))
    assert [sorted(part.tables) for part in parts] == [["reads", "samples"]] * 3
    assert list(parts[0].tables["samples"]) == ["seq", "cpu_milli"]
    assert list(parts[0].tables["reads"]) == [column.name for column in TABLES["reads"].columns]


def test_damage_is_raised_before_its_segment_and_after_what_stands_before_it(folder: Path) -> None:
    path = folder / "segments/000002/samples.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    parts = open_recording(folder).slices()
    assert next(parts).number == 1
    with pytest.raises(DamagedRecording, match=r"segments/000002/samples.parquet .* by its SHA-256: replay up to"):
        next(parts)


def readers() -> list[str]:
    """The threads that read ahead."""
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("slices")]


def test_a_caller_who_stops_leaves_no_thread_behind(folder: Path) -> None:
    parts = open_recording(folder).slices()
    next(parts)
    assert len(readers()) == 1
    parts.close()  # type: ignore[attr-defined]
    assert readers() == []


def test_what_is_watched_is_every_fact_but_reads_and_lines_of_reconciles(folder: Path, facts: list[Fact]) -> None:
    expected = [
        fact for fact in facts if not isinstance(fact, ScaleRead | ResourceMetricsRead | ValuesRead | Reconciled)
    ]
    assert list(open_recording(folder).watched()) == expected


def test_damage_is_raised_by_what_is_watched_but_samples_are_not_opened(folder: Path) -> None:
    (folder / "segments/000001/samples.parquet").write_bytes(
        bytes((folder / "segments/000001/samples.parquet").stat().st_size)
    )
    pods = folder / "segments/000003/pods.parquet"
    pods.write_bytes(bytes(pods.stat().st_size))
    watched = open_recording(folder).watched()
    with pytest.raises(DamagedRecording, match=r"segments/000003/pods.parquet .* by its SHA-256"):
        list(watched)


def test_facts_are_read_without_the_room_that_needs_numpy(folder: Path) -> None:
    program = (
        "import sys; from pathlib import Path; import hpaaudit.recording.writing.writer; "
        "from hpaaudit.recording.reading.recording import open_recording; "
        "recording = open_recording(Path(sys.argv[1])); "
        "list(recording.facts()); list(recording.watched()); print('hpaaudit.recording.reading.slices' in sys.modules)"
    )
    command = [sys.executable, "-c", program, str(folder)]
    assert subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout == "False\n"
