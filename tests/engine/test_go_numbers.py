"""Go's numbers on amd64: what wraps, what is truncated, and what becomes the least integer."""

import math

import pytest

from hpaaudit.engine.rules import go_numbers
from hpaaudit.engine.rules.go_numbers import MAX_INT32, MAX_INT64, MIN_INT32, MIN_INT64


@pytest.mark.parametrize(
    ("number", "wrapped"),
    [(0, 0), (MAX_INT32, MAX_INT32), (MAX_INT32 + 1, MIN_INT32), (MIN_INT32 - 1, MAX_INT32), (2**32, 0), (-1, -1)],
)
def test_int32_wraps(number: int, wrapped: int) -> None:
    assert go_numbers.wrap32(number) == wrapped


@pytest.mark.parametrize(
    ("number", "wrapped"),
    [(MAX_INT64, MAX_INT64), (MAX_INT64 + 1, MIN_INT64), (MIN_INT64 - 1, MAX_INT64), (2**64 + 7, 7)],
)
def test_int64_wraps(number: int, wrapped: int) -> None:
    assert go_numbers.wrap64(number) == wrapped


@pytest.mark.parametrize(
    ("number", "divisor", "quotient"), [(7, 2, 3), (-7, 2, -3), (7, -2, -3), (-7, -2, 3), (0, -5, 0), (1, 3, 0)]
)
def test_integer_division_cuts_toward_zero(number: int, divisor: int, quotient: int) -> None:
    assert go_numbers.divide_int(number, divisor) == quotient


def test_division_by_zero_is_infinite_or_not_a_number() -> None:
    assert go_numbers.divide_float(1.0, 0.0) == math.inf
    assert go_numbers.divide_float(-1.0, 0.0) == -math.inf
    assert go_numbers.divide_float(1.0, -0.0) == -math.inf
    assert math.isnan(go_numbers.divide_float(0.0, 0.0))
    assert math.isnan(go_numbers.divide_float(math.nan, 0.0))
    assert go_numbers.divide_float(3.0, 2.0) == 1.5


@pytest.mark.parametrize(
    ("number", "wrapped"),
    [
        (2.9, 2),
        (-2.9, -2),
        (2147483647.9, MAX_INT32),
        (2147483648.0, MIN_INT32),
        (-2147483648.9, MIN_INT32),
        (-2147483649.0, MIN_INT32),
        (math.nan, MIN_INT32),
        (math.inf, MIN_INT32),
        (-math.inf, MIN_INT32),
    ],
)
def test_a_float_beyond_int32_becomes_the_least(number: float, wrapped: int) -> None:
    assert go_numbers.to_int32(number) == wrapped


@pytest.mark.parametrize(
    ("number", "wrapped"),
    [
        (-2.9, -2),
        (9223372036854774784.0, 9223372036854774784),
        (9223372036854775808.0, MIN_INT64),
        (-9223372036854775808.0, MIN_INT64),
        (math.nan, MIN_INT64),
        (math.inf, MIN_INT64),
    ],
)
def test_a_float_beyond_int64_becomes_the_least(number: float, wrapped: int) -> None:
    assert go_numbers.to_int64(number) == wrapped


def test_ceil_passes_on_what_is_no_number() -> None:
    assert go_numbers.ceil(2.0000000000000004) == 3.0
    assert go_numbers.ceil(-0.5) == 0.0
    assert go_numbers.ceil(math.inf) == math.inf
    assert math.isnan(go_numbers.ceil(math.nan))
