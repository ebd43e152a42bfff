"""Opens the files of a recording: regular files only, never through a link, and nothing that could block."""

import os
import stat
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Self

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
# Without O_NONBLOCK whoever opens a FIFO that took the place of the file meanwhile would wait for its writer.
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
    """What a file is by its mode, as `a FIFO`."""
    return KINDS.get(stat.S_IFMT(mode), "nothing that can be read")


def read_exactly(folder: Path, name: str, size: int) -> bytes:
    """Return the bytes of a file that must have so many.

    name   inside the folder, with slashes; the folder itself may be a link, for its user named it

    Raises `OSError` where it cannot be opened, and `ValueError`, a predicate, where it is no regular file of this size:
    then nothing of it was read.
    """
    with _opened(folder, name) as file:
        found = file.size
        if found == size:
            data = file.read(size)
            found = len(data) if len(data) < size else file.size
    if found != size:
        raise ValueError(f"has {found} bytes, its manifest says {size}")
    return data


def read_at_most(folder: Path, name: str, limit: int) -> bytes:
    """Return the bytes of a file that may have so many; raises as `read_exactly` does."""
    with _opened(folder, name) as file:
        if file.size > limit:
            raise ValueError(f"has {file.size} bytes, which is more than the {limit} that such a file may have")
        return file.read(limit)


def size_of(folder: Path, name: str) -> int:
    """Return the bytes of a file without reading it; raises as `read_exactly` does."""
    *above, last = PurePosixPath(name).parts
    path = folder
    for part in above:
        path /= part
        _require(os.lstat(path), stat.S_IFDIR, f"{part}: ")
    found = os.lstat(path / last)
    _require(found, stat.S_IFREG)
    return found.st_size


def _require(found: os.stat_result, wanted: int, where: str = "") -> None:
    if stat.S_IFMT(found.st_mode) != wanted:
        raise ValueError(
            f"is not read: {where}it is {kind_of_file(found.st_mode)}, and no {KINDS[wanted].removeprefix('a ')}"
        )


class _opened:  # noqa: N801 it is called as a function
    """A file that is open for reading; `size` is what it had then."""

    def __init__(self, folder: Path, name: str) -> None:
        *above, last = PurePosixPath(name).parts
        if not _BY_FOLDER:  # another system, where a folder cannot be held open
            size_of(folder, name)
            self._file = os.open(folder / name, _FILE)
        else:
            self._file = _open_below(folder, above, last)
        try:
            found = os.fstat(self._file)
            _require(found, stat.S_IFREG)
        except BaseException:
            os.close(self._file)
            raise
        self.size = found.st_size

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


def _open_below(folder: Path, above: list[str], last: str) -> int:
    """Open a file from folder to folder, so that none of them can be replaced by a link meanwhile."""
    at = os.open(folder, _FOLDER)
    try:
        for part in above:
            _require(os.stat(part, dir_fd=at, follow_symlinks=False), stat.S_IFDIR, f"{part}: ")
            below = os.open(part, _FOLDER | _NO_LINK, dir_fd=at)
            os.close(at)
            at = below
        # Asked before it is opened: to open a device may already do something.
        _require(os.stat(last, dir_fd=at, follow_symlinks=False), stat.S_IFREG)
        return os.open(last, _FILE | _NO_LINK, dir_fd=at)
    finally:
        os.close(at)
