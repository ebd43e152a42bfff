"""A flip that is named changes the decision, and the step before it does not."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import hpaaudit
from hpaaudit.engine.controller.reconcile import reconcile
from hpaaudit.engine.replay.process import ReconcileInput
from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.flows.flips import HELD_BY_MEMORY, HELD_BY_METRIC, nearest_flips
from hpaaudit.model.decision import Decision
from hpaaudit.model.flags import Flags
from hpaaudit.model.flips import MemoryFlip, UtilizationFlip
from hpaaudit.model.memory import EMPTY, Memory
from hpaaudit.model.units import Micros
from tests.engine.scenes import NOW, Metric, at, cpu, flags, observation, pods, remembered

RELEASES = ("1.12", "1.16", "1.18", "1.28", "1.32", "1.33", "1.36", "1.37")


def decide(percent: int, scene: dict[str, Any], memory: Memory, controller: Flags) -> tuple[Decision, ReconcileInput]:
    """Decides with every pod at so many percent of what it requests."""
    count, target, rest = scene["pods"], scene["target"], scene["rest"]
    crowd = pods(f"{count}@{percent * 10}")
    metrics: list[Metric] = [cpu(target)]
    observed = observation(*metrics, replicas=scene["replicas"], crowd=crowd, **rest)
    inputs = ReconcileInput(observation=observed, memory=memory, flags=controller)
    return reconcile(observed, memory, controller, keep_pods=True)[0], inputs


def flips_of(percent: int, scene: dict[str, Any], memory: Memory, controller: Flags) -> dict[int, int]:
    """The flips of a scene: the utilization of each, and what is decided then."""
    decision, inputs = decide(percent, scene, memory, controller)
    flips = nearest_flips(decision, inputs)
    assert all(isinstance(flip, UtilizationFlip) and flip.metric == "cpu" for flip in flips)
    return {flip.utilization_percent: flip.desired for flip in flips if isinstance(flip, UtilizationFlip)}


def scene_of(count: int, target: int, **rest: Any) -> dict[str, Any]:
    return {"pods": count, "replicas": count, "target": target, "rest": rest}


AT_THE_EDGE = [
    # release, target, tolerance, the utilization from which on ten pods become more
    ("1.28", 50, 0.1, 55),  # 1.1 is farther from one than 0.1, as doubles
    ("1.32", 50, 0.1, 55),
    ("1.33", 50, 0.1, 56),
    ("1.36", 60, 0.1, 67),
]


@pytest.mark.parametrize(("release", "target", "tolerance", "more"), AT_THE_EDGE)
def test_the_release_says_where_the_tolerance_ends(release: str, target: int, tolerance: float, more: int) -> None:
    controller = flags(release=release, tolerance=tolerance)
    flips = flips_of(target, scene_of(10, target), EMPTY, controller)
    assert [percent for percent, desired in flips.items() if desired > 10] == [more]


@st.composite
def scenes(draw: st.DrawFn) -> tuple[int, dict[str, Any], Flags]:
    """A utilization, what surrounds it, and a controller."""
    count, target = draw(st.integers(1, 40)), draw(st.integers(1, 200))
    tolerance = draw(st.sampled_from((0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 3.0)))
    behavior = draw(st.sampled_from((None, {}, {"scaleDown": {"stabilizationWindowSeconds": 0}})))
    scene = scene_of(
        count,
        target,
        minimum=draw(st.integers(1, 5)),
        maximum=draw(st.integers(5, 60)),
        behavior=behavior,
    )
    scene["replicas"] = draw(st.sampled_from((count, count, count + 3)))
    percent = draw(st.integers(int(target * (1 - tolerance)), int(target * (1 + tolerance)) + 1))
    assume(percent >= 0)
    return percent, scene, flags(release=draw(st.sampled_from(RELEASES)), tolerance=tolerance)


@given(scenes(), st.sampled_from((EMPTY, remembered("7@900"), remembered("50@980"))))
def test_a_flip_that_is_named_changes_the_decision_and_the_step_before_it_does_not(
    drawn: tuple[int, dict[str, Any], Flags], memory: Memory
) -> None:
    percent, scene, controller = drawn
    before, _ = decide(percent, scene, memory, controller)
    assume(before.reason_code in HELD_BY_METRIC)
    for flip, desired in flips_of(percent, scene, memory, controller).items():
        nearer = flip - 1 if flip > scene["target"] else flip + 1
        assert decide(flip, scene, memory, controller)[0].desired == desired != before.desired
        assert decide(nearer, scene, memory, controller)[0].desired == before.desired


@given(scenes(), st.sampled_from((EMPTY, remembered("7@900"))))
def test_no_utilization_that_is_nearer_changes_the_decision(
    drawn: tuple[int, dict[str, Any], Flags], memory: Memory
) -> None:
    percent, scene, controller = drawn
    before, _ = decide(percent, scene, memory, controller)
    assume(before.reason_code in HELD_BY_METRIC)
    target, flips = scene["target"], flips_of(percent, scene, memory, controller)
    above = min((flip for flip in flips if flip > target), default=3 * target)
    below = max((flip for flip in flips if flip < target), default=-1)
    for nearer in range(below + 1, above):
        assert decide(nearer, scene, memory, controller)[0].desired == before.desired, nearer


@given(
    st.sampled_from(RELEASES),
    st.lists(st.tuples(st.integers(1, 290), st.integers(5, 12)), min_size=1, max_size=4),
    st.sampled_from((None, {})),
)
def test_a_recommendation_that_is_named_takes_the_number_with_it_when_it_leaves_the_window(
    release: str, old: list[tuple[int, int]], behavior: dict[str, Any] | None
) -> None:
    memory = remembered(*(f"{number}@{NOW - age}" for age, number in sorted(old, reverse=True)))
    controller = flags(release=release)
    before, inputs = decide(30, scene_of(12, 60, behavior=behavior), memory, controller)
    assume(before.reason_code in HELD_BY_MEMORY)
    for flip in nearest_flips(before, inputs):
        assert isinstance(flip, MemoryFlip)
        assert flip.leaves_us > at(NOW)
        later, just_before = (
            decide(30, scene_of(12, 60, behavior=behavior, decided_us=now_us), memory, controller)[0].desired
            for now_us in (flip.leaves_us, Micros(flip.leaves_us - 1))
        )
        assert later == flip.desired != before.desired == just_before


def test_a_metric_that_not_every_pod_was_measured_for_names_no_utilization() -> None:
    for crowd in ("9@600 1", "9@600 1@600:unready", "9@600 1@600:terminating"):
        observed = observation(cpu(60), replicas=10, crowd=pods(crowd))
        decision = reconcile(observed, EMPTY, flags(), keep_pods=True)[0]
        assert nearest_flips(decision, ReconcileInput(observation=observed, memory=EMPTY, flags=flags())) == ()


def test_explain_names_the_flips_of_a_recording_and_none_without_it(tmp_path: Path) -> None:
    recording = tmp_path / "recording"
    shutil.copytree(bundled_recording(), recording)
    with hpaaudit.replay(recording, into=tmp_path / "results.duckdb"):
        pass
    account = hpaaudit.explain(tmp_path / "results.duckdb")
    # At 50 % the metric asks for fewer, but a recommendation of the last five minutes holds the number.
    assert account.flips == (UtilizationFlip(metric="cpu", utilization_percent=67, desired=7),)
    shutil.rmtree(recording)
    assert hpaaudit.explain(tmp_path / "results.duckdb").flips == ()
