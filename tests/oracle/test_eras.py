"""Worlds of 1.1 to 1.11: drawn from those that all releases share, without what their time does not know."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.oracle.controller import releases
from tests.oracle.era_vectors import era_vectors
from tests.oracle.eras import PROFILES, era_scenario, is_era

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
    for world in (*drawn, *era_vectors(release)):
        objects = [*_values(world, "object"), *_values(world.get("events", []), "spec")]
        versions = {each["apiVersion"] for each in objects if isinstance(each, dict) and "spec" in each}
        assert versions <= known, world["name"]
        assert not list(_values(world, "behavior"))
        assert not list(_values(world, "containerResource"))
        assert minor >= 10 or not list(_values(world, "external"))
        assert 0 not in list(_values(world, "minReplicas"))
        flags = set(world["controller"])
        assert not flags & {"downscale_stabilization", "cpu_initialization_period", "initial_readiness_delay"}
        assert minor >= 7 or not flags & {"upscale_delay", "downscale_delay"}
        assert minor >= 9 or "tolerance" not in flags


@pytest.mark.parametrize("release", ERAS)
def test_single_cases_have_names_of_their_own(release: str) -> None:
    names = [case["name"] for case in era_vectors(release)]
    assert len(set(names)) == len(names) > 60
