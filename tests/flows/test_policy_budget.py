"""How much of a policy was used is told only as far as scale events are known."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import hpaaudit
from hpaaudit.api.times import micros
from hpaaudit.flows.policy_budget import policy_budgets
from hpaaudit.model.facts import Fact, Gap, HpaSeen
from hpaaudit.model.flips import PolicyBudget
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.report.explain import explain_text
from tests.conformance.expected import captures, name_of
from tests.engine.scenes import NOW, at
from tests.fleet.chance import write
from tests.fleet.outside import begun, published
from tests.flows.test_flips_in_every_direction import decide, inputs_of
from tests.truth.worlds import facts_of

WORLD = "behavior-100-0001"
"""Scaled down by 2 at 14:07:03Z, which a policy counts for 30 minutes."""
SCALED_US, ASKED_US = micros("2026-03-02T14:07:03Z"), micros("2026-03-02T14:09:03Z")


@pytest.fixture(scope="module")
def facts() -> Sequence[Fact]:
    return facts_of(next(world for world in captures("1.36") if name_of(world) == WORLD))


def budget_and_words(folder: Path, facts: Sequence[Fact]) -> tuple[PolicyBudget, str]:
    """The first policy's budget at 14:09:03Z, and the page that tells it."""
    write(folder, facts, len(facts) + 1)
    account = hpaaudit.explain(folder, "shop/web", at=Micros(ASKED_US + SECOND))
    return account.budget[0], " ".join(explain_text(account).split())


def test_a_recording_of_the_scale_tells_what_it_used(facts: Sequence[Fact], tmp_path: Path) -> None:
    budget, words = budget_and_words(tmp_path / "whole", list(published(facts)))
    assert (budget.unseen_us, budget.scaled_us, [used.change for used in budget.used_by]) == (None, None, [-2])
    assert "used by -2 at 14:07:03Z" in words
    assert "is not known" not in words


def test_a_recording_that_began_after_the_scale_does_not_say_that_nothing_was_used(
    facts: Sequence[Fact], tmp_path: Path
) -> None:
    cut = sum(fact.at_us < SCALED_US + 20 * SECOND for fact in published(facts))
    budget, words = budget_and_words(tmp_path / "late", list(begun(facts, cut)))
    assert budget.unseen_us is not None
    assert (budget.scaled_us, budget.used_by) == (SCALED_US, ())
    assert "nothing used" not in words
    assert (
        "by what is known; the status tells of a scale at 14:07:03Z, not by how many; what else was used before"
        in words
    )


def test_after_a_long_gap_what_was_used_in_it_is_not_known(facts: Sequence[Fact], tmp_path: Path) -> None:
    gap = Gap(
        at_us=Micros(SCALED_US - 20 * SECOND),
        until_us=Micros(SCALED_US + 60 * SECOND),
        prefix="*",
        cause="recorder stopped",
    )
    seen = list(published(facts))
    last = [fact for fact in seen if isinstance(fact, HpaSeen) and fact.at_us < gap.until_us][-1]
    around = [fact for fact in seen if fact.at_us < gap.at_us]
    around += [gap, replace(last, at_us=gap.until_us)]
    around += [fact for fact in seen if fact.at_us >= gap.until_us]
    budget, words = budget_and_words(tmp_path / "gap", around)
    assert budget.unseen_us is not None
    assert budget.unseen_us >= gap.until_us
    assert budget.scaled_us == SCALED_US
    assert "nothing used" not in words


@pytest.mark.parametrize(
    ("unseen_s", "scaled_s", "unknown", "told"),
    [
        (None, 30, False, False),
        (60, 70, False, False),  # so old that nothing before it counts
        (59, 70, True, False),
        (30, 59, True, True),
        (30, 30.5, True, False),  # of the second in which memory begins, which may be a known one
        (30, None, True, False),
    ],
)
def test_only_what_may_still_count_is_unknown(
    unseen_s: int | None, scaled_s: float | None, unknown: bool, told: bool
) -> None:
    """Of a policy of 60 seconds. Since when memory is known, and the last scale, in seconds before the reconcile."""
    inputs = inputs_of({
        "ready": [900, 900], "starting": [], "missing": 0, "target": 60, "replicas": 2, "minimum": 1, "maximum": 10,
        "behavior": {"scaleUp": {"policies": [{"type": "Pods", "value": 2, "periodSeconds": 60}]}},
        "release": "1.36", "memory": [], "ups": [], "downs": [], "foreign": 0,
    })  # fmt: skip
    hpa = inputs.observation.hpa
    assert hpa is not None
    scaled_us = None if scaled_s is None else at(NOW - scaled_s)
    hpa = replace(hpa, status=replace(hpa.status, last_scale_us=scaled_us))
    inputs = replace(inputs, observation=replace(inputs.observation, hpa=hpa))
    unseen_us = None if unseen_s is None else at(NOW - unseen_s)
    (budget,) = policy_budgets(decide(inputs), inputs, unseen_us)
    assert budget.unseen_us == (unseen_us if unknown else None)
    assert budget.scaled_us == (scaled_us if told else None)
