"""Puts files and folders on the disk so that after a crash they are whole or not there, and only where they belong."""

import errno
import os
import shutil
import stat
from pathlib import Path

from hpaaudit.recording.manifest import UNFINISHED

FOLDER_MODE, FILE_MODE = 0o700, 0o600
"""Names, labels and messages of a cluster are for nobody's eyes but the recorder's user."""
FOREIGN = ".foreign"
"""What has a name of ours and is none of ours gets this at its end: it is moved away, never written into."""

NEW = os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
"""Make a file: whatever has its name already, a link, a pipe or a file, is neither opened nor followed."""


def make_file(path: Path, flags: int) -> int:
    """Make a file that is not there, nobody else may read it; return its descriptor.

    A file, link or pipe of that name goes, a folder is moved away. Raises `OSError`.
    """
    try:
        return os.open(path, flags | NEW, FILE_MODE)
    except FileExistsError:
        vacate(path)
        return os.open(path, flags | NEW, FILE_MODE)


def vacate(path: Path) -> None:
    """Free a name in a folder: remove a file, link or pipe there, rename a folder. Raises `OSError`."""
    if not os.path.lexists(path):  # a disk that takes nothing would refuse to remove even that
        return
    if stat.S_ISDIR(path.lstat().st_mode):
        evict(path)
    else:
        path.unlink(missing_ok=True)


def evict(path: Path) -> None:
    """Move what is none of ours away, whatever it is; it stays beside. Raises `OSError`."""
    names = [path.with_name(path.name + FOREIGN)]
    while os.path.lexists(names[-1]):
        names.append(path.with_name(f"{path.name}{FOREIGN}.{len(names)}"))
    path.rename(names[-1])


def remove(path: Path) -> None:
    """Remove a folder with all that is in it, or a file; of a link only the link. Raises `OSError`."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def is_file(path: Path) -> bool:
    """Tell whether a name is that of a regular file, and of no link to one."""
    return os.path.lexists(path) and stat.S_ISREG(path.lstat().st_mode)


def own_folder(path: Path) -> None:
    """Make a folder of ours where there is none; a link or a file of that name is moved away. Raises `OSError`."""
    if not os.path.lexists(path):
        path.mkdir(FOLDER_MODE)
        sync_folder(path.parent)
    elif not stat.S_ISDIR(path.lstat().st_mode):
        evict(path)
        own_folder(path)


def require_folder(path: Path) -> None:
    """Raise `OSError` where a folder of ours is none, or a link to one: what is written there would be elsewhere."""
    if not stat.S_ISDIR(path.lstat().st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))


def write_synced(path: Path, data: bytes) -> None:
    """Write a file and wait until the disk has it."""
    with os.fdopen(make_file(path, os.O_WRONLY), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_data(descriptor: int) -> None:
    """Wait until the disk has the bytes of a file and its size."""
    getattr(os, "fdatasync", os.fsync)(descriptor)


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names in a folder."""
    if os.name != "posix":  # elsewhere a folder cannot be opened, and a rename is durable by itself
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def publish(path: Path, data: bytes) -> None:
    """Write a file under another name, then rename it: the one instant at which it comes to be."""
    unfinished = path.with_name(path.name + UNFINISHED)
    write_synced(unfinished, data)
    try:
        unfinished.replace(path)
    except IsADirectoryError:
        evict(path)
        unfinished.replace(path)
    sync_folder(path.parent)
