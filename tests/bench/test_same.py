"""What the measurements rest on: results are compared value by value, and the median is the run in the middle."""

import shutil
from pathlib import Path

import duckdb

from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.flows.replay import replay
from tests.bench.same import differences
from tests.bench.seconds import Seconds, median


def test_two_replays_of_a_recording_are_the_same_until_one_value_changes(tmp_path: Path) -> None:
    first, again = tmp_path / "first.duckdb", tmp_path / "again.duckdb"
    for path in (first, again):
        replay(bundled_recording(), into=path).close()
    assert list(differences(first, again)) == []
    changed = tmp_path / "changed.duckdb"
    shutil.copy(again, changed)
    with duckdb.connect(str(changed)) as connection:
        connection.execute("update runs.encoded_reconciles set stabilized = stabilized + 1 where reconcile_id = 7")
    found = list(differences(first, changed))
    assert [line.split(",")[0] for line in found if not line.startswith(" ")] == [
        "reconciles: 1 rows only before",
        "reconciles: 1 rows only after",
    ]


def test_neither_a_lucky_nor_a_slow_run_is_the_median() -> None:
    runs = [Seconds(9.0, 2.0), Seconds(0.1, 0.1), Seconds(3.0, 2.1), Seconds(50.0, 30.0), Seconds(2.0, 1.9)]
    assert median(runs) == Seconds(9.0, 2.0)
