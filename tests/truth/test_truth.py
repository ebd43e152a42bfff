"""No verdict and no headline is false, in any world, however little of it was seen."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hpaaudit.results.questions import Scope, ask, question_named
from hpaaudit.results.read import Results
from tests.conformance.expected import capture_of, captures, name_of, releases
from tests.sample import one_in
from tests.truth.judged import Judged, judged, judged_in
from tests.truth.replayed import replayed
from tests.truth.views import VIEWS
from tests.truth.worlds import facts_of

RELEASES = ("1.12", "1.15", "1.20", "1.36")
EVERY = {"1.36": 60}
"""Of the release of which all worlds are kept one in so many; of the others one in `SOME`."""
SOME = 16
IN_FULL = ("whole", "outside", "from the middle", "no sync period", "no writers", "no pods", "no metrics")
"""The views that see all of these worlds."""
FEW = 2
"""Each other view sees one in so many of them, of every view others."""

SEED = 13
MORE = {"1.36": 4}
"""Of each release one world by chance, of that one with the most of them so many."""
SAMPLE = [
    world
    for release in releases()
    for world in Random(f"{SEED} {release}").sample(captures(release), MORE.get(release, 1))  # noqa: S311 (a sample)
]
PARTS = 5
"""Each of these is shown in one part of the views, the next one in the next part."""


def _worlds(*of_releases: str) -> list[Path]:
    return [world for release in of_releases for world in captures(release)[:: EVERY.get(release, SOME)]]


@cache
def _judged(world: Path, view: str) -> Judged:
    return judged(world, view)


def _together(worlds: Sequence[Path], view: str) -> Judged:
    """The verdicts of all these worlds. Each is replayed once for all tests that ask for it."""
    total = Judged()
    for world in worlds:
        total.add(_judged(world, view))
    return total


@pytest.mark.parametrize("view", VIEWS)
def test_no_match_is_proven_that_was_none_and_no_write_is_given_to_the_wrong_one(view: str) -> None:
    worlds = _worlds(*RELEASES)
    judgement = _together(worlds if view in IN_FULL else one_in(FEW, worlds, list(VIEWS).index(view)), view)
    assert judgement.reconciles > (200 if view in IN_FULL else 80)
    assert judgement.changes > (5 if view in IN_FULL else 1) or view == "no scales"
    assert judgement.wrong == []
    assert judgement.headlines == []
    assert judgement.proven > 0 or view in ("whole", "no scales")


@pytest.mark.parametrize("world", SAMPLE, ids=lambda world: f"{world.parent.name} {name_of(world)}")
def test_nothing_false_is_said_of_a_world_of_any_release(world: Path) -> None:
    judgements = judged_in(world, one_in(PARTS, list(VIEWS), SAMPLE.index(world))).values()
    assert [text for one in judgements for text in (*one.wrong, *one.headlines)] == []


@pytest.mark.parametrize(
    ("release", "name"),
    [
        # A wanted number that pods of a rollout have already is not written.
        ("1.12", "vector-surge-130-3-pods"),
        ("1.12", "vector-surge-48-1-utilization"),
        # Only the conditions changed, and autoscaling/v1 keeps them in an annotation.
        ("1.18", "common-100-0008"),
    ],
)
@pytest.mark.parametrize("view", ["outside", "from the middle"])
def test_what_the_controller_left_as_it_was_is_explained(release: str, name: str, view: str) -> None:
    world = capture_of(release, name)
    judgement = judged(world, view)
    assert judgement.reconciles > 3
    assert judgement.unexplained == []


@pytest.mark.parametrize("view", ["no pods", "no metrics", "no scales"])
def test_what_was_not_recorded_makes_undecidable_what_needs_it_and_accuses_nobody(view: str) -> None:
    judgement = _together(_worlds("1.20", "1.36"), view)
    assert judgement.classes["undecidable", "no_data.recording_gap"] > 50
    blamed = {name for verdict, name in judgement.classes if verdict in ("divergent", "skew")}
    assert {name.split(".")[0] for name in blamed} <= {"external_write", "write_failed"}


ASKED = ("how_long_did_each_reason_rule", "which_metrics_failed", "what_did_it_cost")


def _answer(results: Results, question: str) -> list[dict[str, Any]]:
    relation = ask(results, question_named(question), Scope())
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]


@pytest.mark.parametrize("view", ["no pods", "no metrics", "no scales"])
@pytest.mark.parametrize("world", ["common-100-0000", "common-100-0015", "vector-surge-130-3-pods"])
def test_what_was_not_recorded_is_no_cause_in_any_answer(view: str, world: str) -> None:
    """Of reconciles without inputs no question and no finding tells what their rules made of the rest."""
    with replayed(list(VIEWS[view](facts_of(capture_of("1.20", world))))) as results:
        unknown = results.rows("select reconcile_id from reconciles where class = 'no_data.recording_gap'")
        known = results.rows("select sum(lasted_s) as s from reconciles where has_inputs(class)")[0]["s"] or 0.0
        told = {name: _answer(results, name) for name in ASKED}
        found = results.rows("select * from findings where severity <> 'low'")
    assert len(unknown) > 5
    assert sum(row["minutes"] for row in told["how_long_did_each_reason_rule"] if row["reason_code"] != "unknown") <= (
        known / 60 + 0.1 * len(told["how_long_did_each_reason_rule"])
    )
    for name in ("which_metrics_failed", "what_did_it_cost"):
        minutes = [row.get("minutes") or row.get("blind_minutes") or 0 for row in told[name]]
        assert all(one <= known / 60 + 0.1 for one in minutes)
    assert not [row for row in found if row["pattern"] in ("target_unreadable", "metrics_api_down")]


def test_how_many_pods_a_gap_hid_is_proven_by_no_published_value() -> None:
    """An external metric is multiplied by the number of ready pods, and publishes itself alone."""
    world = capture_of("1.18", "common-100-0003")
    judgement = judged(world, "pods with a hole")
    assert judgement.classes["undecidable", "no_data.recording_gap"] > 0
    assert judgement.unexplained == []


@pytest.mark.parametrize(
    ("release", "name", "views"),
    [
        # The recording ends at the instant of a reconcile that wanted another number.
        ("1.20", "common-100-0015", ["to the middle"]),
        # Reconciled again a second after its status: each status tells of another reconcile.
        ("1.4", "everything-100-0006", ["outside", "watched", "minimal rights", "no writers"]),
        # Its metrics were lost to the controller alone: without conditions only the number tells that it failed.
        ("1.3", "common-100-0003", ["minimal rights", "no sync period", "from the middle"]),
        # The watch shows the controller's own write of the scale before its status: it read the number before.
        ("1.3", "common-100-0001", ["watched"]),
        ("1.4", "people-100-0006", ["watched", "no writers"]),
        # Two HPAs write one target at one instant, and statuses of both are refused.
        (
            "1.11",
            "everything-100-0001",
            ["whole", "outside", "watched", "no writers", "statuses with a hole", "no pods"],
        ),
        # The status of one of two HPAs tells which of them wrote.
        ("1.36", "several-100-0014", ["watched"]),
        # Its metrics came from Heapster, which nobody else asked, and a reconcile between two that left a trace wrote.
        ("1.5", "people-100-0005", ["minimal rights"]),
    ],
)
def test_what_was_not_seen_written_is_neither_a_match_nor_blamed_on_anybody(
    release: str, name: str, views: list[str]
) -> None:
    world = capture_of(release, name)
    judgements = judged_in(world, views)
    assert all(judgement.reconciles > 10 for judgement in judgements.values())
    assert [text for one in judgements.values() for text in (*one.wrong, *one.unexplained)] == []


def test_silence_is_no_missed_reconcile_where_no_event_could_tell_of_a_refused_status() -> None:
    """The API server was out of the controller's reach: it reconciled, and could not write."""
    world = capture_of("1.11", "everything-100-0001")
    judgement = judged(world, "no writers")
    assert judgement.classes["undecidable", "no_data.object_unseen"] > 0
    assert not any(name.startswith("not_run.") for _, name in judgement.classes)


@pytest.mark.parametrize(
    ("release", "name", "view"),
    [
        ("1.2", "vector-pending-pod-cpu-200", "outside"),
        ("1.4", "vector-pods-error-raw", "watched"),
        # A gap of something else in the same recording takes nothing away from that.
        ("1.1", "vector-down-window-240", "statuses with a hole"),
    ],
)
def test_what_heapster_told_the_controller_is_what_others_got_or_not_recorded(
    release: str, name: str, view: str
) -> None:
    world = capture_of(release, name)
    judgement = judged(world, view)
    assert judgement.wrong == []
    assert set(judgement.classes) <= {("match", ""), ("undecidable", "no_data.recording_gap")}
