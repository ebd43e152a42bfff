"""Whole reconciles: branches, writes, conditions, events, and the status that is written."""

from dataclasses import replace
from typing import Any

import pytest

from hpaaudit.engine.controller.reconcile import reconcile
from hpaaudit.model.memory import EMPTY
from hpaaudit.model.observation import WriteOutcome
from tests.engine.scenes import (
    ASLEEP,
    LEAVING_ZERO,
    RELEASE_1_36,
    SCALE_PATH,
    SCALE_TO_ZERO,
    Loop,
    after,
    asks,
    at,
    condition,
    cpu,
    decide,
    events,
    external,
    failed_scale,
    observation,
    pods,
    posted,
    refused_write,
    remembered,
    says,
    scale_read,
    slots,
)

OPEN = {"scaleDown": {"stabilizationWindowSeconds": 0}}
TYPES = ["AbleToScale", "ScalingActive", "ScalingLimited"]


def test_above_max_it_jumps_and_asks_nobody() -> None:
    decision, memory = after(asks(99), replicas=12, maximum=10, memory=remembered("7@990"))
    assert (decision.desired, decision.raw_desired) == (10, None)
    assert decision.scale_reason == "Current number of replicas above Spec.MaxReplicas"
    assert decision.status is not None
    assert decision.status.current_metrics is None
    assert [shown.type for shown in decision.status.conditions] == ["AbleToScale"]
    assert slots(memory) == "7@990"


def test_below_min_it_jumps_past_every_policy_and_uses_up_later_ones() -> None:
    one_a_minute = OPEN | {"scaleUp": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]}}
    loop = Loop(1)
    first = loop.reconcile(1000, asks(9), minimum=5, behavior=one_a_minute)
    assert (first.desired, first.scale_reason) == (5, "Current number of replicas below Spec.MinReplicas")
    assert events(loop.memory.up) == "4@1000"
    second = loop.reconcile(1015, asks(9), minimum=5, behavior=one_a_minute)
    assert (second.desired, says(second, "ScalingLimited")) == (5, "True/ScaleUpLimit")


def test_at_zero_scaling_is_disabled() -> None:
    decision = decide(asks(9), replicas=0)
    assert (decision.desired, decision.raw_desired, decision.writes_status) == (0, None, True)
    assert says(decision, "ScalingActive") == "False/ScalingDisabled"
    assert decision.status is not None
    assert decision.status.desired_replicas == 0


ZERO_CASES: list[tuple[str, dict[str, Any], int]] = [
    ("the gate is off", {"flags": RELEASE_1_36, "status": ASLEEP, "minimum": 0}, 0),
    ("the condition is not there", {"flags": SCALE_TO_ZERO, "minimum": 0}, 0),
    ("it scaled to zero itself", {"flags": SCALE_TO_ZERO, "status": ASLEEP, "minimum": 0}, 4),
    ("and min was raised since", {"flags": SCALE_TO_ZERO, "status": ASLEEP, "minimum": 6}, 6),
]


@pytest.mark.parametrize(("scene", "desired"), [row[1:] for row in ZERO_CASES], ids=[row[0] for row in ZERO_CASES])
def test_it_leaves_zero_only_if(scene: dict[str, Any], desired: int) -> None:
    assert decide(external(35_000, average=10_000), replicas=0, **scene).desired == desired


def test_a_resource_alone_never_leaves_a_minimum_of_zero() -> None:
    scene: dict[str, Any] = {"replicas": 0, "status": ASLEEP, "flags": SCALE_TO_ZERO, "crowd": pods("1@900")}
    assert says(decide(cpu(50), minimum=0, **scene), "ScalingActive") == "False/ScalingDisabled"
    assert decide(cpu(50), minimum=2, **scene).raw_desired is not None


def test_with_a_behavior_the_raised_minimum_is_the_last_word() -> None:
    scene: dict[str, Any] = {"minimum": 6, "behavior": OPEN, **LEAVING_ZERO}
    risen = decide(asks(2), **scene)
    assert (risen.desired, says(risen, "ScalingLimited")) == (6, "False/DesiredWithinRange")
    assert risen.scale_reason == "external metric queue(nil) above target"
    idle = decide(asks(0), **scene)
    assert (idle.desired, idle.scale_reason) == (6, "Current number of replicas below Spec.MinReplicas")


def test_to_zero_and_back() -> None:
    loop = Loop(3, flags=SCALE_TO_ZERO, memory=remembered("0@1"))
    down = loop.reconcile(1000, external(0, average=10_000), minimum=0)
    assert (down.desired, says(down, "ScaledToZero")) == (0, "True/ScaledToZero")
    back = loop.reconcile(1015, external(35_000, average=10_000), minimum=0)
    assert (back.desired, says(back, "ScaledToZero")) == (4, "False/NotScaledToZero")


def test_with_the_gate_off_the_condition_goes() -> None:
    for replicas in (0, 5):
        decision = decide(asks(9), status=ASLEEP, replicas=replicas)
        assert decision.status is not None
        assert "ScaledToZero" not in [shown.type for shown in decision.status.conditions]
    woken = decide(asks(5), status=ASLEEP, replicas=5)
    assert says(woken, "ScaledToZero") == "True/ScaledToZero"


# --- writing -----------------------------------------------------------------------------------------------


def test_a_conflict_is_tried_again_with_the_same_number() -> None:
    ok = WriteOutcome(at_us=at(1000), path=SCALE_PATH, status=200, error="")
    decision = decide(asks(5), replicas=3, scale_writes=(refused_write(409, "modified"), ok))
    assert [(attempt.to, attempt.status) for attempt in decision.attempts] == [(5, 409), (5, 200)]
    assert posted(decision) == ["SuccessfulRescale"]


def test_five_conflicts_are_a_failure() -> None:
    decision = decide(asks(5), replicas=3, scale_writes=(refused_write(409, "modified"),) * 6)
    assert len(decision.attempts) == 5
    assert posted(decision) == ["FailedRescale"]
    assert says(decision, "AbleToScale") == "False/FailedUpdateScale"


def test_another_error_is_not_tried_again() -> None:
    ok = WriteOutcome(at_us=at(1000), path=SCALE_PATH, status=200, error="")
    decision = decide(asks(5), replicas=3, scale_writes=(refused_write(422, "Invalid value: -1"), ok))
    assert [attempt.status for attempt in decision.attempts] == [422]
    assert decision.events[-1].message == (
        "New size: 5; reason: external metric queue(nil) above target; error: Invalid value: -1"
    )


def test_a_refused_write_keeps_what_was_desired_and_when_it_scaled() -> None:
    standing = replace(ASLEEP, desired_replicas=7, last_scale_us=at(500), conditions=())
    decision = decide(asks(5), replicas=3, status=standing, scale_writes=(refused_write(500, "no"),))
    assert decision.desired == 5
    assert decision.status is not None
    assert (decision.status.desired_replicas, decision.status.current_replicas) == (7, 3)
    assert decision.status.last_scale_us == at(500)


def test_writes_that_keep_failing_move_the_transition_time_every_pass() -> None:
    loop = Loop(3)
    for now in (1000, 1015, 1030):
        decision = loop.reconcile(now, asks(5), scale_writes=(refused_write(500, "no", now),))
        assert condition(decision, "AbleToScale").last_transition_us == at(now)
        assert decision.writes_status
    assert slots(loop.memory) == "3@1000 5@1000 5@1015 5@1030"
    assert loop.memory.up is None


def test_a_scale_is_said_and_stamped() -> None:
    written = (WriteOutcome(at_us=at(1000.5), path=SCALE_PATH, status=200, error=""),)
    decision = decide(asks(5), replicas=3, scale_writes=written)
    assert decision.status is not None
    assert (decision.status.current_replicas, decision.status.desired_replicas) == (3, 5)
    assert decision.status.last_scale_us == at(1000.5)
    assert [shown.type for shown in decision.status.conditions] == TYPES
    assert decision.events[-1].message == "New size: 5; reason: external metric queue(nil) above target"


def test_nothing_to_do_is_written_once() -> None:
    loop = Loop(3)
    assert loop.reconcile(1000, asks(3)).writes_status
    again = loop.reconcile(1015, asks(3))
    assert not again.writes_status
    assert again.status is not None
    assert (again.status.current_replicas, again.status.desired_replicas) == (3, 3)


def test_a_status_that_cannot_be_written_is_told_and_undoes_nothing() -> None:
    refused = refused_write(409, "the object has been modified")
    decision = decide(asks(5), replicas=3, status_write=refused)
    assert posted(decision) == ["SuccessfulRescale", "FailedUpdateStatus"]
    assert decision.desired == 5
    assert decision.error == "failed to update status for web: the object has been modified"


# --- reading -----------------------------------------------------------------------------------------------


def test_a_scale_that_cannot_be_read_leaves_the_rest_of_the_status() -> None:
    standing = replace(ASLEEP, current_replicas=4, desired_replicas=5, observed_generation=3)
    decision, memory = after(asks(9), status=standing, scale_reads=(failed_scale(404, "not found"),))
    assert says(decision, "AbleToScale") == "False/FailedGetScale"
    assert posted(decision) == ["FailedGetScale"]
    assert decision.status is not None
    assert (decision.status.current_replicas, decision.status.desired_replicas) == (4, 5)
    assert decision.status.observed_generation == 3
    assert (decision.desired, decision.action, memory) == (None, "hold", EMPTY)


@pytest.mark.parametrize("selector", ["app==", "app!=other", "app>3", "app=web,"])
def test_a_selector_that_the_scale_client_refuses_makes_the_scale_unreadable(selector: str) -> None:
    if selector == "app==":
        assert decide(asks(3), replicas=3, selector=selector).raw_desired == 3
        return
    decision = decide(asks(3), replicas=3, scale_reads=(scale_read(3, selector=selector),))
    assert says(decision, "AbleToScale") == "False/FailedGetScale"
    assert "not convertible to autoscaling Scale: failed to parse target selector" in decision.events[0].message


def test_an_empty_selector_is_refused_by_the_controller() -> None:
    decision = decide(cpu(50), replicas=3, crowd=pods("3@500"), selector="")
    assert posted(decision) == ["SelectorRequired", "FailedComputeMetricsReplicas"]
    assert says(decision, "ScalingActive") == "False/InvalidSelector"
    assert decision.status is not None
    assert decision.status.current_metrics is None


def test_pods_of_two_hpas_are_ambiguous() -> None:
    scene: dict[str, Any] = {"replicas": 3, "crowd": pods("3@500")}
    decision = decide(cpu(50), rivals=(("shop/other", "app=web"),), **scene)
    assert says(decision, "ScalingActive") == "False/AmbiguousSelector"
    assert decision.events[0].message == (
        "pods by selector app=web are controlled by multiple HPAs: [shop/other shop/web]"
    )
    assert decide(cpu(50), rivals=(("shop/other", "app=api"),), **scene).raw_desired == 3
    assert decide(asks(3), replicas=3, rivals=(("shop/other", "app=web"),)).raw_desired == 3


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ({"apiVersion": "a/b/c", "kind": "Deployment", "name": "web"}, "unexpected GroupVersion string: a/b/c"),
        ({"apiVersion": "apps/v1beta2", "kind": "Deployment", "name": "web"}, ""),
    ],
)
def test_of_a_target_only_group_and_kind_matter(target: dict[str, str], text: str) -> None:
    decision = decide(asks(3), replicas=3, target=target)
    assert [event.message for event in decision.events] == ([text] if text else [])
    assert (decision.raw_desired is None) == bool(text)


def test_an_hpa_that_is_gone_frees_its_memory() -> None:
    observed = replace(observation(asks(3), replicas=3), hpa=None)
    decision, memory = reconcile(observed, remembered("9@990", up=["1@990"]), RELEASE_1_36)
    assert (decision.gone, decision.status, decision.attempts) == (True, None, ())
    assert memory == EMPTY


def test_the_transition_time_follows_the_status_alone() -> None:
    loop = Loop(3)
    loop.reconcile(1000, asks(3))
    loop.reconcile(1015, asks(2))
    able = next(condition for condition in loop.status.conditions if condition.type == "AbleToScale")
    assert (able.reason, able.last_transition_us) == ("ScaleDownStabilized", at(1000))


def test_the_generation_that_was_observed_is_dropped() -> None:
    decision = decide(asks(3), replicas=3, status=replace(ASLEEP, observed_generation=7))
    assert decision.status is not None
    assert decision.status.observed_generation is None
