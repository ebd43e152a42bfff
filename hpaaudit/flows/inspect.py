"""Says what is in a recording."""

from pathlib import Path

from hpaaudit.model.inspection import Inspection


def inspect(recording: Path) -> Inspection:
    """Count what is in a recording and say what is missing.

    Raises `NotARecording`, `NewerFormat` or `DamagedRecording`.
    """
    from hpaaudit.recording.inspection.inspect import inspect as look
    from hpaaudit.recording.reading.recording import open_recording

    return look(open_recording(recording))
