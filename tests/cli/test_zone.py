"""Times in another zone: what is printed says its offset, and pasted back it means the same."""

import json
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.api.times import micros
from hpaaudit.api.zone import use_zone
from hpaaudit.cli.zone_names import zone_named
from hpaaudit.flows.moments import moment
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.report.text import clock, stamp
from tests.cli.run import run

ZONES = ("UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Pacific/Apia")


@pytest.fixture(autouse=True)
def utc_afterwards() -> Iterator[None]:
    yield
    use_zone(UTC)


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 2 * 10**9), st.integers(0, 999_999), st.sampled_from(ZONES), st.sampled_from(ZONES))
def test_a_printed_time_means_the_same_in_every_zone(seconds: int, fraction: int, zone: str, other: str) -> None:
    at_us = Micros(seconds * SECOND + fraction)
    use_zone(zone_named(zone))
    printed, of_day = stamp(at_us), clock(at_us)
    assert micros(printed) == at_us
    use_zone(zone_named(other))
    span = Micros(at_us - 3600 * SECOND), Micros(at_us + 3600 * SECOND)
    assert moment(printed).at(*span) == at_us
    assert moment(of_day).at(*span) == at_us // SECOND * SECOND


RULES = (
    "CET-1CEST,M3.5.0,M10.5.0/3",
    "EST5EDT,M3.2.0,M11.1.0",
    "<+03>-3",
    "UTC+3",
    "NZST-12NZDT,M9.5.0,M4.1.0/3",
    "IST-1GMT0,M10.5.0,M3.5.0/1",
)


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_in_tz_means_what_it_means_to_the_c_library(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", rule)
    time.tzset()
    zone = zone_named(rule)
    try:
        for at_s in range(1_767_225_600, 1_798_761_600, 5 * 3600):
            there = time.localtime(at_s)
            assert datetime.fromtimestamp(at_s, zone).utcoffset() == timedelta(seconds=there.tm_gmtoff), at_s
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_rule_without_days_has_the_usual_ones() -> None:
    at = datetime(2026, 7, 1, 12, tzinfo=UTC)
    assert at.astimezone(zone_named("CET-1CEST")).isoformat() == "2026-07-01T14:00:00+02:00"


@pytest.mark.usefixtures("at_desk")
def test_a_zone_is_asked_for_by_option_before_or_after_the_command_and_by_tz(monkeypatch: pytest.MonkeyPatch) -> None:
    utc = run("hpaaudit explain web.duckdb --at 14:01")[1]
    asked = "hpaaudit explain web.duckdb --tz Europe/Berlin --at 15:01"
    local = run(asked)[1]
    assert "at 14:01:00Z" in utc
    assert "at 15:01:00+01:00" in local
    assert run("hpaaudit --tz Europe/Berlin explain web.duckdb --at 15:01")[1] == local
    monkeypatch.setenv("TZ", "Europe/Berlin")
    assert run("hpaaudit explain web.duckdb --at 15:01")[1] == local
    assert json.loads(run("hpaaudit explain web.duckdb --at 14:01Z -o json")[1])["at_us"] % SECOND == 0
    rows = run('hpaaudit query web.duckdb "select ts from reconciles" -o table')[1].split()[1:]
    assert all(re.fullmatch(r"2026-03-02T15:\d\d:\d\d(\.\d+)?\+01:00", row) for row in rows)


@pytest.mark.usefixtures("at_desk")
def test_a_zone_that_nobody_knows_is_refused_in_a_line() -> None:
    for name in ("Mars/Phobos", "../../etc/passwd", "", "/etc/passwd"):
        code, out, err = run(f"hpaaudit explain web.duckdb --tz '{name}'")
        assert (code, out, err.count("\n")) == (2, "", 1), (name, err)
