"""Writes a recording: facts in, whole segments out."""

from pathlib import Path
from types import TracebackType
from typing import Self

from hpaaudit.errors import BadFact, RecordingError
from hpaaudit.model.facts import Fact
from hpaaudit.model.units import Micros
from hpaaudit.recording.files.lock import Lock
from hpaaudit.recording.writing.pending import PendingFacts
from hpaaudit.recording.writing.recording_folder import RecordingFolder

# Nearly an hour of 300 HPAs, and as much again while they are written. Less costs more on the disk: samples of such a
# fleet take 1.7 times their entropy in segments of an hour, 1.9 in those of 15 minutes, 2.4 in those of five.
BYTE_BUDGET = 64 << 20


class Writer:
    """Keeps facts in memory until `seal` makes a segment of them; `close` says that nothing is missing.

    Left by an exception it seals what it has, and the recording stays marked as incomplete.
    Raises `FileExists` where the folder already holds something; `RecordingError` where the disk refuses:
    nothing is lost then, and `seal` may be called again; `BadFact` for what this format cannot hold: then nothing
    more should be added.
    """

    def __init__(self, folder: Path, *, source: str, cluster: str = "", started_us: Micros) -> None:
        self.folder = folder
        self._closed = False
        self._lock = Lock(folder)
        try:
            self._files = RecordingFolder(folder, source=source, cluster=cluster, started_us=started_us)
        except BaseException:
            self._lock.release()
            raise
        self._pending = PendingFacts(self._files.facts)

    @property
    def segments(self) -> int:
        """Segments that are on the disk."""
        return self._files.segments

    def add(self, fact: Fact) -> None:
        """Take the next fact; seals by itself when much waits in memory."""
        if self._closed:
            raise RecordingError(f"{self.folder} is closed: nothing can be added to it.")
        self._pending.add(fact)
        if self._pending.refused:
            raise BadFact(self._pending.refused[0].reason)
        if self._pending.bytes >= BYTE_BUDGET:
            self.seal()

    def seal(self) -> None:
        """Make a segment of the facts in memory: on the disk as a whole when this returns."""
        if self._pending.facts:
            self._files.add(self._pending.tables())
            self._pending = PendingFacts(self._files.facts)

    def close(self) -> None:
        """Seal, and mark the recording as complete; closing twice is closing once."""
        if self._closed:
            return
        self.seal()
        self._files.close()
        self._closed = True
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None:
            self.close()
        elif not self._closed:
            try:
                self.seal()
            finally:
                self._lock.release()
