"""How long something held an HPA: never longer than it was, and "at least" where a part of the time is not recorded."""

import pytest

from hpaaudit.flows.query import account
from hpaaudit.model.account import Hold
from hpaaudit.model.facts import Fact
from tests.conformance.expected import captures
from tests.truth.replayed import replayed
from tests.truth.views import VIEWS
from tests.truth.worlds import facts_of

KINDS = ("calm", "behavior", "pods")
NEAR_S = 31
"""When a reconcile took place that left no trace is known to half a period."""


def _holds(facts: list[Fact]) -> dict[tuple[str, str], Hold]:
    with replayed(facts) as results:
        return {(hpa.name, hold.cause): hold for hpa in account(results).hpas for hold in hpa.holds}


@pytest.mark.parametrize(
    "view", ["a hole in the middle", "pods with a hole", "metrics with a hole", "statuses with a hole"]
)
def test_a_hold_of_which_a_part_is_not_recorded_lasted_at_least_so_long(view: str) -> None:
    shorter = 0
    for kind in KINDS:
        world = next(world for world in captures("1.36") if f"{kind}-" in world.name)
        facts = facts_of(world)
        whole = _holds(list(VIEWS["outside"](facts)))
        for name, hold in _holds(list(VIEWS[view](facts))).items():
            assert name in whole, (world, name, hold)
            assert hold.lasted_s <= whole[name].lasted_s + NEAR_S, (world, name, hold)
            if hold.lasted_s < whole[name].lasted_s - NEAR_S:
                assert hold.is_least, (world, name, hold)
                shorter += 1
    assert shorter > 0
