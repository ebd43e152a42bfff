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
    """One portion: what the real controller did of it, how long ours took, and what was decided otherwise."""

    theirs: Run
    ours_seconds: float
    differing: tuple[tuple[Json, tuple[str, ...]], ...]


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
        return Compared(theirs, time.perf_counter() - began, tuple(differing))
