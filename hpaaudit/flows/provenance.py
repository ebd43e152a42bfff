"""Remembers which results files this user's replays made, so that a file from elsewhere is not taken for one of them.

Anybody can write any name of a recording into a results file. So a results file in a recording is believed only if
this user's hpaaudit made it. The state folder has an empty file for each, named after the SHA-256 of its content. A
second one is named after inode, size and times: comparing these is quicker than reading the whole file.
"""

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

MOST_REMEMBERED = 10_000
"""The most names that are kept in the state folder; the oldest are dropped."""
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def state_folder() -> Path | None:
    """The folder of hpaaudit's state: in `$XDG_STATE_HOME`, in the home, or among the temporary files.

    None if there is not a folder that only this user can write to.
    """
    for folder in _candidates():
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            status = folder.lstat()
            is_own_folder = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
            private = is_own_folder and not status.st_mode & _OTHERS_WRITE
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


def results_elsewhere(manifest_sha256: str) -> Path | None:
    """The results file of a recording whose own folder cannot be written to; None without a state folder."""
    folder = _folder("results")
    return None if folder is None else folder / f"{manifest_sha256}.duckdb"


def remember(path: Path) -> bool:
    """Record that this user's hpaaudit made this file. Return False if no state folder can be written to."""
    folder = _folder("made")
    if folder is None:
        return False
    try:
        for name in (_content_name(path), _inode_name(path)):
            (folder / name).touch()
        _drop_oldest(folder)
    except OSError:
        return False
    return True


def is_ours(path: Path) -> bool:
    """True if this user's hpaaudit made the file, and it was not changed since."""
    folder = _folder("made")
    if folder is None:
        return False
    try:
        if (folder / _inode_name(path)).exists():
            return True
        is_known = (folder / _content_name(path)).exists()
        if is_known:
            (folder / _inode_name(path)).touch()
    except OSError:
        return False
    return is_known


def _folder(name: str) -> Path | None:
    """A folder in the state folder, None if it cannot be made."""
    state = state_folder()
    if state is None:
        return None
    folder = state / name
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return None
    return folder


def _content_name(path: Path) -> str:
    """A name made of the SHA-256 of the file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _inode_name(path: Path) -> str:
    """A name made of inode, size and times. Nobody can change a file's content and keep its change time."""
    status = path.stat()
    identity = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return "at-" + hashlib.sha256(repr(identity).encode()).hexdigest()


def _drop_oldest(folder: Path) -> None:
    names = [*folder.iterdir()]
    if len(names) > MOST_REMEMBERED:
        for path in sorted(names, key=lambda path: path.stat().st_mtime_ns)[: len(names) - MOST_REMEMBERED]:
            path.unlink(missing_ok=True)
