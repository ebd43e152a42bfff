"""Puts files and folders on the disk so that after a crash they are whole or not there."""

import os
from pathlib import Path

from hpaaudit.recording.manifest import UNFINISHED

FOLDER_MODE, FILE_MODE = 0o700, 0o600
"""Names, labels and messages of a cluster are for nobody's eyes but the recorder's user."""


def _private(path: str, flags: int) -> int:
    """Open a file of ours: nobody else may read it, and a symbolic link in its place is an error."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), FILE_MODE)


def write_synced(path: Path, data: bytes) -> None:
    """Write a file and wait until the disk has it."""
    with open(path, "wb", opener=_private) as file:  # Path.open takes no opener
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
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def publish(path: Path, data: bytes) -> None:
    """Write a file under another name, then rename it: the one instant at which it comes to be."""
    unfinished = path.with_name(path.name + UNFINISHED)
    write_synced(unfinished, data)
    unfinished.replace(path)
    sync_folder(path.parent)
