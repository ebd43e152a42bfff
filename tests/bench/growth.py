"""Measures how the cost of a replay grows, and writes `docs/performance.md`.

python -m tests.bench.growth [--most-hpas 3000] [--most-hours 168]
"""

import argparse
import datetime as dt
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hpaaudit.version import VERSION
from tests.bench import dense, fleet, go
from tests.bench.fast import a_decision
from tests.bench.seconds import Seconds, whole_process

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"
TEMPLATE = Path(__file__).with_suffix(".md").read_text(encoding="utf-8")
HPAS, HOURS_OF_HPAS = (30, 100, 300, 1000, 3000), 2
HOURS, HPAS_OF_HOURS = (1, 6, 24, 168), 30
BESIDE_HPAS, BESIDE_HOURS = 300, 2
SEED = 7
WARM = 20_000
"""A recording of so many reconciles is replayed before, so that the rules are compiled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one recording takes: of its replay, and of two questions to the results, as whole processes.

    recording_mb, results_mb   their files;  peak_mb   the most memory of the replay
    """

    hpas: int
    hours: float
    reconciles: int
    recording_mb: float
    results_mb: float
    peak_mb: float
    replay: Seconds
    explain: Seconds
    query: Seconds

    @property
    def us(self) -> float:
        """CPU microseconds of a reconcile."""
        return self.replay.cpu * 1e6 / self.reconciles

    @property
    def kb_a_day(self) -> float:
        """What a recorded HPA takes in a day, in kB."""
        return self.recording_mb * 1000 / self.hpas / self.hours * 24


def measure(hpas: int, hours: float, folder: Path) -> Measured:
    """Makes the recording of a fleet, replays it and asks it."""
    recording, results = folder / f"{hpas}-{hours}", folder / f"{hpas}-{hours}.duckdb"
    made = fleet.write(recording, hpas=hpas, hours=hours, seed=SEED)
    replay, peak_mb = whole_process("replay", recording, "--into", results, "--overwrite")
    hpa, at = a_decision(results)
    explain, _ = whole_process("explain", results, hpa, "--at", at)
    query, _ = whole_process("query", results, "what_happened", "--hpa", hpa)
    say(f"{hpas} HPAs, {hours:g} h: {replay}, {peak_mb:.0f} MB")
    return Measured(
        hpas=hpas, hours=hours, reconciles=made.reconciles, recording_mb=megabytes(recording),
        results_mb=megabytes(results), peak_mb=peak_mb, replay=replay, explain=explain, query=query,
    )  # fmt: skip


def megabytes(path: Path) -> float:
    """The size of a file, or of all files of a folder."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files) / 1e6


def table(measured: Sequence[Measured]) -> str:
    """A row for each recording."""
    head = (
        "HPAs", "hours", "reconciles", "recording", "an HPA and day", "results", "replay", "its CPU", "of a reconcile",
        "peak memory", "explain", "query",
    )  # fmt: skip
    rows = [
        (
            f"{one.hpas:,}", f"{one.hours:g}", f"{one.reconciles:,}", f"{one.recording_mb:.1f} MB",
            f"{one.kb_a_day:.0f} kB", f"{one.results_mb:.0f} MB", f"{one.replay.wall:.1f} s", f"{one.replay.cpu:.1f} s",
            f"{one.us:.0f} µs", f"{one.peak_mb:,.0f} MB", f"{one.explain.wall:.2f} s", f"{one.query.wall:.2f} s",
        )
        for one in measured
    ]  # fmt: skip
    lines = [head, ("---:",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def beside(folder: Path) -> str:
    """What others take for the same fleet: a row each."""
    rows, recording = folder / "dense.parquet", folder / "beside"
    with dense.Dense(rows) as table_:
        made = fleet.write(recording, hpas=BESIDE_HPAS, hours=BESIDE_HOURS, seed=SEED, look=table_.look)
    results = folder / "beside.duckdb"
    two, _ = whole_process("replay", recording, "--into", results, "--overwrite")
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        one, _ = whole_process("replay", recording, "--into", results, "--overwrite")
    finally:
        os.sched_setaffinity(0, cores)
    lines = [
        ("`hpaaudit replay`, whole process", two, "every decision, compared and explained"),
        ("the same on one core", one, ""),
        ("DuckDB, `group by hpa, poll`", dense.group_by(rows), "two sums over the dense rows, and no decision"),
    ]
    if go.is_built():
        seconds = made.reconciles / go.reconciles_a_second()
        lines.append(("the real controller in virtual time, one core", Seconds(seconds, seconds), "decisions alone"))
    told = (f"| {what} | {seconds.wall:,.1f} s | {seconds.cpu:,.1f} s | {gives} |" for what, seconds, gives in lines)
    return "\n".join(("| | time | CPU | gives |", "| --- | ---: | ---: | --- |", *told))


def curves(most_hpas: int, most_hours: float, folder: Path) -> Iterator[list[Measured]]:
    """Over HPAs, then over hours. A recording is removed before the next is made."""
    over_hpas = [(hpas, HOURS_OF_HPAS) for hpas in HPAS if hpas <= most_hpas]
    over_hours = [(HPAS_OF_HOURS, hours) for hours in HOURS if hours <= most_hours]
    for sizes in (over_hpas, over_hours):
        found = []
        for hpas, hours in sizes:
            with tempfile.TemporaryDirectory(dir=folder) as own:
                found.append(measure(hpas, hours, Path(own)))
        yield found


def say(line: str) -> None:
    """Talks to stderr."""
    sys.stderr.write(f"{line}\n")


def main() -> None:
    """Measures, and writes the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.growth", description="How the cost of a replay grows.")
    parser.add_argument("--most-hpas", type=int, default=HPAS[-1])
    parser.add_argument("--most-hours", type=float, default=HOURS[-1])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(100, WARM / 24_000, Path(folder))
        over_hpas, over_hours = curves(args.most_hpas, args.most_hours, Path(folder))
        others = beside(Path(folder))
    page = TEMPLATE.format(
        version=VERSION, date=dt.datetime.now(dt.UTC).date(), cores=os.cpu_count(), python=platform.python_version(),
        load=f"{os.getloadavg()[2]:.1f}", hpas=table(over_hpas), hours=table(over_hours), beside=others,
        hours_of_hpas=HOURS_OF_HPAS, hpas_of_hours=HPAS_OF_HOURS, beside_hpas=BESIDE_HPAS, beside_hours=BESIDE_HOURS,
    )  # fmt: skip
    PAGE.write_text(page, encoding="utf-8")
    say(f"wrote {PAGE}")


if __name__ == "__main__":
    main()
