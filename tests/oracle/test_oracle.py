"""What the oracle promises, and a few fresh worlds where the real controller is built."""

import copy
import json
import subprocess
from pathlib import Path

import pytest

from tests.oracle import shrink
from tests.oracle.controller import program, releases
from tests.oracle.draw import Json
from tests.oracle.mishaps import mishaps
from tests.oracle.side_by_side import compared
from tests.oracle.vectors import vectors
from tests.oracle.worlds import PROFILES, scenario

RELEASE = "1.36"
needs_controller = pytest.mark.skipif(
    not program(RELEASE).exists(), reason="`make oracle` builds the real controller first; it needs Go"
)


@pytest.mark.parametrize("profile", PROFILES)
def test_the_same_seed_draws_the_same_world_and_another_seed_another(profile: str) -> None:
    drawn = scenario(7, profile, RELEASE, 3)
    assert json.dumps(scenario(7, profile, RELEASE, 3)) == json.dumps(drawn)
    assert scenario(8, profile, RELEASE, 3) != drawn


def test_a_common_world_is_the_same_for_every_release() -> None:
    old, new = ({**scenario(7, "common", release, 3), "release": ""} for release in ("1.12", RELEASE))
    assert old == new


@pytest.mark.parametrize("release", ["1.12", RELEASE])
def test_single_cases_have_names_of_their_own(release: str) -> None:
    names = [case["name"] for case in (*vectors(release), *mishaps(release))]
    assert len(set(names)) == len(names)


def test_shrinking_leaves_out_one_thing_at_a_time_and_changes_nothing_that_it_was_given() -> None:
    world = scenario(7, "everything", RELEASE, 3)
    before = copy.deepcopy(world)
    smaller = list(shrink._smaller(world))
    assert world == before
    assert len(smaller) > 20
    assert all(shrink._size(trial) <= shrink._size(world) for trial in smaller)
    assert len({json.dumps(trial) for trial in smaller}) > 0.8 * len(smaller)


def test_shrinking_ends_with_nothing_left_that_could_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a controller that differs whenever somebody scales by hand, only that event stays."""

    def differing(_: str, scenarios: list[Json]) -> list[set[str]]:
        return [
            {"status"} if any(e["do"] == "scale" for e in trial.get("events", [])) else set() for trial in scenarios
        ]

    monkeypatch.setattr(shrink, "_kinds", differing)
    world = next(
        drawn
        for drawn in (scenario(seed, "people", RELEASE, 0) for seed in range(100))
        if sum(event["do"] == "scale" for event in drawn["events"]) > 1
    )
    small = shrink.shrink(RELEASE, world)
    assert [event["do"] for event in small["events"]] == ["scale"]
    assert not small.get("hpas")
    assert not small.get("faults")
    assert small["name"] == world["name"]


@needs_controller
def test_fresh_worlds_are_decided_as_the_real_controller_decides_them() -> None:
    """The single cases, and one world of each profile."""
    drawn = [scenario(20260302, profile, RELEASE, 0) for profile in PROFILES]
    comparisons = compared(RELEASE, [*vectors(RELEASE), *mishaps(RELEASE), *drawn])
    assert comparisons.theirs.reconciles > 500
    assert [(world["name"], texts[0]) for world, texts in comparisons.differing] == []


def test_prepare_finds_every_release_and_no_other() -> None:
    """Compared as numbers, 1.20 would be 1.2 as well."""
    here = Path(__file__).parent
    lines = (here / "prepare").read_text("utf-8").splitlines()
    line = next(line for line in lines if line.startswith("version="))
    for release in releases():
        script = f'here={here}; release={release}; {line}; echo "$version"'
        found = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split()
        assert [version.rpartition(".")[0] for version in found] == [release]
