"""In a gap an earlier status tells of a reconcile only if the HPA stood unchanged when it was seen again."""

import pytest

from hpaaudit.engine.replay.reconcile_times import EVENT, GRID, STATUS_WRITE, Evidence
from hpaaudit.engine.replay.unseen_status import gaps_of, without_own_status
from hpaaudit.model.facts import Gap
from hpaaudit.model.units import SECOND, Micros

PERIOD_US = Micros(15 * SECOND)


def gap(start: float, end: float, prefix: str = "/apis/autoscaling/") -> Gap:
    return Gap(at_us=Micros(round(start * SECOND)), until_us=Micros(round(end * SECOND)), prefix=prefix, cause="")


def reconciles(*seen: tuple[int, int]) -> list[Evidence]:
    return [Evidence(seconds * SECOND, place, source) for place, (seconds, source) in enumerate(seen)]


@pytest.mark.parametrize(
    ("case", "hidden"),
    [
        ([(30, STATUS_WRITE), (45, GRID), (60, GRID), (75, STATUS_WRITE)], []),
        ([(30, STATUS_WRITE), (45, GRID), (60, STATUS_WRITE), (75, GRID)], [1]),
        ([(30, STATUS_WRITE), (45, EVENT), (58, GRID), (61, STATUS_WRITE)], [1, 2]),
        ([(30, STATUS_WRITE), (45, GRID), (58, GRID), (62, GRID), (63, STATUS_WRITE)], []),
        ([(30, STATUS_WRITE), (39, GRID), (54, GRID), (60, STATUS_WRITE)], [2]),
        ([(30, STATUS_WRITE), (45, STATUS_WRITE), (58, GRID), (75, STATUS_WRITE)], []),
    ],
    ids=[
        "the status stood unchanged",
        "another was seen when the gap ended",
        "an Event in the gap tells no status",
        "it changed later",
        "before the gap all was seen",
        "one that another source showed in the gap is its own",
    ],
)
def test_a_status_that_was_replaced_in_a_gap_is_of_no_reconcile_before(
    case: list[tuple[int, int]], hidden: list[int]
) -> None:
    assert without_own_status(reconciles(*case), [gap(40, 60)]) == hidden


def test_only_gaps_count_that_hide_reconciles_of_this_hpa() -> None:
    of_other = "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/other"
    gaps = [gap(0, 20, "*"), gap(0, 20, of_other), gap(0, 20, "/api/v1/pods"), gap(0, 15)]
    assert gaps_of("shop/web", gaps, PERIOD_US) == gaps[:1]
