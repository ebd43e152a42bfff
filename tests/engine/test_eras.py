"""What only the controllers of 1.1 to 1.11 decided: bounds, last minutes, quantities of the annotation."""

import pytest

from hpaaudit.api.heapster import NotJson, Point, resource_samples, series
from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.controller.heapster_client import last_minute
from hpaaudit.engine.eras.custom_metrics import published
from hpaaudit.engine.eras.limit_words import limited_words
from hpaaudit.engine.rules.bounds import Bounds, bounded
from hpaaudit.engine.rules.pod_average import fitting
from hpaaudit.engine.rules.primary_reason import primary_before_stabilization
from hpaaudit.engine.rules.published_status import has_conditions
from hpaaudit.engine.rules.reason_codes import ABOVE_TARGET, CODES
from hpaaudit.model.flags import Flags
from hpaaudit.model.units import SECOND, Micros


@pytest.mark.parametrize(
    ("release", "raw", "current", "minimum", "maximum", "replicas"),
    [
        ("1.1", 30, 2, 1, 10, 10),  # no limit of the rate yet
        ("1.4.3", 30, 2, 1, 40, 30),
        ("1.4.4", 30, 2, 1, 40, 4),
        ("1.6", 30, 5, 1, 7, 7),
        ("1.7.5", 30, 5, 1, 7, 10),  # the rate is the first that applies, above maxReplicas
        ("1.7.9", 30, 5, 1, 7, 7),
        ("1.8.1", 30, 5, 1, 7, 10),
        ("1.8.2", 30, 5, 1, 7, 7),
        ("1.11", 30, 5, 1, 7, 7),
        ("1.7.1", 0, 5, 3, 7, 1),  # zero becomes one, below minReplicas
        ("1.7.2", 0, 5, 3, 7, 3),
        ("1.8", 0, 5, None, 7, 1),
        ("1.11", 0, 5, None, 7, 1),
        ("1.11", 0, 5, 0, 7, 1),
        ("1.6", 0, 5, None, 7, 1),
    ],
)
def test_rate_and_bounds_of_each_release(
    release: str, raw: int, current: int, minimum: int | None, maximum: int, replicas: int
) -> None:
    behaviours = behaviours_of(Flags(release=release))
    assert bounded(raw, current, Bounds(minimum or 0, minimum is not None, maximum), behaviours).replicas == replicas


@pytest.mark.parametrize(
    ("release", "raw", "current", "by_rate"),
    [("1.9", 30, 5, 10), ("1.11", 30, 2, 4), ("1.11", 3, 5, 3), ("1.8.2", 30, 5, 10), ("1.6", 9, 5, 9)],
)
def test_what_the_rate_alone_allows_is_kept_beside_the_limited_number(
    release: str, raw: int, current: int, by_rate: int
) -> None:
    limits = bounded(raw, current, Bounds(1, has_minimum=True, maximum=9), behaviours_of(Flags(release=release)))
    assert limits.by_rate == by_rate


@pytest.mark.parametrize(("number", "stored"), [(2**40, 2**31 - 1), (-(2**40), -(2**31)), (7, 7)])
def test_a_number_of_64_bits_is_stored_as_the_nearest_of_32(number: int, stored: int) -> None:
    assert fitting(number) == stored


@pytest.mark.parametrize(
    ("release", "raw", "reason", "message"),
    [
        ("1.8", 0, "TooFewReplicas", "the desired replica count was zero"),
        ("1.8", 9, "TooManyReplicas", "the desired replica count was more than the maximum replica count"),
        ("1.8", 6, "DesiredWithinRange", "the desired replica count is within the acceptible range"),
        ("1.9", 0, "TooFewReplicas", "the desired replica count is more than the maximum replica count"),
        ("1.9", 6, "DesiredWithinRange", "the desired count is within the acceptable range"),
    ],
)
def test_the_words_of_a_limit(release: str, raw: int, reason: str, message: str) -> None:
    behaviours = behaviours_of(Flags(release=release))
    limits = bounded(raw, 5, Bounds(0, has_minimum=False, maximum=7), behaviours)
    assert limited_words(raw, limits, behaviours) == (reason, message, limits.replicas != raw)


def test_a_last_minute_does_not_include_the_point_a_minute_before() -> None:
    points = [Point(Micros(at * SECOND), value, None) for at, value in ((0, 100), (1, 10), (60, 30))]
    minute = last_minute(points)
    assert minute is not None
    assert (minute.at_us, minute.total, minute.count, minute.newest_value) == (60 * SECOND, 40, 2, 30)


@pytest.mark.parametrize(
    ("value", "in_1_2", "in_1_5"),
    [(1.31, "1310m", "1.310"), (0.12, "120m", "120m"), (12.0, "12", "12"), (1000.0, "1k", "1k"), (0.0, "0", "0"),
     (1234567890123456.7, "1234567890123456750m", "1234567890123456750m")],
)  # fmt: skip
def test_a_quantity_keeps_its_decimal_point_since_1_3(value: float, in_1_2: str, in_1_5: str) -> None:
    assert (published(value, keeps_text=False), published(value, keeps_text=True)) == (in_1_2, in_1_5)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_is_no_quantity(value: float) -> None:
    with pytest.raises(ValueError, match="quantities must match"):
        published(value, keeps_text=True)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("no", "invalid character 'o' in literal null (expecting 'u')"),
        ("service unavailable", "invalid character 's' looking for beginning of value"),
        ("", "unexpected end of JSON input"),
        ("[]", "json: cannot unmarshal array into Go value of type v1.MetricResultList"),
    ],
)
def test_an_answer_that_is_no_series_is_refused_in_the_words_of_go(body: str, words: str) -> None:
    with pytest.raises(NotJson) as refused:
        series(body)
    assert str(refused.value) == words


def test_a_status_reads_as_an_answer_without_series_but_not_as_a_bare_list() -> None:
    assert series('{"kind":"Status","code":500}') == ()
    with pytest.raises(NotJson, match=r"object into Go value of type \[\]v1alpha1.PodMetrics"):
        resource_samples('{"kind":"Status","code":500}', bare=True)


@pytest.mark.parametrize(
    ("raw", "current", "minimum", "maximum", "rescales", "code"),
    [
        (6, 5, 1, 10, True, "metric.above_target"),
        (6, 5, 1, 10, False, "window.up_forbidden"),
        (4, 5, 1, 10, False, "window.down_forbidden"),
        (5, 5, 1, 10, False, "metric.above_target"),
        (30, 5, 1, 10, True, "bound.max"),
        (30, 5, 1, 40, True, "policy.legacy_up_limit"),
        (30, 5, 1, 40, False, "window.up_forbidden"),
        (1, 5, 3, 40, True, "bound.min"),
    ],
)
def test_the_primary_reason_is_the_window_then_the_limit_then_the_metric(
    raw: int, current: int, minimum: int, maximum: int, rescales: bool, code: str
) -> None:
    bounds = Bounds(minimum, has_minimum=True, maximum=maximum)
    limits = bounded(raw, current, bounds, behaviours_of(Flags(release="1.11")))
    assert CODES[primary_before_stabilization(ABOVE_TARGET, raw, limits, current, rescales)] == code


def test_only_1_6_of_those_with_a_list_of_metrics_has_no_conditions() -> None:
    having = [
        release for release in ("1.6", "1.7", "1.11", "1.12") if has_conditions(behaviours_of(Flags(release=release)))
    ]
    assert having == ["1.7", "1.11", "1.12"]
