"""Checks a recording."""

from hpaaudit.flows.options import ShowProgress, show_nothing
from hpaaudit.flows.paths import RecordingPath, recording_folder
from hpaaudit.model.inspection import Verification


def verify(
    recording: RecordingPath,
    *,
    expect: str | None = None,
    deep: bool = False,
    progress: ShowProgress = show_nothing,
) -> Verification:
    """Checks every checksum of a recording. Damage is returned, not raised.

    expect     a head hash that was kept elsewhere; what it proves is returned too
    deep       also read every fact, and find files whose checksums hold but that no recorder can have written; takes
               minutes for a day of a fleet
    progress   is called after each segment with how many facts are checked, and how many there are

    Raises `NotARecording`, `NewerFormat`, and `DamagedRecording` if not even `recording.json` can be read.
    """
    from hpaaudit.recording.inspection.verify import verify as check

    return check(recording_folder(recording), reread=deep, expect=expect, progress=progress)
