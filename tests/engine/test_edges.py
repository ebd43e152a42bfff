"""The arithmetic where it is not the obvious one: int32 wraps, a cut is no floor, doubles miss whole numbers."""

import math
from collections.abc import Callable

import pytest

from hpaaudit.engine.behaviours.release import rules_of
from hpaaudit.engine.rules import go_numbers as numbers
from hpaaudit.engine.rules import limit, tolerance
from hpaaudit.engine.rules import replica_calculator as propose
from hpaaudit.engine.rules.go_numbers import MAX_INT32, MAX_INT64, MIN_INT32, MIN_INT64, TWO_31, TWO_63
from hpaaudit.engine.rules.limit import SELECT_MAX, SELECT_MIN
from hpaaudit.model.flags import Flags

TEN_PERCENT = tolerance.tolerance_of(0.1, 0.1, rules_of(Flags(release="1.36")))

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
    ("int32 wraps at its end", numbers.wrap32, (MAX_INT32 + 1,), MIN_INT32),
    ("int32 twice around", numbers.wrap32, (2**33 + 5,), 5),
    ("int64 wraps at its end", numbers.wrap64, (MAX_INT64 + 1,), MIN_INT64),
    ("int64 twice around", numbers.wrap64, (2**65 + 2**64 + 5,), 5),
    ("a division cuts toward zero", numbers.cut, (-7, 2), -3),
    ("by a negative number, too", numbers.cut, (7, -2), -3),
    ("of two negative numbers", numbers.cut, (-7, -2), 3),
    ("the least int64 by minus one wraps to itself", numbers.cut, (MIN_INT64, -1), MIN_INT64),
    ("by zero it is infinite", numbers.divide, (1.0, 0.0), math.inf),
    ("with the sign of the number", numbers.divide, (-1.0, 0.0), -math.inf),
    ("and of the zero", numbers.divide, (1.0, -0.0), -math.inf),
    ("2^31 is no int32", numbers.to_int32, (TWO_31,), MIN_INT32),
    ("the least int32 is one, and a little below it", numbers.to_int32, (-TWO_31 - 0.5,), MIN_INT32),
    ("what is not a number is the least int32", numbers.to_int32, (math.nan,), MIN_INT32),
    ("2^63 is no int64", numbers.to_int64, (TWO_63,), MIN_INT64),
    ("-2^63 is one", numbers.to_int64, (-TWO_63,), MIN_INT64),
    ("what is not a number is the least int64", numbers.to_int64, (math.nan,), MIN_INT64),
    ("infinity has no ceiling", numbers.ceil, (math.inf,), math.inf),
    ("a utilization wraps in int64 first", propose.utilization_percent, (2**60, 7), 613_566_756),
    ("then in int32", propose.utilization_percent, (2**31, 100), MIN_INT32),
    ("percent of a request wrap in int64", propose.missing_utilization, (2**62, 100, True), 0),
    ("a percentage beyond int32 was the least until 1.37", limit.up_by_percent, (1000, MAX_INT32, False), MIN_INT32),
    ("now it is the largest", limit.up_by_percent, (1000, MAX_INT32, True), MAX_INT32),
    ("below the least int32 stands the least", numbers.count_of, (-TWO_31 * 2.0, True), MIN_INT32),
    ("without replicas the status is the total", propose.per_pod_status, (35, 0, False, True), 35),
    ("which was divided by zero", propose.per_pod_status, (35, 0, False, False), MIN_INT64),
    ("beyond int64 it is still the largest", propose.per_pod_status, (MAX_INT64, 0, True, True), MAX_INT64),
    ("with replicas it is the average", propose.per_pod_status, (35, 2, False, True), 18),
    ("nobody asks for pods: the target is met by none", propose.per_pod_replicas_unheld, (0, 5), 0),
    ("1.14 divided by zero", propose.per_pod_replicas_unheld, (11, 5), 3),
    ("more than int32 are the largest", propose.replicas_of, (1e9, 3, True), MAX_INT32),
    ("the largest int32 is itself", propose.replicas_of, (float(MAX_INT32), 1, True), MAX_INT32),
    ("more than int32 by average are the largest", propose.per_pod_replicas, (2**62, 1, True), MAX_INT32),
    ("2^63 thousandths each are the largest int64", propose.per_pod_status, (MAX_INT64, 1, True, False), MAX_INT64),
    ("before 1.34 they were the least", propose.per_pod_status, (MAX_INT64, 1, False, False), MIN_INT64),
    ("half of it is told as it is", propose.per_pod_status, (MAX_INT64, 2, False, False), 2**62),
    ("from one itself there is no other side above", tolerance.holds, (1.0, 2.0, TEN_PERCENT), False),
    ("nor below", tolerance.holds, (1.0, 0.5, TEN_PERCENT), False),
    ("adding beyond int64 overflows", propose.overflows, (MAX_INT64, 1), True),
    ("up to its end it does not", propose.overflows, (MAX_INT64 - 1, 1), False),
    ("and a negative value never does", propose.overflows, (MAX_INT64, -1), False),
]


@pytest.mark.parametrize(("rule", "given", "result"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_at_the_edge(rule: Callable[..., float], given: tuple[float, ...], result: float) -> None:
    assert rule(*given) == result


def test_zero_by_zero_and_its_ceiling_are_not_numbers() -> None:
    assert math.isnan(numbers.divide(0.0, 0.0))
    assert math.isnan(numbers.divide(math.nan, 0.0))
    assert math.isnan(numbers.ceil(math.nan))


@pytest.mark.parametrize(("inclusive", "outside"), [(False, False), (True, True)])
def test_what_is_not_a_number_was_inside_the_tolerance_until_it_had_two_bounds(inclusive: bool, outside: bool) -> None:
    ten_percent = TEN_PERCENT._replace(inclusive=inclusive)
    assert tolerance.outside(math.nan, ten_percent) is outside
    assert not tolerance.within(math.nan, ten_percent)
