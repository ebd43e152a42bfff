"""Times in another zone: what is printed says its offset, and pasted back it means the same."""

import json
import re
from collections.abc import Iterator
from datetime import UTC

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
