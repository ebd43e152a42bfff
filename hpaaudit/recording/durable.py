"""Puts files and folders on the disk so that after a crash they are whole or not there."""

import os
from pathlib import Path

from hpaaudit.recording.manifest import UNFINISHED


def write_synced(path: Path, data: bytes) -> None:
    """Write a file and wait until the disk has it."""
    with path.open("wb") as file:
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
