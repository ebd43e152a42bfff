"""What a published status tells of the memory of its pass."""

import pytest

from hpaaudit.engine.rules.published import KEPT, REPLACED, UNDONE, followed, is_unbent


@pytest.mark.parametrize(
    ("scaled", "said", "saw", "desired", "moves", "told"),
    [
        pytest.param(True, 5, 3, 5, True, KEPT, id="the scale that we decided too"),
        pytest.param(True, 6, 3, 5, True, REPLACED, id="a scale to another number"),
        pytest.param(True, 6, 3, 3, False, REPLACED, id="a scale where we saw none"),
        pytest.param(True, 3, 3, 3, False, KEPT, id="a scale of earlier, told again"),
        pytest.param(False, 3, 3, 5, True, UNDONE, id="no scale where we decided one"),
        pytest.param(False, 6, 4, 5, True, KEPT, id="the status of another pass, which saw other replicas"),
        pytest.param(False, 3, 3, 3, False, KEPT, id="no scale, as we decided"),
        pytest.param(False, 4, 3, 3, False, KEPT, id="no scale, whatever number is published"),
    ],
)
def test_the_scale_event_of_a_pass_is_what_was_published(
    scaled: bool, said: int, saw: int, desired: int, moves: bool, told: int
) -> None:
    assert followed(scaled, said, saw, desired, 3, moves) == told


@pytest.mark.parametrize(
    ("fails", "ready", "within", "active", "told"),
    [
        pytest.param(False, True, True, True, True, id="ready for new scale, within range"),
        pytest.param(False, False, True, True, False, id="held by memory"),
        pytest.param(False, True, False, True, False, id="limited"),
        pytest.param(False, True, True, False, False, id="never active"),
        pytest.param(True, False, False, True, True, id="a failure recommends nothing"),
    ],
)
def test_a_recommendation_is_published_where_nothing_bent_it(
    fails: bool, ready: bool, within: bool, active: bool, told: bool
) -> None:
    assert is_unbent(fails, ready, within, active) is told
