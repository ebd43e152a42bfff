"""No verdict claims what was not true, in any world, however little of it was seen; nor does a headline."""

from pathlib import Path
from random import Random

import pytest

from tests.conformance.expected import captures, name_of, releases
from tests.truth.judged import Judged, judged, judged_in
from tests.truth.views import VIEWS

SEED = 13
MORE = {"1.36": 4}
"""Of each release one world, of that one with the most of them so many."""
WORLDS = [
    world
    for release in releases()
    for world in Random(f"{SEED} {release}").sample(captures(release), MORE.get(release, 1))  # noqa: S311 (a sample)
]
PARTS = 2
"""Each world is shown in one part of the views, the next one in the next part: every view sees worlds of each time."""
LEAST_RECONCILES = 80
"""So many are judged at least of each view."""
NOTHING_RECORDED = ("no pods", "no metrics")

_by_view = {view: Judged() for view in VIEWS}
"""What the tests of single worlds found, together."""


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: f"{world.parent.name} {name_of(world)}")
def test_nothing_false_is_said_of_a_world_in_any_view(world: Path) -> None:
    part = WORLDS.index(world) % PARTS
    judgements = judged_in(world, list(VIEWS)[part::PARTS])
    for view, judgement in judgements.items():
        _by_view[view].add(judgement)
    assert [text for one in judgements.values() for text in one.wrong] == []
    assert [text for one in judgements.values() for text in one.headlines] == []


@pytest.mark.parametrize("view", VIEWS)
def test_of_each_view_so_much_was_judged(view: str) -> None:
    """Only after the tests of all single worlds, in one process, there is something to see."""
    judgement = _by_view[view]
    if sum(one.worlds for one in _by_view.values()) < len(WORLDS) * len(VIEWS) // PARTS:
        pytest.skip("some worlds were not chosen")
    assert judgement.reconciles > LEAST_RECONCILES
    assert judgement.changes > 0
    assert judgement.proven > 0 or view == "whole"
    if view in NOTHING_RECORDED:
        assert judgement.classes["undecidable", "no_data.recording_gap"] > LEAST_RECONCILES // 2
        blamed = {name.split(".")[0] for verdict, name in judgement.classes if verdict in ("divergent", "skew")}
        assert blamed <= {"external_write", "write_failed"}


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
    [world] = [capture for capture in captures(release) if name_of(capture) == name]
    judgement = judged(world, view)
    assert judgement.reconciles > 3
    assert judgement.unexplained == []


def test_how_many_pods_a_gap_hid_is_proven_by_no_published_value() -> None:
    """An external metric is multiplied by the number of ready pods, and publishes itself alone."""
    [world] = [capture for capture in captures("1.18") if name_of(capture) == "common-100-0003"]
    judgement = judged(world, "pods with a hole")
    assert judgement.classes["undecidable", "no_data.recording_gap"] > 0
    assert judgement.unexplained == []
