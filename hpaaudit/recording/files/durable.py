"""Writes files and folders so that after a crash they are whole or absent, and never through somebody's link."""

import errno
import os
import shutil
import stat
from pathlib import Path

from hpaaudit.recording.files import layout

FOLDER_MODE, FILE_MODE = 0o700, 0o600
"""Only the recorder's user may read names, labels and messages of a cluster."""

NEW = os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
"""Creates a file. If its name is taken by a file, link or pipe, that is neither opened nor followed."""


def make_file(path: Path, flags: int) -> int:
    """Create a file that only its user may read. Return its descriptor.

    Removes a file, link or pipe of that name, and moves a folder away. Raises `OSError`.
    """
    try:
        return os.open(path, flags | NEW, FILE_MODE)
    except FileExistsError:
        free_name(path)
        return os.open(path, flags | NEW, FILE_MODE)


def free_name(path: Path) -> None:
    """Free a name: remove a file, link or pipe, and rename a folder. Raises `OSError`."""
    if not os.path.lexists(path):  # a read-only disk would refuse to remove even what is not there
        return
    if stat.S_ISDIR(path.lstat().st_mode):
        move_away(path)
    else:
        path.unlink(missing_ok=True)


def move_away(path: Path) -> None:
    """Rename a file that is not ours, so that it is not lost. Raises `OSError`."""
    names = [path.with_name(path.name + layout.FOREIGN_SUFFIX)]
    while os.path.lexists(names[-1]):
        names.append(path.with_name(f"{path.name}{layout.FOREIGN_SUFFIX}.{len(names)}"))
    path.rename(names[-1])


def remove(path: Path) -> None:
    """Remove a folder and its content, or a file. Of a link, only the link. Raises `OSError`."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def is_regular_file(path: Path) -> bool:
    """True for a regular file. False for a link to one."""
    return os.path.lexists(path) and stat.S_ISREG(path.lstat().st_mode)


def make_folder(path: Path) -> None:
    """Make a folder if there is none. A link or a file of that name is moved away. Raises `OSError`."""
    if not os.path.lexists(path):
        path.mkdir(FOLDER_MODE)
        sync_folder(path.parent)
    elif not stat.S_ISDIR(path.lstat().st_mode):
        move_away(path)
        make_folder(path)


def require_folder(path: Path) -> None:
    """Raise `OSError` unless `path` is a folder. A link to one would lead what is written elsewhere."""
    if not stat.S_ISDIR(path.lstat().st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))


def write_synced(path: Path, data: bytes) -> None:
    """Write a file, and wait until the disk has it."""
    with os.fdopen(make_file(path, os.O_WRONLY), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def sync_data(descriptor: int) -> None:
    """Wait until the disk has the bytes and the size of a file."""
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
    """Write a file under another name, then rename it, so that it appears as a whole."""
    unfinished = path.with_name(path.name + layout.UNFINISHED_SUFFIX)
    write_synced(unfinished, data)
    try:
        unfinished.replace(path)
    except IsADirectoryError:
        move_away(path)
        unfinished.replace(path)
    sync_folder(path.parent)
