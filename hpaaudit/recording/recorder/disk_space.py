"""Measures free disk space, and reserves ballast: a file that is deleted first when the disk is full."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from hpaaudit.recording.files import layout
from hpaaudit.recording.files.durable import is_regular_file, make_file

FREE_PER_BALLAST = 10
"""The ballast is reserved only if this many times its size is free."""


def reserve_ballast(folder: Path, size: int) -> None:
    """Reserves room that can be released when the disk is full. Do nothing if little is free."""
    path = folder / layout.BALLAST
    with suppress(OSError):
        if not size or is_regular_file(path) or shutil.disk_usage(folder).free < FREE_PER_BALLAST * size:
            return
        with os.fdopen(make_file(path, os.O_WRONLY), "wb") as file:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
            else:
                file.write(bytes(size))


def release_ballast(folder: Path) -> bool:
    """Releases the reserved room. True if there was any."""
    try:
        (folder / layout.BALLAST).unlink()
    except OSError:
        return False
    return True


def is_nearly_full(folder: Path, free_share: float) -> bool:
    """True if less than this share of the disk is free."""
    try:
        usage = shutil.disk_usage(folder)
    except OSError:
        return False
    return usage.free < free_share * usage.total


def folder_bytes(folder: Path) -> int:
    """The size of all files in a folder, as far as it can be read."""
    size = 0
    with suppress(OSError):
        for path in folder.rglob("*"):
            size += path.stat().st_size if path.is_file() else 0
    return size
