"""No verdict claims what was not true, in any world, however little of it was seen."""

import pytest

from tests.conformance.expected import captures
from tests.truth.__main__ import judge
from tests.truth.worlds import VIEWS

RELEASES = ("1.12", "1.15", "1.20", "1.36")
EVERY = {"1.36": 60}
"""Of the release of which all worlds are kept one in so many; of the others one in `SOME`."""
SOME = 8


@pytest.mark.parametrize("view", VIEWS)
def test_no_match_is_proven_that_was_none_and_no_write_is_given_to_the_wrong_one(view: str) -> None:
    worlds = [capture for release in RELEASES for capture in captures(release)[:: EVERY.get(release, SOME)]]
    judged = judge(worlds, view, jobs=2)
    assert judged.reconciles > 200
    assert judged.changes > 5
    assert judged.wrong == []
    assert judged.proven > 0 or view == "whole"
