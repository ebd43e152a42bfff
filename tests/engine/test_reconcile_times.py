"""When an HPA was reconciled, between the evidence and across the controller's processes."""

import pytest

from hpaaudit.engine.replay.reconcile_times import (
    EVENT,
    GRID,
    NOWHERE,
    SCALE_WRITE,
    STATUS_WRITE,
    Evidence,
    Processes,
    merged,
    reconcile_times,
    while_running,
)
from hpaaudit.model.units import SECOND, Micros

PERIOD = Micros(15 * SECOND)


def evidence_at(*seconds: float) -> list[Evidence]:
    """Status writes at these seconds."""
    return [Evidence(us(second), n, STATUS_WRITE) for n, second in enumerate(seconds)]


def us(seconds: float) -> Micros:
    """Seconds since the HPA was first seen."""
    return Micros(round(seconds * SECOND))


@pytest.mark.parametrize(
    ("evidence", "starts", "grid"),
    [
        pytest.param([30, 75], [], [0, 15, 45, 60, 90], id="evenly between what is known, on as the period goes"),
        pytest.param([30, 80], [], [0, 15, 46.666666, 63.333333, 95], id="stretched where the controller was slow"),
        pytest.param([30, 56], [], [0, 15, 71, 86], id="no two are nearer than a period"),
        pytest.param([30, 58], [], [0, 15, 44, 73, 88], id="but for what was seen late"),
        pytest.param([30, 90], [50], [0, 15, 45, 70], id="a new process waits a period"),
        pytest.param([30, 90], [40], [0, 15, 56.666666, 73.333333], id="the old one reconciles no more"),
        pytest.param([30, 90], [40, 70], [0, 15, 55], id="twice"),
        pytest.param([30], [50], [0, 15, 45, 65, 80, 95], id="after all evidence"),
        pytest.param([60], [10], [26.666666, 43.333333, 75, 90], id="before all evidence"),
        pytest.param([], [50], [15, 30, 45, 65, 80, 95], id="without any"),
        pytest.param([30], [150], [0, 15, 45, 60, 75, 90], id="a process that comes after the end reconciles nothing"),
    ],
)
def test_a_grid_stands_between_the_evidence(evidence: list[float], starts: list[float], grid: list[float]) -> None:
    times = reconcile_times(
        evidence_at(*evidence), us(0), us(104), PERIOD, newborn=False, starts=[us(second) for second in starts]
    )
    assert [reconcile.at_us for reconcile in times if reconcile.source == GRID] == [us(second) for second in grid]
    assert [reconcile.at_us for reconcile in times if reconcile.source != GRID] == [us(second) for second in evidence]


@pytest.mark.parametrize(
    ("stops", "starts", "grid"),
    [
        pytest.param([], [], [0, 15, 45, 60, 90], id="nobody is known to have stopped"),
        pytest.param([40], [], [0, 15, 90], id="until the next evidence"),
        pytest.param([40], [50], [0, 15, 90], id="until the next process, which waits a period"),
        pytest.param([5], [8], [45, 60, 90], id="before all evidence"),
        pytest.param([80], [], [0, 15, 45, 60], id="to the end"),
        pytest.param([40, 80], [], [0, 15], id="twice"),
    ],
)
def test_nothing_is_inferred_while_the_controller_was_seen_to_have_stopped(
    stops: list[float], starts: list[float], grid: list[float]
) -> None:
    processes = Processes(starts=[us(second) for second in starts], stops=[us(second) for second in stops])
    times = reconcile_times(evidence_at(30, 75), us(0), us(104), PERIOD, newborn=False, starts=processes.starts)
    kept = while_running(times, processes)
    assert [reconcile.at_us for reconcile in kept if reconcile.source == GRID] == [us(second) for second in grid]
    assert [reconcile for reconcile in times if reconcile.source != GRID] == [
        reconcile for reconcile in kept if reconcile.source != GRID
    ]


@pytest.mark.parametrize(("end", "last"), [(53.4, 30), (53.6, 45), (68.4, 45), (68.6, 60)])
def test_nothing_is_inferred_that_may_have_taken_place_after_the_end(end: float, last: float) -> None:
    """It is uncertain by half a period, and its status comes a moment later."""
    times = reconcile_times(evidence_at(30), us(0), us(end), PERIOD, newborn=False)
    assert times[-1].at_us == us(last)


def test_evidence_has_its_place_among_the_facts_and_a_grid_has_none() -> None:
    times = reconcile_times(evidence_at(15, 45), us(0), us(50), PERIOD, newborn=True)
    assert [reconcile.facts for reconcile in times] == [0, NOWHERE, 1]


@pytest.mark.parametrize(
    ("source", "after", "period", "reconciles"),
    [
        pytest.param(EVENT, 0.5, 1.2, 1, id="an Event that a busy machine sends late"),
        pytest.param(EVENT, 1.9, 15, 1, id="even two seconds late"),
        pytest.param(EVENT, 1.1, 1.2, 2, id="a period later it is of the next reconcile"),
        pytest.param(EVENT, 2.1, 15, 2, id="no Event comes later than that"),
        pytest.param(SCALE_WRITE, 0.6, 1.2, 2, id="a write of the scale after a while is of another"),
        pytest.param(SCALE_WRITE, 0.4, 1.2, 1, id="but not soon after"),
        pytest.param(STATUS_WRITE, 0.4, 1.2, 2, id="a reconcile writes one status, however soon the next one comes"),
    ],
)
def test_what_belongs_to_one_reconcile(source: int, after: float, period: float, reconciles: int) -> None:
    evidence = [
        Evidence(us(10), 1, SCALE_WRITE),
        Evidence(us(10.2), 2, STATUS_WRITE),
        Evidence(us(10 + after), 3, source),
    ]
    assert [trace.at_us for trace in merged(evidence, us(period))] == [us(10), us(10 + after)][:reconciles]
