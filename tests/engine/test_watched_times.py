"""When the controllers of 1.2 to 1.5 reconciled an HPA: at each change of it, and once a period."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.engine.replay.reconcile_times import EVENT, GRID, NOWHERE, SCALE_WRITE, STATUS_WRITE, WATCH, Evidence
from hpaaudit.engine.replay.watched_times import Seen, watched_times
from hpaaudit.model.units import SECOND

PERIOD_US = 30 * SECOND


def states(*texts: str) -> list[Seen]:
    """States as `12s` (the status changes at 12 s) or `12e` (somebody edits the HPA then); fact numbers go in tens."""
    return [Seen(int(float(text[:-1]) * SECOND), 10 * number, text[-1] == "s") for number, text in enumerate(texts, 1)]


def shown(seen: list[Seen], end: int = 100, *, newborn: bool = False, starts: tuple[int, ...] = ()) -> list[str]:
    """The reconciles as `time kind facts`."""
    evidence = [Evidence(state.at_us, state.facts, STATUS_WRITE) for state in seen if state.is_status]
    kinds = {STATUS_WRITE: "status", WATCH: "watch", GRID: "grid"}
    times = watched_times(
        seen,
        evidence,
        end * SECOND,
        PERIOD_US,
        newborn=newborn,
        starts=[start * SECOND for start in starts],
    )
    return [
        f"{time.at_us / SECOND:g} {kinds[time.source]}" + ("" if time.facts == NOWHERE else f" {time.facts}")
        for time in times
    ]


@pytest.mark.parametrize(
    ("seen", "newborn", "starts", "reconciles"),
    [
        # A status write that changed something is followed by a reconcile that changes nothing; then by resyncs.
        (["0e", "10s"], False, (), ["10 status 20", "10 watch 21", "40 grid", "70 grid"]),
        # A chain: each change makes the next reconcile, until one changes nothing.
        (["0e", "10s", "10.1s"], False, (), ["10 status 20", "10.1 status 30", "10.1 watch 31", "40 grid", "70 grid"]),
        # Slow answers: the second status comes 12 s later, long before the next resync. It is the same chain.
        (["0e", "10s", "22s"], False, (), ["10 status 20", "22 status 30", "22 watch 31", "40 grid", "70 grid"]),
        # A status that changes a period later is that of a resync.
        (["0e", "10s", "40s"], False, (), ["10 status 20", "10 watch 21", "40 status 30", "40 watch 31", "70 grid"]),
        # Half a period after it, too.
        (["0e", "10s", "25s"], False, (), ["10 status 20", "10 watch 21", "25 status 30", "25 watch 31", "55 grid"]),
        # An edit is reconciled at once, too.
        (["0e", "10s", "20e"], False, (), ["10 status 20", "10 watch 21", "20 watch 31", "40 grid", "70 grid"]),
        (["0e", "10s", "20e", "20.2s"], False, (), ["10 status 20", "10 watch 21", "20.2 status 40", "20.2 watch 41",
                                                    "40 grid", "70 grid"]),
        # A new HPA is reconciled at once; resyncs keep the time of the process.
        (["5e", "5.1s"], True, (0,), ["5.1 status 20", "5.1 watch 21", "30 grid", "60 grid"]),
        # A process that starts lists every HPA, and reconciles it.
        (["0e", "10s"], False, (0,), ["10 status 20", "10 watch 21", "40 grid", "70 grid"]),
        (["0s"], False, (), ["30 grid", "60 grid"]),
        (["0e", "10s"], False, (100,), ["10 status 20", "10 watch 21", "40 grid", "70 grid"]),
        (["0e", "10s"], False, (10,), ["10 status 20", "10 watch 21", "10 watch", "40 grid", "70 grid"]),
        (["0e", "10s"], False, (52,), ["10 status 20", "10 watch 21", "40 grid", "52 watch", "82 grid"]),
    ],
)  # fmt: skip
def test_each_change_and_each_resync_make_a_reconcile(
    seen: list[str], newborn: bool, starts: tuple[int, ...], reconciles: list[str]
) -> None:
    assert shown(states(*seen), newborn=newborn, starts=starts) == reconciles


def test_a_write_of_the_scale_before_the_status_belongs_to_its_reconcile_and_makes_no_other() -> None:
    seen = states("0e", "10s", "10.1s")
    evidence = [Evidence(10 * SECOND, 15, STATUS_WRITE), Evidence(int(10.1 * SECOND), 30, STATUS_WRITE)]
    times = watched_times(seen, evidence, 30 * SECOND, PERIOD_US, newborn=False)
    assert [(time.facts, time.source) for time in times] == [(15, STATUS_WRITE), (30, STATUS_WRITE), (31, WATCH)]


def seconds(seen: list[Seen], *evidence: Evidence) -> list[float]:
    """When the reconciles were that these states and traces tell of."""
    times = watched_times(seen, evidence, 100 * SECOND, PERIOD_US, newborn=False)
    return [time.at_us / SECOND for time in times]


def test_what_is_seen_up_to_two_seconds_after_a_change_is_of_the_reconcile_that_it_caused() -> None:
    edits = states("29e", "64e")
    assert seconds(edits, Evidence(66 * SECOND, 25, SCALE_WRITE)) == [59, 64]
    assert seconds(edits, Evidence(66 * SECOND + 1, 25, SCALE_WRITE)) == [36.000001, 64, 66.000001]


def test_the_traces_of_one_resync_are_one_reconcile_with_the_strongest_and_the_first_fact() -> None:
    written = Evidence(10 * SECOND, 20, STATUS_WRITE)
    traces = [written, Evidence(40 * SECOND, 37, EVENT), Evidence(41 * SECOND, 35, STATUS_WRITE)]
    times = watched_times(states("0e", "10s"), traces, 60 * SECOND, PERIOD_US, newborn=False)
    assert times[-1] == Evidence(40 * SECOND, 35, STATUS_WRITE)


def test_resyncs_before_the_first_state_are_those_of_the_last_process_until_then() -> None:
    seen = states("11e", "44s")
    assert shown(seen, starts=(-65, 11)) == ["14 grid", "44 status 20", "44 watch 21", "74 grid"]
    assert shown(states("77e"), newborn=True, starts=(-43, 20)) == ["77 watch 11", "80 grid"]


def test_traces_half_a_period_apart_are_of_two_resyncs() -> None:
    edited = states("0e", "10s")
    first, last = Evidence(10 * SECOND, 20, STATUS_WRITE), Evidence(40 * SECOND, 30, STATUS_WRITE)
    assert seconds(edited, first, last, Evidence(55 * SECOND - 1, 35, STATUS_WRITE)) == [10, 10, 40, 70]
    assert seconds(edited, first, last, Evidence(55 * SECOND, 35, STATUS_WRITE)) == [10, 10, 40, 55]


@given(
    gaps=st.lists(st.tuples(st.integers(1, 900), st.booleans()), max_size=12),
    newborn=st.booleans(),
)
def test_every_status_is_written_by_one_reconcile_and_they_come_in_order(
    gaps: list[tuple[int, bool]], newborn: bool
) -> None:
    at_us, seen = 0, [Seen(0, 10, is_status=False)]
    for number, (gap, is_status) in enumerate(gaps, 2):
        at_us += gap * SECOND // 10
        seen.append(Seen(at_us, 10 * number, is_status))
    evidence = [Evidence(state.at_us, state.facts, STATUS_WRITE) for state in seen if state.is_status]
    times = watched_times(seen, evidence, at_us + 100 * SECOND, PERIOD_US, newborn=newborn)
    assert [time.at_us for time in times] == sorted(time.at_us for time in times)
    written = [time.facts for time in times if time.source == STATUS_WRITE]
    # Two statuses of one resync that are nearer than half a period are one reconcile's; each other has its own.
    assert len(set(written)) == len(written)
    assert set(written) <= {state.facts for state in seen if state.is_status}
    changes = seen if newborn else seen[1:]
    caused = [time for time in times if time.source in (STATUS_WRITE, WATCH)]
    assert len(caused) >= len(changes)
