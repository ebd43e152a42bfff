"""Makes the folder in which a results file is written, and clears those of processes that died."""

import os
import re
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hpaaudit.errors import NotWritable

if os.name == "posix":
    import fcntl

_TRIES = 100


@dataclass(slots=True)
class PrivateFolder:
    """A folder that its process holds: the lock ends with the process, however it ends.

    held   its open file;  None where the file system knows no locks
    """

    path: Path
    held: int | None

    def drop(self) -> None:
        """Removes the folder. A second call does nothing."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self.held is not None:
            held, self.held = self.held, None
            os.close(held)


def private_folder(path: Path) -> PrivateFolder:
    """A new folder beside a file, which only this user may enter. Raises NotWritable.

    Those that dead processes left for the same file are removed.
    """
    try:
        _clear(path)
        for _ in range(_TRIES):
            folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent))
            is_ours, held = _locked(folder)
            if is_ours:
                return PrivateFolder(folder, held)
    except OSError as error:
        raise NotWritable(f"{path} cannot be written ({error.strerror}): name another file with --into") from error
    raise NotWritable(f"{path} cannot be written (its folder is taken again and again): name another file with --into")


def _clear(path: Path) -> None:
    """Removes the folders for this file that nobody holds. One that cannot be removed stays."""
    own = re.compile(rf"\.{re.escape(path.name)}\.[a-z0-9_]{{8}}\.tmp")
    with suppress(OSError), os.scandir(path.parent) as entries:
        for entry in list(entries):
            if own.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                is_dead, held = _locked(Path(entry.path))
                if is_dead and held is not None:
                    PrivateFolder(Path(entry.path), held).drop()


def _locked(folder: Path) -> tuple[bool, int | None]:
    """Whether nobody else has the folder or removed it, and its lock; no lock where the file system knows none."""
    if os.name != "posix":
        return True, None
    try:
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False, None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held)
        return False, None
    except OSError:
        os.close(held)
        return True, None
    try:
        is_there = os.path.samestat(os.fstat(held), os.lstat(folder))
    except OSError:
        is_there = False
    if not is_there:
        os.close(held)
    return is_there, held if is_there else None
