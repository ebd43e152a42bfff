"""A recommendation is held by recent ones, and takes the last slot that no window needs."""

from typing import Any

import pytest

from hpaaudit.model.units import SECOND, Micros
from tests.engine.scenes import after, asks, decide, flags, remembered, says, slots

PLAIN: list[tuple[str, int, int, list[str], int, str, str]] = [
    # name, replicas, raw, remembered, desired, AbleToScale, slots afterwards
    ("the highest of the window", 10, 4, ["10@800", "8@900"], 10, "ScaleDownStabilized", "10@800 8@900 4@1000"),
    ("one of exactly the window's age counts", 10, 4, ["10@700", "6@900"], 10, "ScaleDownStabilized",
        "10@700 6@900 4@1000"),
    ("a second older it does not, and gives its slot", 10, 4, ["10@699", "6@900"], 6, "", "4@1000 6@900"),
    ("the last expired slot is taken", 4, 4, ["9@100", "8@200", "4@900"], 4, "ReadyForNewScale",
        "9@100 4@1000 4@900"),
    ("it may scale up, back to what was remembered", 5, 5, ["10@900"], 10, "", "10@900 5@1000"),
    ("nothing holds a scale-up", 5, 9, ["2@990"], 9, "", "2@990 9@1000"),
    ("what is remembered is raw, not what was written", 5, 60, ["5@900"], 10, "", "5@900 60@1000"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("replicas", "raw", "before", "desired", "able", "expected_memory"),
    [row[1:] for row in PLAIN],
    ids=[row[0] for row in PLAIN],
)
def test_without_a_behavior(
    replicas: int, raw: int, before: list[str], desired: int, able: str, expected_memory: str
) -> None:
    decision, memory = after(asks(raw), replicas=replicas, memory=remembered(*before))
    assert (decision.desired, slots(memory)) == (desired, expected_memory)
    assert says(decision, "AbleToScale") == f"True/{able or 'SucceededRescale'}"


def test_a_scale_up_to_the_remembered_has_no_reason_of_its_own() -> None:
    same = decide(asks(5), replicas=5, memory=remembered("10@900"))
    assert (same.action, same.scale_reason) == ("scale_up", "")
    below = decide(asks(3), replicas=5, memory=remembered("10@900"))
    assert (below.action, below.scale_reason) == ("scale_up", "All metrics below target")


def test_the_first_look_remembers_what_stands() -> None:
    decision, memory = after(asks(4), replicas=10)
    assert (decision.desired, slots(memory)) == (10, "10@1000 4@1000")
    assert decide(asks(4), replicas=10, memory=memory, now=1300).desired == 10
    assert decide(asks(4), replicas=10, memory=memory, now=1300.000001).desired == 4


def test_the_flag_is_the_window() -> None:
    minute = flags(downscale_stabilization_us=Micros(60 * SECOND))
    assert decide(asks(4), replicas=10, memory=remembered("10@930"), flags=minute).desired == 4
    assert decide(asks(4), replicas=10, memory=remembered("10@940"), flags=minute).desired == 10


def _windows(up: int | None = None, down: int | None = None) -> dict[str, Any]:
    """Lets no policy hold anything back, only the windows."""
    free = [{"type": "Pods", "value": 1000, "periodSeconds": 1}]
    return {
        name: {"policies": free} | ({} if window is None else {"stabilizationWindowSeconds": window})
        for name, window in (("scaleUp", up), ("scaleDown", down))
    }


BEHAVED: list[tuple[str, dict[str, Any], int, int, list[str], int, str]] = [
    # name, behavior, replicas, raw, remembered, desired, AbleToScale
    ("up: the lowest of the window", _windows(up=60), 4, 10, ["4@900", "6@950", "8@970"], 6, "ScaleUpStabilized"),
    ("up: never below what stands", _windows(up=60), 4, 10, ["2@950", "8@970"], 4, "ScaleUpStabilized"),
    ("down: never above what stands", _windows(down=300), 5, 3, ["9@900"], 5, "ScaleDownStabilized"),
    ("down: exactly the window's age does not count", _windows(down=300), 10, 4, ["10@700", "6@900"], 6,
        "ScaleDownStabilized"),
    ("no window: the flag's", _windows(), 10, 4, ["10@701"], 10, "ScaleDownStabilized"),
    ("both windows agree to stay, upward", _windows(up=120, down=300), 6, 9, ["5@950", "12@960"], 6,
        "ScaleUpStabilized"),
    ("both windows, downward", _windows(up=120, down=300), 6, 3, ["5@950", "4@960"], 5, "ScaleDownStabilized"),
    ("a window of zero remembers nothing", _windows(down=0), 10, 4, ["10@999"], 4, "ReadyForNewScale"),
    ("up: exactly the window's age does not count", _windows(up=60), 4, 10, ["5@940"], 10, "ReadyForNewScale"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("behavior", "replicas", "raw", "before", "stabilized", "able"),
    [row[1:] for row in BEHAVED],
    ids=[row[0] for row in BEHAVED],
)
def test_with_a_behavior(
    behavior: dict[str, Any], replicas: int, raw: int, before: list[str], stabilized: int, able: str
) -> None:
    decision = decide(asks(raw), replicas=replicas, memory=remembered(*before), behavior=behavior)
    assert decision.stabilized == stabilized
    written = decision.desired != replicas
    assert says(decision, "AbleToScale") == f"True/{'SucceededRescale' if written else able}"


def test_a_slot_is_free_when_it_is_older_than_both_windows() -> None:
    behavior = _windows(up=600, down=300)
    _, memory = after(asks(5), replicas=5, memory=remembered("5@500", "5@399", "5@400"), behavior=behavior)
    assert slots(memory) == "5@500 5@1000 5@400"
    _, grown = after(asks(4), replicas=10, memory=remembered("10@700", "6@900"), behavior=_windows(down=300))
    assert slots(grown) == "10@700 6@900 4@1000"


def test_the_flag_is_a_window_in_whole_seconds() -> None:
    controller = flags(downscale_stabilization_us=Micros(300_900_000))
    memory = remembered("10@699.5")
    assert decide(asks(4), replicas=10, memory=memory, behavior=_windows(), flags=controller).desired == 4
    assert decide(asks(4), replicas=10, memory=memory, flags=controller).desired == 10
