"""After a repair the verdicts accuse nobody whom those of the whole recording do not accuse."""

import shutil
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.flows.query import account
from hpaaudit.flows.repair import repair
from hpaaudit.flows.replay import replay
from hpaaudit.model.facts import Gap
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.report.replay import replay_text
from tests.recordings.kept import RECORDINGS
from tests.report.faithful import broken_headlines
from tests.sample import one_in


def _table(hole: tuple[str, str]) -> str:
    """The table of a file, or the name of a segment."""
    return Path(hole[1]).name


HOLES = [
    (name, str(path.relative_to(folder)))
    for name, folder in sorted(RECORDINGS.items())
    for segment in sorted(folder.glob("segments/*"))
    for path in (segment, *sorted(segment.glob("*.parquet")))
]
"""Every file of every segment, and every whole segment."""
OF_TABLES = [list(holes) for _, holes in groupby(sorted(HOLES, key=_table), _table)]
SOME = [hole for turn, holes in enumerate(OF_TABLES) for hole in one_in(8, holes, turn % len(holes))]
"""One in so many files of each table, at least one, of the next table those of other recordings."""

ROWS = """
    select epoch_us(ts) as at_us, verdict, coalesce(class, '') as class, evidence, decided, spec_replicas, reason_code
    from reconciles order by reconcile_id
"""


def _holed(name: str, hole: str, folder: Path) -> Path:
    """A copy of a recording without this file or segment, repaired."""
    copied = folder / "recording"
    shutil.copytree(RECORDINGS[name].resolve(), copied)
    (copied / "results.duckdb").unlink(missing_ok=True)
    if (copied / hole).is_dir():
        shutil.rmtree(copied / hole)
    else:
        (copied / hole).write_bytes(b"")
    repair(copied)
    return copied


def _rows(recording: Path, into: Path) -> tuple[list[dict[str, Any]], int, int, str]:
    """Its reconciles, how many settings were said to explain something, how many had no metric, and the screen."""
    with replay(recording, into=into) as results:
        assert broken_headlines(results) == []
        down = results.rows("select evidence ->> 'reconciles' as n from findings where pattern = 'metrics_api_down'")
        settings = len(results.rows("from sensitivity"))
        return results.rows(ROWS), settings, sum(int(row["n"]) for row in down), replay_text(account(results))


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[list[dict[str, Any]], int, int, str]]:
    """What the whole recordings show."""
    folder = tmp_path_factory.mktemp("whole")
    return {name: _rows(path, folder / f"{name}.duckdb") for name, path in RECORDINGS.items()}


@pytest.mark.parametrize(("name", "hole"), SOME)
def test_a_hole_accuses_nobody_and_leaves_the_facts_in_the_order_of_time(
    name: str, hole: str, whole: dict[str, Any], tmp_path: Path
) -> None:
    holed = _holed(name, hole, tmp_path)
    rows, settings, down, screen = _rows(holed, tmp_path / "results.duckdb")
    true_rows, _, true_down, _ = whole[name]
    classes = {row["class"] for row in true_rows if row["verdict"] == "divergent"}
    assert {row["class"] for row in rows if row["verdict"] == "divergent"} <= classes
    assert settings == 0
    assert down <= true_down
    assert [row["at_us"] for row in rows] == sorted(row["at_us"] for row in rows)
    assert "unexplained" not in screen
    newest = 0
    for fact in open_recording(holed).facts():
        assert isinstance(fact, Gap) or fact.at_us >= newest - 2_000_000
        newest = max(newest, fact.at_us)
