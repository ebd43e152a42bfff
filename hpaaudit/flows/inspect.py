"""Shows what is in a recording."""

from pathlib import Path

from hpaaudit.errors import DamagedRecording
from hpaaudit.flows.paths import RecordingPath, recording_folder
from hpaaudit.model.inspection import Inspection, Missing
from hpaaudit.model.units import Micros


def inspect(recording: RecordingPath) -> Inspection:
    """Counts what is in a recording, and names what is missing.

    Raises `NotARecording`, `NewerFormat` or `DamagedRecording`.
    """
    from hpaaudit.recording.inspection.inspect import inspect as count
    from hpaaudit.recording.reading.recording import open_recording

    return count(open_recording(recording_folder(recording)))


def missing(recording: Path, until: Micros | None = None) -> tuple[Missing, ...]:
    """The inputs that were not recorded, as `inspect` names them. Of a damaged recording, only those before `until`.

    Raises as `inspect`.
    """
    from hpaaudit.recording.inspection.missing import missing_of
    from hpaaudit.recording.reading.recording import open_recording

    try:
        return tuple(missing_of(open_recording(recording)))
    except DamagedRecording:
        if until is None:
            raise
    return tuple(missing_of(open_recording(recording, until_us=until)))
