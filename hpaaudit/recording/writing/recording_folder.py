"""Writes segments into the folder of a recording. Each document names the hash of the one before it."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pyarrow as pa
import pyarrow.compute as pc

from hpaaudit.errors import FileExists, RecordingError
from hpaaudit.model.counted import counted
from hpaaudit.model.units import Micros
from hpaaudit.recording.encoding.parquet import encode
from hpaaudit.recording.files import layout
from hpaaudit.recording.files.durable import (
    FOLDER_MODE,
    free_name,
    publish,
    remove,
    require_folder,
    sync_folder,
    write_synced,
)
from hpaaudit.recording.format import manifest
from hpaaudit.recording.format.schema import FORMAT_VERSION, PARTS, TABLES
from hpaaudit.version import VERSION


class RecordingFolder:
    """A recording that grows by segments.

    segments, facts   how many are on the disk
    previous          hash of the last document

    Raises `FileExists` if the folder already holds something, and `RecordingError` if the disk refuses. Nothing was
    added then, and the call may be repeated.
    """

    _may_be_visible = False
    """True if the next segment was renamed to its final name, and the disk did not confirm that yet."""

    def __init__(self, folder: Path, *, source: str, cluster: str = "", started_us: Micros) -> None:
        if holds_data(folder):
            raise FileExists(f"{folder} already holds something: name a folder that is new or empty.")
        self.folder = folder
        self.segments = 0
        self.facts = 0
        head, self.previous = manifest.render(
            {
                "format_version": FORMAT_VERSION,
                "source": source,
                "cluster": cluster,
                "recorder_version": VERSION,
                "started_us": started_us,
            },
        )
        try:
            folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
            (folder / layout.SEGMENTS).mkdir(FOLDER_MODE, exist_ok=True)
            sync_folder(folder.parent)
            publish(folder / layout.RECORDING, head)
        except OSError as error:
            raise RecordingError(f"cannot begin a recording in {folder}: {error.strerror}.") from error

    @classmethod
    def reopened(cls, folder: Path, *, segments: int, facts: int, previous: str) -> Self:
        """A recording that continues after this many segments and facts, with the hash of its last document."""
        recording = cls.__new__(cls)
        recording.folder, recording.segments, recording.facts, recording.previous = folder, segments, facts, previous
        return recording

    def append_segment(self, tables: Mapping[str, pa.Table]) -> None:
        """Write a segment of tables that have rows. It is on the disk as a whole when this returns.

        The facts in the tables must be numbered on from `facts`, without a hole.
        """
        number = self.segments + 1
        final = self.folder / layout.segment_name(number)
        unfinished = final.with_name(final.name + layout.UNFINISHED_SUFFIX)
        try:
            require_folder(final.parent)
            self.take_back_failed_segment()
            free_name(final)
            with suppress(OSError):  # of a try that the disk refused
                remove(unfinished)
            unfinished.mkdir(FOLDER_MODE)
            segment_place = SegmentPlace(number=number, first_seq=self.facts, previous=self.previous)
            facts, sha256 = write_segment(unfinished, tables, segment_place)
            self._may_be_visible = True
            unfinished.rename(final)
            sync_folder(final.parent)
            self._may_be_visible = False
        except OSError as error:
            with suppress(OSError):
                self.take_back_failed_segment()
                remove(unfinished)
            raise RecordingError(
                f"cannot write segment {number} of {self.folder}: {error.strerror}; "
                f"{counted(_facts(tables), 'fact')} in memory: free some space, then seal again.",
            ) from error
        self.segments, self.facts, self.previous = number, self.facts + facts, sha256

    def take_back_failed_segment(self) -> None:
        """Rename a segment back to an unfinished one if its files were complete, but its name could not be synced.

        Nothing may be logged before that: a reader who finds the segment ignores its log, also what was logged since.
        Raises `OSError`; then it is to be called again.
        """
        if not self._may_be_visible:
            return
        final = self.folder / layout.segment_name(self.segments + 1)
        with suppress(FileNotFoundError):  # renamed as a whole, so that it is never seen with only some of its files
            final.rename(final.with_name(final.name + layout.UNFINISHED_SUFFIX))
        sync_folder(final.parent)
        self._may_be_visible = False

    def complete(self) -> None:
        """Mark the recording as complete."""
        end, sha256 = manifest.render({"segments": self.segments, "facts": self.facts, "previous": self.previous})
        try:
            publish(self.folder / layout.END, end)
        except OSError as error:
            raise RecordingError(f"cannot end the recording in {self.folder}: {error.strerror}.") from error
        self.previous = sha256


def holds_data(folder: Path) -> bool:
    """True if `folder` holds data, or is a file. What a writer leaves that died during start-up does not count."""
    if not folder.is_dir():
        return folder.exists()
    return any(not _is_leftover_of_start(path) for path in folder.iterdir())


def _is_leftover_of_start(path: Path) -> bool:
    if path.name in (layout.LOST_AND_FOUND, layout.LOCK):
        return True
    if path.name == layout.SEGMENTS:
        return path.is_dir() and not path.is_symlink() and not any(path.iterdir())
    return path.name == layout.RECORDING + layout.UNFINISHED_SUFFIX


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentPlace:
    """Where a segment belongs in its recording.

    previous            hash of the document before it
    removed, repaired   as in `Segment`
    """

    number: int
    first_seq: int
    previous: str
    removed: manifest.Removed | None = None
    repaired: bool = False


def write_segment(folder: Path, tables: Mapping[str, pa.Table], segment_place: SegmentPlace) -> tuple[int, str]:
    """Write the files of a segment and its manifest. Return the number of its facts, and its hash.

    Raises `OSError`.
    """
    times = [pc.min_max(rows.column("at_us")).as_py() for name, rows in tables.items() if name not in PARTS]
    segment = manifest.Segment(
        number=segment_place.number,
        first_seq=segment_place.first_seq,
        facts=_facts(tables),
        first_us=min(time["min"] for time in times),
        last_us=max(time["max"] for time in times),
        files=tuple(_write_table(folder, name, rows) for name, rows in tables.items()),
        previous=segment_place.previous,
        sha256="",
        removed=segment_place.removed,
        repaired=segment_place.repaired,
    )
    body, sha256 = manifest.render(manifest.segment_body(segment))
    write_synced(folder / layout.MANIFEST, body)
    sync_folder(folder)
    return segment.facts, sha256


def _facts(tables: Mapping[str, pa.Table]) -> int:
    return sum(rows.num_rows for name, rows in tables.items() if name not in PARTS)


def _write_table(folder: Path, table: str, rows: pa.Table) -> manifest.File:
    """Write the file of a table. Return what the manifest says of it."""
    data = encode(TABLES[table], rows)
    file = manifest.File(table=table, rows=rows.num_rows, bytes=len(data), sha256=manifest.sha256_of(data))
    write_synced(folder / file.name, data)
    return file
