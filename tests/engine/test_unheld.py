"""What held a reconcile is what would have changed its number, had it not been there."""

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from hpaaudit.engine.controller.reconcile import reconcile
from hpaaudit.model.decision import Decision
from hpaaudit.model.memory import EMPTY
from hpaaudit.model.observation import Observation
from tests.engine.memories import remembered
from tests.engine.scenes import RELEASE_1_36, cpu, observation, pods
from tests.engine.worlds import observations, world

WORLDS, RECONCILES, SHARES = 400, 12, 2


def _with_valid_metrics(observed: Observation, decision: Decision) -> Observation:
    """The same reconcile of an HPA without the metrics that failed."""
    assert observed.hpa is not None
    valid = [proposal.metric_idx for proposal in decision.proposals if proposal.valid]
    spec = replace(observed.hpa.spec, metrics=tuple(observed.hpa.spec.metrics[index] for index in valid))
    return replace(
        observed,
        hpa=replace(observed.hpa, spec=spec),
        metrics=tuple(observed.metrics[index] for index in valid),
        metric_us=tuple(observed.metric_us[index] for index in valid),
    )


@pytest.mark.parametrize("share", range(SHARES))
def test_without_what_held_it_the_engine_decides_that_number(share: int) -> None:
    met: Counter[str] = Counter()
    for seed in range(share, WORLDS, SHARES):
        drawn, memory = world(Random(seed)), EMPTY  # noqa: S311 (a seed makes a world)
        for number, observed in enumerate(observations(drawn, RECONCILES)):
            before = memory
            decision, memory = reconcile(observed, before, drawn.flags)
            where = f"world {seed}, reconcile {number}, {decision.reason_code}"
            if decision.reason_code == "gate.partial_metrics_block_down":
                other, _ = reconcile(_with_valid_metrics(observed, decision), before, drawn.flags)
                assert (where, decision.unheld) == (where, other.desired)
                met["failed"] += 1
            elif decision.reason_code.startswith("adjust."):
                assert (where, decision.unheld is None) == (where, False)
                met["adjusted"] += 1
            elif decision.unheld is not None:
                other, _ = reconcile(observed, replace(before, recommendations=()), drawn.flags)
                assert (where, decision.unheld) == (where, other.desired)
                assert (where, other.unheld is None or other.reason_code.startswith("adjust.")) == (where, True)
                met["memory"] += 1
            else:
                other, _ = reconcile(observed, replace(before, recommendations=()), drawn.flags)
                assert (where, decision.desired) == (where, other.desired)
            if decision.desired is not None:
                drawn.replicas = decision.desired
    assert set(met) == {"failed", "adjusted", "memory"}


@pytest.mark.parametrize(
    ("case", "unheld"),
    [
        ({}, 8),
        ({"maximum": 6}, 6),
        ({"behavior": {"scaleUp": {"stabilizationWindowSeconds": 600}}}, 4),
        ({"behavior": {"scaleUp": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]}}}, 5),
        ({"behavior": {"scaleUp": {"selectPolicy": "Disabled"}}}, 4),
    ],
    ids=["all at the same load", "maxReplicas", "the window of scale-ups", "a policy", "no scale-up at all"],
)
def test_idle_pods_hold_only_what_nothing_else_would_hold(case: dict[str, Any], unheld: int) -> None:
    """Two pods at 180 % of their target, and two that are not ready: eight would be asked for."""
    seen = observation(cpu(50), replicas=4, crowd=pods("2@900 2@0:unready"), **case)
    decision, _ = reconcile(seen, remembered("4@900"), RELEASE_1_36)
    assert (decision.desired, decision.unheld) == (4, unheld)
    assert decision.reason_code.startswith("adjust.")


def test_pods_without_a_sample_hold_only_what_a_policy_would_not_hold() -> None:
    """Three of six pods at a fifth of their target; the others, without a sample, count with their whole request."""
    policy = {"scaleDown": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]}}
    seen = observation(cpu(50), replicas=6, crowd=pods("3@100 3"), behavior=policy)
    decision, _ = reconcile(seen, remembered("6@900"), RELEASE_1_36)
    assert (decision.desired, decision.unheld) == (6, 5)
    assert decision.reason_code == "adjust.damped_into_tolerance"
