"""Document 001, the user documentation of release 1.19, statement by statement: `behavior`.

Where the document and the real controller differ, the controller is right; the test says so.
"""

from typing import Any

import pytest

from hpaaudit.model.hpa import ScalingPolicy, ScalingRules
from tests.engine.scenes import Loop, asks, decide, flags, hpa_of, remembered, says

every = pytest.mark.parametrize("release", ["1.19.4", "1.36", "1.37"])
MINUTE: dict[str, Any] = {
    "policies": [
        {"type": "Pods", "value": 4, "periodSeconds": 60},
        {"type": "Percent", "value": 10, "periodSeconds": 60},
    ]
}
STEPS = [72, 64, 57, 51, 45, 40, 36, 32, 28, 24, 20, 16, 12, 10]


def _down(window: int | None = 0, **rules: Any) -> dict[str, Any]:
    return {"scaleDown": rules if window is None else rules | {"stabilizationWindowSeconds": window}}


def test_s001_31_a_behavior_is_there_or_not_and_brings_both_directions() -> None:
    assert hpa_of(asks(3)).spec.behavior is None
    assert hpa_of(asks(3), behavior={}).spec.behavior == hpa_of(asks(3), behavior={"scaleUp": {}}).spec.behavior


@every
def test_s001_32_four_pods_or_a_tenth_a_minute(release: str) -> None:
    loop = Loop(80, flags=flags(release=release))
    writes = loop.every(15, 0, 900, asks(10), behavior=_down(**MINUTE))
    assert writes == [(60 * index, number) for index, number in enumerate(STEPS)]


@every
def test_s001_33_with_the_default_window_the_first_of_them_comes_when_it_lets_go(release: str) -> None:
    loop = Loop(80, flags=flags(release=release))
    loop.reconcile(-15, asks(80))
    writes = loop.every(15, 0, 1200, asks(10), behavior=_down(None, **MINUTE))
    assert (writes[0], writes[-1], len(writes)) == ((285, 72), (1065, 10), 14)


@every
def test_s001_34_a_part_of_a_pod_is_a_pod(release: str) -> None:
    tenth = _down(policies=[{"type": "Percent", "value": 10, "periodSeconds": 60}])
    assert (
        decide(asks(10), replicas=72, behavior=tenth, memory=remembered("1@1"), flags=flags(release=release)).desired
        == 64
    )


@every
@pytest.mark.parametrize(("replicas", "both", "pods_alone"), [(31, 27, 27), (40, 36, 36), (41, 36, 37), (30, 26, 26)])
def test_s001_34_d18_percent_is_the_stronger_from_41_on(
    release: str, replicas: int, both: int, pods_alone: int
) -> None:
    """The document says above 40; from 31 to 40 both policies come to the same."""
    scene: dict[str, Any] = {"replicas": replicas, "memory": remembered("1@1"), "flags": flags(release=release)}
    alone = _down(policies=MINUTE["policies"][:1])
    assert decide(asks(1), behavior=_down(**MINUTE), **scene).desired == both
    assert decide(asks(1), behavior=alone, **scene).desired == pods_alone


@every
def test_s001_35_within_the_period_nothing_more_is_written(release: str) -> None:
    loop = Loop(80, flags=flags(release=release))
    loop.reconcile(0, asks(10), behavior=_down(**MINUTE))
    for now in (15, 30, 45):
        decision = loop.reconcile(now, asks(10), behavior=_down(**MINUTE))
        assert (decision.attempts, says(decision, "ScalingLimited")) == ((), "True/ScaleDownLimit")
    assert loop.reconcile(60, asks(10), behavior=_down(**MINUTE)).desired == 64


@pytest.mark.parametrize(
    ("release", "moves"), [("1.18.11", False), ("1.18.12", True), ("1.19.3", False), ("1.19.4", True), ("1.37", True)]
)
@pytest.mark.parametrize(("replicas", "desired"), [(100, 95), (60, 55), (40, 36), (30, 27)])
def test_s001_36_d19_min_takes_the_smallest_change_where_it_moves_at_all(
    release: str, moves: bool, replicas: int, desired: int
) -> None:
    least = _down(
        selectPolicy="Min",
        policies=[
            {"type": "Percent", "value": 10, "periodSeconds": 60},
            {"type": "Pods", "value": 5, "periodSeconds": 60},
        ],
    )
    decision = decide(
        asks(1), replicas=replicas, behavior=least, memory=remembered("1@1"), flags=flags(release=release)
    )
    assert decision.desired == (desired if moves else replicas)


@every
def test_s001_37_disabled_keeps_what_stands(release: str) -> None:
    off = _down(selectPolicy="Disabled")
    decision = decide(asks(1), replicas=10, behavior=off, memory=remembered("1@1"), flags=flags(release=release))
    assert (decision.desired, says(decision, "ScalingLimited")) == (10, "True/ScaleDownLimit")


@every
def test_s001_38_down_the_highest_of_the_window_up_the_lowest(release: str) -> None:
    controller = flags(release=release)
    down = decide(asks(3), replicas=9, behavior=_down(300), memory=remembered("9@700", "7@701"), flags=controller)
    assert down.stabilized == 7
    lowest = {"scaleUp": {"stabilizationWindowSeconds": 60}}
    up = decide(asks(9), replicas=3, behavior=lowest, memory=remembered("1@940", "5@941"), flags=controller)
    assert up.stabilized == 5


@pytest.mark.parametrize(("release", "desired"), [("1.18", 9), ("1.20", 9), ("1.21", 5), ("1.37", 5)])
def test_s001_38_d20_until_1_20_a_window_could_move_against_the_trend(release: str, desired: int) -> None:
    """The document says that it only prevents."""
    decision = decide(
        asks(3), replicas=5, behavior=_down(300), memory=remembered("9@900"), flags=flags(release=release)
    )
    assert decision.desired == desired


def test_s001_39_each_field_of_the_user_replaces_only_itself() -> None:
    behavior = hpa_of(asks(3), behavior=_down(60)).spec.behavior
    assert behavior is not None
    percent = ScalingPolicy(type="Percent", value=100, period_seconds=15)
    assert behavior.scale_down == ScalingRules(
        stabilization_window_seconds=60, select_policy="Max", policies=(percent,), tolerance=None
    )
    assert behavior.scale_up == ScalingRules(
        stabilization_window_seconds=0,
        select_policy="Max",
        policies=(ScalingPolicy(type="Pods", value=4, period_seconds=15), percent),
        tolerance=None,
    )


@every
def test_s001_40_by_default_all_goes_at_once_when_the_window_lets_go(release: str) -> None:
    loop = Loop(80, flags=flags(release=release))
    loop.reconcile(0, asks(80), behavior={})
    assert loop.every(15, 15, 400, asks(1), behavior={}) == [(300, 1)]


@every
def test_s001_41_by_default_four_or_as_many_again_every_15_s(release: str) -> None:
    loop = Loop(1, flags=flags(release=release))
    writes = loop.every(15, 0, 90, asks(100), behavior={})
    assert writes == [(0, 5), (15, 10), (30, 20), (45, 40), (60, 80), (75, 100)]


@every
def test_s001_41_d21_without_a_behavior_twice_or_four_a_pass(release: str) -> None:
    """The document has the defaults of behavior equal to none."""
    loop = Loop(1, flags=flags(release=release))
    assert [number for _, number in loop.every(15, 0, 120, asks(100))] == [4, 8, 16, 32, 64, 100]


@every
@pytest.mark.parametrize(("window", "instant"), [(60, 60), (None, 300)])
def test_s001_42_a_window_of_a_minute_lets_go_after_one(release: str, window: int | None, instant: int) -> None:
    loop = Loop(10, flags=flags(release=release))
    loop.reconcile(0, asks(10), behavior=_down(window))
    assert loop.every(15, 15, 330, asks(4), behavior=_down(window)) == [(instant, 4)]


@every
@pytest.mark.parametrize(("replicas", "desired"), [(100, 90), (9, 8), (1, 1)])
def test_s001_43_a_tenth_of_few_is_one_until_the_minimum(release: str, replicas: int, desired: int) -> None:
    tenth = _down(policies=[{"type": "Percent", "value": 10, "periodSeconds": 60}])
    decision = decide(
        asks(0), replicas=replicas, behavior=tenth, memory=remembered("1@1"), flags=flags(release=release)
    )
    assert decision.desired == desired
