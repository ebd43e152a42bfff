"""`make bench`: speed and size as ratios, each pair measured side by side in one run.

python -m tests.bench [--hpas 20] [--polls 120]
"""

import argparse
import gc
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from hpaaudit.engine.plan import plan
from hpaaudit.engine.reconcile import reconcile
from hpaaudit.engine.replay import Process, replay
from hpaaudit.flows.importing import import_capture
from hpaaudit.flows.replay import prepare
from hpaaudit.flows.replay import replay as replay_flow
from hpaaudit.model.decision import Decision
from hpaaudit.model.facts import Fact, ResourceMetricsRead
from hpaaudit.model.memory import EMPTY, Memory
from hpaaudit.model.observation import Observation
from hpaaudit.recording.read import open_recording
from tests.bench import fleet
from tests.engine import reference

ZSTD_LEVEL = 3
REPEATS = 3


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: two things measured together, and their ratio."""

    what: str
    ours: str
    other: str
    ratio: str


class Watching(Process):
    """A replay that keeps what each reconcile saw, so that another engine can see the same."""

    def __init__(self, *given: object, **named: object) -> None:
        super().__init__(*given, **named)  # type: ignore[arg-type]
        self.seen: list[Observation] = []

    def _decide(self, seen: Observation, memory: Memory) -> tuple[Decision, Memory]:
        self.seen.append(seen)
        return super()._decide(seen, memory)


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


def sizes(text: str, recording: Path, facts: list[Fact]) -> Iterator[Row]:
    """Bytes of the recording against the same answers as JSON lines."""
    packed = len(pa.Codec("zstd", ZSTD_LEVEL).compress(text.encode(), asbytes=True))
    ours = sum(path.stat().st_size for path in recording.rglob("*") if path.is_file() and path.name != "results.duckdb")
    samples = sum(
        len(container.usage)
        for fact in facts
        if isinstance(fact, ResourceMetricsRead) and fact.samples
        for sample in fact.samples
        for container in sample.containers
    )
    yield Row("bytes", f"{ours:,}", f"{packed:,} JSON lines, zstd -{ZSTD_LEVEL}", f"1/{packed / ours:.1f}")
    yield Row(
        f"bytes a sample ({samples:,})", f"{ours / samples:.2f}", f"{packed / samples:.2f}", f"1/{packed / ours:.1f}"
    )


def speeds(recording: Path, facts: list[Fact]) -> Iterator[Row]:
    """Time of a reconcile against the object-by-object reference, on the very same observations."""
    prepared = prepare(recording, release=None, flags={}, hpas=(), until=None)
    laid_out = plan(facts, None)
    watching = Watching(laid_out, prepared.flags, prepared.flags_of, keep_pods=False)
    count = sum(1 for _ in replay(facts, laid_out, watching, ()))

    def decide() -> None:
        memories: dict[str, Memory] = {}
        for seen in watching.seen:
            key = f"{seen.namespace}/{seen.name}"
            _, memories[key] = reconcile(seen, memories.get(key, EMPTY), watching.flags)

    def refer() -> None:
        process = reference.Process()
        for seen in watching.seen:
            reference.reconcile(seen, process, watching.flags)

    def fold() -> None:
        process = Process(laid_out, prepared.flags, prepared.flags_of, keep_pods=False)
        for _ in replay(facts, laid_out, process, ()):
            pass

    ours, other = best(decide) / count * 1e6, best(refer) / count * 1e6
    yield Row(f"µs a reconcile ({count:,})", f"{ours:.0f}", f"{other:.0f} reference", f"{other / ours:.2f}x")
    folded = best(fold) / count * 1e6
    yield Row("µs, facts to decisions", f"{folded:.0f}", f"{other:.0f} reference", f"{other / folded:.2f}x")
    begun = time.perf_counter()
    replay_flow(recording).close()
    whole = (time.perf_counter() - begun) / count * 1e6
    yield Row("µs, recording to results", f"{whole:.0f}", f"{other:.0f} reference", f"{other / whole:.2f}x")


def main() -> None:
    """Measure, and print one table."""
    parser = argparse.ArgumentParser(prog="make bench", description="Speed and size as ratios.")
    parser.add_argument("--hpas", type=int, default=20)
    parser.add_argument("--polls", type=int, default=120)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text = fleet.text(args.hpas, args.polls, args.seed)
        capture, recording = Path(folder) / "fleet.jsonl", Path(folder) / "recording"
        capture.write_text(text)
        import_capture([capture], into=recording)
        facts = list(open_recording(recording).facts())
        rows = [*sizes(text, recording, facts), *speeds(recording, facts)]
    head = Row(f"{args.hpas} HPAs, {args.polls} polls", "ours", "beside it", "ratio")
    widths = [max(len(getattr(row, name)) for row in (head, *rows)) for name in Row.__slots__]
    for row in (head, *rows):
        cells = [getattr(row, name) for name in Row.__slots__]
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip())  # noqa: T201


if __name__ == "__main__":
    main()
