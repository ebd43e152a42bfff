"""A headline names what would, if undone, have changed the number: each part is undone, and the engine decides again.

Undone means: another maxReplicas or minReplicas, no memory, no policies, no tolerance, without the named metrics.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.engine.controller.reconcile import reconcile
from hpaaudit.engine.replay.process import ReconcileInput
from hpaaudit.flows.explain import _step_lines
from hpaaudit.flows.flips import desired_without_tolerance
from hpaaudit.model.account import Change, Metric, ReconcileAccount
from hpaaudit.model.decision import Decision
from hpaaudit.model.memory import EMPTY, Memory
from hpaaudit.report.reasons import sentence, why
from tests.engine.scenes import decide, external, flags, observation, remembered
from tests.report import accounts

RELEASES = ("1.14", "1.17", "1.20", "1.28", "1.33", "1.36", "1.37")
OPEN = {"policies": [{"type": "Percent", "value": 100_000, "periodSeconds": 15}], "stabilizationWindowSeconds": 0}
UNLIMITED = 10_000
BEHAVIORS: tuple[dict[str, Any] | None, ...] = (
    None,
    None,
    {},
    {"scaleUp": {"policies": [{"type": "Pods", "value": 2, "periodSeconds": 60}]}},
    {"scaleDown": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}], "stabilizationWindowSeconds": 60}},
    {"scaleUp": {"stabilizationWindowSeconds": 120}, "scaleDown": {"stabilizationWindowSeconds": 0}},
    {"scaleUp": {"selectPolicy": "Disabled"}},
    {"scaleDown": {"selectPolicy": "Disabled", "stabilizationWindowSeconds": 0}},
)
World = Mapping[str, Any]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """An HPA with one or two metrics (each asks for a number of pods), and what the controller remembers."""
    least = draw(st.integers(1, 6))
    release = draw(st.sampled_from(RELEASES))
    has_behavior = float(release.split(".")[1]) >= 18
    return {
        "asks": draw(st.lists(st.integers(1, 30), min_size=1, max_size=2)),
        "memory": draw(st.sampled_from((0, 0, 1, 3, 6, 12, 25))),
        "replicas": draw(st.integers(1, 20)),
        "minimum": least,
        "maximum": draw(st.integers(least, 24)),
        "behavior": draw(st.sampled_from(BEHAVIORS)) if has_behavior else None,
        "tolerance": draw(st.sampled_from((0.0, 0.1, 0.3))),
        "release": release,
    }


def decided(world: World) -> Decision:
    """What the engine decides."""
    metrics = [external(asks * 1000 - 300, average=1000) for asks in world["asks"]]
    scene = {name: world[name] for name in ("replicas", "minimum", "maximum", "behavior")}
    controller = flags(release=world["release"], tolerance=world["tolerance"])
    return decide(*metrics, memory=memory_of(world), flags=controller, **scene)


def memory_of(world: World) -> Memory:
    """What is remembered. Nothing at all stands for a new process, which begins with the replicas that there are."""
    if world["memory"] is None:
        return remembered("1@1")  # it has left every window
    return remembered(f"{world['memory']}@990") if world["memory"] else EMPTY


def without_tolerance(world: World) -> int | None:
    """What the product computes for its headline."""
    metrics = [external(asks * 1000 - 300, average=1000) for asks in world["asks"]]
    scene = {name: world[name] for name in ("replicas", "minimum", "maximum", "behavior")}
    observed = observation(*metrics, **scene)
    controller = flags(release=world["release"], tolerance=world["tolerance"])
    inputs = ReconcileInput(observation=observed, memory=memory_of(world), flags=controller)
    assert reconcile(observed, inputs.memory, controller)[0].desired == decided(world).desired
    return desired_without_tolerance(inputs)


def account_of(decision: Decision, world: World) -> ReconcileAccount:
    """What `explain` puts into words. Each metric has a name of its own."""
    metrics = tuple(
        Metric(
            name=f"metric{proposal.metric_idx}",
            label=f"metric{proposal.metric_idx}",
            type=proposal.metric_type,
            target_type=proposal.target_type,
            target=proposal.target,
            current_utilization=proposal.current_utilization,
            current_milli=proposal.current_milli,
            ratio=proposal.ratio,
            tolerance=proposal.tolerance,
            proposal=proposal.proposal,
            valid=proposal.valid,
            is_winner=proposal.is_winner,
        )
        for proposal in decision.proposals
    )
    return replace(
        accounts.reconcile(),
        reason_code=decision.reason_code,
        spec_replicas=decision.spec_replicas,
        min_replicas=decision.min_replicas,
        max_replicas=decision.max_replicas,
        raw_desired=decision.raw_desired,
        stabilized=decision.stabilized,
        rate_limited=decision.rate_limited,
        desired=decision.desired,
        metrics=metrics,
        steps=tuple(_step_lines(decision)),
        without_tolerance=without_tolerance(world) if decision.reason_code == "tolerance.hold" else None,
    )


def change_of(decision: Decision, account: ReconcileAccount) -> Change:
    """What the table of the first screen puts into words."""
    winner = next((metric for metric in account.metrics if metric.is_winner), None)
    tied = [m.name for m in account.metrics if winner and not m.is_winner and m.proposal == winner.proposal]
    return Change(
        at_us=decision.at_us,
        from_replicas=decision.spec_replicas or 0,
        to_replicas=decision.desired or 0,
        writer_class="hpa",
        writer_name="",
        decided=decision.desired,
        replay=decision.desired,
        reason_code=decision.reason_code,
        metric=winner,
        divergence_class="",
        severity="",
        confidence="",
        raw_desired=decision.raw_desired,
        stabilized=decision.stabilized,
        tied_metrics=tuple(tied),
    )


def undone(world: World, part: str, named: str) -> Decision:
    """The decision without this part. The metrics that are named then ask for what there is."""
    if part == "max":
        return decided({**world, "maximum": UNLIMITED})
    if part == "min":
        return decided({**world, "minimum": 1})
    if part == "memory":
        return decided({**world, "memory": None})
    if part == "policies":
        behavior = world["behavior"] or {}
        return decided({**world, "behavior": {side: {**behavior.get(side, {}), **_policies(side)} for side in _SIDES}})
    if part == "tolerance":
        return decided({**world, "tolerance": 0.0})
    remaining = [asks for index, asks in enumerate(world["asks"]) if f"metric{index}" not in named]
    return decided({**world, "asks": remaining or [world["replicas"]]})


PARTS = {
    "max": "maxReplicas",
    "min": "minReplicas",
    "memory": "earlier recommendations",
    "policies": "the policies",
    "tolerance": "the tolerance",
}
"""How a headline names a part without which the number would be the same."""
_SIDES = ("scaleUp", "scaleDown")


def _policies(side: str) -> dict[str, Any]:
    percent = 100_000 if side == "scaleUp" else 100
    return {"policies": [{"type": "Percent", "value": percent, "periodSeconds": 15}], "selectPolicy": "Max"}


def causes(headline: str) -> set[str]:
    """The parts that a headline names as what made the number."""
    parts = {
        "max": "Limited to maxReplicas" in headline or "above maxReplicas" in headline,
        "min": "Limited to minReplicas" in headline or "below minReplicas" in headline,
        "memory": "by an earlier recommendation" in headline,
        "policies": "policies;" in headline or "by selectPolicy" in headline,
        "tolerance": "inside the tolerance" in headline,
    }
    return {part for part, is_named in parts.items() if is_named}


@settings(max_examples=400, deadline=None)
@given(world=worlds())
def test_what_a_headline_names_would_have_changed_the_number(world: World) -> None:
    decision = decided(world)
    account = account_of(decision, world)
    headline = sentence(account)
    named = causes(headline)
    for part in named:
        if decision.raw_desired is None:  # "metrics were not consulted": without the bound they are
            assert undone(world, part, headline).raw_desired is not None, headline
            continue
        is_alone = f"Without {PARTS[part]} " not in headline
        assert (undone(world, part, headline).desired != decision.desired) == is_alone, (part, headline)
    if "with the tolerance" in headline:
        assert undone(world, "tolerance", headline).desired == decision.desired
    if decision.reason_code.startswith("metric.") and decision.raw_desired != world["replicas"]:
        assert undone(world, "metric", headline).raw_desired != decision.raw_desired, headline


@settings(max_examples=400, deadline=None)
@given(world=worlds())
def test_who_asked_for_a_number_that_was_limited_is_who_asked(world: World) -> None:
    """`18 was recommended at 14:05:00Z, and metric0 … asks for 8`: both are what the engine decided at that step."""
    decision = decided(world)
    headline = sentence(account_of(decision, world))
    if remembered := re.search(r"; (?:(\d+) was recommended at|an earlier recommendation wants (\d+))", headline):
        assert int(remembered[1] or remembered[2]) == decision.stabilized
        assert decided({**world, "memory": None}).stabilized != decision.stabilized
    elif headline.endswith(("was wanted.", "were wanted.")):
        assert decision.stabilized == decision.raw_desired
    if "asks for" in headline and "tolerance" not in headline:
        assert (
            headline.endswith((f"asks for {decision.raw_desired}.", f" for {decision.raw_desired} too."))
            or f"asks for {decision.raw_desired}, " in headline
        )


@settings(max_examples=400, deadline=None)
@given(world=worlds())
def test_the_table_names_an_earlier_recommendation_where_without_it_the_number_would_be_another_and_nowhere_else(
    world: World,
) -> None:
    decision = decided(world)
    line = why(change_of(decision, account_of(decision, world)))
    without = undone(world, "memory", line)
    if "an earlier recommendation wants" in line:
        assert f"an earlier recommendation wants {decision.stabilized}" in line
        assert without.stabilized != decision.stabilized, line
    elif decision.reason_code.startswith("metric."):
        assert without.desired == decision.desired, line
    elif decision.reason_code.startswith(("policy.", "bound.")):
        assert decision.stabilized == decision.raw_desired, line
