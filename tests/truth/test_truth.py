"""No verdict claims what was not true, in any world, however little of it was seen."""

import pytest

from tests.conformance.expected import captures, name_of
from tests.truth.__main__ import judge
from tests.truth.judged import judged
from tests.truth.views import VIEWS

RELEASES = ("1.12", "1.15", "1.20", "1.36")
EVERY = {"1.36": 60}
"""Of the release of which all worlds are kept one in so many; of the others one in `SOME`."""
SOME = 8
IN_FULL = ("whole", "outside", "from the middle", "no sync period", "no writers", "no pods", "no metrics")
"""The views that see all of these worlds."""
FEW = 3
"""Each other view sees one in so many of them, of every view others."""


@pytest.mark.parametrize("view", VIEWS)
def test_no_match_is_proven_that_was_none_and_no_write_is_given_to_the_wrong_one(view: str) -> None:
    worlds = [capture for release in RELEASES for capture in captures(release)[:: EVERY.get(release, SOME)]]
    worlds_seen = worlds if view in IN_FULL else worlds[list(VIEWS).index(view) % FEW :: FEW]
    judgement = judge(worlds_seen, view, jobs=2)
    assert judgement.reconciles > (200 if view in IN_FULL else 80)
    assert judgement.changes > (5 if view in IN_FULL else 1)
    assert judgement.wrong == []
    assert judgement.proven > 0 or view == "whole"


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


@pytest.mark.parametrize("view", ["no pods", "no metrics"])
def test_what_was_not_recorded_makes_undecidable_what_needs_it_and_accuses_nobody(view: str) -> None:
    worlds = [capture for release in ("1.20", "1.36") for capture in captures(release)[:: EVERY.get(release, SOME)]]
    judgement = judge(worlds, view, jobs=2)
    assert judgement.classes["undecidable", "no_data.recording_gap"] > 50
    blamed = {name for verdict, name in judgement.classes if verdict in ("divergent", "skew")}
    assert {name.split(".")[0] for name in blamed} <= {"external_write", "write_failed"}
