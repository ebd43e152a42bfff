"""Arithmetic at its edges: int32 wraps, truncation is no floor, doubles miss whole numbers."""

import math
from collections.abc import Callable

import pytest

from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.rules import go_numbers, limit, scale_events, tolerance
from hpaaudit.engine.rules import replica_calculator as calculator
from hpaaudit.engine.rules.go_numbers import MAX_INT32, MAX_INT64, MIN_INT32, MIN_INT64, TWO_31, TWO_63
from hpaaudit.engine.rules.limit import (
    SELECT_DISABLED,
    SELECT_MAX,
    SELECT_MIN,
    Policies,
    ScaleEventHistory,
    ScaleEvents,
)
from hpaaudit.engine.rules.normalize import (
    DOWN_STABILIZED,
    READY,
    UP_STABILIZED,
    Limits,
    NormalizationArg,
    Remembered,
    able_of,
    leaves_zero_at_minimum,
    normalize,
)
from hpaaudit.engine.rules.stabilize import Recommendations, Windows
from hpaaudit.model.flags import Flags

RECENT = behaviours_of(Flags(release="1.36"))
TEN_PERCENT = tolerance.tolerance_of(0.1, 0.1, RECENT)

CASES: list[tuple[str, Callable[..., float], tuple[float, ...], float]] = [
    ("a period's start wraps", limit.period_start, (MAX_INT32, 0, 1), MIN_INT32),
    ("a Pods policy wraps on the way up", limit.up_by_pods, (MAX_INT32, 1), MIN_INT32),
    ("a Pods policy wraps on the way down", limit.down_by_pods, (-2, MAX_INT32), MAX_INT32),
    ("5 + 140 % are 12, though 140 * 0.01 says 13", limit.up_by_percent, (5, 140, False), 12),
    ("10 - 70 % are 3, though 70 * 0.01 says 2", limit.down_by_percent, (10, 70), 3),
    ("below zero a cut goes up", limit.down_by_percent, (-7, 50), -3),
    ("Max starts below everything", limit.first_up, (SELECT_MAX, True), MIN_INT32),
    ("Min starts above everything", limit.first_up, (SELECT_MIN, True), MAX_INT32),
    ("Min of a scale-down starts below everything", limit.first_down, (SELECT_MIN, True), MIN_INT32),
    ("Max of a scale-down starts above everything", limit.first_down, (SELECT_MAX, True), MAX_INT32),
    ("int32 wraps at its end", go_numbers.wrap32, (MAX_INT32 + 1,), MIN_INT32),
    ("int32 twice around", go_numbers.wrap32, (2**33 + 5,), 5),
    ("int64 wraps at its end", go_numbers.wrap64, (MAX_INT64 + 1,), MIN_INT64),
    ("int64 twice around", go_numbers.wrap64, (2**65 + 2**64 + 5,), 5),
    ("a division cuts toward zero", go_numbers.divide_int, (-7, 2), -3),
    ("by a negative number, too", go_numbers.divide_int, (7, -2), -3),
    ("of two negative numbers", go_numbers.divide_int, (-7, -2), 3),
    ("the least int64 by minus one wraps to itself", go_numbers.divide_int, (MIN_INT64, -1), MIN_INT64),
    ("by zero it is infinite", go_numbers.divide_float, (1.0, 0.0), math.inf),
    ("with the sign of the number", go_numbers.divide_float, (-1.0, 0.0), -math.inf),
    ("and of the zero", go_numbers.divide_float, (1.0, -0.0), -math.inf),
    ("2^31 is no int32", go_numbers.to_int32, (TWO_31,), MIN_INT32),
    ("the least int32 is one, and a little below it", go_numbers.to_int32, (-TWO_31 - 0.5,), MIN_INT32),
    ("what is not a number is the least int32", go_numbers.to_int32, (math.nan,), MIN_INT32),
    ("2^63 is no int64", go_numbers.to_int64, (TWO_63,), MIN_INT64),
    ("-2^63 is one", go_numbers.to_int64, (-TWO_63,), MIN_INT64),
    ("what is not a number is the least int64", go_numbers.to_int64, (math.nan,), MIN_INT64),
    ("infinity has no ceiling", go_numbers.ceil, (math.inf,), math.inf),
    ("a utilization wraps in int64 first", calculator.utilization_percent, (2**60, 7), 613_566_756),
    ("then in int32", calculator.utilization_percent, (2**31, 100), MIN_INT32),
    ("percent of a request wrap in int64", calculator.missing_utilization, (2**62, 100, True), 0),
    ("a percentage beyond int32 was the least until 1.37", limit.up_by_percent, (1000, MAX_INT32, False), MIN_INT32),
    ("now it is the largest", limit.up_by_percent, (1000, MAX_INT32, True), MAX_INT32),
    ("below the least int32 stands the least", go_numbers.replica_count, (-TWO_31 * 2.0, True), MIN_INT32),
    ("without replicas the status is the total", calculator.per_pod_average, (35, 0, False, True), 35),
    ("which was divided by zero", calculator.per_pod_average, (35, 0, False, False), MIN_INT64),
    ("beyond int64 it is still the largest", calculator.per_pod_average, (MAX_INT64, 0, True, True), MAX_INT64),
    ("with replicas it is the average", calculator.per_pod_average, (35, 2, False, True), 18),
    ("nobody asks for pods: the target is met by none", calculator.replicas_without_tolerance, (0, 5), 0),
    ("1.14 divided by zero", calculator.replicas_without_tolerance, (11, 5), 3),
    ("more than int32 are the largest", calculator.replicas_for_ratio, (1e9, 3, True), MAX_INT32),
    ("the largest int32 is itself", calculator.replicas_for_ratio, (float(MAX_INT32), 1, True), MAX_INT32),
    ("more than int32 by average are the largest", calculator.replicas_for_usage, (2**62, 1, True), MAX_INT32),
    ("2^63 thousandths each are the largest int64", calculator.per_pod_average, (MAX_INT64, 1, True, False), MAX_INT64),
    ("before 1.34 they were the least", calculator.per_pod_average, (MAX_INT64, 1, False, False), MIN_INT64),
    ("half of it is told as it is", calculator.per_pod_average, (MAX_INT64, 2, False, False), 2**62),
    ("from one itself there is no other side above", tolerance.keeps_replicas, (1.0, 2.0, TEN_PERCENT), False),
    ("nor below", tolerance.keeps_replicas, (1.0, 0.5, TEN_PERCENT), False),
    ("the same number does not move against a ratio below one", calculator.against_ratio, (0.9, 5, 5), False),
    ("nor against one above it", calculator.against_ratio, (1.1, 5, 5), False),
    (
        "a number that is written again is a scale-down by 0",
        scale_events.event_of,
        (True, 3, 3),
        scale_events.DOWN_EVENT,
    ),
    ("who has left zero is not raised again", leaves_zero_at_minimum, (3, 5, True, 4), False),
    ("nor is who was switched off at zero", leaves_zero_at_minimum, (0, 5, False, 1), False),
    ("adding beyond int64 overflows", calculator.overflows, (MAX_INT64, 1), True),
    ("up to its end it does not", calculator.overflows, (MAX_INT64 - 1, 1), False),
    ("and a negative value never does", calculator.overflows, (MAX_INT64, -1), False),
]


@pytest.mark.parametrize(("rule", "arguments", "result"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_at_the_edge(rule: Callable[..., float], arguments: tuple[float, ...], result: float) -> None:
    assert rule(*arguments) == result


def test_zero_by_zero_and_its_ceiling_are_not_numbers() -> None:
    assert math.isnan(go_numbers.divide_float(0.0, 0.0))
    assert math.isnan(go_numbers.divide_float(math.nan, 0.0))
    assert math.isnan(go_numbers.ceil(math.nan))


@pytest.mark.parametrize(("inclusive", "outside"), [(False, False), (True, True)])
def test_what_is_not_a_number_was_inside_the_tolerance_until_it_had_two_bounds(inclusive: bool, outside: bool) -> None:
    ten_percent = TEN_PERCENT._replace(is_inclusive=inclusive)
    assert tolerance.outside(math.nan, ten_percent) is outside
    assert not tolerance.within(math.nan, ten_percent)


@pytest.mark.parametrize(("has_behavior", "raw", "disabled"), [(True, 5, True), (True, 3, False), (False, 5, False)])
def test_a_direction_is_disabled_only_with_a_behavior_and_where_something_would_move(
    has_behavior: bool, raw: int, disabled: bool
) -> None:
    off, nothing = Policies(SELECT_DISABLED, (), (), (), 0, 0), ScaleEvents((), (), 0, 0)
    limits = Limits(1, 10, has_behavior, Windows(0, 0), off, off)
    past = Remembered(Recommendations((), ()), ScaleEventHistory(nothing, nothing))
    argument = NormalizationArg(raw, current=3, now_us=0, limits=limits, remembered=past)
    assert normalize(argument, scaled_to_zero=False, behaviours=RECENT).disabled is disabled


@pytest.mark.parametrize(
    ("up", "down", "raw", "disabled"),
    [
        (SELECT_DISABLED, SELECT_MAX, 5, True),
        (SELECT_DISABLED, SELECT_MAX, 1, False),
        (SELECT_MAX, SELECT_DISABLED, 5, False),
        (SELECT_MAX, SELECT_DISABLED, 1, True),
    ],
)
def test_a_disabled_direction_does_not_disable_the_other(up: int, down: int, raw: int, disabled: bool) -> None:
    nothing = ScaleEvents((), (), 0, 0)
    has_behavior, ways = True, (Policies(select, (), (), (), 0, 0) for select in (up, down))
    past = Remembered(Recommendations((), ()), ScaleEventHistory(nothing, nothing))
    argument = NormalizationArg(raw, 3, 0, Limits(1, 10, has_behavior, Windows(0, 0), *ways), past)
    assert normalize(argument, scaled_to_zero=False, behaviours=RECENT).disabled is disabled


@pytest.mark.parametrize(
    ("raw", "stabilized", "has_behavior", "able"),
    [
        (5, 5, True, READY),
        (6, 5, True, UP_STABILIZED),
        (5, 6, True, UP_STABILIZED),  # asked for what is there, and raised by the window: upstream calls it up
        (4, 5, True, DOWN_STABILIZED),
        (6, 7, False, DOWN_STABILIZED),
    ],
)
def test_the_window_that_held_a_recommendation_is_told_by_its_direction(
    raw: int, stabilized: int, has_behavior: bool, able: int
) -> None:
    assert able_of(raw, 5, stabilized, has_behavior) == able
