"""A controller that did not run: named where its Lease or its silence shows it, and never where it did run."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace as replace_fields
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.flows.query import account
from hpaaudit.flows.replay import replay
from hpaaudit.model.facts import EventSeen, Fact, HpaSeen, LeaseSeen, TargetSeen
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.report.replay import replay_text
from tests.conformance.expected import capture_of, captures
from tests.fleet.chance import write
from tests.sample import one_in
from tests.truth.replayed import replayed
from tests.truth.views import METRICS, alive, dead, gapped, hung, middle_us
from tests.truth.worlds import facts_of

EVERY, GAPPED = 24, 60
ROWS = "select epoch_us(ts) as at_us, verdict, coalesce(class, '') as class, at_source from reconciles order by all"
POSITIVE = ("external_write.", "write_failed.", "no_data.")
"""Classes with evidence of their own: somebody wrote, or nothing was seen."""


def _rows(facts: Sequence[Fact]) -> list[dict[str, Any]]:
    with replayed(facts) as results:
        return results.rows(ROWS)


def _worlds(view: Callable[[Sequence[Fact]], Iterator[Fact]]) -> Iterator[tuple[str, int, list[dict[str, Any]]]]:
    for capture in one_in(EVERY, captures("1.36")):
        facts = facts_of(capture)
        yield capture.name, middle_us(facts), _rows(list(view(facts)))


def test_no_controller_that_ran_is_said_not_to_have_run() -> None:
    rows = [(name, row) for name, _, rows_of_world in _worlds(alive) for row in rows_of_world]
    assert len(rows) > 250
    assert [both for both in rows if both[1]["class"].startswith("not_run.")] == []


@pytest.mark.parametrize(("from_s", "lasts_s"), [(-60, 100), (-30, 60), (-20, 45), (10, 60)])
def test_a_status_that_a_list_shows_after_a_gap_does_not_say_that_the_controller_ran(from_s: int, lasts_s: int) -> None:
    """The controller ends within a time in which nobody looked, or just before it."""
    told = Counter[str]()
    for capture in one_in(GAPPED, captures("1.36")):
        facts = facts_of(capture)
        ended_us = middle_us(facts)
        from_us = Micros(ended_us + from_s * SECOND)
        hole = gapped("*", from_us, Micros(from_us + lasts_s * SECOND))
        ran, after = _rows(list(hole(list(alive(facts))))), _rows(list(hole(list(dead(facts)))))
        assert (capture.name, [row for row in ran if row["class"].startswith("not_run.")]) == (capture.name, [])
        classes = {row["class"] for row in after if row["at_us"] > ended_us and row["verdict"] == "divergent"}
        assert (capture.name, classes - {"not_run.controller_down"}) == (capture.name, set())
        told.update(classes)
    assert told["not_run.controller_down"] > 1


def test_after_the_lease_ran_out_no_reconcile_took_place() -> None:
    counts = Counter[str]()
    for _, stopped_us, rows in _worlds(dead):
        later = [row["class"] for row in rows if row["at_us"] > stopped_us + 31 * SECOND]
        counts.update(name for name in later if not name.startswith(POSITIVE))
    assert set(counts) == {"not_run.controller_down"}
    assert counts["not_run.controller_down"] > 100


@pytest.mark.parametrize("view", [dead, hung])
def test_an_outage_that_never_ended_is_told_as_one_that_lasted_to_the_end(
    view: Callable[[Sequence[Fact]], Iterator[Fact]],
) -> None:
    """Whatever others wrote meanwhile."""
    told = []
    for capture in one_in(EVERY, captures("1.36")):
        facts = facts_of(capture)
        with replayed(list(view(facts))) as results:
            told += [(capture.name, hpa.outages) for hpa in account(results).hpas if hpa.outages]
    assert len(told) > 5
    ended = [(name, one) for name, outages in told for one in outages if one.until_us is not None and not one.is_least]
    assert ended == []
    assert [(name, outages) for name, outages in told if len(outages) > 1] == []


@pytest.mark.parametrize("world", ["restart-100-0009", "several-100-0007"])
def test_a_silence_before_the_lease_ran_out_is_that_of_the_controller_that_let_it_run_out(world: str) -> None:
    """Nothing was reconciled from the first status that was due on: what was due only now and then did not happen."""
    shown = list(dead(facts_of(capture_of("1.36", world))))
    with replayed(shown, flags={"leader-elect-lease-duration": "60s"}) as results:
        classes = Counter(row["class"] for row in results.rows(ROWS) if row["class"].startswith("not_run."))
        assert results.rows("from findings where pattern = 'slow_or_missed_sync'") == []
    assert set(classes) == {"not_run.controller_down"}
    assert classes["not_run.controller_down"] > 5


def test_the_lease_lasts_as_long_as_the_user_says_and_decisions_stay_what_they_are() -> None:
    shown = list(dead(facts_of(next(iter(captures("1.36"))))))
    lasts = "select epoch(lapsed_at - renewed_at) as seconds from controller_outages"
    told = "select key, value, source from assumptions where key = 'leader-elect-lease-duration'"
    decided = "select reconcile_id, desired, band_lo, band_hi from reconciles order by all"
    with replayed(shown) as results:
        before = results.rows(decided)
        assert results.rows(lasts) == [{"seconds": 15}]
    with replayed(shown, flags={"--leader-elect-lease-duration": "1m"}, declare=True) as results:
        assert results.rows(lasts) == [{"seconds": 60}]
        assert results.rows(told) == [{"key": "leader-elect-lease-duration", "value": "60s", "source": "declared"}]
        assert results.rows(decided) == before


def test_a_silent_controller_is_never_explained_by_what_it_read() -> None:
    """Where only its decision should have changed, other flags explain the silence as well: that stays unexplained."""
    counts = Counter[str]()
    for _, stopped_us, rows in _worlds(hung):
        counts.update(row["class"] for row in rows if row["at_us"] > stopped_us + 31 * SECOND)
    assert counts["input.metric_value_skew"] == 0, counts
    assert counts["not_run.controller_hung"] > 100, counts
    assert counts["unexplained"] * 10 < counts["not_run.controller_hung"], counts


def _metrics_come_back(facts: Sequence[Fact]) -> Iterator[Fact]:
    """From a minute to four minutes after the controller hung its metrics are as they were when it did."""
    hung_us = middle_us(facts)
    last: dict[object, Fact] = {}
    for fact in hung(facts):
        if not isinstance(fact, METRICS):
            yield fact
            continue
        if fact.at_us <= hung_us:
            last[fact.request] = fact
        is_as_before = 70 * SECOND < fact.at_us - hung_us < 250 * SECOND
        yield replace_fields(last[fact.request], at_us=fact.at_us) if is_as_before and fact.request in last else fact


def test_a_controller_that_hangs_is_named_on_both_sides_of_a_time_in_which_nothing_was_due() -> None:
    worlds = [path for path in captures("1.36") if path.name.startswith(("calm-100-0006", "failures-100-0009"))]
    assert len(worlds) == 2
    for world in worlds:
        facts = facts_of(world)
        after = [(row["at_us"] - middle_us(facts), row["class"]) for row in _rows(list(_metrics_come_back(facts)))]
        due = [name for at_us, name in after if 10 * SECOND < at_us < 50 * SECOND or at_us > 254 * SECOND]
        assert len(due) >= 6
        assert set(due) == {"not_run.controller_hung"}


def _dead_all_along(*, lease: bool) -> Iterator[Fact]:
    """A real load step, of which no controller took notice: its Lease was last renewed an hour before."""
    shown = set[type]()
    for fact in open_recording(Path("recordings/load-step")).facts():
        once = isinstance(fact, HpaSeen | TargetSeen | LeaseSeen)
        if isinstance(fact, EventSeen) or (once and type(fact) in shown) or (isinstance(fact, LeaseSeen) and not lease):
            continue
        shown.add(type(fact))
        hour_before = Micros(fact.at_us - 3600 * SECOND)
        yield replace_fields(fact, renewed_us=hour_before) if isinstance(fact, LeaseSeen) else fact


def test_a_controller_that_was_dead_all_along_is_not_called_faithful() -> None:
    rows = _rows(list(_dead_all_along(lease=True)))
    assert len(rows) > 60
    assert {row["class"] for row in rows} == {"not_run.controller_down"}
    assert not any(row["class"].startswith("not_run.") for row in _rows(list(_dead_all_along(lease=False))))


def test_what_did_not_take_place_is_one_line_and_counts_against_nobody(tmp_path: Path) -> None:
    facts = list(_dead_all_along(lease=True))
    write(tmp_path / "recording", facts, len(facts) + 100)
    with replay(tmp_path / "recording") as results:
        (hpa,) = account(results).hpas
        text = replay_text(account(results))
    lines = [line for line in text.splitlines() if "did not happen; not_run.controller_down" in line]
    assert (hpa.comparable, hpa.agree) == (0, 0)
    assert sum(not change.writer_class for change in hpa.changes) > 20
    assert len(lines) == 1
    assert "times until 15:05:22Z" in lines[0]


def test_the_lease_lasts_as_long_as_it_says_itself() -> None:
    shown = [
        replace_fields(fact, duration_seconds=40) if isinstance(fact, LeaseSeen) else fact
        for fact in dead(facts_of(next(iter(captures("1.36")))))
    ]
    lasts = "select epoch(lapsed_at - renewed_at) as seconds from controller_outages"
    told = "select value, source from assumptions where key = 'leader-elect-lease-duration'"
    with replayed(shown) as results:
        assert results.rows(lasts) == [{"seconds": 40}]
        assert results.rows(told) == [{"value": "40s", "source": "observed"}]
    with replayed(shown, flags={"leader-elect-lease-duration": "1m"}) as results:
        assert results.rows(lasts) == [{"seconds": 60}]
