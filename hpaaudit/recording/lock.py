"""Keeps a second recorder out of a recording."""

import os
from pathlib import Path

from hpaaudit.errors import RecordingError
from hpaaudit.recording.manifest import RECORDING

if os.name == "posix":
    import fcntl


class Lock:
    """Held from here until `release`, or until the process ends in whatever way; raises `RecordingError`."""

    def __init__(self, folder: Path) -> None:
        try:
            self._file = os.open(folder / RECORDING, os.O_RDONLY)
        except OSError as error:
            raise RecordingError(f"cannot go on in {folder}: {error.strerror}.") from error
        if _is_locked(self._file):
            os.close(self._file)
            raise RecordingError(
                f"{folder} is being recorded into by another process: end that one, or name another folder."
            )

    def release(self) -> None:
        """Let others in."""
        os.close(self._file)


def _is_locked(file: int) -> bool:
    """Lock a file; whether somebody else has. A file system without locks keeps nobody out."""
    if os.name == "posix":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
    return False
