"""Reads a recording: the very facts that were written, in the order in which they were added."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hpaaudit.api.times import precise
from hpaaudit.errors import DamagedRecording, NotARecording
from hpaaudit.model.audit import RecordedFile, RecordingInfo
from hpaaudit.model.columns import Slice, Telling
from hpaaudit.model.facts import Fact, Gap
from hpaaudit.model.inspection import Damage
from hpaaudit.model.units import Micros
from hpaaudit.recording.encoding.parquet import arrow_schema
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.reading.foreign_files import Foreign, foreign_files
from hpaaudit.recording.reading.segment import DamagedFile, read_facts, read_watched, segment_rows, segment_table
from hpaaudit.recording.reading.survey import Survey, survey


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A recording that was opened.

    complete   the writer ended it; otherwise nothing is known after `info.ended_us`
    segments   that are read, in order; the last one may be what stands in the log
    torn       bytes at the end of the log that are no whole frame
    """

    folder: Path
    info: RecordingInfo
    complete: bool
    segments: tuple[Segment, ...]
    torn: int = 0

    def facts(self) -> Iterator[Fact]:
        """Yield every fact in the order in which it was added, a segment in memory at a time.

        Raises `DamagedRecording` where a file is not what was written, before any fact of its segment.
        """
        return self._facts(read_facts)

    def watched(self, tables: Collection[str] | None = None) -> Iterator[Fact]:
        """Yield the facts that are neither reads nor lines of reconciles, in their order; raises as `facts`.

        tables   of which; None: of all

        Samples are not even opened: that they are what was written is for `slices` to say.
        """
        return self._facts(lambda folder, segment: read_watched(folder, segment, tables))

    def _facts(self, of: Callable[[Path, Segment], list[Fact]]) -> Iterator[Fact]:
        for segment in self.segments:
            try:
                found = of(self.folder, segment)
            except DamagedFile as error:
                raise damaged(self.folder, self.segments, error.damage) from error
            yield from found

    def slices(
        self, tables: Collection[str] | None = None, *, columns: Mapping[str, Collection[str]] | None = None
    ) -> Iterator[Slice]:
        """Yield the segments in order as columns; the next ones are read while the caller works with this one.

        tables    that are wanted; None: all
        columns   that are wanted of a table; all of a table that it does not name

        Needs numpy. Every file that is wanted is checked as `facts` does; raises as it does, before its segment.
        """
        from hpaaudit.recording.reading.slices import read_slices

        try:
            yield from read_slices(self.folder, self.segments, tables, columns or {})
        except DamagedFile as error:
            raise damaged(self.folder, self.segments, error.damage) from error

    def reconcile_evidence(self, component: str) -> Iterator[Telling]:
        """Yield what each segment tells of when HPAs were reconciled, where no line does; raises as `facts`.

        component   whose Events tell of a reconcile

        Needs numpy.
        """
        from hpaaudit.recording.reading.reconcile_evidence import read_evidence

        try:
            yield from read_evidence(self.folder, self.segments, component)
        except DamagedFile as error:
            raise damaged(self.folder, self.segments, error.damage) from error

    def facts_of_hpa(
        self,
        namespace: str,
        name: str,
        since_us: Micros,
        *,
        before: Collection[str] = ("hpas", "pods", "targets", "events"),
    ) -> Iterator[Fact]:
        """Yield what one HPA's reconciles from `since_us` on may have seen, in order; raises as `facts`.

        Of its namespace all facts from then on, and before those of some tables, for what is watched holds until it
        changes; of lines only its own.
        """
        from hpaaudit.recording.reading.one_hpa import read_facts_of_hpa

        try:
            yield from read_facts_of_hpa(self.folder, self.segments, namespace, name, since_us, before)
        except DamagedFile as error:
            raise damaged(self.folder, self.segments, error.damage) from error

    def arrow(self, table: str, columns: Sequence[str]) -> Iterator[Any]:
        """Yield columns of a table as Arrow tables, a segment each, where it has rows; raises as `facts`.

        What stands in the log comes last. A text may be a dictionary.
        """
        for segment in self.segments:
            try:
                found = segment_table(self.folder, segment, table, columns)
            except DamagedFile as error:
                raise damaged(self.folder, self.segments, error.damage) from error
            if found is not None:
                yield found

    def arrow_of(self, hashes: Mapping[tuple[int, str], str], table: str, columns: Sequence[str]) -> Iterator[Any]:
        """Yield the same of the files `hashes` alone.

        Raises `NotARecording` where this recording does not hold them all.
        """
        part = self.holding(hashes)
        if part is None:
            raise NotARecording(f"{self.folder} does not hold what was replayed: name the recording that does.")
        return part.arrow(table, columns)

    @staticmethod
    def schema(table: str, columns: Sequence[str]) -> Any:
        """Return the types of a table's columns as an Arrow schema, a text as a text."""
        return arrow_schema(TABLES[table], columns)

    def holding(self, hashes: Mapping[tuple[int, str], str]) -> "Recording | None":
        """Return this recording with these of its files alone, None where it does not hold them all.

        hashes   SHA-256 of a file, by the number of its segment and its table
        """
        kept = []
        for segment in self.segments:
            if segment.held is None:
                files = (file for file in segment.files if hashes.get((segment.number, file.table)) == file.sha256)
                kept.append(replace(segment, files=tuple(files)))
        found = sum(len(segment.files) for segment in kept)
        return replace(self, segments=tuple(kept)) if found == len(hashes) else None

    def foreign(self) -> Foreign:
        """What lies in its folder and is no part of it."""
        return foreign_files(self.folder, self.segments)

    @property
    def removed_us(self) -> Micros | None:
        """The last instant of what was removed, None where nothing was: that time is a gap."""
        first = self.segments[0] if self.segments else None
        removed = first.removed if first and not first.repaired else None
        return removed.last_us if removed else None

    @property
    def held(self) -> Mapping[str, Any]:
        """Arrow tables of the rows that stand in the log and in no file yet."""
        return {} if not self.segments else self.segments[-1].held or {}

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """The times in which the recorder says that it did not look; raises as `facts`."""
        try:
            return tuple(
                Gap(at_us=at_us, until_us=until_us, prefix=prefix, cause=cause)
                for segment in self.segments
                for _, at_us, until_us, prefix, cause in segment_rows(self.folder, segment, "gaps")
            )
        except DamagedFile as error:
            raise damaged(self.folder, self.segments, error.damage) from error


def open_recording(folder: Path, *, until_us: Micros | None = None) -> Recording:
    """Open a recording, comparing names and sizes; with `until_us` only as far as that instant is reached.

    Raises `NotARecording`, `NewerFormat`, and `DamagedRecording` where something is missing or has another size.
    """
    seen = survey(folder)
    enough = None
    if until_us is not None:
        enough = next((segment.number for segment in seen.segments if segment.last_us >= until_us), None)
    for damage in seen.damages:
        if enough is None or damage.segment <= enough:
            raise damaged(folder, seen.segments, damage)
    segments = tuple(segment for segment in seen.segments if enough is None or segment.number <= enough)
    return Recording(
        folder=folder,
        info=recording_info(folder, seen, segments),
        complete=seen.complete,
        segments=segments,
        torn=seen.torn if enough is None else 0,
    )


def recording_info(folder: Path, seen: Survey, segments: tuple[Segment, ...]) -> RecordingInfo:
    """Return what a recording says about itself; it ends with the last fact of its segments."""
    started_us = seen.head["started_us"]
    here = folder.resolve()
    return RecordingInfo(
        path=str(folder),
        manifest_sha256=seen.last_hash,
        format_version=seen.head["format_version"],
        source=seen.head["source"],
        cluster=seen.head["cluster"],
        recorder_version=seen.head["recorder_version"],
        started_us=started_us,
        ended_us=max((segment.last_us for segment in segments), default=started_us),
        files=tuple(
            RecordedFile(
                segment=segment.number,
                table=file.table,
                path=str(here / segment.folder / file.name),
                sha256=file.sha256,
            )
            for segment in segments
            if segment.held is None
            for file in segment.files
        ),
    )


def sound_until(segments: tuple[Segment, ...], damage: Damage) -> Micros | None:
    """Return the last instant before a damage, None where nothing stands before it."""
    return max((segment.last_us for segment in segments if segment.number < damage.segment), default=None)


def damaged(folder: Path, segments: tuple[Segment, ...], damage: Damage) -> DamagedRecording:
    """Return the error for a damage: what, where, and what can still be done."""
    until_us = sound_until(segments, damage)
    next_step = (
        "nothing before it can be replayed, restore it from a copy"
        if until_us is None
        else f"replay up to {precise(until_us)} with --until, or restore it from a copy"
    )
    return DamagedRecording(f"{damage.file} in {folder} {damage.problem}: {next_step}.")
