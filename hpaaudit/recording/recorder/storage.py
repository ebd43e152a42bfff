"""What a recorder has on the disk: the sealed segments, and the log of the segment that it fills."""

from collections.abc import Callable
from contextlib import suppress

from hpaaudit.model.units import Micros
from hpaaudit.recording.recorder import disk_space
from hpaaudit.recording.recorder.open_folder import OpenFolder
from hpaaudit.recording.recorder.open_segment import OpenSegment
from hpaaudit.recording.recorder.space_manager import SpaceManager
from hpaaudit.recording.recorder.writer_limits import Limits
from hpaaudit.recording.writing.unlogged import UnloggedRows
from hpaaudit.recording.writing.write_ahead_log import WriteAheadLog


class Storage:
    """The locked folder of a recording.

    acknowledged   number of facts that are on the disk, from the first fact of the recording on
    space          its limits and the room on the disk

    `append_rows`, `append_segment` and `complete` raise `OSError` or `RecordingError` if the disk refuses. Nothing
    has changed then.
    """

    def __init__(self, opened: OpenFolder, limits: Limits, note: Callable[[str], None]) -> None:
        self.recording, self._lock = opened.recording, opened.lock
        self.folder = opened.recording.folder
        self.acknowledged = opened.recording.facts
        self.space = SpaceManager(self.folder, limits, note)
        self._log: WriteAheadLog | None = None

    @property
    def log_bytes(self) -> int:
        """The size of the log."""
        log = self._log  # a background write may begin it meanwhile
        return log.size if log else 0

    @property
    def log_is_broken(self) -> bool:
        """True if the content of the log is unknown, because the disk failed to sync it."""
        return self._log is not None and self._log.broken

    def append_rows(self, rows: UnloggedRows) -> None:
        """Append rows to the log, and acknowledge their facts."""
        self._lock.require()
        self.recording.take_back_failed_segment()
        if self._log is None:
            recording = self.recording
            self._log = WriteAheadLog(self.folder, recording.segments + 1, recording.facts, recording.previous)
        first_seq = self.acknowledged
        self._log.append(first_seq, rows.facts, rows.rows, rows.unchanged)
        self.acknowledged = first_seq + rows.facts

    def append_segment(self, segment: OpenSegment, now_us: Micros) -> None:
        """Write a segment, then apply retention."""
        self._lock.require()
        self.recording.append_segment(segment.pending.tables())
        self.space.segment_added(self.recording.segments, now_us)

    def finish_segment(self) -> None:
        """Acknowledge the facts of the last segment, and remove its log."""
        self.acknowledged = self.recording.facts
        log, self._log = self._log, None
        if log:
            with suppress(OSError):  # a log that stays is ignored: its number says that its segment is sealed
                log.remove()

    def complete(self) -> None:
        """Mark the recording as complete."""
        self._lock.require()
        self.recording.complete()
        disk_space.release_ballast(self.folder)

    def release(self) -> None:
        """Close the log, and let others lock the folder."""
        if self._log:
            self._log.close()
        self._lock.release()
