"""The controllers of 1.2 to 1.5 reconcile an HPA again at once after its status: each status is paired with its own."""

import pytest

from tests.conformance.expected import captures, name_of
from tests.truth.__main__ import judge

UNDECIDED = {"everything-100-0001"}
"""Two HPAs with one target at one instant: which of them read the scale before the other wrote it is not known."""


@pytest.mark.parametrize("release", ["1.2", "1.5"])
def test_nothing_is_unexplained_where_a_reconcile_begins_as_the_one_before_writes_its_status(release: str) -> None:
    worlds = [capture for capture in captures(release) if name_of(capture).startswith("everything")]
    judgement = judge([world for world in worlds if name_of(world) not in UNDECIDED], ["whole"])["whole"]
    assert judgement.reconciles > 200
    assert judgement.unexplained == []
    assert judgement.wrong == []
