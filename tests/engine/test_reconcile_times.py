"""When an HPA was reconciled, between the evidence and across the controller's processes."""

import pytest

from hpaaudit.engine.replay.reconcile_times import GRID, NOWHERE, STATUS_WRITE, Evidence, reconcile_times
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
        evidence_at(*evidence), us(0), us(100), PERIOD, newborn=False, starts=[us(second) for second in starts]
    )
    assert [reconcile.at_us for reconcile in times if reconcile.source == GRID] == [us(second) for second in grid]
    assert [reconcile.at_us for reconcile in times if reconcile.source != GRID] == [us(second) for second in evidence]


def test_evidence_has_its_place_among_the_facts_and_a_grid_has_none() -> None:
    times = reconcile_times(evidence_at(15, 45), us(0), us(50), PERIOD, newborn=True)
    assert [reconcile.facts for reconcile in times] == [0, NOWHERE, 1]
