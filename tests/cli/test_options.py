"""Moments as users write them, and what they mean in a recording."""

from datetime import datetime, timedelta, timezone

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.api.times import micros, precise
from hpaaudit.cli.options import hpa_name, setting
from hpaaudit.errors import BadOption
from hpaaudit.flows.moments import moment, moments
from hpaaudit.model.span import Span
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.report.text import Clock

AFTERNOON = Span(micros("2026-03-02T13:50:00Z"), micros("2026-03-02T14:20:00Z"))
OVER_MIDNIGHT = Span(micros("2026-03-02T23:30:00Z"), micros("2026-03-03T01:00:00Z"))
THREE_DAYS = Span(micros("2026-03-02T10:00:00Z"), micros("2026-03-04T12:00:00Z"))


@pytest.mark.parametrize(
    ("written", "span", "means"),
    [
        ("2026-03-02T14:05:00Z", AFTERNOON, "2026-03-02T14:05:00Z"),
        ("2026-03-02T10:05:00.25-04:00", AFTERNOON, "2026-03-02T14:05:00.25Z"),
        ("2026-03-02 14:05:19", AFTERNOON, "2026-03-02T14:05:19Z"),
        ("2026-03-02T14:05", AFTERNOON, "2026-03-02T14:05:00Z"),
        ("2026-03-02", AFTERNOON, "2026-03-02T00:00:00Z"),
        ("14:05", AFTERNOON, "2026-03-02T14:05:00Z"),
        ("14:05:19Z", AFTERNOON, "2026-03-02T14:05:19Z"),
        ("14:05:19.5", AFTERNOON, "2026-03-02T14:05:19.5Z"),
        ("9:00", AFTERNOON, "2026-03-02T09:00:00Z"),
        ("23:45", OVER_MIDNIGHT, "2026-03-02T23:45:00Z"),
        ("00:15", OVER_MIDNIGHT, "2026-03-03T00:15:00Z"),
        ("-5m", AFTERNOON, "2026-03-02T14:15:00Z"),
        ("5m", AFTERNOON, "2026-03-02T14:15:00Z"),
        ("5m ago", AFTERNOON, "2026-03-02T14:15:00Z"),
        ("now", AFTERNOON, "2026-03-02T14:20:00Z"),
        ("1.5h", AFTERNOON, "2026-03-02T12:50:00Z"),
        ("-1h30m", AFTERNOON, "2026-03-02T12:50:00Z"),
        ("2026-03-02 14:05:19 UTC", AFTERNOON, "2026-03-02T14:05:19Z"),
        ("2026-03-02 14:05:19.25 GMT", AFTERNOON, "2026-03-02T14:05:19.25Z"),
        ("2026-03-02 14:05:19,25", AFTERNOON, "2026-03-02T14:05:19.25Z"),
        ("2026-03-02 15:05:19.25 +0100 CET m=+0.5", AFTERNOON, "2026-03-02T14:05:19.25Z"),
        ("Mon, 02 Mar 2026 14:05:19 GMT", AFTERNOON, "2026-03-02T14:05:19Z"),
        ("Mon, 2 Mar 2026 16:05:19 +0200", AFTERNOON, "2026-03-02T14:05:19Z"),
        ("Mon Mar  2 14:05:19 UTC 2026", AFTERNOON, "2026-03-02T14:05:19Z"),
        ("Mon Mar  2 14:05:19 2026", AFTERNOON, "2026-03-02T14:05:19Z"),
        ("14:05:19 UTC", AFTERNOON, "2026-03-02T14:05:19Z"),
        ("1772460319", AFTERNOON, "2026-03-02T14:05:19Z"),
        ("@1772460319", AFTERNOON, "2026-03-02T14:05:19Z"),
        ("1772460319.25", AFTERNOON, "2026-03-02T14:05:19.25Z"),
        ("1772460319250", AFTERNOON, "2026-03-02T14:05:19.25Z"),
        ("1772460319250.5", AFTERNOON, "2026-03-02T14:05:19.2505Z"),
        ("1772460319250001", AFTERNOON, "2026-03-02T14:05:19.250001Z"),
        ("1772460319250001999", AFTERNOON, "2026-03-02T14:05:19.250001Z"),
    ],
)
def test_a_moment_means_an_instant(written: str, span: tuple[int, int], means: str) -> None:
    assert precise(moment(written).at(*span)) == means  # type: ignore[arg-type]


def test_a_date_is_the_whole_day() -> None:
    """As `--until` and `--at` until its end, or that of the recording; as `--since` from its begin on."""
    day = moment("2026-03-03")
    end_us = micros("2026-03-04T00:00:00Z") - 1
    assert moments(THREE_DAYS, at=day, since=day, until=day) == {
        "at": end_us,
        "since": micros("2026-03-03T00:00:00Z"),
        "until": end_us,
    }
    assert moments(THREE_DAYS, at=moment("2026-03-04")) == {"at": THREE_DAYS[1]}
    assert moments(AFTERNOON, at=moment("2026-03-02"), until=moment("now")) == {
        "at": AFTERNOON[1],
        "until": AFTERNOON[1],
    }
    with pytest.raises(BadOption, match="is not in the recording"):
        moments(THREE_DAYS, at=moment("2026-03-05"))


@pytest.mark.parametrize(("written", "days", "last"), [("11:00", 3, 4), ("13:00", 2, 3), ("9:59:59", 2, 4)])
def test_a_time_of_day_on_several_days_is_refused_with_a_date(written: str, days: int, last: int) -> None:
    with pytest.raises(BadOption) as refused:
        moments(THREE_DAYS, at=moment(written))
    whole = written.zfill(5) + ":00" if written.count(":") == 1 else written.zfill(8)
    assert str(refused.value) == (
        f"--at {written} is on {days} days of the recording: give the date too, as in 2026-03-0{last}T{whole}Z."
    )


TIMES = st.integers(AFTERNOON[0], AFTERNOON[0] + 5 * 24 * 3600 * SECOND)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(TIMES, TIMES, TIMES)
def test_a_time_on_a_screen_that_is_pasted_back_is_that_time(one: int, two: int, three: int) -> None:
    started, shown, ended = (Micros(at_us) for at_us in sorted((one, two, three)))
    pasted = moments(Span(started, ended), at=moment(Clock(started, ended)(shown)))["at"]
    assert pasted is not None
    assert pasted // SECOND == shown // SECOND


def test_a_time_of_whole_seconds_means_all_of_its_second() -> None:
    at = moments(AFTERNOON, at=moment("14:05:19"), since=moment("14:05:19"), until=moment("14:05:19.25"))
    assert {name: precise(time) for name, time in at.items() if time is not None} == {
        "at": "2026-03-02T14:05:19.999999Z",
        "since": "2026-03-02T14:05:19Z",
        "until": "2026-03-02T14:05:19.25Z",
    }


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("at", "0001-01-01"),
        ("at", "9999-12-31T23:59:59Z"),
        ("at", "13:49:59"),
        ("at", "14:20:01"),
        ("at", "-31m"),
        ("since", "14:20:01"),
        ("until", "13:49:59"),
    ],
)
def test_a_time_outside_the_recording_is_refused_with_its_span(name: str, written: str) -> None:
    with pytest.raises(BadOption, match="which goes from 2026-03-02T13:50:00Z to 2026-03-02T14:20:00Z"):
        moments(AFTERNOON, **{name: moment(written)})


@pytest.mark.parametrize(("since", "until"), [("13:00", "14:00"), ("14:00", "15:00"), ("14:00:05", "14:00:05")])
def test_a_range_may_be_wider_than_the_recording(since: str, until: str) -> None:
    times = moments(AFTERNOON, since=moment(since), until=moment(until))
    assert times["since"] is not None
    assert times["until"] is not None
    assert times["since"] < times["until"]


def test_a_range_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(BadOption, match="--since 14:10 is later than --until 14:05"):
        moments(AFTERNOON, since=moment("14:10"), until=moment("14:05"))


@given(
    minute=st.integers(0, 60_000_000),
    second=st.sampled_from([0, 31]),
    ahead=st.integers(-14 * 60, 14 * 60),
    shape=st.sampled_from(["{}{}:{}", "{}{}{}", "{} {}{}", "{} {}:{}"]),
)
def test_a_time_with_an_offset_means_its_instant_however_the_offset_is_written(
    minute: int, second: int, ahead: int, shape: str
) -> None:
    """As RFC 3339, `date +%FT%T%z` and databases print it, with seconds or without."""
    at = datetime.fromtimestamp(60 * minute + second, timezone(timedelta(minutes=ahead)))
    local, offset = at.strftime("%Y-%m-%dT%H:%M:%S"), at.strftime("%z")
    for text in [local] if second else [local, local.removesuffix(":00")]:
        written = moment(shape.format(text, offset[:3], offset[3:]))
        assert written.at(Micros(0), Micros(0)) == (60 * minute + second) * SECOND


@given(st.integers(10**15, 4 * 10**15), st.booleans())
def test_a_time_since_1970_means_its_instant_in_every_unit(at_us: int, is_marked: bool) -> None:
    """Seconds as `date +%s` prints them, milliseconds as Grafana, our own `at_us`, Go's nanoseconds."""
    for unit_us in (SECOND, 1000, 1):
        text = ("@" if is_marked else "") + str(at_us // unit_us)
        first_us = at_us // unit_us * unit_us
        asked = moments(Span(Micros(at_us), Micros(at_us)), at=moment(text), since=moment(text))
        assert asked == {"at": at_us, "since": first_us}  # the recording ends there
    assert moment(f"{at_us}999").at(Micros(0), Micros(0)) == at_us
    assert moment(f"{at_us // SECOND}.{at_us % SECOND:06}").at(Micros(0), Micros(0)) == at_us


def test_a_number_outside_the_recording_is_refused_with_the_time_that_it_is() -> None:
    with pytest.raises(BadOption, match=r"--at 1763737282 \(read as 2025-11-21T15:01:22Z\) is not in the recording"):
        moments(AFTERNOON, at=moment("1763737282"))


@pytest.mark.parametrize("zone", ["CET", "Europe/Berlin", "PDT"])
def test_the_name_of_a_zone_behind_a_time_is_refused_with_what_to_give(zone: str) -> None:
    with pytest.raises(
        BadOption, match=f"give the offset from UTC in place of {zone}, as in 2026-03-02 14:05 .* or --tz"
    ):
        moment(f"2026-03-02 14:05 {zone}")


@pytest.mark.parametrize(
    "written",
    [
        "20260302",
        "12345678",
        "99999999999999999999",
        "@",
        "1772460319.",
        "1772460319 UTC",
        "Mon Mar 32 14:05:19 UTC 2026",
        "Mon, 02 Mrz 2026 14:05:19 GMT",
        "UTC",
        "yesterday",
        "25:00",
        "14:60",
        "5 m",
        "ago",
        "5 ago",
        "now ago",
        "5d",
        "--5m",
        "-+5m",
        "-5 minutes",
        "",
        "2026-13-01",
        "14",
        "-",
        "14:05+2",
        "14:05+99",
    ],
)
def test_what_is_not_a_moment_is_refused(written: str) -> None:
    with pytest.raises(BadOption, match="is not a time"):
        moment(written)


@pytest.mark.parametrize("written", ["/web", "shop/", "a/b/c", ""])
def test_an_hpa_is_one_name_and_its_namespace(written: str) -> None:
    with pytest.raises(click.BadParameter, match="NS/NAME"):
        hpa_name(written)


def test_a_setting_has_a_name_and_a_value() -> None:
    assert setting("tolerance=0.05") == ("tolerance", "0.05")
    assert setting("feature-gates=A=true,B=false") == ("feature-gates", "A=true,B=false")
    with pytest.raises(click.BadParameter, match="NAME=VALUE"):
        setting("tolerance")
