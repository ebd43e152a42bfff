"""Checks a recording."""

from hpaaudit.flows.paths import RecordingPath, recording_folder
from hpaaudit.model.inspection import Verification


def verify(recording: RecordingPath, *, expect: str | None = None) -> Verification:
    """Checks every checksum of a recording, and reads every fact. Damage is returned, not raised.

    expect   a head hash that was kept elsewhere; what it proves is returned too

    Raises `NotARecording`, `NewerFormat`, and `DamagedRecording` if not even `recording.json` can be read.
    """
    from hpaaudit.recording.inspection.verify import verify as check

    return check(recording_folder(recording), reread=True, expect=expect)
