"""Applies retention to a recording, and makes room when the disk is full."""

from collections.abc import Callable, Sequence
from pathlib import Path

from hpaaudit.model.note import Event, Note
from hpaaudit.model.units import Micros
from hpaaudit.recording.files import layout
from hpaaudit.recording.format.manifest import Segment
from hpaaudit.recording.recorder import disk_space
from hpaaudit.recording.recorder.writer_limits import Limits
from hpaaudit.recording.upkeep import upload_marks
from hpaaudit.recording.upkeep.retention import expired, remove_segments, sealed_segments


class SpaceManager:
    """Removes segments that may be removed. It never raises for that.

    bytes   size of all segments
    gaps    1 if segments were removed: one gap replaces all of them
    note    called once if segments cannot be removed
    """

    def __init__(self, folder: Path, limits: Limits, note: Callable[[str], None]) -> None:
        self.folder, self.limits, self.note = folder, limits, note
        self.bytes = disk_space.folder_bytes(folder / layout.SEGMENTS)
        self.gaps = 0
        self._failure_noted = False
        self.reserve_ballast()

    def reserve_ballast(self) -> None:
        """Reserves room that `make_room` can release."""
        disk_space.reserve_ballast(self.folder, self.limits.ballast_bytes)

    def segment_added(self, number: int, now_us: Micros) -> None:
        """Counts a new segment, and applies retention. On a nearly full disk, removes an uploaded segment too."""
        self.bytes += disk_space.folder_bytes(self.folder / layout.segment_name(number))
        keep_us, keep_bytes = self.limits.keep_us, self.limits.keep_bytes
        if keep_us is not None or keep_bytes is not None:
            segments = sealed_segments(self.folder)
            self._remove(segments, *expired(segments, now_us, keep_us, keep_bytes))
        if disk_space.is_nearly_full(self.folder, self.limits.free_share):
            self.remove_uploaded()

    def make_room(self) -> bool:
        """Releases the ballast, and uses that room to remove uploaded segments. True if more is free now."""
        if not disk_space.release_ballast(self.folder):
            return self.remove_uploaded()
        while disk_space.is_nearly_full(self.folder, self.limits.free_share) and self.remove_uploaded():
            pass
        return True

    def remove_uploaded(self) -> bool:
        """Removes the oldest segment if it is uploaded. True if it was."""
        segments, uploaded = sealed_segments(self.folder), upload_marks.uploaded_through(self.folder)
        oldest = next((segment.number for segment in segments if segment.repaired or not segment.removed), 0)
        return 0 < oldest <= uploaded and self._remove(segments, oldest, "removed to make room: it was uploaded")

    def _remove(self, segments: Sequence[Segment], through: int, cause: str) -> bool:
        """Removes the segments up to the number `through`. True if there were any."""
        try:
            removed = remove_segments(self.folder, segments, through, cause)
        except OSError as error:
            if not self._failure_noted:
                line = f"{self.folder}: cannot remove old segments: {error.strerror}"
                self.note(Note(line, Event.RETENTION_FAILED))
            self._failure_noted = True
            return False
        if removed:
            self.gaps = 1
            self.bytes = disk_space.folder_bytes(self.folder / layout.SEGMENTS)
        return removed
