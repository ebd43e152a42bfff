"""Sets aside what cannot be read: it is moved to a folder of its own, under a name that is free, and never deleted."""

import os
from pathlib import Path

from hpaaudit.recording.files import layout
from hpaaudit.recording.files.durable import make_folder, sync_folder


def move_to_quarantine(folder: Path, name: str) -> bool:
    """Move a file or folder of a recording to the quarantine; whether it was there. Raises `OSError`."""
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
    """Give a file a second name in the quarantine, so that it stays there whatever becomes of the first.

    Where the file system has no second names its bytes are copied. Raises `OSError`.
    """
    make_folder(folder / layout.QUARANTINE)
    path = folder / name
    for other in (folder / layout.QUARANTINE).glob(f"{path.name}*"):
        if not other.is_symlink() and other.samefile(path):  # of a try that was cut short
            return
    place = _free(folder / layout.QUARANTINE, path.name)
    try:
        os.link(path, place, follow_symlinks=False)
    except OSError:
        place.write_bytes(path.read_bytes())
    sync_folder(folder / layout.QUARANTINE)


def _free(place: Path, name: str) -> Path:
    """Return a name in the quarantine that nothing has."""
    taken = {other.name for other in place.iterdir()}
    names = (f"{name}.{number}" if number else name for number in range(len(taken) + 1))
    return place / next(found for found in names if found not in taken)
