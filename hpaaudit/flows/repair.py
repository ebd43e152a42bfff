"""Repairs a recording."""

from pathlib import Path

from hpaaudit.model.inspection import Repair


def repair(recording: Path, *, plan: bool = False) -> Repair:
    """Set aside what is damaged, keep all that can be read, and write down a gap for what cannot.

    plan   only tell what would be done

    Nothing is deleted: what is damaged is moved to `quarantine/`. Raises `NotARecording`, `NewerFormat`,
    `DamagedRecording` where `recording.json` itself cannot be read, and `RecordingError` where somebody records into
    it, or the disk refuses.
    """
    from hpaaudit.recording.upkeep.repair import repair as do

    return do(recording, plan=plan)
