"""What a published status proves about the memory of its reconcile."""

import pytest

from hpaaudit.engine.rules.published_status import (
    EVENT_KEPT,
    EVENT_REPLACED,
    EVENT_UNDONE,
    NEVER,
    NO_RECOMMENDATION,
    RECOMMENDATION_ADJUSTED,
    RECOMMENDATION_PUBLISHED,
    RESCALED,
    UNREAD,
    StatusCodes,
    fits_inputs,
    fits_memory,
    recommendation_shown,
    scale_event_outcome,
    shows_scale,
)


@pytest.mark.parametrize(
    ("scaled", "published_desired", "saw", "desired", "expected"),
    [
        pytest.param(True, 5, 3, 5, EVENT_KEPT, id="the scale that we decided too"),
        pytest.param(True, 6, 3, 5, EVENT_REPLACED, id="a scale to another number"),
        pytest.param(True, 6, 3, 3, EVENT_REPLACED, id="a scale where we saw none"),
        pytest.param(True, 3, 3, 3, EVENT_KEPT, id="a scale of earlier, told again"),
        pytest.param(False, 3, 3, 5, EVENT_UNDONE, id="no scale where we decided one"),
        pytest.param(False, 6, 4, 5, EVENT_KEPT, id="the status of another reconcile, which saw other replicas"),
        pytest.param(False, 3, 3, 3, EVENT_KEPT, id="no scale, as we decided"),
        pytest.param(False, 4, 3, 3, EVENT_KEPT, id="no scale, whatever number is published"),
    ],
)
def test_the_scale_event_of_a_pass_is_what_was_published(
    scaled: bool, published_desired: int, saw: int, desired: int, expected: int
) -> None:
    assert scale_event_outcome(scaled, published_desired, saw, desired, 3) == expected


@pytest.mark.parametrize(
    ("fails", "ready", "within", "active", "expected"),
    [
        pytest.param(False, True, True, True, RECOMMENDATION_PUBLISHED, id="ready for new scale, within range"),
        pytest.param(False, False, True, True, RECOMMENDATION_ADJUSTED, id="held by memory"),
        pytest.param(False, True, False, True, RECOMMENDATION_ADJUSTED, id="limited"),
        pytest.param(False, True, True, False, RECOMMENDATION_ADJUSTED, id="never active"),
        pytest.param(True, False, False, True, NO_RECOMMENDATION, id="a failure recommends nothing"),
    ],
)
def test_a_recommendation_is_published_where_nothing_bent_it(
    fails: bool, ready: bool, within: bool, active: bool, expected: int
) -> None:
    assert recommendation_shown(fails, ready, within, active) == expected


@pytest.mark.parametrize(
    ("scaled_us", "before_us", "shows"),
    [(5, 4, True), (5, 5, False), (5, NEVER, True), (NEVER, 5, False), (NEVER, NEVER, False)],
)
def test_a_new_last_scale_time_tells_of_a_scale(scaled_us: int, before_us: int, shows: bool) -> None:
    assert shows_scale(scaled_us, before_us) is shows


PUBLISHED = StatusCodes(current=3, able=20, active=30, limited=40)


@pytest.mark.parametrize(
    ("ours", "published", "inputs", "memory"),
    [
        pytest.param(PUBLISHED, PUBLISHED, True, True, id="all alike"),
        pytest.param(PUBLISHED._replace(current=4), PUBLISHED, False, True, id="other replicas were read"),
        pytest.param(PUBLISHED._replace(active=31), PUBLISHED, False, True, id="other metrics failed"),
        pytest.param(PUBLISHED._replace(able=UNREAD), PUBLISHED, False, False, id="we could not read the scale"),
        pytest.param(PUBLISHED, PUBLISHED._replace(able=UNREAD), False, False, id="the controller could not"),
        pytest.param(PUBLISHED._replace(able=21), PUBLISHED, True, False, id="another stabilization"),
        pytest.param(PUBLISHED._replace(limited=41), PUBLISHED, True, False, id="another limit"),
        pytest.param(PUBLISHED._replace(able=RESCALED), PUBLISHED, True, True, id="we would have written"),
        pytest.param(PUBLISHED, PUBLISHED._replace(able=RESCALED), True, True, id="the controller wrote"),
        pytest.param(
            PUBLISHED._replace(able=RESCALED, limited=41), PUBLISHED, True, False, id="a write hides no limit"
        ),
        pytest.param(PUBLISHED, PUBLISHED._replace(able=-1), False, True, id="nothing was published yet"),
        pytest.param(PUBLISHED._replace(able=-1, limited=41), PUBLISHED, True, True, id="we would say nothing"),
        pytest.param(PUBLISHED, PUBLISHED._replace(limited=-1), True, True, id="no limit was ever told"),
    ],
)
def test_a_status_proves_inputs_and_memory_apart(
    ours: StatusCodes, published: StatusCodes, inputs: bool, memory: bool
) -> None:
    assert (fits_inputs(ours, published, conditional=True, failed=False), fits_memory(ours, published)) == (
        inputs,
        memory,
    )


@pytest.mark.parametrize(
    ("current", "shown", "failed", "fits"), [(3, 3, False, True), (3, 4, False, False), (3, 3, True, False)]
)
def test_without_conditions_a_status_proves_inputs_unless_the_reconcile_failed(
    current: int, shown: int, failed: bool, fits: bool
) -> None:
    """Up to 1.6 a reconcile that fails leaves the status as it was, or nearly: that proves nothing."""
    ours, published = (StatusCodes(number, -1, -1, -1) for number in (current, shown))
    assert fits_inputs(ours, published, conditional=False, failed=failed) is fits
    assert not fits_inputs(ours, published, conditional=True, failed=failed)
