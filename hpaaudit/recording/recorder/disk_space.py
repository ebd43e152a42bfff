"""Room on the disk: a ballast to throw off first, and which segments are safe somewhere else."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from hpaaudit.recording.files import layout
from hpaaudit.recording.files.durable import is_regular_file, make_file

SPARE = 10  # so many times the ballast must be free for it to be taken
LOW = 0.1  # of the disk: with less free, uploaded segments go


def reserve_ballast(folder: Path, size: int) -> None:
    """Take some room that can be given back when there is no other; nothing where there is little."""
    path = folder / layout.BALLAST
    with suppress(OSError):
        if not size or is_regular_file(path) or shutil.disk_usage(folder).free < SPARE * size:
            return
        with os.fdopen(make_file(path, os.O_WRONLY), "wb") as file:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
            else:
                file.write(bytes(size))


def release_ballast(folder: Path) -> bool:
    """Give that room back; whether there was any."""
    try:
        (folder / layout.BALLAST).unlink()
    except OSError:
        return False
    return True


def is_nearly_full(folder: Path) -> bool:
    """Tell whether the disk is nearly full."""
    try:
        usage = shutil.disk_usage(folder)
    except OSError:
        return False
    return usage.free < LOW * usage.total


def folder_bytes(folder: Path) -> int:
    """Return the bytes of all files in a folder, as far as they can be told."""
    found = 0
    with suppress(OSError):
        for path in folder.rglob("*"):
            found += path.stat().st_size if path.is_file() else 0
    return found
