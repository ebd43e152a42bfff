"""What a Parquet file claims is checked before it is unpacked; what it then takes is bounded."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.recording.encoding import parquet
from hpaaudit.recording.encoding.parquet import BadParquetFile, read_table
from hpaaudit.recording.encoding.parquet_pages import BadPage, read_page_headers
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.inspection.verify import verify
from tests.memory import PEAK_MEGABYTES
from tests.recording import false_contents
from tests.recording.small import small

LIMIT = 1 << 20
"""Of a segment, in these tests: nobody has to make a bomb of a real size."""

LEASES = TABLES["leases"]
NAMES = [column.name for column in LEASES.columns]
EVENTS = TABLES["events"]


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "SEGMENT_BYTES", LIMIT)


def leases(count: int = 3, **columns: Any) -> pa.Table:
    """Rows of `leases`, some columns others than usual."""
    values: dict[str, Any] = {"seq": list(range(count)), "at_us": [0] * count, "acquired_us": [0] * count}
    values |= {"renewed_us": [0] * count, "transitions": [0] * count, "duration_seconds": [15] * count}
    rows = {
        column.name: pa.array(values[column.name] if column.type == "int64" else ["a"] * count)
        for column in LEASES.columns
    }
    return pa.table(rows | columns)


def refused(data: bytes, rows: int, *, table: str = "leases", names: list[str] | None = None) -> str:
    """How a file is refused."""
    with pytest.raises(BadParquetFile) as caught:
        read_table(TABLES[table], data, names or [column.name for column in TABLES[table].columns], rows)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    return str(caught.value)


def test_a_sound_file_is_read() -> None:
    assert read_table(LEASES, false_contents.parquet(leases()), NAMES, 3).num_rows == 3


@pytest.mark.usefixtures("little")
def test_what_unpacks_to_more_than_a_segment_is_not_unpacked() -> None:
    message = refused(false_contents.parquet(leases(holder=pa.array(["a" * LIMIT, "b", "c"])), use_dictionary=False), 3)
    assert message == f"takes more than {LIMIT} bytes unpacked"


def events(count: int) -> pa.Table:
    """Rows of `events`."""
    columns = {
        column.name: pa.array(list(range(count)) if column.type == "int64" else ["a"] * count)
        for column in EVENTS.columns
    }
    return pa.table(columns)


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("uid", {"use_dictionary": ["uid"]}),
        ("name", {"use_dictionary": False, "column_encoding": {"name": "DELTA_BYTE_ARRAY"}}),
        ("message", {"use_dictionary": False, "column_encoding": {"message": "DELTA_BYTE_ARRAY"}}),
    ],
)
def test_a_text_that_is_told_by_little_is_not_written_out_in_every_row(name: str, how: dict[str, Any]) -> None:
    """A word of a dictionary, or a text that is like the one before: a few kB of file may be GB of memory."""
    count = 2000
    data = false_contents.parquet(false_contents.replaced(events(count), name, pa.array(["x" * 2000] * count)), **how)
    assert len(data) < LIMIT // 10
    message = refused(data, count, table="events")
    assert message == f"takes more than {LIMIT} bytes unpacked" or "Not yet implemented" in message


def test_a_text_that_is_told_by_little_is_read_as_it_is_where_it_is_little() -> None:
    count = 2000
    texts = [f"a-long-prefix-of-a-name-{number}" for number in range(count)]
    data = false_contents.parquet(false_contents.replaced(events(count), "name", pa.array(texts)), use_dictionary=False,
                        column_encoding={"name": "DELTA_BYTE_ARRAY"}, data_page_size=4096)  # fmt: skip
    for limit in (parquet.SEGMENT_BYTES, 1 << 21):  # at once, and in steps
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(parquet, "SEGMENT_BYTES", limit)
            assert read_table(EVENTS, data, ["name"], count).column("name").to_pylist() == texts


def test_rows_that_the_manifest_does_not_say_are_not_read() -> None:
    assert refused(false_contents.parquet(leases(4)), 3) == "has 4 rows, its manifest says 3"
    assert refused(false_contents.parquet(leases(0)), 3) == "has 0 rows, its manifest says 3"


def test_more_columns_and_row_groups_than_anybody_writes() -> None:
    wide = leases(2, **{f"c{number}": pa.array([1, 2]) for number in range(100)})
    assert refused(false_contents.parquet(wide), 2).startswith("has 109 columns in 1 row group")
    assert refused(false_contents.parquet(leases(100), row_group_size=1), 100).startswith(
        "has 9 columns in 100 row groups"
    )


def test_more_pages_than_anybody_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "PAGES", 5)
    data = false_contents.parquet(leases(5000), data_page_size=8, write_batch_size=8, use_dictionary=False)
    assert "more than 5 pages" in refused(data, 5000) or "thrift" in refused(data, 5000).lower()


@pytest.mark.parametrize(
    "column",
    [
        pa.array([[1], [2], [3]]),
        pa.array([{"a": 1}] * 3),
        pa.array([b"a", b"b", b"\xff"]),
        pa.array([1, 2, 3], pa.int32()),
        pa.array([0.5] * 3),
        pa.array([1, 2, 3], pa.timestamp("us")),
        pa.array([True] * 3),
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["seq", "holder"])
def test_a_column_of_another_type_is_refused(name: str, column: pa.Array) -> None:
    refused(false_contents.parquet(false_contents.replaced(leases(), name, column)), 3)


def test_a_column_that_is_missing_or_there_twice_is_refused() -> None:
    assert refused(false_contents.parquet(leases().drop(["transitions"])), 3) == "lacks the column transitions"
    refused(false_contents.parquet(leases().drop(["holder"])), 3)
    twice = leases().append_column("seq", pa.array([7, 8, 9]))
    assert "twice" in refused(false_contents.parquet(twice), 3)


def test_what_is_packed_by_something_else_is_refused() -> None:
    assert "zstd" in refused(false_contents.parquet(leases(), compression="gzip"), 3)


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1PAR1", b"PAR1" + b"\xff" * 4 + b"PAR1", b"\0" * 1000])
def test_what_is_no_parquet_is_refused(data: bytes) -> None:
    refused(data, 3)


SOUND = false_contents.parquet(leases(200), data_page_size=64, write_batch_size=16)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(SOUND) - 1), st.integers(0, 255)), min_size=1, max_size=8))
def test_any_bytes_in_a_file_are_refused_or_read(changes: list[tuple[int, int]]) -> None:
    data = bytearray(SOUND)
    for position, byte in changes:
        data[position] = byte
    try:
        read = read_table(LEASES, bytes(data), NAMES, 200)
    except BadParquetFile as error:
        problem, rows = str(error), 200
    else:
        problem, rows = "", read.num_rows
    assert "\n" not in problem
    assert rows == 200


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200), st.integers(-5, 300), st.integers(-5, 300), st.integers(0, 10**9))
def test_any_bytes_as_page_headers_end(data: bytes, begin: int, size: int, values: int) -> None:
    problem, value_count = "has no pages", values
    try:
        value_count = read_page_headers(memoryview(data), begin, size, values, 50).values
    except BadPage as error:
        problem = str(error)
    assert problem.startswith("has ")
    assert value_count == values


MEASURED = f"""
{PEAK_MEGABYTES}
import sys
from pathlib import Path
from hpaaudit.recording.reading.damaged_file import DamagedFile
from hpaaudit.recording.reading.segment import segment_columns
from hpaaudit.recording.reading.survey import survey_recording
folder = Path(sys.argv[1])
(segment,) = [one for one in survey_recording(folder).segments if one.file("events")]
try:
    segment_columns(folder, segment, "events", ["uid"])
except DamagedFile as error:
    print(error)
print(peak_megabytes())
"""
MEGABYTES = 1500
"""What the page of the format states for a reader of hostile files."""


def test_a_bomb_of_a_real_size_takes_no_more_memory_than_the_page_of_the_format_says(tmp_path: Path) -> None:
    """Written out, its 100,000 texts are 100 GB."""
    folder = small(tmp_path / "friday", reconciles=True)
    (number,) = [number for number, table in false_contents.tables_of(folder) if table == "events"]
    rows = false_contents.rows_of(folder, number, "events").take([0] * 100_000)
    word = pa.DictionaryArray.from_arrays(pa.array([0] * 100_000, pa.int32()), pa.array(["x" * 1_000_000]))
    data = false_contents.parquet(
        false_contents.replaced(rows, "uid", word), use_dictionary=["uid"], store_schema=False
    )
    false_contents.tell(folder, {(number, "events"): data})
    assert verify(folder, reread=True).damages
    completed = subprocess.run(
        [sys.executable, "-c", MEASURED, str(folder)], capture_output=True, text=True, check=True
    )
    output, peak = completed.stdout.splitlines()
    assert "takes more than" in output
    assert int(peak) < MEGABYTES
