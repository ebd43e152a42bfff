"""`make bench`: speed and size as ratios, each pair measured side by side in one run.

python -m tests.bench [--hpas 300] [--hours 24] [--profile]
"""

import argparse
import gc
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hpaaudit.engine.controller.reconcile import reconcile
from hpaaudit.engine.replay.plan import plan
from hpaaudit.engine.replay.process import Process, replay
from hpaaudit.flows.prepare import prepare
from hpaaudit.flows.replay import replay as replay_flow
from hpaaudit.model.decision import Decision
from hpaaudit.model.facts import Fact
from hpaaudit.model.memory import EMPTY, Memory
from hpaaudit.model.observation import Observation
from hpaaudit.recording.reading.recording import open_recording
from tests.bench import dense, fast, fleet, fuzz, gentle, go, outside, page, profile, sizes
from tests.bench.table import Row, rendered
from tests.engine import reference

SMALL_HPAS, SMALL_HOURS = 20, 0.5
REPEATS = 3


class Watching(Process):
    """A replay that keeps what each reconcile saw, so that another engine can see the same."""

    def __init__(self, *arguments: object, **named: object) -> None:
        super().__init__(*arguments, **named)  # type: ignore[arg-type]
        self.observations: list[Observation] = []

    def _decide(self, observation: Observation, memory: Memory) -> tuple[Decision, Memory]:
        self.observations.append(observation)
        return super()._decide(observation, memory)


def best(run: Callable[[], object]) -> float:
    """The least wall time of some runs, in seconds, the cycle collector off."""
    times = []
    for _ in range(REPEATS):
        gc.collect()
        gc.disable()
        begun = time.perf_counter()
        run()
        times.append(time.perf_counter() - begun)
        gc.enable()
    return min(times)


@dataclass(frozen=True, slots=True)
class OneByOne:
    """Microseconds of a reconcile: ours in CPython, and the reference's."""

    ours: float
    reference: float


def speeds(recording: Path, facts: list[Fact]) -> tuple[OneByOne, list[Row]]:
    """Time of a reconcile against the object-by-object reference, on the very same observations."""
    prepared = prepare(open_recording(recording))
    laid_out = plan(facts, None)
    watching = Watching(laid_out, prepared.flags, prepared.flags_of, keep_pods=False)
    count = sum(1 for _ in replay(facts, laid_out, watching, ()))

    def decide() -> None:
        memories: dict[str, Memory] = {}
        for observation in watching.observations:
            key = f"{observation.namespace}/{observation.name}"
            _, memories[key] = reconcile(observation, memories.get(key, EMPTY), watching.flags)

    def refer() -> None:
        process = reference.Process()
        for observation in watching.observations:
            reference.reconcile(observation, process, watching.flags)

    def fold() -> None:
        process = Process(laid_out, prepared.flags, prepared.flags_of, keep_pods=False)
        for _ in replay(facts, laid_out, process, ()):
            pass

    ours, other = best(decide) / count * 1e6, best(refer) / count * 1e6
    folded = best(fold) / count * 1e6
    begun = time.perf_counter()
    replay_flow(recording, detail="moved").close()
    whole = (time.perf_counter() - begun) / count * 1e6
    return OneByOne(ours, other), [
        Row(f"µs a reconcile ({count:,})", f"{ours:.0f}", f"{other:.0f} reference", f"{other / ours:.2f}x"),
        Row("µs, facts to decisions", f"{folded:.0f}", f"{other:.0f} reference", f"{other / folded:.2f}x"),
        Row("µs, recording to results", f"{whole:.0f}", f"{other:.0f} reference", f"{other / whole:.2f}x"),
    ]


def small(hpas: int, hours: float, seed: int, folder: Path) -> tuple[OneByOne, list[Row]]:
    """Speeds of a fleet that every engine can replay."""
    fleet.write(folder, hpas=hpas, hours=hours, seed=seed)
    return speeds(folder, list(open_recording(folder).facts()))


def large(hpas: int, hours: float, seed: int, folder: Path, one: OneByOne, *, week: bool) -> Iterator[Row]:
    """Sizes and speeds of a whole fleet, and what others take for less."""
    recording, rows = folder / "fleet", folder / "dense.parquet"
    with dense.Dense(rows) as table:
        begun = time.perf_counter()
        written = fleet.write(recording, hpas=hpas, hours=hours, seed=seed, look=table.look)
        seconds = time.perf_counter() - begun
        say(f"made in {seconds:.0f} s: {written.reconciles:,} reconciles, {written.samples:,} samples")
    yield from sizes.rows(recording, written)
    beside = fast.Beside(
        group_by=dense.group_by(rows),
        reference_us=one.reference,
        reconcile_us=one.ours,
        real_rate=go.reconciles_a_second() if go.is_built() else None,
    )
    yield from fast.rows(recording, written.reconciles, beside)
    if week:
        longer = folder / "week"
        fleet.write(longer, hpas=hpas, hours=7 * hours, seed=seed)
        yield fast.peak_row(longer, recording)


def profiled(hpas: int, hours: float, seed: int) -> Iterator[str]:
    """The tables of where time goes."""
    with tempfile.TemporaryDirectory() as folder:
        recording, results = Path(folder) / "fleet", Path(folder) / "results.duckdb"
        fleet.write(recording, hpas=hpas, hours=hours, seed=seed)
        profile.deciding(recording)  # the first run brings the compiled code in
        yield rendered("deciding, one core", profile.rows(profile.deciding(recording)))
        yield "\n" + rendered("whole replay", profile.rows(profile.writing(recording, results)))
        yield "\n" + rendered("commands", profile.commands(results))


def say(line: str) -> None:
    """Talks goes to stderr."""
    sys.stderr.write(f"{line}\n")


def main() -> None:
    """Measures, and prints two tables."""
    parser = argparse.ArgumentParser(prog="make bench", description="Speed and size as ratios.")
    parser.add_argument("--hpas", type=int, default=300)
    parser.add_argument("--hours", type=float, default=24)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--fuzz", type=int, default=1_000_000, help="reconciles of chance that two engines decide")
    parser.add_argument("--week", action="store_true", help="also a week of the fleet, for its memory (10 min)")
    parser.add_argument("--recorder", type=float, default=600, help="seconds of recording a crowd; 0: none")
    parser.add_argument("--profile", action="store_true", help="only where time goes, by stage")
    args = parser.parse_args()
    if args.profile:
        sys.stdout.writelines(profiled(args.hpas, args.hours, args.seed))
        return
    with tempfile.TemporaryDirectory() as folder:
        one, rows = small(SMALL_HPAS, SMALL_HOURS, args.seed, Path(folder) / "small")
        sys.stdout.write(rendered(f"{SMALL_HPAS} HPAs, {SMALL_HOURS} h", rows))
        items = list(outside.rows(Path(folder) / "told", args.seed))
        sys.stdout.write("\n" + rendered(f"{outside.HPAS} HPAs, {outside.HOURS} h, as seen from outside", items))
        rows = list(large(args.hpas, args.hours, args.seed, Path(folder), one, week=args.week))
        sys.stdout.write("\n" + rendered(f"{args.hpas} HPAs, {args.hours:g} h, load {os.getloadavg()[1]:.1f}", rows))
        if args.fuzz:
            sys.stdout.write("\n" + rendered("worlds of chance", fuzz.rows(args.fuzz, args.seed)))
        sys.stdout.write("\n" + rendered("the HTML report", page.rows()))
        if args.recorder:
            gentle_rows = list(gentle.rows(gentle.HPAS, args.recorder, Path(folder)))
            sys.stdout.write("\n" + rendered(gentle.head(gentle.HPAS, args.recorder), gentle_rows))


if __name__ == "__main__":
    main()
