"""What questions say of a part of the time, and of several replays: parts add up, and what lasts is not left out."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.flows.replay import replay
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.results.answer import Answer
from hpaaudit.results.questions import Scope, ask, questions
from hpaaudit.results.read import Results
from tests.results import story
from tests.results.test_numbers import fleet

ROOT = Path(__file__).parents[2]
RECORDINGS = ("metrics-down", "gitops-loop", "story")
PARTS = (0.13, 0.29, 0.37, 0.5, 0.61, 0.74, 0.93)
"""Where the time is cut, as shares of it."""
ADD_UP = {
    "what_did_it_cost": ("pod_minutes", "short_pod_minutes", "spare_pod_minutes", "blind_minutes", "foreign_writes"),
    "which_writes_failed": ("times",),
    "who_wrote_replicas": ("writes", "pods_moved"),
    "which_metric_decides": ("won", "won_up", "tied", "invalid"),
}
"""Columns whose numbers of two parts of the time are those of the whole."""
ROUNDED = 0.11
"""By so much the rounded numbers of two parts may differ from that of the whole, for each HPA."""


@pytest.fixture(scope="module", params=RECORDINGS)
def results(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Results]:
    file = tmp_path_factory.mktemp("windows") / "results.duckdb"
    if request.param == "story":
        with story.replayed(file, *fleet()) as told:
            yield told
        return
    with replay(ROOT / "recordings" / request.param, into=file) as told:
        yield told


def _cuts(results: Results) -> Iterator[Micros]:
    started_us, ended_us = results.span
    for part in PARTS:
        yield Micros(int(started_us + part * (ended_us - started_us)))


def _middle_us(recording: Path) -> Micros:
    info = open_recording(recording).info
    return Micros((info.started_us + info.ended_us) // 2)


def _rows(results: Results, name: str, **scope: Any) -> list[dict[str, Any]]:
    answer = Answer(results, ask(results, questions()[name], Scope(**scope)))
    return [dict(zip(answer.columns, row, strict=True)) for row in answer.rows()]


def _sums(rows: list[dict[str, Any]], columns: tuple[str, ...]) -> list[float]:
    return [sum(float(row[column] or 0) for row in rows) for column in columns]


@pytest.mark.parametrize("name", ADD_UP)
def test_two_parts_of_the_time_add_up_to_the_whole(name: str, results: Results) -> None:
    columns = ADD_UP[name]
    whole = _sums(_rows(results, name), columns)
    for cut_us in _cuts(results):
        before = _rows(results, name, until_us=Micros(cut_us - 1))
        after = _rows(results, name, since_us=cut_us)
        both = [one + other for one, other in zip(_sums(before, columns), _sums(after, columns), strict=True)]
        assert both == pytest.approx(whole, abs=ROUNDED * len(_rows(results, name))), f"cut at {cut_us}"


def test_a_divergence_that_lasts_is_told_of_each_part_of_its_time(results: Results) -> None:
    lasting = results.rows(
        "select class, epoch_us(opened_at) as opened_us, epoch_us(closed_at) as closed_us from divergences "
        "where closed_at > opened_at + interval 2 seconds and not starts_with(class, 'no_data.')"
    )
    for one in lasting:
        within = {"since_us": Micros(one["opened_us"] + SECOND), "until_us": Micros(one["closed_us"] - SECOND)}
        assert one["class"] in {row["class"] for row in _rows(results, "which_divergences_are_there", **within)}
        assert f"divergence {one['class']}" in {row["what"] for row in _rows(results, "what_happened", **within)}


def test_a_gap_that_lasts_is_told_of_each_part_of_its_time(results: Results) -> None:
    told = [row for row in _rows(results, "what_happened") if row["what"].startswith("gap until")]
    gaps = results.rows("select epoch_us(gap_from) as from_us, epoch_us(gap_to) as to_us from coverage_gaps")
    for gap in gaps:
        middle_us = Micros((gap["from_us"] + gap["to_us"]) // 2)
        inside = [row for row in _rows(results, "what_happened", since_us=middle_us) if row in told]
        named = [row for row in told if int(row["ts"].timestamp()) == gap["from_us"] // SECOND]
        assert [row for row in named if row not in inside] == [] or gap["to_us"] <= gap["from_us"] + 1


@pytest.mark.parametrize("recording", ["1.4-sample-missing", "1.1-forbidden-window", "gitops-loop"])
def test_the_same_replay_twice_differs_nowhere(recording: str, tmp_path: Path) -> None:
    """Also where an HPA is reconciled several times at one instant, and where one of them shows a part only."""
    folder = shutil.copytree(ROOT / "recordings" / recording, tmp_path / "recording")
    with replay(folder, until=_middle_us(folder)):
        pass
    with replay(folder, since=Micros(_middle_us(folder) - 60 * SECOND)) as again:
        costs = _rows(again, "what_would_it_cost")
        assert len(costs) == 2
        assert {row["difference"] for row in costs} == {0}
        assert _rows(again, "where_would_another_replay_differ") == []
