"""Keeps a second recorder out of a recording."""

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from hpaaudit.errors import FileExists, RecordingError
from hpaaudit.recording.files import layout
from hpaaudit.recording.files.durable import FILE_MODE, FOLDER_MODE

if os.name == "posix":
    import fcntl

MAX_TRIES = 100
"""Locking is tried again this often if the folder is replaced meanwhile."""
READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Lock:
    """A lock on a folder, from the constructor until `release` or the end of the process.

    Raises `RecordingError` if somebody else has it, and `FileExists` if the path is not a folder.

    sure   False: the file system has no locks, so a second recorder is not noticed

    The folder itself is locked, so the lock holds for all its names, and before there is any file in it. A missing
    folder is made. `recording.json` is locked too, because recorders up to 0.1.0 lock only that.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: list[int] = []
        try:
            self.sure = self._take()
        except (FileExistsError, NotADirectoryError) as error:
            self.release()
            raise FileExists(f"{folder} is not a folder: name one that is new or empty.") from error
        except OSError as error:
            self.release()
            raise RecordingError(f"cannot record into {folder}: {error.strerror}.") from error
        except BaseException:
            self.release()
            raise

    def _take(self) -> bool:
        if os.name != "posix":
            self.folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
            return False
        for _ in range(MAX_TRIES):
            self.folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
            self._files.append(os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY))
            sure = self._lock_descriptor(self._files[0])
            if self.is_there():
                break
            self.release()
        else:
            raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))
        if not sure:
            sure = self._lock_file(layout.LOCK, os.O_RDWR | os.O_CREAT | READ)
        self._lock_file(layout.RECORDING, READ)
        return sure

    def _lock_file(self, name: str, flags: int) -> bool:
        """Lock a file in the folder. True if that is known to work."""
        try:
            file = os.open(self.folder / name, flags, FILE_MODE)
        except OSError:  # it does not exist yet, or something else has its name
            return False
        self._files.append(file)
        return stat.S_ISREG(os.fstat(file).st_mode) and self._lock_descriptor(file)

    def _lock_descriptor(self, file: int) -> bool:
        """Lock a file or folder. False if its file system cannot. Raises `RecordingError` if somebody else has it."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RecordingError(
                f"{self.folder} is being recorded into by another process: end that one, or name another folder."
            ) from None
        except OSError:
            return False
        return True

    def is_there(self) -> bool:
        """False if the folder was moved, removed, or replaced."""
        try:
            return not self._files or os.path.samestat(os.fstat(self._files[0]), self.folder.stat())
        except OSError:
            return False

    def require(self) -> None:
        """Raise `OSError` if the folder was moved, removed, or replaced: another folder has its name."""
        if not self.is_there():
            raise OSError(errno.ESTALE, "the folder was moved, removed or replaced")

    def release(self) -> None:
        """Unlock the folder."""
        files, self._files = self._files, []
        for file in files:
            with suppress(OSError):
                os.close(file)
