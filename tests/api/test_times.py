"""Go's durations and RFC 3339 times to whole microseconds and back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.api import times
from hpaaudit.model.units import Micros


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("0", 0),
        ("0s", 0),
        ("15s", 15_000_000),
        ("5m0s", 300_000_000),
        ("1m0.5s", 60_500_000),
        ("1h2m3s", 3_723_000_000),
        ("30ms", 30_000),
        ("7us", 7),
        ("7µs", 7),
        ("7μs", 7),
        ("1500ns", 1),
        ("999ns", 0),
        (".5s", 500_000),
        ("1.s", 1_000_000),
        ("-1.5s", -1_500_000),
        ("+2s", 2_000_000),
        ("17.000000499s", 17_000_000),
        ("1s1s", 2_000_000),
    ],
)
def test_a_go_duration_is_cut_to_microseconds(text: str, micros: int) -> None:
    assert times.duration(text) == micros


@pytest.mark.parametrize("text", ["", "15", "s", "1 s", "1x", "-", "1s ", "1m0", "PT15S", "1,5s", "."])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration such as 15s"):
        times.duration(text)


NOON = 1_772_452_800_000_000  # 2026-03-02T12:00:00Z


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("2026-03-02T12:00:00Z", NOON),
        ("2026-03-02t12:00:00z", NOON),
        ("2026-03-02 12:00:00Z", NOON),
        ("2026-03-02T12:00:00.1Z", NOON + 100_000),
        ("2026-03-02T12:00:00.123456789Z", NOON + 123_456),
        ("2026-03-02T12:00:00.999999999Z", NOON + 999_999),
        ("2026-03-02T07:00:00-05:00", NOON),
        ("2026-03-02T17:30:00+05:30", NOON),
        ("2026-03-01T23:00:00-13:00", NOON),
        ("2026-03-02T11:59:60Z", NOON),
        ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31T23:59:59.5Z", -500_000),
    ],
)
def test_a_time_of_any_offset_is_cut_to_microseconds(text: str, micros: int) -> None:
    assert times.micros(text) == micros


@pytest.mark.parametrize(
    "text", ["", "now", "2026-03-02", "2026-03-02T12:00:00", "2026-3-2T12:00:00Z", "2026-13-02T12:00:00Z", "12:00"]
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (the calendar has words of its own)
        times.micros(text)


@pytest.mark.parametrize("text", [None, "", "0001-01-01T00:00:00Z"])
def test_null_empty_and_gos_zero_time_are_none(text: str | None) -> None:
    assert times.maybe_micros(text) is None


def test_kubernetes_shows_whole_seconds_and_we_all_digits() -> None:
    assert times.whole_seconds(Micros(NOON + 999_999)) == "2026-03-02T12:00:00Z"
    assert times.precise(Micros(NOON + 999_999)) == "2026-03-02T12:00:00.999999Z"
    assert times.precise(Micros(NOON + 120_000)) == "2026-03-02T12:00:00.12Z"
    assert times.precise(Micros(NOON)) == "2026-03-02T12:00:00Z"


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(st.integers(-(10**15), 4 * 10**15))
def test_a_time_that_was_written_is_read_back(micros: int) -> None:
    assert times.micros(times.precise(Micros(micros))) == micros
