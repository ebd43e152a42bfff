"""Counts what is in a recording, and lists what is missing, from a few columns of its tables."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from hpaaudit.model.inspection import Inspection, StreamSize, TableSize, Unread
from hpaaudit.model.span import is_within
from hpaaudit.model.units import Micros
from hpaaudit.recording.encoding.read_rows import SCALE
from hpaaudit.recording.files import layout
from hpaaudit.recording.files.opening import size_of
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.inspection.missing import missing_of
from hpaaudit.recording.reading.damaged_file import DamagedFile
from hpaaudit.recording.reading.recording import Recording, damaged
from hpaaudit.recording.reading.segment import segment_columns

Stream = tuple[str, str, str]
"""Kind, path and user of the reads that are counted together."""

Rows = Callable[..., Iterator[tuple[Any, ...]]]
"""Columns of a table of a segment, by their names, row by row."""


@dataclass(slots=True)
class _Counts:
    """What is counted, segment by segment.

    since_us, until_us   from when until when; None: from the begin, to the end
    """

    since_us: Micros | None
    until_us: Micros | None
    hpas: set[tuple[str, ...]] = field(default_factory=set)
    pods: set[tuple[str, ...]] = field(default_factory=set)
    targets: set[tuple[str, ...]] = field(default_factory=set)
    releases: dict[str, None] = field(default_factory=dict)
    reads: Counter[Stream] = field(default_factory=Counter)
    failures: Counter[Stream] = field(default_factory=Counter)
    polled: Counter[Stream] = field(default_factory=Counter)
    new: Counter[Stream] = field(default_factory=Counter)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)
    recorders: dict[tuple[str, str, str, str], None] = field(default_factory=dict)

    def is_within(self, at_us: Micros) -> bool:
        """Whether a time lies in the one that is counted."""
        return is_within(at_us, self.since_us, self.until_us)

    def is_before(self, at_us: Micros) -> bool:
        """Whether a time lies before the one that is counted."""
        return self.since_us is not None and at_us < self.since_us


def inspect(recording: Recording, *, since_us: Micros | None = None, until_us: Micros | None = None) -> Inspection:
    """Counts what is in a recording. Raises `DamagedRecording`.

    since_us, until_us   as in `Inspection`
    """
    counts = _Counts(since_us, until_us)
    for segment in recording.segments:
        try:
            _add(counts, recording.folder, segment)
        except DamagedFile as error:
            raise damaged(recording.folder, recording.segments, error.damage) from error
    tables = _tables(recording.segments)
    foreign = recording.foreign()
    return Inspection(
        info=recording.info,
        complete=recording.complete,
        segments=len(recording.segments) - bool(recording.log_tables),
        facts=sum(segment.facts for segment in recording.segments),
        bytes=_documents(recording) + sum(table.bytes for table in tables),
        first_us=min((segment.first_us for segment in recording.segments), default=None),
        last_us=max((segment.last_us for segment in recording.segments), default=None),
        releases=tuple(counts.releases),
        hpas=tuple(sorted("/".join(hpa) for hpa in counts.hpas)),
        hpa_count=len(counts.hpas),
        since_us=since_us,
        until_us=until_us,
        pods=len(counts.pods),
        targets=len(counts.targets),
        reads=counts.reads.total(),
        failures=counts.failures.total(),
        polled=counts.polled.total(),
        new=counts.new.total(),
        tables=tables,
        streams=_streams(counts),
        gaps=tuple(
            gap
            for gap in recording.gaps
            if not counts.is_before(gap.until_us) and (until_us is None or gap.at_us <= until_us)
        ),
        refused=tuple(
            Unread(what=what, reason=reason, count=times) for (what, reason), times in counts.refused.most_common()
        ),
        logged=recording.segments[-1].facts if recording.log_tables else 0,
        torn=recording.torn,
        recorders=tuple(counts.recorders),
        missing=tuple(missing_of(recording)),
        foreign=foreign.names,
        foreign_count=foreign.count,
    )


def _add(counts: _Counts, folder: Path, segment: Segment) -> None:
    """Counts one segment."""

    def rows(table: str, *names: str) -> Iterator[tuple[Any, ...]]:
        return zip(*segment_columns(folder, segment, table, names), strict=True)

    _add_objects(counts, rows)
    for (release,) in rows("controllers", "release"):
        counts.releases |= {release: None} if release else {}
    for version, server, trust, auth in rows("recorders", "version", "server", "trust", "auth"):
        counts.recorders |= {(version, server, trust, auth): None}
    for (version,) in rows("versions", "version"):
        counts.releases |= {version: None} if version else {}
    for *names, reason, times, at_us in rows("refused", "path", "namespace", "name", "reason", "count", "at_us"):
        if counts.is_within(at_us):
            counts.refused["/".join(name for name in names if name), reason] += times
    streams = _add_reads(counts, rows)
    # A sample has a row for each container: the first one stands for all.
    samples = ((seq, not gone and not index) for seq, gone, index in rows("samples", "seq", "gone", "container_idx"))
    values = ((seq, not gone) for seq, gone in rows("metric_values", "seq", "gone"))
    for seq, is_new in chain(samples, values):
        stream = _stream_of(streams, seq, segment)
        if stream is not None:
            counts.new[stream] += is_new


def _add_objects(counts: _Counts, rows: Rows) -> None:
    """Counts the objects that were there in this time: seen in it, or before and not deleted."""
    for there, table, *names in (
        (counts.hpas, "hpas", "namespace", "name"),
        (counts.pods, "pods", "namespace", "name", "uid"),
        (counts.targets, "targets", "api_group", "resource", "namespace", "name"),
    ):
        for *key, gone, at_us in rows(table, *names, "gone", "at_us"):
            if counts.is_before(at_us) and gone:
                there.discard(tuple(key))
            elif counts.is_before(at_us) or counts.is_within(at_us):
                there.add(tuple(key))


def _add_reads(counts: _Counts, rows: Rows) -> dict[int, Stream | None]:
    """Counts the reads of this time. Returns the stream of each read by its number; None: it is not counted."""
    streams: dict[int, Stream | None] = {}
    columns = ("seq", "at_us", "kind", "path", "by", "items", "spec_replicas")
    for seq, at_us, kind, path, user, items, replicas in rows("reads", *columns):
        key = (kind, path, user)
        streams[seq] = key if counts.is_within(at_us) else None
        if streams[seq] is not None:
            counts.reads[key] += 1
            counts.failures[key] += (replicas if kind == SCALE else items) is None
            counts.polled[key] += items or 0
    return streams


def _stream_of(streams: dict[int, Stream | None], seq: int, segment: Segment) -> Stream | None:
    """The stream of the read with the number `seq`, None if it is not counted. Raises `DamagedFile` if it is none."""
    if seq not in streams:
        raise DamagedFile(segment, layout.MANIFEST, f"names samples of fact {seq}, which is no read")
    return streams[seq]


def _tables(segments: tuple[Segment, ...]) -> tuple[TableSize, ...]:
    """The size of each table that has rows."""
    sizes = []
    for table in TABLES:
        files = [file for segment in segments if (file := segment.file(table))]
        if files:
            rows, size = sum(file.rows for file in files), sum(file.bytes for file in files)
            sizes.append(TableSize(table=table, files=sum(bool(file.bytes) for file in files), rows=rows, bytes=size))
    return tuple(sizes)


def _documents(recording: Recording) -> int:
    """The size of `recording.json`, `end.json`, the manifests and the log."""
    names = [
        layout.log_name(segment.number) if segment.log_tables else f"{segment.folder}/{layout.MANIFEST}"
        for segment in recording.segments
    ]
    if recording.complete:
        names.append(layout.END)
    size = 0
    for name in (layout.RECORDING, *names):
        with suppress(FileNotFoundError, ValueError):  # a running recorder seals its log
            size += size_of(recording.folder, name)
    return size


def _streams(counts: _Counts) -> tuple[StreamSize, ...]:
    """What was polled, the stream with the most items first."""
    return tuple(
        StreamSize(
            kind=stream[0],
            request=stream[1],
            by=stream[2],
            reads=counts.reads[stream],
            failures=counts.failures[stream],
            polled=counts.polled[stream],
            new=counts.new[stream],
        )
        for stream in sorted(counts.reads, key=lambda stream: (-counts.polled[stream], -counts.reads[stream], stream))
    )
