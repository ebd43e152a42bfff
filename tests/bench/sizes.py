"""How small a recording of the fleet is: against raw JSON of the same polls, and against the entropy of its values."""

from collections.abc import Iterator
from pathlib import Path

from hpaaudit.recording.reading.recording import open_recording
from tests.bench.fleet import Fleet
from tests.bench.raw import bytes_of
from tests.bench.table import Row

ZSTD_LEVEL = 3
WARM, POLLS = 40, 6  # raw lines are measured over some polls of a fleet that is under way, then scaled to all pods
VALUES = 2  # of a sample: cpu and memory


def rows(recording: Path, fleet: Fleet) -> Iterator[Row]:
    """Yields bytes of the whole recording, of one HPA for a day, and of one new value of the samples."""
    ours = sum(path.stat().st_size for path in recording.rglob("*") if path.is_file() and path.suffix != ".duckdb")
    raw, packed, pods = bytes_of(fleet.hpas, fleet.seed, warm=WARM, polls=POLLS, level=ZSTD_LEVEL)
    other = packed * fleet.pod_polls // pods
    days = fleet.hpas * fleet.hours / 24
    yield Row(
        "MB, whole recording",
        f"{ours / 1e6:,.1f}",
        f"{other / 1e6:,.0f} JSON lines of {raw / pods:,.0f} B a pod, zstd -{ZSTD_LEVEL}",
        f"1/{other / ours:.0f}",
    )
    yield Row("kB an HPA and day", f"{ours / days / 1e3:,.0f}", f"{other / days / 1e3:,.0f}", f"1/{other / ours:.0f}")
    segments = open_recording(recording).segments
    samples = sum(file.bytes for segment in segments if (file := segment.file("samples")))
    value = samples / fleet.samples / VALUES
    least = fleet.least_bytes
    yield Row("bytes a new value, samples", f"{value:.2f}", f"{least:.2f} entropy", f"{value / least:.2f}x")
