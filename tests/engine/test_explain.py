"""The steps of a decision: which changed the number, which of them were binding, and which is the primary reason."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.engine.behaviours.release import KNOWN
from hpaaudit.model.decision import Decision
from tests.engine.scenes import (
    Metric,
    asks,
    at,
    cpu,
    decide,
    external,
    failed_scale,
    flags,
    per_pod,
    pods,
    refused_write,
    remembered,
)

SLOW_UP = {"scaleUp": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]}}
SLOW_DOWN = {
    "scaleDown": {"stabilizationWindowSeconds": 0, "policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]}
}
OFF = {"scaleUp": {"selectPolicy": "Disabled"}, "scaleDown": {"selectPolicy": "Disabled"}}
WINDOW_UP = {"scaleUp": {"stabilizationWindowSeconds": 60}}
SLOW_UP_AND_WINDOW = {"scaleUp": SLOW_UP["scaleUp"] | WINDOW_UP["scaleUp"]}
OLD = remembered("1@1")


def chain(decision: Decision) -> str:
    """Prints a chain as `metric.above_target 3>9 policy.up_limit! 9>4`, with `!` where a step was binding."""
    shown = [step for step in decision.steps if step.stage != "write"]
    return " ".join(f"{step.code}{'!' * step.binding} {step.before}>{step.after}" for step in shown)


CASES: list[tuple[str, Metric, dict[str, Any], str, str]] = [
    # name, metric, scene, reason, chain
    ("on target", per_pod(100), {"crowd": pods("3@100"), "replicas": 3}, "metric.on_target", "metric.on_target 3>3"),
    ("inside the tolerance", per_pod(100), {"crowd": pods("3@105"), "replicas": 3}, "tolerance.hold",
        "tolerance.hold 3>3"),
    ("above target", per_pod(100), {"crowd": pods("3@150"), "replicas": 3}, "metric.above_target",
        "metric.above_target! 3>5"),
    ("below target", per_pod(100), {"crowd": pods("3@50"), "replicas": 3, "memory": OLD}, "metric.below_target",
        "metric.below_target! 3>2"),
    ("damped by missing pods", cpu(50), {"crowd": pods("11@400 1"), "replicas": 10}, "adjust.damped_into_tolerance",
        "adjust.damped_into_tolerance 10>10"),
    ("turned by missing pods", cpu(50), {"crowd": pods("2@700 2"), "replicas": 4}, "adjust.direction_flip_hold",
        "adjust.direction_flip_hold 4>4"),
    ("turned by the count of missing pods", cpu(80), {"crowd": pods("5@110 2", request=200), "replicas": 5},
        "adjust.count_flip_hold", "adjust.count_flip_hold 5>5"),
    ("inside the tolerance of a surge", external(121_000, average=10_000), {"replicas": 10, "status_replicas": 12},
        "metric.above_target", "metric.above_target! 10>12"),
    ("held by a recommendation", asks(4), {"replicas": 10, "memory": remembered("10@900")}, "stabilize.down_hold",
        "metric.below_target! 10>4 stabilize.down_hold! 4>10"),
    ("held in part", asks(4), {"replicas": 10, "memory": remembered("7@900")}, "stabilize.down_partial",
        "metric.below_target! 10>4 stabilize.down_partial! 4>7"),
    ("raised by one", asks(4), {"replicas": 5, "memory": remembered("8@900")}, "stabilize.legacy_raise",
        "metric.below_target! 5>4 stabilize.legacy_raise! 4>8"),
    ("held on the way up", asks(9), {"replicas": 4, "memory": remembered("3@990"), "behavior": WINDOW_UP},
        "stabilize.up_hold", "metric.above_target! 4>9 stabilize.up_hold! 9>4"),
    ("held in part on the way up", asks(9), {"replicas": 4, "memory": remembered("5@990"), "behavior": WINDOW_UP},
        "stabilize.up_partial", "metric.above_target! 4>9 stabilize.up_partial! 9>5"),
    ("twice at most", asks(20), {"replicas": 3}, "policy.legacy_up_limit",
        "metric.above_target! 3>20 policy.legacy_up_limit! 20>6"),
    ("a policy up", asks(20), {"replicas": 3, "behavior": SLOW_UP}, "policy.up_limit",
        "metric.above_target! 3>20 policy.up_limit! 20>4"),
    ("a policy down", asks(1), {"replicas": 9, "behavior": SLOW_DOWN, "memory": OLD}, "policy.down_limit",
        "metric.below_target! 9>1 policy.down_limit! 1>8"),
    ("disabled up", asks(20), {"replicas": 3, "behavior": OFF}, "policy.up_disabled",
        "metric.above_target! 3>20 policy.up_disabled! 20>3"),
    ("disabled down", asks(1), {"replicas": 3, "behavior": OFF, "memory": OLD}, "policy.down_disabled",
        "metric.below_target! 3>1 policy.down_disabled! 1>3"),
    ("the maximum", asks(20), {"replicas": 12, "maximum": 15}, "bound.max",
        "metric.above_target! 12>20 bound.max! 20>15"),
    ("the minimum", asks(1), {"replicas": 9, "minimum": 5, "memory": OLD}, "bound.min",
        "metric.below_target! 9>1 bound.min! 1>5"),
    ("a policy, then the maximum", asks(90), {"replicas": 9, "maximum": 15, "behavior": {}}, "bound.max",
        "metric.above_target! 9>90 policy.up_limit 90>18 bound.max! 18>15"),
    ("a policy and the maximum alike", asks(90), {"replicas": 9, "maximum": 10, "behavior": SLOW_UP},
        "policy.up_limit", "metric.above_target! 9>90 policy.up_limit 90>10"),
    ("a window, then a policy and the maximum alike", asks(90), {"replicas": 9, "maximum": 10,
        "memory": remembered("30@990"), "behavior": SLOW_UP_AND_WINDOW}, "policy.up_limit",
        "metric.above_target! 9>90 stabilize.up_partial 90>30 policy.up_limit 30>10"),
    ("raised by one, and brought back by twice and the maximum alike", asks(10), {"replicas": 5, "maximum": 10,
        "memory": remembered("12@900")}, "metric.above_target",
        "metric.above_target! 5>10 stabilize.legacy_raise 10>12 policy.legacy_up_limit 12>10"),
    ("a minimum that comes before the window", asks(1), {"replicas": 9, "minimum": 9, "memory": remembered("5@900")},
        "bound.min", "metric.below_target! 9>1 stabilize.down_partial 1>5 bound.min! 5>9"),
    ("above the maximum", asks(3), {"replicas": 20, "maximum": 9}, "gate.above_max", "gate.above_max! 20>9"),
    ("below the minimum", asks(3), {"replicas": 1, "minimum": 2}, "gate.below_min", "gate.below_min! 1>2"),
    ("at zero", asks(3), {"replicas": 0}, "gate.disabled_at_zero", "gate.disabled_at_zero! 0>0"),
    ("no scale", asks(3), {"scale_reads": (failed_scale(404, "no"),)}, "gate.target_unreadable",
        "gate.target_unreadable! None>None"),
    ("no metric", asks(3).failing(), {"replicas": 3}, "gate.all_metrics_invalid", "gate.all_metrics_invalid! 3>3"),
    ("no selector", asks(3), {"replicas": 3, "selector": ""}, "gate.selector_missing", "gate.selector_missing! 3>3"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("metric", "scene", "reason", "steps"), [row[1:] for row in CASES], ids=[row[0] for row in CASES]
)
def test_the_reason_is(metric: Metric, scene: dict[str, Any], reason: str, steps: str) -> None:
    decision = decide(metric, **scene)
    assert (decision.reason_code, chain(decision)) == (reason, steps)


EDGES = [
    # pods, release, reason: 10 replicas at 110 % of the target, which is inside since 1.33 only
    ("10@550", "1.28", "metric.above_target"),
    ("10@550", "1.32", "metric.above_target"),
    ("10@550", "1.33", "tolerance.hold"),
    ("9@550", "1.28", "metric.on_target"),
    ("9@550", "1.33", "tolerance.hold"),
]
"""The edge of the tolerance; nine pods ask for ten by their count, whether the tolerance holds or not."""


@pytest.mark.parametrize(("crowd", "release", "reason"), EDGES, ids=[f"{row[0]}, {row[1]}" for row in EDGES])
def test_a_hold_by_tolerance_is_one_of_the_releases_own_tolerance(crowd: str, release: str, reason: str) -> None:
    assert decide(cpu(50), crowd=pods(crowd), replicas=10, flags=flags(release=release)).reason_code == reason


def test_a_hold_by_tolerance_is_one_in_the_direction_of_the_ratio() -> None:
    sides = {"scaleUp": {"tolerance": "50m"}, "scaleDown": {"tolerance": "200m"}}
    reasons = [
        decide(cpu(50), crowd=pods(f"10@{usage}"), replicas=10, behavior=sides, memory=OLD).reason_code
        for usage in (390, 400, 525, 530)
    ]
    assert reasons == ["metric.below_target", "tolerance.hold", "tolerance.hold", "metric.above_target"]


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(
    st.sampled_from(KNOWN),
    st.integers(1, 100),
    st.integers(1, 12_000),
    st.sampled_from([0.0, 0.05, 0.1, 0.2, 0.5]),
    st.integers(2, 12),
)
def test_a_tolerance_that_holds_does_so_however_many_pods_there_are(
    release: str, percent: int, usage: int, tolerance: float, replicas: int
) -> None:
    """What is held does not ask how many pods were measured; what is not held goes with their number."""
    controller = flags(release=release, tolerance=tolerance)

    def asked(count: int) -> Decision:
        crowd = pods(f"{count}@{usage}", request=1000)
        return decide(cpu(percent), crowd=crowd, replicas=replicas, maximum=10**6, memory=OLD, flags=controller)

    decisions = [asked(count) for count in (1, replicas, 3 * replicas)]
    is_held = {asked.proposals[0].proposal for asked in decisions} == {replicas}
    on_target = usage // 10 == percent
    assert ({item.reason_code for item in decisions} <= {"tolerance.hold", "metric.on_target"}) == is_held
    assert ({item.reason_code for item in decisions} == {"metric.on_target"}) == (on_target and is_held)


def test_a_hold_names_the_recommendation_that_decided_and_its_window() -> None:
    decision = decide(asks(4), replicas=10, memory=remembered("12@800", "11@850", "9@900"))
    (step,) = (step for step in decision.steps if step.stage == "stabilize")
    assert dict(step.detail) == {"recommendation": 12, "recommended_us": at(800), "window_us": 300_000_000}
    up = decide(asks(9), replicas=4, memory=remembered("6@950", "5@960", "8@990"), behavior=WINDOW_UP)
    (step,) = (step for step in up.steps if step.stage == "stabilize")
    assert dict(step.detail) == {"recommendation": 5, "recommended_us": at(960), "window_us": 60_000_000}


@pytest.mark.parametrize(
    ("raw", "replicas", "behavior"),
    [(4, 10, None), (4, 10, {}), (9, 4, WINDOW_UP)],
    ids=["without a behavior", "on the way down", "on the way up"],
)
@pytest.mark.parametrize("order", [("7@950", "7@980"), ("7@980", "7@950")], ids=["in order", "in a reused slot"])
def test_of_recommendations_of_one_number_the_newest_decided(
    raw: int, replicas: int, behavior: dict[str, Any] | None, order: tuple[str, str]
) -> None:
    decision = decide(asks(raw), replicas=replicas, memory=remembered(*order), behavior=behavior)
    (step,) = (step for step in decision.steps if step.stage == "stabilize")
    assert (step.after, dict(step.detail)["recommended_us"]) == (7, at(980))


def test_a_write_ends_the_chain_and_a_refused_one_is_the_reason() -> None:
    done, back = decide(asks(5), replicas=3), decide(asks(2), replicas=3, memory=OLD)
    assert (done.steps[-1].code, back.steps[-1].code) == ("act.scale_up", "act.scale_down")
    refused = decide(asks(5), replicas=3, scale_writes=(refused_write(500, "no"),))
    assert (refused.reason_code, refused.steps[-1].before, refused.steps[-1].after) == ("act.write_failed", 5, 3)


def test_a_pass_that_changes_nothing_writes_nothing() -> None:
    assert [step.stage for step in decide(asks(3), replicas=3).steps] == ["propose"]


@pytest.mark.parametrize(
    ("release", "maximum", "message"),
    [
        ("1.15", 50, "the desired replica count is increasing faster than the maximum scale rate"),
        ("1.15", 8, "the desired replica count is more than the maximum replica count"),
        ("1.16", 50, "the desired replica count is less than the minimum replica count"),
        ("1.36", 8, "the desired replica count is less than the minimum replica count"),
    ],
)
def test_until_1_15_the_minimum_speaks_in_the_words_of_the_upper_limit(
    release: str, maximum: int, message: str
) -> None:
    scene: dict[str, Any] = {"replicas": 5, "status_replicas": 5, "minimum": 3, "maximum": maximum, "memory": OLD}
    status = decide(per_pod(1000), crowd=pods("5@1"), flags=flags(release=release), **scene).status
    assert status is not None
    limited = next(condition for condition in status.conditions if condition.type == "ScalingLimited")
    assert (limited.reason, limited.message) == ("TooFewReplicas", message)
