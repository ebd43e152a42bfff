"""With a behavior a scale is remembered, in the last slot that is outdated."""

from typing import Any

import pytest

from hpaaudit.model.observation import WriteOutcome
from tests.engine.scenes import SCALE_PATH, after, asks, at, events, refused_write, remembered, slots

OPEN = {"scaleDown": {"stabilizationWindowSeconds": 0}}
LONG = {
    "scaleUp": {"policies": [{"type": "Pods", "value": 99, "periodSeconds": 60}]},
    "scaleDown": {"stabilizationWindowSeconds": 0},
}

CASES: list[tuple[str, int, int, dict[str, Any], list[str], list[str], str, str]] = [
    # name, from, to, behavior, up, down before; up, down after
    ("the last outdated slot", 3, 5, OPEN, ["1@900", "2@950", "1@990"], [], "1@900! 2@1000 1@990", ""),
    ("exactly the period's age is not outdated", 3, 5, OPEN, ["1@985"], [], "1@985 2@1000", ""),
    ("the first of all", 3, 5, OPEN, [], [], "2@1000", ""),
    ("a scale-down goes to the other list", 5, 3, OPEN, ["1@900"], ["4@900"], "1@900", "2@1000"),
    ("once outdated, always outdated", 3, 5, LONG, ["1@900!", "2@950"], [], "2@1000 2@950", ""),
    ("its own direction's longest period decides", 5, 3, LONG, [], ["1@984", "1@986"], "", "2@1000 1@986"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("replicas", "to", "behavior", "up", "down", "ups", "downs"),
    [row[1:] for row in CASES],
    ids=[row[0] for row in CASES],
)
def test_a_scale_takes(
    replicas: int, to: int, behavior: dict[str, Any], up: list[str], down: list[str], ups: str, downs: str
) -> None:
    _, memory = after(asks(to), replicas=replicas, behavior=behavior, memory=remembered("1@100", up=up, down=down))
    assert (events(memory.up), events(memory.down)) == (ups, downs)


def test_without_a_behavior_no_scale_is_remembered() -> None:
    _, memory = after(asks(5), replicas=3)
    assert (memory.up, memory.down) == (None, None)


def test_a_jump_to_a_bound_is_remembered_and_makes_no_recommendation() -> None:
    _, memory = after(asks(9), replicas=1, minimum=5, behavior=OPEN, memory=remembered("2@990"))
    assert (events(memory.up), slots(memory)) == ("4@1000", "2@990")


def test_a_refused_write_is_no_scale_but_its_recommendation_stays() -> None:
    refused = (refused_write(500, "no"),)
    _, memory = after(asks(5), replicas=3, behavior={}, memory=remembered("3@990"), scale_writes=refused)
    assert (memory.up, slots(memory)) == (None, "3@990 5@1000")


def test_each_step_of_a_pass_has_its_own_clock() -> None:
    """A first recommendation: when the scale was read; the decision: after the last read; a scale: when written."""
    written = (WriteOutcome(at_us=at(1000.25), path=SCALE_PATH, status=200, error=""),)
    _, memory = after(asks(5), replicas=3, behavior={}, scale_us=at(999.5), scale_writes=written)
    assert (slots(memory), events(memory.up)) == ("3@999.5 5@1000", "2@1000.25")


@pytest.mark.parametrize(
    ("scene", "expected_memory"),
    [
        ({"replicas": 0}, "0@1000"),
        ({"replicas": 200}, "200@1000"),
        ({"replicas": 1, "minimum": 3}, "1@1000"),
        ({"replicas": 3, "selector": ""}, "3@1000"),
    ],
    ids=["disabled", "above max", "below min", "no selector"],
)
def test_the_first_look_is_remembered_in_every_branch(scene: dict[str, Any], expected_memory: str) -> None:
    assert slots(after(asks(5), **scene)[1]) == expected_memory


def test_the_selector_is_remembered_from_the_first_pass_that_reaches_the_metrics() -> None:
    assert after(asks(5), replicas=0)[1].selector is None
    assert after(asks(5), replicas=200)[1].selector is None
    assert after(asks(5), replicas=3)[1].selector == "app=web"
    assert after(asks(5).failing(), replicas=3)[1].selector == "app=web"
