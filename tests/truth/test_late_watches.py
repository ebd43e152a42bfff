"""A watch that shows HPAs long after they were written: what a status tells is of an earlier reconcile."""

import pytest

from hpaaudit.model.facts import HpaSeen, StatusWritten
from hpaaudit.model.units import SECOND
from tests.conformance.expected import capture_of
from tests.truth.judged import judged_as_shown
from tests.truth.views import late
from tests.truth.worlds import facts_of, truth_of

WORLDS = (
    ("1.9", "common-100-0002"), ("1.15", "common-100-0003"), ("1.20", "common-100-0003"),
    ("1.36", "several-100-0014"), ("1.36", "people-100-0004"),
)  # fmt: skip


@pytest.mark.parametrize("late_s", [8, 12, 15, 20])
@pytest.mark.parametrize(("release", "name"), WORLDS)
def test_no_input_is_proven_by_a_status_that_came_late(release: str, name: str, late_s: int) -> None:
    """The status and the Event say when the scale was written."""
    capture = capture_of(release, name)
    facts = facts_of(capture)
    shown = [*late(HpaSeen, StatusWritten, late_us=late_s * SECOND)(facts)]
    judgement = judged_as_shown(f"{release} {name} {late_s}s late", truth_of(capture, facts), shown)
    assert judgement.reconciles > 10
    assert judgement.wrong == []
    assert judgement.unexplained == []
