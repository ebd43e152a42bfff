"""Whether a scale may change again, by the time of its last change and the time of the metric (1.1 to 1.11)."""

import pytest

from hpaaudit.engine.rules.forbidden_windows import (
    BOTH_CLOSED,
    BOTH_OPEN,
    DOWN_CLOSED,
    NEVER_SCALED,
    UP_CLOSED,
    ForbiddenWindows,
    closed_windows,
    is_open,
    may_scale,
)

WINDOWS = ForbiddenWindows(up_us=180, down_us=300)


@pytest.mark.parametrize(
    ("last_us", "metric_us", "opened"),
    [(0, 179, False), (0, 180, False), (0, 181, True), (NEVER_SCALED, 0, True), (NEVER_SCALED, -(10**17), True)],
)
def test_a_window_that_ends_with_the_metric_is_still_closed(last_us: int, metric_us: int, opened: bool) -> None:
    assert is_open(last_us, WINDOWS.up_us, metric_us) is opened


@pytest.mark.parametrize(
    ("desired", "metric_us", "written"),
    [(5, 10**9, False), (6, 180, False), (6, 181, True), (4, 181, False), (4, 300, False), (4, 301, True)],
)
def test_each_direction_has_its_own_window(desired: int, metric_us: int, written: bool) -> None:
    assert may_scale(5, desired, 0, metric_us, WINDOWS) is written


@pytest.mark.parametrize(
    ("windows", "closed"),
    [
        (WINDOWS, {180: BOTH_CLOSED, 181: DOWN_CLOSED, 300: DOWN_CLOSED, 301: BOTH_OPEN}),
        (ForbiddenWindows(up_us=300, down_us=180), {180: BOTH_CLOSED, 181: UP_CLOSED, 301: BOTH_OPEN}),
    ],
)
def test_each_window_is_closed_for_its_own_time(windows: ForbiddenWindows, closed: dict[int, int]) -> None:
    assert {metric_us: closed_windows(0, metric_us, windows) for metric_us in closed} == closed


def test_a_metric_without_a_time_keeps_the_scale_for_good() -> None:
    zero_time_us = -62135596800 * 10**6
    assert not may_scale(5, 6, 0, zero_time_us, WINDOWS)
