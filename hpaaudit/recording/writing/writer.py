"""Writes a recording whose facts are all available, as in an import: segments only, no log."""

from pathlib import Path
from types import TracebackType
from typing import Self

from hpaaudit.errors import BadFact, RecordingError
from hpaaudit.model.facts import Fact
from hpaaudit.model.units import Micros
from hpaaudit.recording.files.lock import Lock
from hpaaudit.recording.writing.pending import PendingFacts
from hpaaudit.recording.writing.recording_folder import RecordingFolder

# Nearly an hour of 300 HPAs, and as much memory again while it is written. Smaller segments take more on the disk: the
# samples of such a fleet take 1.7 times their entropy in segments of an hour, 1.9 times in 15 minutes, 2.4 in five.
BYTE_BUDGET = 64 << 20


class Writer:
    """Holds facts in memory until `seal` makes a segment of them. `close` marks the recording as complete.

    If its `with` block ends by an exception, it seals what it has, and the recording stays incomplete.
    Raises `FileExists` if the folder already holds something, `RecordingError` if the disk refuses (nothing is lost
    then, and `seal` may be repeated), and `BadFact` for a fact that the format cannot hold (add nothing more then).
    """

    def __init__(self, folder: Path, *, source: str, cluster: str = "", started_us: Micros) -> None:
        self.folder = folder
        self._closed = False
        self._lock = Lock(folder)
        try:
            self._recording = RecordingFolder(folder, source=source, cluster=cluster, started_us=started_us)
        except BaseException:
            self._lock.release()
            raise
        self._pending = PendingFacts(self._recording.facts)

    @property
    def segments(self) -> int:
        """The number of segments that are on the disk."""
        return self._recording.segments

    def add(self, fact: Fact) -> None:
        """Add the next fact, and seal if enough facts are in memory."""
        if self._closed:
            raise RecordingError(f"{self.folder} is closed: nothing can be added to it.")
        self._pending.add(fact)
        if self._pending.refused:
            raise BadFact(self._pending.refused[0].reason)
        if self._pending.bytes >= BYTE_BUDGET:
            self.seal()

    def seal(self) -> None:
        """Make a segment of the facts in memory. It is on the disk as a whole when this returns."""
        if self._pending.facts:
            self._recording.append_segment(self._pending.tables())
            self._pending = PendingFacts(self._recording.facts)

    def close(self) -> None:
        """Seal, and mark the recording as complete. A second call does nothing."""
        if self._closed:
            return
        self.seal()
        self._recording.complete()
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
