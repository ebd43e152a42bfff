"""Runs worlds through the real controller, then through our engine."""

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.conformance.decisions import compare
from tests.oracle.controller import Run, run
from tests.oracle.draw import Json


@dataclass(frozen=True, slots=True)
class Compared:
    """One portion: what the real controller did of it, how long ours took, and what was decided otherwise.

    by_chance   how many worlds the real controller decides now so and now otherwise, each reconcile once as we do
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
    otherwise = tuple(each for each in differing if not _is_chance(release, *each))
    return Compared(theirs, seconds, otherwise, len(differing) - len(otherwise))


RUNS_AGAIN = 30


def _is_chance(release: str, world: Json, differences: Sequence[str]) -> bool:
    """True if the real controller itself decides now so and now otherwise, and each reconcile once as we do.

    Upstream walks maps in an order of chance: in 1.5 it adds floats so, and a sum on an edge falls to either side.
    """
    never = _passes(differences)
    for _ in range(RUNS_AGAIN):
        with tempfile.TemporaryDirectory() as folder:
            run(release, [world], Path(folder))
            never &= _passes(compare(Path(folder) / f"{world['name']}.capture.jsonl").differences)
        if not never:
            return True
    return False


def _passes(differences: Sequence[str]) -> set[str]:
    """Where worlds differ: the reconcile and the name of what was decided, as `compare` begins each text."""
    return {":".join(text.split(":", 2)[:2]) for text in differences}
