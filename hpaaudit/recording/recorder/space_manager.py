"""Keeps a recording within its limits, and makes room where the disk has none."""

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
    """Removes what may go, and never raises for it.

    bytes   of all segments
    gaps    that this left: one stands for all that was removed
    note    is told once that something cannot be removed
    """

    def __init__(self, folder: Path, limits: Limits, note: Callable[[str], None]) -> None:
        self.folder, self.limits, self.note = folder, limits, note
        self.bytes = disk_space.folder_bytes(folder / layout.SEGMENTS)
        self._stuck = False
        self.gaps = 0
        self.take_ballast()

    def take_ballast(self) -> None:
        """Take room that can be given back, where there is much."""
        disk_space.reserve_ballast(self.folder, self.limits.ballast_bytes)

    def sealed(self, number: int, now_us: Micros) -> None:
        """Count a new segment; remove what is too old or too much, on a disk that is nearly full what is uploaded."""
        self.bytes += disk_space.folder_bytes(self.folder / layout.segment_name(number))
        keep_us, keep_bytes = self.limits.keep_us, self.limits.keep_bytes
        if keep_us is not None or keep_bytes is not None:
            segments = sealed_segments(self.folder)
            self._retire(segments, *expired(segments, now_us, keep_us, keep_bytes))
        if disk_space.is_nearly_full(self.folder):
            self.retire_uploaded()

    def make_room(self) -> bool:
        """Throw the ballast off; in the room that this makes, remove what is uploaded; whether there is more now."""
        if not disk_space.release_ballast(self.folder):
            return self.retire_uploaded()
        while disk_space.is_nearly_full(self.folder) and self.retire_uploaded():
            pass
        return True

    def retire_uploaded(self) -> bool:
        """Remove the oldest segment of those that are safe somewhere else; whether there was one."""
        segments, number = sealed_segments(self.folder), upload_marks.uploaded_through(self.folder)
        oldest = next((segment.number for segment in segments if segment.repaired or not segment.removed), 0)
        return 0 < oldest <= number and self._retire(segments, oldest, "removed to make room: it was uploaded")

    def _retire(self, segments: Sequence[Segment], through: int, cause: str) -> bool:
        try:
            removed = remove_segments(self.folder, segments, through, cause)
        except OSError as error:
            if not self._stuck:
                line = f"{self.folder}: cannot remove old segments: {error.strerror}"
                self.note(Note(line, Event.RETENTION_FAILED))
            self._stuck = True
            return False
        if removed:
            self.gaps = 1
            self.bytes = disk_space.folder_bytes(self.folder / layout.SEGMENTS)
        return removed
