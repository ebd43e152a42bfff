"""Times in another zone: what is printed says its offset, and pasted back it means the same."""

import json
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.api.times import micros
from hpaaudit.api.zone import in_zone, offset_us, offsets_us, use_zone
from hpaaudit.cli.zone_names import zone_named
from hpaaudit.errors import BadOption
from hpaaudit.flows.moments import Moment, moment
from hpaaudit.model.span import Span
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.report.text import clock, stamp
from hpaaudit.report.told_times import rows_in_zone
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


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 2 * 10**9), st.integers(0, 400 * 86_400), st.floats(0, 1), st.sampled_from(ZONES))
def test_the_offsets_of_a_span_are_those_of_each_of_its_instants(
    begin: int, seconds: int, share: float, zone: str
) -> None:
    use_zone(zone_named(zone))
    first_us, last_us = begin * SECOND, (begin + seconds) * SECOND
    offsets = offsets_us(first_us, last_us)
    at_us = first_us + int(share * seconds) * SECOND
    assert [ahead for from_us, ahead in offsets if from_us <= at_us][-1] == offset_us(at_us)
    assert offsets[0][0] == first_us
    for (_, before), (from_us, ahead) in pairwise(offsets):
        assert (offset_us(from_us - SECOND), offset_us(from_us)) == (before, ahead)


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


@given(st.integers(-23 * 60 - 59, 23 * 60 + 59), st.booleans())
def test_an_offset_is_a_zone(minutes: int, has_colon: bool) -> None:
    offset = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}{':' * has_colon}{abs(minutes) % 60:02}"
    assert datetime(2026, 7, 1, tzinfo=zone_named(offset)).utcoffset() == timedelta(minutes=minutes)


@pytest.mark.usefixtures("at_desk")
def test_an_unknown_zone_in_tz_is_said_in_a_line_unless_it_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    utc = run("hpaaudit timeline web.duckdb")[1]
    monkeypatch.setenv("TZ", "Mars/Phobos")
    said = "TZ=Mars/Phobos is no zone that is known here: times are UTC, --tz names another\n"
    assert run("hpaaudit timeline web.duckdb") == (0, utc, said)
    assert run("hpaaudit timeline web.duckdb -q") == (0, utc, "")
    assert run("hpaaudit --tz UTC timeline web.duckdb") == (0, utc, "")
    assert run("hpaaudit version")[2] == ""


@pytest.mark.parametrize("name", ["/usr/share/zoneinfo/Asia/Tokyo", ":Asia/Tokyo", ":/usr/share/zoneinfo/Asia/Tokyo"])
def test_tz_may_name_the_file_of_a_zone(name: str) -> None:
    assert datetime(2026, 7, 1, tzinfo=zone_named(name)).utcoffset() == timedelta(hours=9)


@pytest.mark.usefixtures("at_desk")
@given(started_s=st.integers(0, 5 * 3600), lasts_s=st.integers(1, 5 * 3600), data=st.data())
def test_a_time_of_the_hour_that_is_repeated_means_the_one_in_the_recording(
    started_s: int, lasts_s: int, data: st.DataObject
) -> None:
    """Clocks of Berlin are set back from 3 to 2 at 01:00Z. A time that the recording has twice is refused."""
    use_zone(zone_named("Europe/Berlin"))
    started_us = Micros(micros("2026-10-24T22:00:00Z") + started_s * SECOND)
    ended_us = Micros(started_us + lasts_s * SECOND)
    meant_us = Micros(started_us + data.draw(st.integers(0, lasts_s - 1)) * SECOND)
    local = in_zone(meant_us)
    others = [us for hours in (-1, 1) if in_zone(us := Micros(meant_us + hours * 3600 * SECOND))[:19] == local[:19]]
    for written in (local[11:19], local[:19]):
        if any(started_us <= us <= ended_us for us in others):
            with pytest.raises(BadOption, match="is twice in the recording: give the offset"):
                Moment(written).within("at", Span(started_us, ended_us))
        else:
            assert Moment(written).at(started_us, ended_us) == meant_us
    assert Moment(local).at(started_us, ended_us) == meant_us


def test_a_zone_that_nobody_knows_is_refused_in_a_line() -> None:
    for name in ("Mars/Phobos", "../../etc/passwd", "", "/etc/passwd", "+24:00", "+02:60", "+2:0"):
        code, out, err = run(f"hpaaudit explain web.duckdb --tz '{name}'")
        assert (code, out, err.count("\n")) == (2, "", 1), (name, err)


LOOP = Path(__file__).parents[2] / "recordings" / "gitops-loop"


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The results of a recording in which texts made by SQL tell times."""
    file = tmp_path_factory.mktemp("zone") / "loop.duckdb"
    assert run(f"hpaaudit replay {LOOP} --into {file}")[0] == 0
    return str(file)


@pytest.mark.parametrize(
    "command", ["explain {}", "query {} what_happened", "query {} 'from findings'", "report {} -o sarif --into {}"]
)
def test_a_screen_has_all_its_times_in_one_zone(loop: str, command: str, tmp_path: Path) -> None:
    texts = []
    for zone in ("UTC", "America/New_York"):
        file = tmp_path / f"{len(texts)}.json"
        code, out, err = run(f"hpaaudit {command.format(loop, file)} --tz {zone}")
        assert code == 0, err
        texts.append(file.read_text() if file.exists() else out)
    utc, there = texts
    times = re.compile(r"\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
    of_utc, local = times.findall(utc), times.findall(there)
    assert {time[-1] for time in of_utc} == {"Z"}
    assert [f"{(int(time[:2]) - 5) % 24:02d}{time[2:-1]}-05:00" for time in of_utc] == local


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("at 20:59:30Z", "at 2026-03-29T22:59:30+02:00"),
        ("at 22:10:00Z", "at 00:10:00+02:00"),
        ("between 2026-03-28T22:00:00Z and 00:30:00Z", "between 2026-03-28T23:00:00+01:00 and 01:30:00+01:00"),
        ("daily at 10:00Z", "daily at 12:00+02:00"),
        ("error 2026-03-29T22:00:00.5Z in web-10:00:00Z", "error 2026-03-29T22:00:00.5Z in web-10:00:00Z"),
        ("at 27:00:00Z", "at 27:00:00Z"),
    ],
)
def test_a_time_in_a_text_means_the_same_instant(told: str, shown: str) -> None:
    use_zone(zone_named("Europe/Berlin"))
    at = datetime.fromisoformat("2026-03-29T00:30" if "between" in told else "2026-03-29T22:05")
    (row,) = rows_in_zone(("opened_at", "explanation"), [(at, told)])
    assert row == (at, shown)


def test_a_time_that_may_be_of_another_day_stays() -> None:
    use_zone(zone_named("Europe/Berlin"))
    first, last = map(datetime.fromisoformat, ("2026-03-28T12:00", "2026-03-29T12:00"))
    texts = {"verdict": "at 23:00:00Z", "detail": "at 23:00:00Z", "what": "Unhealthy"}
    columns = ("ts", "first_at", "last_at", *texts)
    assert rows_in_zone(columns, [(first, first, last, *texts.values())]) == [(first, first, last, *texts.values())]
    (row,) = rows_in_zone(columns, [(first, first, first, *texts.values())])
    assert row[3:] == ("at 2026-03-29T00:00:00+01:00", "at 23:00:00Z", "Unhealthy")


def test_a_time_outside_of_the_recording_is_refused_in_the_zone_in_which_it_was_read(
    loop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    span = r"which goes from 2026-11-26T00:\d\d:[\d.]+\+01:00 to 2026-11-26T00:\d\d:[\d.]+\+01:00\.\n"
    for text, read in (
        ("23:09", r" \(read as 2026-11-26T23:09:00\+01:00\)"),
        ("2026-11-25T23:09:00", r" \(read as 2026-11-25T23:09:00\+01:00\)"),
        ("21:09Z", ""),
        ("9h", ""),
    ):
        code, out, err = run(f"hpaaudit explain {loop} --at {text}")
        assert (code, out) == (2, "")
        assert re.fullmatch(f"Error: --at {text}{read} is not in the recording, {span}", err), err
    assert run(f"hpaaudit explain {loop} --at 23:09Z")[0] == 0


def test_a_page_in_another_zone_has_its_times_and_their_offset(loop: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert run(f"hpaaudit report {loop} --into {page} --tz America/New_York")[0] == 0
    text = page.read_text()
    assert "18:09:06-05:00" in text
    assert "Times are UTC." not in text
