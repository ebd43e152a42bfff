"""The error for a file of a segment that is not as it was written."""

import errno

from hpaaudit.model.inspection import Damage
from hpaaudit.recording.format.manifest import Segment


class DamagedFile(Exception):
    """A file differs from what was written, or the disk did not give it.

    It stays within recording/: `Recording` raises `DamagedRecording` instead.
    """

    def __init__(self, segment: Segment, file: str, problem: str, *, refused: bool = False) -> None:
        path = f"{segment.folder}/{file}"
        super().__init__(f"{path} {problem}")
        self.damage = Damage(segment=segment.number, file=path, problem=problem, refused=refused)

    def require_damage(self) -> None:
        """Raises `OSError` if the disk failed to read the file: it may be undamaged, so it must not be replaced."""
        if self.damage.refused:
            raise OSError(errno.EIO, str(self)) from self
