"""Finds what was not recorded, and what is unknown without it, from a few small columns."""

from collections.abc import Iterator
from typing import Any

from hpaaudit.model.inspection import Missing
from hpaaudit.recording.encoding.read_rows import RESOURCE, SCALE, VALUES
from hpaaudit.recording.reading.damaged_file import DamagedFile
from hpaaudit.recording.reading.recording import Recording, damaged
from hpaaudit.recording.reading.segment import segment_columns


def missing_of(recording: Recording) -> Iterator[Missing]:
    """Yields what was not recorded, and what that means for a replay. Raises `DamagedRecording`."""
    tables = {file.table for segment in recording.segments for file in segment.files}
    if "hpas" not in tables:
        yield Missing(what="no HPA", limits="there is nothing to replay")
        return
    kinds = _values(recording, "reads", "kind")
    has_writers = "scale_writes" in tables or bool(_values(recording, "targets", "manager") - {"", None})
    releases = (_values(recording, "controllers", "release") | _values(recording, "versions", "version")) - {"", None}
    has_flags = bool(_values(recording, "controllers", "flags_json") - {"{}", None})
    has_clock = bool(_values(recording, "versions", "clock_offset_us") - {None})
    rollouts = "" if "targets" in tables else "; rollouts are not seen"
    checks = (
        (
            bool(kinds & {RESOURCE, VALUES}) or "heapster_reads" in tables,
            "no answer of a metric API",
            "only what status publishes can anchor a replay",
        ),
        ("pods" in tables, "no pods", "resource and pods metrics cannot be computed again"),
        (
            "targets" in tables or SCALE in kinds,
            "no scale or target",
            "the replicas that the controller read are unknown",
        ),
        (has_writers, "no writers of the replicas", f"a write by others has no name{rollouts}"),
        ("events" in tables, "no Events", "a write that failed is seen only in the conditions"),
        (
            "leases" in tables or "controllers" in tables,
            "no Lease of the controller",
            "a restart, which empties its memory, is not seen",
        ),
        (bool(releases), "no Kubernetes release", "the newest known one is assumed, --release sets it"),
        (has_flags, "no flags of the controller", "sync period, tolerance and windows are assumed"),
        (
            has_clock or recording.info.source != "record",
            "no clock of the API server",
            "its times may be shifted against the recorder's",
        ),
    )
    for is_there, what, limits in checks:
        if not is_there:
            yield Missing(what=what, limits=limits)


def _values(recording: Recording, table: str, column: str) -> set[Any]:
    """The distinct values of a column."""
    values: set[Any] = set()
    for segment in recording.segments:
        try:
            (rows,) = segment_columns(recording.folder, segment, table, (column,))
        except DamagedFile as error:
            raise damaged(recording.folder, recording.segments, error.damage) from error
        values |= set(rows)
    return values
