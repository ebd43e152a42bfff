"""Policies, minReplicas and maxReplicas: how they limit a stabilized recommendation."""

from typing import Any

import pytest

from hpaaudit.engine.rules import limit
from tests.engine.scenes import LEAVING_ZERO, asks, decide, external, flags, remembered, says

OPEN = {"scaleDown": {"stabilizationWindowSeconds": 0}}


def _policy(kind: str, value: int, period: int) -> dict[str, Any]:
    return {"type": kind, "value": value, "periodSeconds": period}


def up(*policies: tuple[str, int, int], select: str = "Max") -> dict[str, Any]:
    """Writes a behavior that limits the way up."""
    return OPEN | {"scaleUp": {"selectPolicy": select, "policies": [_policy(*policy) for policy in policies]}}


def down(*policies: tuple[str, int, int], select: str = "Max") -> dict[str, Any]:
    """Writes a behavior that limits the way down, without a window."""
    rules_ = {"selectPolicy": select, "policies": [_policy(*policy) for policy in policies]}
    return {"scaleDown": rules_ | {"stabilizationWindowSeconds": 0}}


PLAIN: list[tuple[str, int, int, int, int, int, str]] = [
    # name, replicas, raw, min, max, desired, ScalingLimited
    ("twice what stands", 3, 20, 1, 50, 6, "True/ScaleUpLimit"),
    ("and twice again", 6, 20, 1, 50, 12, "True/ScaleUpLimit"),
    ("or four", 1, 20, 1, 50, 4, "True/ScaleUpLimit"),
    ("max below the limit", 5, 20, 1, 8, 8, "True/TooManyReplicas"),
    ("max at the limit is the max", 5, 20, 1, 10, 10, "True/TooManyReplicas"),
    ("max above the limit", 5, 20, 1, 11, 10, "True/ScaleUpLimit"),
    ("min", 5, 1, 2, 50, 2, "True/TooFewReplicas"),
    ("within", 5, 7, 2, 50, 7, "False/DesiredWithinRange"),
    ("staying", 5, 5, 2, 50, 5, "False/DesiredWithinRange"),
    ("exactly the minimum", 5, 2, 2, 50, 2, "False/DesiredWithinRange"),
    ("exactly twice", 3, 6, 1, 50, 6, "False/DesiredWithinRange"),
    ("exactly the maximum", 5, 8, 1, 8, 8, "False/DesiredWithinRange"),
]


@pytest.mark.parametrize(
    ("replicas", "raw", "minimum", "maximum", "desired", "limited"),
    [row[1:] for row in PLAIN],
    ids=[row[0] for row in PLAIN],
)
def test_without_a_behavior(replicas: int, raw: int, minimum: int, maximum: int, desired: int, limited: str) -> None:
    decision = decide(asks(raw), replicas=replicas, minimum=minimum, maximum=maximum, memory=remembered("1@100"))
    assert (decision.desired, says(decision, "ScalingLimited")) == (desired, limited)


def test_the_least_comes_first_and_is_not_limited() -> None:
    assert limit.limit_plain(1, 2, 9, 50)[:2] == (9, limit.TOO_FEW)


def test_from_two_to_the_thirty_on_twice_wraps() -> None:
    assert limit.plain_up_limit(2**30) == -(2**31)
    decision = decide(asks(2**30), replicas=2**30, minimum=1, maximum=2**31 - 1)
    assert (decision.desired, says(decision, "ScalingLimited")) == (-(2**31), "True/ScaleUpLimit")


def test_leaving_zero_without_a_behavior_is_capped_at_four() -> None:
    assert decide(asks(20), minimum=0, **LEAVING_ZERO).desired == 4


BEHAVED: list[tuple[str, dict[str, Any], int, int, list[str], list[str], int, str]] = [
    # name, behavior, replicas, raw, scale events up, down, desired, ScalingLimited
    ("default: four or as many again", OPEN, 10, 30, [], [], 20, "True/ScaleUpLimit"),
    ("default: from one to five", OPEN, 1, 30, [], [], 5, "True/ScaleUpLimit"),
    ("default: events use it up", OPEN, 10, 30, ["5@990"], [], 10, "True/ScaleUpLimit"),
    ("an event as old as the period is over", OPEN, 10, 30, ["5@985"], [], 20, "True/ScaleUpLimit"),
    ("events of both directions count", up(("Percent", 300, 300), select="Min"), 6, 24, ["4@900"], ["2@950"], 16,
        "True/ScaleUpLimit"),
    ("what went down may come up again", up(("Pods", 2, 300)), 6, 30, [], ["4@900"], 12, "True/ScaleUpLimit"),
    ("what came up may go down again", down(("Pods", 2, 300)), 10, 1, ["5@900"], [], 3, "True/ScaleDownLimit"),
    ("up, the smallest change", OPEN | {"scaleUp": {"selectPolicy": "Min"}}, 10, 30, [], [], 14, "True/ScaleUpLimit"),
    ("up, disabled", OPEN | {"scaleUp": {"selectPolicy": "Disabled"}}, 10, 30, [], [], 10, "True/ScaleUpLimit"),
    ("down, the smallest change", down(("Pods", 2, 60), ("Percent", 50, 60), select="Min"), 10, 1, [], [], 8,
        "True/ScaleDownLimit"),
    ("down, the greatest change", down(("Pods", 2, 60), ("Percent", 50, 60)), 10, 1, [], [], 5, "True/ScaleDownLimit"),
    ("down, disabled", down(("Pods", 2, 60), select="Disabled"), 10, 1, [], [], 10, "True/ScaleDownLimit"),
    ("10 % of 25 is cut to 22", down(("Percent", 10, 60)), 25, 1, [], [], 22, "True/ScaleDownLimit"),
    ("80 % of 10 is a little less than two", down(("Percent", 80, 60)), 10, 1, [], [], 1, "False/DesiredWithinRange"),
    ("30 % of 90 is a little less than 63", down(("Percent", 30, 60)), 90, 10, [], [], 62, "True/ScaleDownLimit"),
    ("10 % more than 50 is a little above 55", up(("Percent", 10, 60)), 50, 90, [], [], 56, "True/ScaleUpLimit"),
    ("more was added than there is: stay", up(("Pods", 2, 60)), 5, 10, ["8@950"], [], 5, "True/ScaleUpLimit"),
    ("what already went down counts", down(("Pods", 1, 60)), 4, 1, [], ["1@950"], 4, "True/ScaleDownLimit"),
    ("a greatest int32 wraps: stay", up(("Pods", 2**31 - 1, 60)), 10, 30, [], [], 10, "True/ScaleUpLimit"),
    ("an outdated event counts while its age allows", up(("Pods", 2, 60)), 5, 10, ["2@950!"], [], 5,
        "True/ScaleUpLimit"),
    ("exactly the limit, up", OPEN, 10, 20, [], [], 20, "False/DesiredWithinRange"),
    ("exactly the limit, down", down(("Pods", 2, 60)), 10, 8, [], [], 8, "False/DesiredWithinRange"),
    ("staying asks no policy", up(("Pods", 1, 60)), 5, 5, ["9@950"], [], 5, "False/DesiredWithinRange"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("behavior", "replicas", "raw", "added", "removed", "desired", "limited"),
    [row[1:] for row in BEHAVED],
    ids=[row[0] for row in BEHAVED],
)
def test_with_a_behavior(
    behavior: dict[str, Any],
    replicas: int,
    raw: int,
    added: list[str],
    removed: list[str],
    desired: int,
    limited: str,
) -> None:
    memory = remembered("1@100", up=added, down=removed)
    decision = decide(asks(raw), replicas=replicas, memory=memory, behavior=behavior)
    assert (decision.desired, says(decision, "ScalingLimited")) == (desired, limited)


def test_each_direction_has_its_one_bound() -> None:
    assert decide(asks(0), replicas=10, minimum=3, behavior=OPEN, memory=remembered("1@1")).desired == 3
    assert decide(asks(30), replicas=10, maximum=12, behavior=OPEN).desired == 12
    assert says(decide(asks(12), replicas=10, maximum=12, behavior=OPEN), "ScalingLimited").startswith("False")
    assert says(decide(asks(13), replicas=10, maximum=12, behavior=OPEN), "ScalingLimited") == "True/TooManyReplicas"
    assert limit.limit_up(2, 1, 5, 9) == (2, limit.WITHIN_RANGE)
    assert limit.limit_down(20, 30, 5, 1) == (20, limit.WITHIN_RANGE)


def test_down_to_none_needs_a_minimum_of_zero() -> None:
    nine_of_ten = down(("Percent", 90, 60))
    metric = external(0, average=1000)
    assert decide(metric, replicas=10, minimum=0, behavior=nine_of_ten, memory=remembered("1@1")).desired == 0
    assert decide(metric, replicas=10, minimum=1, behavior=nine_of_ten, memory=remembered("1@1")).desired == 1


def test_percent_alone_never_leaves_zero_but_by_what_went_down() -> None:
    scene: dict[str, Any] = {"minimum": 0, "maximum": 10, **LEAVING_ZERO}
    stuck = decide(asks(5), **scene, behavior=up(("Percent", 100, 15)))
    assert (stuck.desired, says(stuck, "ScalingLimited")) == (0, "True/ScaleUpLimit")
    risen = decide(asks(5), **scene, behavior=up(("Percent", 100, 60)), memory=remembered("0@1", down=["3@960"]))
    assert risen.desired == 5


def test_a_tolerance_alone_switches_to_the_other_algorithm() -> None:
    assert decide(asks(20), replicas=1, behavior={"scaleUp": {"tolerance": "50m"}}).desired == 5
    assert decide(asks(20), replicas=1).desired == 4
    off = flags(("HPAConfigurableTolerance", False))
    assert decide(asks(20), replicas=1, behavior={"scaleUp": {"tolerance": "50m"}}, flags=off).desired == 5
