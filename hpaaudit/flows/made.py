"""Remembers which results files this user's replays made, so that none from elsewhere is taken for one of them.

Anybody can write any name of a recording into a results file. What we believe without a word is what we wrote: the
state folder has an empty file for the SHA-256 of each, and one for how the file lay on the disk, which is quicker.
"""

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

KEPT = 10_000
"""Files that are remembered."""
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def state_folder() -> Path | None:
    """Where our state is kept: `$XDG_STATE_HOME/hpaaudit`, else one for this user among the temporary files.

    None where there is no folder that only this user can write to.
    """
    for folder in _candidates():
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = folder.lstat()
            private = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & _OTHERS_WRITE
            if private and os.access(folder, os.W_OK):
                return folder
    return None


def _candidates() -> Iterator[Path]:
    home = os.environ.get("XDG_STATE_HOME")
    if home and Path(home).is_absolute():
        yield Path(home) / "hpaaudit"
    else:
        with suppress(RuntimeError):  # a user without a home
            yield Path.home() / ".local" / "state" / "hpaaudit"
    yield Path(tempfile.gettempdir()) / f"hpaaudit-{os.geteuid()}"


def kept_elsewhere(manifest_sha256: str) -> Path | None:
    """The results file of a recording whose folder cannot be written to, None where we have no place either."""
    folder = _folder("results")
    return None if folder is None else folder / f"{manifest_sha256}.duckdb"


def remember(path: Path) -> bool:
    """Keeps in mind that we made this file; False where there is no place for that."""
    folder = _folder("made")
    if folder is None:
        return False
    try:
        for name in (_content(path), _place(path)):
            (folder / name).touch()
        _forget_the_oldest(folder)
    except OSError:
        return False
    return True


def is_ours(path: Path) -> bool:
    """Whether this user's hpaaudit made the file, byte by byte as it is now."""
    folder = _folder("made")
    if folder is None:
        return False
    try:
        if (folder / _place(path)).exists():
            return True
        ours = (folder / _content(path)).exists()
        if ours:
            (folder / _place(path)).touch()
    except OSError:
        return False
    return ours


def _folder(name: str) -> Path | None:
    """A folder of our state, None where there is no place for it."""
    state = state_folder()
    if state is None:
        return None
    folder = state / name
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return None
    return folder


def _content(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _place(path: Path) -> str:
    """How the file lies on the disk: nobody changes what it holds and keeps the time of its last change."""
    found = path.stat()
    told = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    return "at-" + hashlib.sha256(repr(told).encode()).hexdigest()


def _forget_the_oldest(folder: Path) -> None:
    names = [*folder.iterdir()]
    if len(names) > KEPT:
        for path in sorted(names, key=lambda path: path.stat().st_mtime_ns)[: len(names) - KEPT]:
            path.unlink(missing_ok=True)
