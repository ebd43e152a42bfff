"""Runs worlds through the real controller, then through our engine."""

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.conformance.decisions import compare
from tests.oracle.controller import Run, run
from tests.oracle.draw import Json


@dataclass(frozen=True, slots=True)
class Compared:
    """One portion: what the real controller did of it, how long ours took, and what was decided otherwise.

    by_chance   how many worlds the real controller decides now so and now otherwise
    """

    theirs: Run
    ours_seconds: float
    differing: tuple[tuple[Json, tuple[str, ...]], ...]
    by_chance: int = 0


def compared(release: str, scenarios: list[Json]) -> Compared:
    """Scenarios through the real controller, then through ours."""
    with tempfile.TemporaryDirectory() as folder:
        theirs = run(release, scenarios, Path(folder))
        began = time.perf_counter()
        differing = []
        for world in scenarios:
            capture = Path(folder) / f"{world['name']}.capture.jsonl"
            if capture.exists() and (differences := compare(capture).differences):
                differing.append((world, differences))
        seconds = time.perf_counter() - began
    otherwise = tuple(each for each in differing if not _is_chance(release, each[0]))
    return Compared(theirs, seconds, otherwise, len(differing) - len(otherwise))


RUNS_AGAIN = 6


def _is_chance(release: str, world: Json) -> bool:
    """True if the real controller itself decides a world now so and now otherwise, and once as we do.

    Upstream walks maps in an order of chance: in 1.5 it adds floats so, and a sum on an edge falls to either side.
    """
    for _ in range(RUNS_AGAIN):
        with tempfile.TemporaryDirectory() as folder:
            run(release, [world], Path(folder))
            if not compare(Path(folder) / f"{world['name']}.capture.jsonl").differences:
                return True
    return False
