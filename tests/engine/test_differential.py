"""Our engine and a simple second one decide random worlds alike: same replicas, same proposal, same memory."""

from collections import Counter
from random import Random

import pytest

from hpaaudit.engine.controller.reconcile import reconcile
from hpaaudit.model.memory import EMPTY, Memory
from tests.engine import reference
from tests.engine.worlds import observations, world

WORLDS, RECONCILES, SHARES = 600, 12, 4

MET_IN_EVERY_SHARE = {
    *("scale_up", "scale_down", "hold"),
    *("Resource", "ContainerResource", "Pods", "Object", "External"),
    *("gate.above_max", "gate.below_min", "gate.disabled_at_zero", "gate.all_metrics_invalid"),
    *("gate.partial_metrics_block_down", "gate.target_unreadable"),
    *("adjust.missing_as_full_down", "adjust.missing_as_zero_up", "adjust.unready_as_zero_up"),
    *("adjust.direction_flip_hold", "adjust.count_flip_hold", "adjust.damped_into_tolerance"),
    *("stabilize.down_hold", "stabilize.up_hold", "policy.up_limit", "policy.down_limit", "bound.max", "bound.min"),
}
"""A fuzz that meets none of these proves nothing about them."""


def _kept(memory: Memory) -> tuple[list[list[int]], list[list[int]], list[list[int]]]:
    return (
        [[entry.replicas, entry.at_us] for entry in memory.recommendations or ()],
        [[event.change, event.at_us, int(event.outdated)] for event in memory.up or ()],
        [[event.change, event.at_us, int(event.outdated)] for event in memory.down or ()],
    )


@pytest.mark.parametrize("share", range(SHARES))
def test_two_engines_agree(share: int) -> None:
    met: Counter[str] = Counter()
    for seed in range(share, WORLDS, SHARES):
        drawn = world(Random(seed))  # noqa: S311 (a seed makes a world)
        memory, process = EMPTY, reference.Process()
        for number, observed in enumerate(observations(drawn, RECONCILES)):
            decision, memory = reconcile(observed, memory, drawn.flags)
            verdict = reference.reconcile(observed, process, drawn.flags)
            theirs = tuple(lists.get("shop/web", []) for lists in (process.recommendations, process.up, process.down))
            where = f"world {seed}, reconcile {number}"
            assert (where, decision.raw_desired, decision.desired) == (where, verdict.raw, verdict.desired)
            assert (where, _kept(memory)) == (where, theirs)
            if decision.desired is not None:
                drawn.replicas = decision.desired
            met.update([decision.action, decision.reason_code])
            met.update(proposal.metric_type for proposal in decision.proposals)
            met.update(proposal.adjust_code or proposal.invalid_code for proposal in decision.proposals)
    assert MET_IN_EVERY_SHARE - set(met) == set()
