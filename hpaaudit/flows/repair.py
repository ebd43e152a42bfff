"""Repairs a recording."""

from pathlib import Path

from hpaaudit.model.inspection import Repair


def repair(recording: Path, *, plan: bool = False) -> Repair:
    """Keep all that can be read, move damaged files to `quarantine/`, and record a gap for what is lost.

    plan   only say what would be done

    Nothing is deleted. Raises `NotARecording`, `NewerFormat`, `DamagedRecording` if `recording.json` itself cannot be
    read, and `RecordingError` if somebody records into it or the disk refuses.
    """
    from hpaaudit.recording.upkeep.repair import repair as repair_recording

    return repair_recording(recording, plan=plan)
