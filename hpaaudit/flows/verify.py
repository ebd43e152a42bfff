"""Checks a recording."""

from pathlib import Path

from hpaaudit.model.inspection import Verification


def verify(recording: Path, *, expect: str | None = None) -> Verification:
    """Check every checksum of a recording, and read every fact. Damage is returned, not raised.

    expect   a head hash that was kept elsewhere; what it proves is returned too

    Raises `NotARecording`, `NewerFormat`, and `DamagedRecording` if not even `recording.json` can be read.
    """
    from hpaaudit.recording.inspection.verify import verify as check

    return check(recording, reread=True, expect=expect)
