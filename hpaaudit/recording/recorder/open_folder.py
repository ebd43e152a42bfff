"""Opens the folder that a recorder writes into: for a new recording, or to continue one."""

import errno
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hpaaudit.errors import RecordingError
from hpaaudit.model.note import Event, Note
from hpaaudit.model.units import Micros
from hpaaudit.recording.files import layout
from hpaaudit.recording.files.lock import Lock
from hpaaudit.recording.recorder import disk_space
from hpaaudit.recording.recorder.recover import RecoveredRecording, recover
from hpaaudit.recording.writing.recording_folder import RecordingFolder

SOURCE = "record"
FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenFolder:
    """A locked folder with a recording. `recovered` is None for a new recording."""

    lock: Lock
    recording: RecordingFolder
    recovered: RecoveredRecording | None


def open_folder(folder: Path, *, cluster: str, now_us: Micros, note: Callable[[str], None]) -> OpenFolder:
    """Lock the folder and begin or continue a recording of `cluster`.

    Raises `FileExists` if the folder holds something else, and `RecordingError` if the recording cannot continue.
    """
    lock = Lock(folder)
    try:
        recovered = None
        if (folder / layout.RECORDING).exists():
            recovered = _recover(folder, cluster)
            recording = recovered.recording
        else:
            recording = RecordingFolder(folder, source=SOURCE, cluster=cluster, started_us=now_us)
    except BaseException:
        lock.release()
        raise
    if not lock.sure:
        note(Note(f"{folder} cannot be locked there: see that nobody else records into it", Event.UNLOCKED))
    return OpenFolder(lock=lock, recording=recording, recovered=recovered)


def _recover(folder: Path, cluster: str) -> RecoveredRecording:
    """Recover a recording. If the disk is full, the ballast of the last recorder makes room for that."""
    try:
        return recover(folder, source=SOURCE, cluster=cluster)
    except RecordingError as error:
        if disk_error(error).errno in FULL and disk_space.release_ballast(folder):
            return recover(folder, source=SOURCE, cluster=cluster)
        raise


def disk_error(error: BaseException) -> OSError:
    """The error of the disk behind `error`. Raises `error` if there is none."""
    cause = error if isinstance(error, OSError) else error.__cause__
    if not isinstance(cause, OSError):
        raise error
    return cause
