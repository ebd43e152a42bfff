"""Other times at which HPAs may have been reconciled: with a longer sync period, or without some inferred reconciles.

Between two traces reconciles are inferred, a sync period apart. If the period was longer, or one of them was skipped,
the controller never had what they recommend in the replay. Where samples are renewed as seldom as statuses change, only
what a replay decides tells two periods apart.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from hpaaudit.model.sensitivity import Compared

if TYPE_CHECKING:
    from hpaaudit.engine.replay.plan import Plan, PlannedReconcile
    from hpaaudit.model.audit import ReplayedReconcile
    from hpaaudit.model.facts import Fact
    from hpaaudit.model.units import Micros

_GRID = "grid"
_STATUS_WRITE = "status_write"


def with_longer_periods(own: "Plan", facts: Iterable["Fact"]) -> Iterator[tuple["Micros", "Plan"]]:
    """The plan with each longer sync period that the times between status writes fit; none where it is known."""
    from hpaaudit.engine.replay.plan import plan
    from hpaaudit.engine.replay.sync_period import longer_periods

    if own.exact or own.periods.source == "given" or own.periods.own:
        return
    written: dict[str, list[int]] = defaultdict(list)
    for planned in own.reconciles:
        if planned.instant.source == _STATUS_WRITE:
            written[planned.key].append(planned.instant.at_us)
    times = [later - earlier for writes in written.values() for earlier, later in pairwise(writes)]
    for period_us in longer_periods(times, own.periods.common_us):
        yield period_us, plan(facts, period_us)


def opposing(
    own: "Plan", rows: Iterable[Compared], decided: Mapping[int, "ReplayedReconcile"], hpa: str
) -> Iterator[int]:
    """The inferred reconciles of an HPA whose recommendations keep seen ones from what the controller decided.

    rows   its reconciles that differ;  decided   what the replay decided, by the number in `own`
    """
    mine = [number for number, planned in enumerate(own.reconciles, 1) if planned.key == hpa]
    before = dict(zip(mine[1:], mine, strict=False))
    inferred = {
        own.reconciles[number - 1].instant.at_us: number
        for number in mine
        if own.reconciles[number - 1].instant.source == _GRID
    }
    for row in rows:
        again = decided.get(row.reconcile_id)
        previous = before.get(row.reconcile_id)
        while previous is not None and previous not in decided:
            previous = before.get(previous)
        if not row.is_seen or again is None or previous is None or row.real is None:
            continue
        desired = again.decision.desired
        if desired is None or desired == row.real:
            continue
        for old in decided[previous].memory.recommendations or ():
            if old.at_us in inferred and (old.replicas > row.real) == (desired > row.real) and old.replicas != row.real:
                yield inferred[old.at_us]


def without(own: "Plan", numbers: Collection[int]) -> "Plan":
    """The plan without the reconciles of these numbers."""
    kept = [planned for number, planned in enumerate(own.reconciles, 1) if number not in numbers]
    return replace(own, reconciles=kept)


def numbers_in(own: "Plan", other: "Plan") -> list[int | None]:
    """The number that each reconcile of another plan has in `own`; None for one that is at another time there."""
    by_time = {_time(planned): number for number, planned in enumerate(own.reconciles, 1)}
    return [by_time.get(_time(planned)) for planned in other.reconciles]


def _time(planned: "PlannedReconcile") -> tuple[str, int, int, str]:
    return planned.key, planned.index, planned.instant.at_us, planned.instant.source
