"""Opens files of a recording for reading: regular files only, through no link, and nothing that could block."""

import os
import stat
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Self

from hpaaudit.model.counted import counted

KINDS = {
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
    stat.S_IFREG: "a file",
}

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
# With O_NONBLOCK, opening a FIFO that replaced the file meanwhile does not wait for its writer.
_FILE = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_BY_FOLDER = {os.open, os.stat} <= os.supports_dir_fd


def kind_of_file(mode: int) -> str:
    """The kind of a file by its mode, as `a FIFO`."""
    return KINDS.get(stat.S_IFMT(mode), "nothing that can be read")


def read_exactly(folder: Path, name: str, size: int) -> bytes:
    """The bytes of a file that must have `size` bytes.

    name   in the folder, with slashes; the folder itself may be a link, because its user named it

    Raises `OSError` if it cannot be opened, and `ValueError`, a predicate, if it is no regular file of this size.
    Nothing is read then.
    """
    with _OpenFile(folder, name) as file:
        if file.size != size:
            raise ValueError(f"has {counted(file.size, 'byte')}, its manifest says {size}")
        data = file.read(size)
    if len(data) < size:
        raise ValueError(f"has {counted(len(data), 'byte')}, its manifest says {size}")
    return data


def read_at_most(folder: Path, name: str, limit: int) -> bytes:
    """The bytes of a file that may have `limit` bytes at most. Raises as `read_exactly`."""
    with _OpenFile(folder, name) as file:
        if file.size > limit:
            raise ValueError(f"has {counted(file.size, 'byte')}, more than the {limit} that such a file may have")
        return file.read(limit)


def size_of(folder: Path, name: str) -> int:
    """The size of a file, without reading it. Raises as `read_exactly`."""
    *folders, last = PurePosixPath(name).parts
    path = folder
    for part in folders:
        path /= part
        _require(os.lstat(path), stat.S_IFDIR, f"{part}: ")
    status = os.lstat(path / last)
    _require(status, stat.S_IFREG)
    return status.st_size


def _require(status: os.stat_result, file_type: int, prefix: str = "") -> None:
    """Raise `ValueError`, a predicate, if a file is of another type."""
    if stat.S_IFMT(status.st_mode) != file_type:
        required = KINDS[file_type].removeprefix("a ")
        raise ValueError(f"is not read: {prefix}it is {kind_of_file(status.st_mode)}, and no {required}")


class _OpenFile:
    """A file that is open for reading. `size` is its size when it was opened."""

    def __init__(self, folder: Path, name: str) -> None:
        *folders, last = PurePosixPath(name).parts
        if not _BY_FOLDER:  # Windows: a folder cannot be kept open
            size_of(folder, name)
            self._file = os.open(folder / name, _FILE)
        else:
            self._file = _open_below(folder, folders, last)
        try:
            status = os.fstat(self._file)
            _require(status, stat.S_IFREG)
        except BaseException:
            os.close(self._file)
            raise
        self.size = status.st_size

    def read(self, limit: int) -> bytes:
        parts, left = [], limit
        while left and (part := os.read(self._file, min(left, 1 << 24))):
            parts.append(part)
            left -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            os.close(self._file)


def _open_below(folder: Path, folders: list[str], last: str) -> int:
    """Open a file folder by folder, so that none of them can be replaced by a link meanwhile."""
    parent = os.open(folder, _FOLDER)
    try:
        for part in folders:
            _require(os.stat(part, dir_fd=parent, follow_symlinks=False), stat.S_IFDIR, f"{part}: ")
            child = os.open(part, _FOLDER | _NO_LINK, dir_fd=parent)
            os.close(parent)
            parent = child
        # Checked before it is opened: opening a device may already have an effect.
        _require(os.stat(last, dir_fd=parent, follow_symlinks=False), stat.S_IFREG)
        return os.open(last, _FILE | _NO_LINK, dir_fd=parent)
    finally:
        os.close(parent)
