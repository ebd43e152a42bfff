"""Checks a recording."""

from pathlib import Path

from hpaaudit.model.inspection import Verification


def verify(recording: Path, *, expect: str | None = None) -> Verification:
    """Check every checksum of a recording and read every fact again; damage is a value here.

    expect   a head hash that was kept elsewhere: what it says of the recording is a value as well

    Raises `NotARecording`, `NewerFormat`, and `DamagedRecording` where not even `recording.json` can be read.
    """
    from hpaaudit.recording.inspection.verify import verify as check

    return check(recording, reread=True, expect=expect)
