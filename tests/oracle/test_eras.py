"""Worlds of 1.1 to 1.11: drawn from those that all releases share, without what their time does not know."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.controller import program, releases, run
from tests.oracle.era_vectors import era_vectors, pods_source, qps, world
from tests.oracle.eras import PROFILES, Era, era_scenario, is_era

ERAS = [release for release in releases() if is_era(release)]
VERSIONS = (
    (range(1, 2), {"extensions/v1beta1"}),
    (range(2, 6), {"extensions/v1beta1", "autoscaling/v1"}),
    (range(6, 8), {"autoscaling/v1", "autoscaling/v2alpha1"}),
    (range(8, 12), {"autoscaling/v1", "autoscaling/v2beta1"}),
)


def test_every_release_from_1_1_on_can_be_built() -> None:
    assert [int(release.split(".")[1]) for release in ERAS] == list(range(1, 12))
    assert not is_era("1.12")


@pytest.mark.parametrize("release", ERAS)
@pytest.mark.parametrize("profile", PROFILES)
def test_the_same_seed_draws_the_same_world(release: str, profile: str) -> None:
    assert json.dumps(era_scenario(7, profile, release, 3)) == json.dumps(era_scenario(7, profile, release, 3))


def _values(world: Any, name: str) -> Iterator[Any]:
    """Every value of this name, however deep."""
    if isinstance(world, dict):
        for key, value in world.items():
            if key == name:
                yield value
            yield from _values(value, name)
    elif isinstance(world, list):
        for value in world:
            yield from _values(value, name)


@pytest.mark.parametrize("release", ERAS)
def test_a_world_has_nothing_that_its_release_does_not_know(release: str) -> None:
    minor = int(release.split(".")[1])
    known = next(versions for minors, versions in VERSIONS if minor in minors)
    drawn = [era_scenario(7, profile, release, index) for profile in PROFILES for index in range(6)]
    for one in (*drawn, *era_vectors(release)):
        objects = [*_values(one, "object"), *_values(one.get("events", []), "spec")]
        versions = {each["apiVersion"] for each in objects if isinstance(each, dict) and "spec" in each}
        assert versions <= known, one["name"]
        assert not list(_values(one, "behavior"))
        assert not list(_values(one, "containerResource"))
        assert minor >= 10 or not list(_values(one, "external"))
        assert 0 not in list(_values(one, "minReplicas"))
        flags = set(one["controller"])
        assert not flags & {"downscale_stabilization", "cpu_initialization_period", "initial_readiness_delay"}
        assert minor >= 7 or not flags & {"upscale_delay", "downscale_delay"}
        assert minor >= 9 or "tolerance" not in flags


@pytest.mark.parametrize("release", ERAS)
def test_single_cases_have_names_of_their_own(release: str) -> None:
    names = [case["name"] for case in era_vectors(release)]
    assert len(set(names)) == len(names) > 60


def test_1_5_itself_decides_one_world_in_two_ways(tmp_path: Path) -> None:
    """It adds the fractions of a custom metric in the random order of Go's map: 7 or 8 for four pods of 0.07 each.

    0.1 + 0.09 + 0.17 + 0.13 is 0.49 or 0.49000000000000005. Our sum is in the order of the pods' names.
    """
    if not program("1.5").exists():
        pytest.skip("the controller of 1.5 is not built: make oracle RELEASE=1.5")
    source = pods_source(100)[0] | {"offsets": [0, -10, 70, 30]}
    case = world("order-of-floats", 4, qps("70m"), 100, [source], high=8, until=35) | {"release": "1.5", "gates": {}}
    adapted = Era(case, "1.5", "vectors", case["name"]).adapted()
    run("1.5", [{**adapted, "name": f"world-{number}"} for number in range(60)], tmp_path)
    scaled_to = set()
    for number in range(60):
        rows = map(json.loads, (tmp_path / f"world-{number}.expected.jsonl").read_text("utf-8").splitlines())
        scaled_to.add(next(put["to"] for row in rows for put in row.get("scale_puts", ())))
    assert scaled_to == {7, 8}
