"""Writes a recording: facts in, whole segments out."""

import shutil
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Self

from hpaaudit.errors import FileExists, RecordingError
from hpaaudit.model.facts import Fact, ResourceMetricsRead, ScaleRead, ValuesRead
from hpaaudit.model.units import Micros
from hpaaudit.recording import manifest, watched
from hpaaudit.recording.durable import publish, sync_folder, write_synced
from hpaaudit.recording.parquet import Rows
from hpaaudit.recording.polled import ReadEncoder
from hpaaudit.recording.schema import FORMAT_VERSION, TABLES

ROW_BUDGET = 150_000  # about 80 MB at the most, while they are written; the files are a hundredth of it


def recorder_version() -> str:
    """Return our version, `unknown` where we run from a checkout that is not installed."""
    try:
        return version("hpaaudit")
    except PackageNotFoundError:
        return "unknown"


class Writer:
    """Keeps facts in memory until `seal` makes a segment of them; `close` says that nothing is missing.

    Left by an exception it seals what it has, and the recording stays marked as incomplete.
    Raises `FileExists` where the folder already holds something; `RecordingError` where the disk refuses:
    nothing is lost then, and `seal` may be called again.
    """

    def __init__(self, folder: Path, *, source: str, cluster: str = "", started_us: Micros) -> None:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise FileExists(f"{folder} already holds something: name a folder that is new or empty.")
        self.folder = folder
        self._closed = False
        self._facts = 0
        self._segments = 0
        head, self._previous = manifest.render(
            {
                "format_version": FORMAT_VERSION,
                "source": source,
                "cluster": cluster,
                "recorder_version": recorder_version(),
                "started_us": started_us,
            },
        )
        try:
            (folder / manifest.SEGMENTS).mkdir(parents=True)
            sync_folder(folder.parent)
            publish(folder / manifest.RECORDING, head)
        except OSError as error:
            raise RecordingError(f"cannot begin a recording in {folder}: {error.strerror}.") from error
        self._begin_segment()

    def _begin_segment(self) -> None:
        self._first_seq = self._facts
        self._times: tuple[Micros, Micros] | None = None
        self._reads = ReadEncoder()
        self._rows = {name: Rows(table) for name, table in TABLES.items()}
        self._count = 0

    def add(self, fact: Fact) -> None:
        """Take the next fact; seals by itself when the rows in memory become many."""
        if self._closed:
            raise RecordingError(f"{self.folder} is closed: nothing can be added to it.")
        if isinstance(fact, ScaleRead | ResourceMetricsRead | ValuesRead):
            for table, row in self._reads.rows(self._facts, fact):
                self._rows[table].append(row)
                self._count += 1
        else:
            table, row = watched.to_row(self._facts, fact)
            self._rows[table].append(row)
            self._count += 1
        self._facts += 1
        first_us, last_us = self._times or (fact.at_us, fact.at_us)
        self._times = (min(first_us, fact.at_us), max(last_us, fact.at_us))
        if self._count >= ROW_BUDGET:
            self.seal()

    def seal(self) -> None:
        """Make a segment of the facts in memory: on the disk as a whole when this returns."""
        if self._times is None:
            return
        number = self._segments + 1
        final = self.folder / manifest.segment_name(number)
        unfinished = final.with_name(final.name + manifest.UNFINISHED)
        try:
            sha256 = self._write_segment(number, unfinished, final, self._times)
        except OSError as error:
            shutil.rmtree(unfinished, ignore_errors=True)
            waiting = self._facts - self._first_seq
            raise RecordingError(
                f"cannot write segment {number} of {self.folder}: {error.strerror}; "
                f"{waiting} facts wait in memory: make room, then seal again.",
            ) from error
        self._segments = number
        self._previous = sha256
        self._begin_segment()

    def _write_segment(self, number: int, unfinished: Path, final: Path, times: tuple[Micros, Micros]) -> str:
        """Write the files of a segment aside, then rename their folder; return the hash of its manifest."""
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        files = []
        for table, rows in self._rows.items():
            if len(rows):
                data = rows.to_bytes()
                file = manifest.File(table=table, rows=len(rows), bytes=len(data), sha256=manifest.digest(data))
                write_synced(unfinished / file.name, data)
                files.append(file)
        body, sha256 = manifest.render(
            manifest.segment_body(
                manifest.Segment(
                    number=number,
                    first_seq=self._first_seq,
                    facts=self._facts - self._first_seq,
                    first_us=times[0],
                    last_us=times[1],
                    files=tuple(files),
                    previous=self._previous,
                    sha256="",
                ),
            ),
        )
        write_synced(unfinished / manifest.MANIFEST, body)
        sync_folder(unfinished)
        unfinished.rename(final)
        sync_folder(final.parent)
        return sha256

    def close(self) -> None:
        """Seal, and mark the recording as complete; closing twice is closing once."""
        if self._closed:
            return
        self.seal()
        end, _ = manifest.render(
            {"segments": self._segments, "facts": self._facts, "previous": self._previous},
        )
        try:
            publish(self.folder / manifest.END, end)
        except OSError as error:
            raise RecordingError(f"cannot end the recording in {self.folder}: {error.strerror}.") from error
        self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None:
            self.close()
        elif not self._closed:
            self.seal()
