"""Repairs a recording."""

from hpaaudit.flows.paths import RecordingPath, recording_folder
from hpaaudit.model.inspection import Repair


def repair(recording: RecordingPath, *, plan: bool = False) -> Repair:
    """Keeps all that can be read, moves damaged files to `quarantine/`, and records a gap for what is lost.

    plan   only say what would be done

    Nothing is deleted. Raises `NotARecording`, `NewerFormat`, `DamagedRecording` if `recording.json` itself cannot be
    read, and `RecordingError` if somebody records into it or the disk refuses.
    """
    from hpaaudit.recording.upkeep.repair import repair as repair_recording

    return repair_recording(recording_folder(recording), plan=plan)
