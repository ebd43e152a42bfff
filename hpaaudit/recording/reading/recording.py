"""Opens a recording: its facts in the order in which they were recorded, or columns of its tables.

What reads tables is imported when it is asked for: whoever only asks whether results are those of a recording waits for
no Arrow.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpaaudit.api.times import precise
from hpaaudit.errors import DamagedRecording, NotARecording
from hpaaudit.model.audit import RecordedFile, RecordingInfo
from hpaaudit.model.facts import Fact, Gap
from hpaaudit.model.fleet_columns import ReconcileEvidence, Slice
from hpaaudit.model.inspection import Damage
from hpaaudit.model.shown import Shown
from hpaaudit.model.units import Micros
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.reading.damaged_file import DamagedFile
from hpaaudit.recording.reading.foreign_files import Foreign, foreign_files
from hpaaudit.recording.reading.survey import Survey, survey_recording

if TYPE_CHECKING:
    from hpaaudit.recording.reading.one_hpa import KeptTables


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording(Shown):
    """An open recording.

    complete   its writer ended it; otherwise nothing is known after `info.ended_us`
    segments   in order; the last one may be the log
    torn       bytes at the end of the log that are no whole frame
    """

    folder: Path
    info: RecordingInfo
    complete: bool
    segments: tuple[Segment, ...]
    torn: int = 0

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {str(self.folder)!r}>"

    def facts(self) -> Iterator[Fact]:
        """Yields every fact in the order in which it was recorded. One segment is in memory at a time.

        Raises `DamagedRecording` if a file differs from what was written, before any fact of its segment.
        """
        from hpaaudit.recording.reading.segment import read_facts

        return self._facts(read_facts)

    def watched(self, tables: Collection[str] | None = None) -> Iterator[Fact]:
        """Yields the facts that are neither reads nor reconciles, in their order. Raises as `facts`.

        tables   only of these; None: of all

        Files of samples are not opened, and so not checked.
        """
        from hpaaudit.recording.reading.segment import read_watched

        return self._facts(lambda folder, segment: read_watched(folder, segment, tables))

    def _facts(self, read: Callable[[Path, Segment], list[Fact]]) -> Iterator[Fact]:
        for segment in self.segments:
            try:
                facts = read(self.folder, segment)
            except DamagedFile as error:
                raise damaged(self.folder, self.segments, error.damage) from error
            yield from facts

    def slices(
        self, tables: Collection[str] | None = None, *, columns: Mapping[str, Collection[str]] | None = None
    ) -> Iterator[Slice]:
        """Yields the segments in order, as columns. The next one is read while the caller works with this one.

        tables    only these; None: all
        columns   only these columns of a table; all columns of tables that are not named

        Needs numpy. Checks each file that it reads, and raises as `facts`.
        """
        from hpaaudit.recording.reading.slices import read_slices

        try:
            yield from read_slices(self.folder, self.segments, tables, columns or {})
        except DamagedFile as error:
            raise damaged(self.folder, self.segments, error.damage) from error

    def reconcile_evidence(self, component: str) -> Iterator[ReconcileEvidence]:
        """Yields what each segment says of reconciles that have no line of their own. Raises as `facts`.

        component   the controller, as its Events name it

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
        until_us: Micros | None = None,
        before: Collection[str] = ("hpas", "pods", "targets", "events"),
        kept: "KeptTables | None" = None,
    ) -> Iterator[Fact]:
        """Yields what the reconciles of one HPA from `since_us` on may have seen, in order. Raises as `facts`.

        until_us   no later answer to a poll is read; None: all
        before     tables of which older facts are read too: the state of a watched object holds until it changes
        kept       holds what a former call for this HPA read of `before`, and is given what this one reads

        From `since_us` on it yields all facts of the namespace, and of `reconciles` only those of this HPA.
        """
        from hpaaudit.recording.reading.one_hpa import HpaSelection, read_facts_of_hpa

        selection = HpaSelection(
            namespace=namespace,
            name=name,
            since_us=since_us,
            until_us=until_us,
            older_tables=tuple(before),
            kept={} if kept is None else kept,
        )
        try:
            yield from read_facts_of_hpa(self.folder, self.segments, selection)
        except DamagedFile as error:
            raise damaged(self.folder, self.segments, error.damage) from error

    def arrow(self, table: str, columns: Sequence[str]) -> Iterator[Any]:
        """Yields columns of a table as Arrow tables, one per segment that has rows. Raises as `facts`.

        The rows of the log come last. A column of text may be a dictionary.
        """
        from hpaaudit.recording.reading.segment import segment_table

        for segment in self.segments:
            try:
                rows = segment_table(self.folder, segment, table, columns)
            except DamagedFile as error:
                raise damaged(self.folder, self.segments, error.damage) from error
            if rows is not None:
                yield rows

    def arrow_of(self, hashes: Mapping[tuple[int, str], str], table: str, columns: Sequence[str]) -> Iterator[Any]:
        """Yields the same, of the files with these hashes only.

        Raises `NotARecording` if this recording does not have all of them.
        """
        recording = self.holding(hashes)
        if recording is None:
            raise NotARecording(f"{self.folder} does not hold what was replayed: name the recording that does.")
        return recording.arrow(table, columns)

    @staticmethod
    def schema(table: str, columns: Sequence[str]) -> Any:
        """The types of a table's columns as an Arrow schema, without dictionaries."""
        from hpaaudit.recording.encoding.parquet import arrow_schema

        return arrow_schema(TABLES[table], columns)

    def holding(self, hashes: Mapping[tuple[int, str], str]) -> "Recording | None":
        """The recording reduced to these files, None if it does not have all of them.

        hashes   SHA-256 of each file, by the number of its segment and its table
        """
        segments = []
        for segment in self.segments:
            if segment.log_tables is None:
                files = (file for file in segment.files if hashes.get((segment.number, file.table)) == file.sha256)
                segments.append(replace(segment, files=tuple(files)))
        count = sum(len(segment.files) for segment in segments)
        return replace(self, segments=tuple(segments)) if count == len(hashes) else None

    def labels(self) -> Mapping[str, str | None]:
        """The labels that each HPA had last, as JSON, by `namespace/name`; None if they were never recorded.

        Raises as `facts`.
        """
        from hpaaudit.recording.reading.last_labels import last_labels

        try:
            return last_labels(self.folder, self.segments)
        except DamagedFile as error:
            raise damaged(self.folder, self.segments, error.damage) from error

    def foreign(self) -> Foreign:
        """The files in its folder that are no part of it."""
        return foreign_files(self.folder, self.segments)

    @property
    def removed_us(self) -> Micros | None:
        """The last instant of what retention removed, None if nothing was. The time before is a gap."""
        first = self.segments[0] if self.segments else None
        removed = first.removed if first and not first.repaired else None
        return removed.last_us if removed else None

    @property
    def log_tables(self) -> Mapping[str, Any]:
        """The rows of the log as Arrow tables: they have no files yet."""
        return {} if not self.segments else self.segments[-1].log_tables or {}

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """The times in which the recorder did not see something. Raises as `facts`."""
        from hpaaudit.recording.reading.segment import segment_rows

        try:
            return tuple(
                Gap(at_us=at_us, until_us=until_us, prefix=prefix, cause=cause)
                for segment in self.segments
                for _, at_us, until_us, prefix, cause in segment_rows(self.folder, segment, "gaps")
            )
        except DamagedFile as error:
            raise damaged(self.folder, self.segments, error.damage) from error


def open_recording(folder: Path, *, until_us: Micros | None = None) -> Recording:
    """Opens a recording, and compares file names and sizes. With `until_us`, only the segments up to that instant.

    Raises `NotARecording`, `NewerFormat`, and `DamagedRecording` if something is missing or has another size.
    """
    survey = survey_recording(folder)
    last = None
    if until_us is not None:
        last = next((segment.number for segment in survey.segments if segment.last_us >= until_us), None)
    for damage in survey.damages:
        if last is None or damage.segment <= last:
            raise damaged(folder, survey.segments, damage)
    segments = tuple(segment for segment in survey.segments if last is None or segment.number <= last)
    return Recording(
        folder=folder,
        info=recording_info(folder, survey, segments),
        complete=survey.complete,
        segments=segments,
        torn=survey.torn if last is None else 0,
    )


def recording_info(folder: Path, survey: Survey, segments: tuple[Segment, ...]) -> RecordingInfo:
    """What a recording says about itself. It ends with the last fact of `segments`."""
    started_us = survey.head["started_us"]
    absolute = folder.resolve()
    return RecordingInfo(
        path=str(folder),
        manifest_sha256=survey.last_hash,
        format_version=survey.head["format_version"],
        source=survey.head["source"],
        cluster=survey.head["cluster"],
        recorder_version=survey.head["recorder_version"],
        started_us=started_us,
        ended_us=max((segment.last_us for segment in segments), default=started_us),
        files=tuple(
            RecordedFile(
                segment=segment.number,
                table=file.table,
                path=str(absolute / segment.folder / file.name),
                sha256=file.sha256,
            )
            for segment in segments
            if segment.log_tables is None
            for file in segment.files
        ),
    )


def sound_until(segments: tuple[Segment, ...], damage: Damage) -> Micros | None:
    """The last instant before a damage, None if nothing is before it."""
    return max((segment.last_us for segment in segments if segment.number < damage.segment), default=None)


def damaged(folder: Path, segments: tuple[Segment, ...], damage: Damage) -> DamagedRecording:
    """The error for a damage: what, where, and what can still be done."""
    until_us = sound_until(segments, damage)
    next_step = (
        "nothing before it can be replayed, restore it from a copy"
        if until_us is None
        else f"replay up to {precise(until_us)} with --until, restore it from a copy"
    )
    return DamagedRecording(
        f"{damage.file} in {folder} {damage.problem}: {next_step}, or save what can be read with `hpaaudit repair`."
    )
