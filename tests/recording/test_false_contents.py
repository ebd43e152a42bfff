"""Right hashes, false contents: a wrong value in any column is an error of one line, or can be replayed.

HPAAUDIT_LIES=600 tries them for ten minutes instead of a few.
"""

import os
import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from hpaaudit.flows.inspect import inspect
from hpaaudit.flows.replay import replayed_reconciles
from hpaaudit.flows.verify import verify as flow_verify
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import open_recording
from tests.outcome import outcome
from tests.recording import false_contents
from tests.recording.small import small

SECONDS = float(os.environ.get("HPAAUDIT_LIES", "0"))
A_FEW = 40


@pytest.fixture(scope="module", params=[True, False], ids=["lines", "no lines"])
def sound(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small(tmp_path_factory.mktemp("lies") / "friday", reconciles=request.param)


def test_every_reader_says_a_lie_in_one_line_or_bears_it(sound: Path, tmp_path: Path) -> None:
    chance = random.Random(1)  # noqa: S311 which lies are tried
    lies_told = [
        (number, table, name)
        for number, table in false_contents.tables_of(sound)
        for name in false_contents.rows_of(sound, number, table).column_names
    ]
    until = time.monotonic() + SECONDS
    lie_count = 0
    while lie_count < A_FEW or time.monotonic() < until:
        number, table, name = chance.choice(lies_told)
        rows = false_contents.rows_of(sound, number, table)
        what, column = chance.choice(false_contents.lies(rows.column(name)))
        folder = tmp_path / "r"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(sound, folder)
        false_contents.tell(
            folder, {(number, table): false_contents.parquet(false_contents.replaced(rows, name, column))}
        )
        lie_count += 1
        checked = verify(folder, reread=True).damages
        for read in (lambda: inspect(folder), lambda: list(replayed_reconciles(folder))):  # noqa: B023 read at once
            message = outcome(read)
            assert "\n" not in message
            assert not message or folder.name in message or "release" in message or "too long" in message, (
                table,
                name,
                what,
            )
        facts = outcome(lambda: list(open_recording(folder).facts()))  # noqa: B023 likewise
        assert bool(facts) == bool(checked), (table, name, what)


def changed(rows: pa.Table, name: str, change: Callable[[list], list]) -> pa.Table:
    """A table in one of whose columns other values stand."""
    column = rows.column(name)
    return false_contents.replaced(rows, name, pa.array(change(column.to_pylist()), column.type))


def first(value: object) -> Callable[[list], list]:
    """Another value in the first row."""
    return lambda values: [value, *values[1:]]


DEEP = '{"a":' * 101 + "1" + "}" * 101

CASES: list[tuple[str, str, Callable[[list], list], str]] = [
    ("hpas", "seq", first(60), "other facts"),
    ("hpas", "seq", first(2**63 - 1), "a number beyond"),
    ("pods", "seq", lambda values: [values[0]] * len(values), "not in the order of their facts"),
    ("reads", "seq", lambda values: values[::-1], "are not grouped in their order"),
    ("reconciles", "seq", lambda values: values[::-1], "not in the order of their facts"),
    ("gaps", "at_us", first(-1), "a number beyond"),
    ("leases", "at_us", first(1), "at other times than its manifest says"),
    ("leases", "at_us", first(9_007_199_254_740_992), "at other times than its manifest says"),
    ("gaps", "until_us", first(253_402_300_800_000_000), "a number beyond"),
    ("reconciles", "began_us", first(2**62), "a number beyond"),
    ("pods", "start_us", first(253_402_300_800_000_000), "a number beyond"),
    ("pods", "start_us", first(-62_135_596_800_000_001), "a number beyond"),
    ("reads", "took_us", first(2**62), "a number beyond"),
    ("samples", "window_us", first(2**60), "a number beyond"),
    ("samples", "memory_bytes", first(2**62), "a number beyond"),
    ("samples", "occurrence", first(-1), "a number beyond"),
    ("samples", "place", first(-1), "a number beyond"),
    ("reads", "items", first(10**9), "facts that its files do not hold"),
    ("reads", "kind", first("guess"), "a word other than"),
    ("controllers", "state", first("asleep"), "a word other than"),
    ("hpas", "spec_json", first(None), "no spec_json where it is not gone"),
    ("hpas", "spec_json", first(""), "JSON of another shape"),
    ("hpas", "spec_json", first("[]"), "JSON of another shape"),
    ("hpas", "spec_json", first("null"), "JSON of another shape"),
    ("hpas", "spec_json", first(DEEP), "JSON of another shape"),
    ("hpas", "status_json", first('{"a":"\\ud800"}'), "JSON of another shape"),
    ("hpas", "status_json", first('{},{"a":1}'), "JSON of another shape"),
    ("hpas", "status_json", lambda values: ['{"a":"', '{"}', *values[2:]], "JSON of another shape"),
    ("hpas", "annotations_json", first('{"a":1}'), "JSON of another shape"),
    ("pods", "labels_json", first('{"a":1}'), "JSON of another shape"),
    ("pods", "containers_json", first('[{"name":"a"}]'), "JSON of another shape"),
    ("pods", "containers_json", first('[{"name":"a","requests_milli":{"cpu":1e3}}]'), "JSON of another shape"),
    ("pods", "overhead_json", first('{"cpu":9223372036854775808}'), "JSON of another shape"),
    ("controllers", "gates_json", first('{"a":"true"}'), "JSON of another shape"),
    ("scaled_objects", "triggers_json", first("[1]"), "JSON of another shape"),
    ("samples", "usage_json", first('{"cpu":1.5}'), "JSON of another shape"),
]


@pytest.mark.parametrize(
    ("table", "name", "change", "words"), CASES, ids=[f"{number} {row[0]}.{row[1]}" for number, row in enumerate(CASES)]
)
def test_a_lie_is_named_with_its_file(
    tmp_path: Path, table: str, name: str, change: Callable[[list], list], words: str
) -> None:
    folder = small(tmp_path / "friday", reconciles=True)
    number = next(
        number
        for number, one in false_contents.tables_of(folder)
        if one == table and len(false_contents.rows_of(folder, number, one)) >= 1
    )
    rows = false_contents.rows_of(folder, number, table)
    false_contents.tell(folder, {(number, table): false_contents.parquet(changed(rows, name, change))})
    assert flow_verify(folder).damages == (), "every checksum holds"
    problems = [damage.problem for damage in flow_verify(folder, deep=True).damages]
    assert any(words in problem for problem in problems), problems
    assert words in outcome(lambda: list(open_recording(folder).facts()))


def test_a_recording_of_centuries_is_not_replayed_second_by_second(tmp_path: Path) -> None:
    """Its manifest says the same lie as its rows: one Event of the year 2255."""
    folder = small(tmp_path / "friday", reconciles=False)
    number = next(number for number, table in false_contents.tables_of(folder) if table == "events")
    late = 9_007_199_254_740_992
    rows = changed(false_contents.rows_of(folder, number, "events"), "at_us", first(late))

    def change(name: str, body: false_contents.Body) -> false_contents.Body:
        return body | {"last_us": late} if name.endswith(f"{number:06d}/manifest.json") else body

    false_contents.tell(folder, {(number, "events"): false_contents.parquet(rows)}, change=change)
    assert verify(folder, reread=True).damages == ()
    assert "replay a part with --until" in outcome(lambda: list(replayed_reconciles(folder)))
