"""How fast a fleet is decided, compiled: beside DuckDB, the object reference and the real controller."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hpaaudit.api.times import precise
from hpaaudit.flows import fleet
from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.flows.prepare import prepare_compiled
from hpaaudit.flows.source import open_file
from hpaaudit.model.units import Micros
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.results.hpa_names import hpa_names
from tests.bench.profile import KERNEL, deciding
from tests.bench.seconds import RUNS, Seconds, measured, median, whole_process
from tests.bench.table import Row

MEGA = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """What others take, and what a reconcile costs in CPython; `real_rate` is the real controller's a second."""

    group_by: Seconds
    reference_us: float
    reconcile_us: float
    real_rate: float | None


def rows(recording: Path, reconciles: int, beside: Beside) -> Iterator[Row]:
    """Yields the speeds of a recording of a fleet."""
    _decide(recording)  # the first run brings the compiled code in
    decide = median([_decide(recording) for _ in range(RUNS)])
    decide_s = decide.wall
    yield Row(
        "s, decide only, from Parquet",
        f"{decide}",
        f"{beside.group_by} DuckDB, GROUP BY hpa, poll over the dense rows",
        f"{decide.wall / beside.group_by.wall:.1f}x its time, {decide.cpu / beside.group_by.cpu:.1f}x its CPU",
    )
    reference_s = beside.reference_us * reconciles / MEGA
    yield Row(
        "s, decide only",
        f"{decide_s:.2f}",
        f"{reference_s:,.0f} object reference",
        f"{reference_s / decide_s:,.0f}x as fast",
    )
    kernel_rate = reconciles / deciding(recording).by_name[KERNEL].seconds.cpu
    plain_rate = MEGA / beside.reconcile_us
    if beside.real_rate:
        real = f"{beside.real_rate:,.0f} the real controller"
        yield Row(
            "reconciles a second and core, kernel",
            f"{kernel_rate:,.0f}",
            real,
            f"{kernel_rate / beside.real_rate:,.0f}x",
        )
        yield Row("the same, CPython", f"{plain_rate:,.0f}", real, f"{plain_rate / beside.real_rate:.1f}x")
    results = recording.with_suffix(".duckdb")
    whole, peak = _median_process("replay", recording, "--into", results, "--overwrite")
    yield Row(
        "s, hpaaudit replay, whole process",
        f"{whole}",
        f"{decide} decide only",
        f"{whole.wall / decide.wall:.1f}x its time, {whole.cpu / decide.cpu:.1f}x its CPU",
    )
    yield Row("MB, its peak memory", f"{peak:,.0f}", "", "")
    hpa, at = a_decision(results)
    yield from commands(
        ("explain", results),
        ("explain", results, hpa, "--at", at),
        ("query", results, "what_happened"),
        ("query", results, "what_happened", "--hpa", hpa),
        ("query", results, "select verdict, count(*) from reconciles group by all"),
        ("verify", recording),
        ("replay", bundled_recording(), "--into", results.with_name("small.duckdb"), "--overwrite"),
        ("--help",),
    )


def commands(*lines: Sequence[object]) -> Iterator[Row]:
    """Yields what whole processes of some command lines take, a median each."""
    for name, *words in lines:
        seconds, _ = _median_process(name, *words)
        told = " ".join(Path(word).name if isinstance(word, Path) else str(word) for word in words)
        yield Row(f"s, hpaaudit {name}, whole process", f"{seconds}", told, "")


def a_decision(results: Path) -> tuple[str, str]:
    """The HPA that matters most, and a time in the middle of the recording."""
    with open_file(results) as opened:
        started_us, ended_us = opened.span
        return hpa_names(opened)[0], precise(Micros((started_us + ended_us) // 2))


def peak_row(week: Path, day: Path) -> Row:
    """The peak memory of a longer recording beside that of a day."""
    peak, day_peak = (
        whole_process("replay", recording, "--into", recording.with_suffix(".duckdb"), "--overwrite")[1]
        for recording in (week, day)
    )
    return Row("MB, peak memory of a week", f"{peak:,.0f}", f"{day_peak:,.0f} of a day", f"{peak / day_peak:.2f}x")


def _decide(recording: Path) -> Seconds:
    """What it takes from the files to every decision."""
    prepared = prepare_compiled(open_recording(recording))

    def decide() -> None:
        for _ in fleet.decide(prepared, sys.stderr.write):
            pass

    return measured(decide)


def _median_process(*words: object) -> tuple[Seconds, float]:
    """The median of some runs of a process, and the most memory that one of them held, in MB."""
    runs = [whole_process(*words) for _ in range(RUNS)]
    return median([seconds for seconds, _ in runs]), max(peak for _, peak in runs)
