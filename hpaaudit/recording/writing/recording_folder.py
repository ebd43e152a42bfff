"""Grows the folder of a recording: whole segments from columns, each document naming the hash of the one before."""

from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Self

import pyarrow as pa
import pyarrow.compute as pc

from hpaaudit.errors import FileExists, RecordingError
from hpaaudit.model.units import Micros
from hpaaudit.recording.encoding.parquet import encode
from hpaaudit.recording.files import layout
from hpaaudit.recording.files.durable import FOLDER_MODE, publish, remove, require_folder, sync_folder, write_synced
from hpaaudit.recording.format import manifest
from hpaaudit.recording.format.schema import FORMAT_VERSION, PARTS, TABLES


def recorder_version() -> str:
    """Return our version, `unknown` where we run from a checkout that is not installed."""
    try:
        return version("hpaaudit")
    except PackageNotFoundError:
        return "unknown"


class RecordingFolder:
    """A recording that grows: `add` makes a segment of columns, `close` says that nothing is missing.

    segments, facts   that are on the disk
    previous          hash of the document that stands last

    Raises `FileExists` where the folder already holds something; `RecordingError` where the disk refuses: then
    nothing was added, and the same may be tried again.
    """

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
                "recorder_version": recorder_version(),
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
    def again(cls, folder: Path, segments: int, facts: int, previous: str) -> Self:
        """Go on after so many segments and facts, with the hash of the document that stands last."""
        files = cls.__new__(cls)
        files.folder, files.segments, files.facts, files.previous = folder, segments, facts, previous
        return files

    def add(self, tables: Mapping[str, pa.Table]) -> None:
        """Make a segment of tables with rows: on the disk as a whole when this returns.

        The facts in them must be numbered on from `facts`, without a hole.
        """
        number = self.segments + 1
        final = self.folder / layout.segment_name(number)
        unfinished = final.with_name(final.name + layout.UNFINISHED_SUFFIX)
        try:
            require_folder(final.parent)
            for left in (unfinished, final):  # of a try that the disk refused, at the very last perhaps
                with suppress(OSError):
                    remove(left)
            unfinished.mkdir(FOLDER_MODE)
            facts, sha256 = write_segment(unfinished, tables, number, self.facts, self.previous)
            unfinished.rename(final)
            sync_folder(final.parent)
        except OSError as error:
            with suppress(OSError):
                remove(unfinished)
            raise RecordingError(
                f"cannot write segment {number} of {self.folder}: {error.strerror}; "
                f"{_facts(tables)} facts wait in memory: make room, then seal again.",
            ) from error
        self.segments, self.facts, self.previous = number, self.facts + facts, sha256

    def close(self) -> None:
        """Mark the recording as complete."""
        end, sha256 = manifest.render({"segments": self.segments, "facts": self.facts, "previous": self.previous})
        try:
            publish(self.folder / layout.END, end)
        except OSError as error:
            raise RecordingError(f"cannot end the recording in {self.folder}: {error.strerror}.") from error
        self.previous = sha256


def holds_data(folder: Path) -> bool:
    """Tell whether a place is no folder, or one that holds more than what a writer leaves that died as it began."""
    if not folder.is_dir():
        return folder.exists()
    return any(not _is_beginning(path) for path in folder.iterdir())


def _is_beginning(path: Path) -> bool:
    if path.name in (layout.LOST_AND_FOUND, layout.LOCK):
        return True
    if path.name == layout.SEGMENTS:
        return path.is_dir() and not path.is_symlink() and not any(path.iterdir())
    return path.name == layout.RECORDING + layout.UNFINISHED_SUFFIX


def write_segment(
    folder: Path,
    tables: Mapping[str, pa.Table],
    number: int,
    first_seq: int,
    previous: str,
    removed: manifest.Removed | None = None,
    *,
    repaired: bool = False,
) -> tuple[int, str]:
    """Write the files of a segment and its manifest into a folder; return how many facts it has, and its hash.

    Raises `OSError`.
    """
    times = [pc.min_max(found.column("at_us")).as_py() for name, found in tables.items() if name not in PARTS]
    segment = manifest.Segment(
        number=number,
        first_seq=first_seq,
        facts=_facts(tables),
        first_us=min(time["min"] for time in times),
        last_us=max(time["max"] for time in times),
        files=tuple(_write(folder, name, found) for name, found in tables.items()),
        previous=previous,
        sha256="",
        removed=removed,
        repaired=repaired,
    )
    body, sha256 = manifest.render(manifest.segment_body(segment))
    write_synced(folder / layout.MANIFEST, body)
    sync_folder(folder)
    return segment.facts, sha256


def _facts(tables: Mapping[str, pa.Table]) -> int:
    return sum(found.num_rows for name, found in tables.items() if name not in PARTS)


def _write(folder: Path, table: str, rows: pa.Table) -> manifest.File:
    """Write the file of a table; return what it must be."""
    data = encode(TABLES[table], rows)
    file = manifest.File(table=table, rows=rows.num_rows, bytes=len(data), sha256=manifest.sha256_of(data))
    write_synced(folder / file.name, data)
    return file
