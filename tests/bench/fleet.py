"""Writes a made-up fleet as a recording: what a recorder would have kept of 300 HPAs in a day, at full size.

python -m tests.bench.fleet DIR [--hpas 300] [--hours 24] [--seed 7]
"""

import argparse
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from hpaaudit.recording.writing.recording_folder import RecordingFolder
from hpaaudit.recording.writing.writer import BYTE_BUDGET
from tests.bench.world.rows import Rows
from tests.bench.world.step import Step
from tests.bench.world.world import START, TICK, TICK_SECONDS, World

CLUSTER = "https://fleet.example:6443"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """What was written.

    hpas, hours, seed   as asked for
    reconciles     one for each HPA and interval;  pod_polls  pods in all answers, polled again and again
    samples        of them, new ones: of each, cpu and memory
    least_bytes    of one new value: the entropy of the process that made it
    """

    hpas: int
    hours: float
    seed: int
    reconciles: int
    pod_polls: int
    samples: int
    least_bytes: float


def _unheard(_world: World, _step: Step) -> None:
    """Nobody looks."""


def write(
    folder: Path,
    *,
    hpas: int,
    hours: float,
    seed: int,
    budget: int = BYTE_BUDGET,
    look: Callable[[World, Step], None] = _unheard,
) -> Fleet:
    """Writes the recording of a fleet; the same seed gives the same one.

    budget   bytes of rows that make a segment;  look  is shown the world after each interval
    """
    ticks = round(hours * 3600 / TICK_SECONDS)
    world = World(hpas, seed, hours / 24)
    rows = Rows(world)
    files = RecordingFolder(folder, source="fleet", cluster=CLUSTER, started_us=START)
    anew, pod_polls = True, 0
    with ThreadPoolExecutor(1, "segments") as writer:
        writing = writer.submit(lambda: None)
        for tick in range(ticks):
            step = world.step(anew=anew)
            rows.add(step)
            look(world, step)
            pod_polls += int(step.metrics.items.clip(0).sum())
            anew = rows.bytes >= budget and tick < ticks - 1
            if anew:
                tables = rows.take(step.until)
                writing.result()  # one waits at the most, so that memory stays small
                writing = writer.submit(files.append_segment, tables)
        writing.result()
    rows.end(START + (ticks + 1) * TICK)
    files.append_segment(rows.take(None))
    files.complete()
    return Fleet(
        hpas=hpas,
        hours=hours,
        seed=seed,
        reconciles=hpas * ticks,
        pod_polls=pod_polls,
        samples=world.noise.samples,
        least_bytes=world.noise.bytes_a_sample(exact=False),
    )


def main() -> None:
    """Writes one, and says what is in it."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.fleet", description="A made-up fleet as a recording.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--hpas", type=int, default=300)
    parser.add_argument("--hours", type=float, default=24)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    sys.stdout.write(f"{write(args.folder, hpas=args.hpas, hours=args.hours, seed=args.seed)}\n")


if __name__ == "__main__":
    main()
