"""Shows what is in a recording."""

from pathlib import Path

from hpaaudit.model.inspection import Inspection


def inspect(recording: Path | str) -> Inspection:
    """Counts what is in a recording, and names what is missing.

    Raises `NotARecording`, `NewerFormat` or `DamagedRecording`.
    """
    from hpaaudit.recording.inspection.inspect import inspect as count
    from hpaaudit.recording.reading.recording import open_recording

    return count(open_recording(Path(recording)))
