"""Moves files that cannot be read to the folder `quarantine`. Nothing there is ever deleted or overwritten."""

import os
from pathlib import Path

from hpaaudit.recording.files import layout
from hpaaudit.recording.files.durable import make_folder, sync_folder


def move_to_quarantine(folder: Path, name: str) -> bool:
    """Move a file or folder of a recording to the quarantine. False if there is none. Raises `OSError`."""
    path = folder / name
    if not os.path.lexists(path):
        return False
    make_folder(folder / layout.QUARANTINE)
    path.rename(_free(folder / layout.QUARANTINE, path.name))
    sync_folder(folder)
    sync_folder(folder / layout.QUARANTINE)
    sync_folder(path.parent)
    return True


def copy_to_quarantine(folder: Path, name: str) -> None:
    """Link a file into the quarantine, so that it stays there when it is deleted here.

    Copies its bytes if the file system has no hard links. Raises `OSError`.
    """
    make_folder(folder / layout.QUARANTINE)
    path = folder / name
    for other in (folder / layout.QUARANTINE).glob(f"{path.name}*"):
        if not other.is_symlink() and other.samefile(path):  # of an earlier try that was interrupted
            return
    copy = _free(folder / layout.QUARANTINE, path.name)
    try:
        os.link(path, copy, follow_symlinks=False)
    except OSError:
        copy.write_bytes(path.read_bytes())
    sync_folder(folder / layout.QUARANTINE)


def _free(quarantine: Path, name: str) -> Path:
    """A path in the quarantine that is not used yet."""
    taken = {other.name for other in quarantine.iterdir()}
    names = (f"{name}.{number}" if number else name for number in range(len(taken) + 1))
    return quarantine / next(free for free in names if free not in taken)
