"""Where a recording or its results lie: a path, or what was opened."""

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, Union

from hpaaudit.errors import BadOption
from hpaaudit.model.span import Span

if TYPE_CHECKING:
    from hpaaudit.recording.reading.recording import Recording
    from hpaaudit.results.read import Results

RecordingPath: TypeAlias = Union[Path, str, "Recording", "Results"]
"""A recording: its folder, the recording that was opened there, or results of it."""

Source: TypeAlias = Union[Path, str, "Recording", "Results"]
"""A recording, or results: a path, or what was opened."""


def path_of(source: Source) -> Path:
    """The path of it."""
    if isinstance(source, Path | str):
        return Path(source)
    _require_opened(source)
    from hpaaudit.recording.reading.recording import Recording

    return source.folder if isinstance(source, Recording) else source.path


def recording_folder(recording: RecordingPath) -> Path:
    """The folder of it."""
    if isinstance(recording, Path | str):
        return Path(recording)
    _require_opened(recording)
    from hpaaudit.recording.reading.recording import Recording

    return recording.folder if isinstance(recording, Recording) else Path(recording.recording)


def _require_opened(source: object) -> None:
    """Raises BadOption for what is neither a recording nor results."""
    from hpaaudit.recording.reading.recording import Recording
    from hpaaudit.results.read import Results

    if not isinstance(source, Recording | Results):
        told = " ".join(repr(source).split())[:60]
        raise BadOption(f"{told} is neither a path nor what `hpaaudit.open` or `hpaaudit.replay` returned")


def recorded_span(folder: Path) -> Span:
    """Begin and end of a recording, which may be damaged. Raises NotARecording."""
    from hpaaudit.recording.reading.recording import recording_info
    from hpaaudit.recording.reading.survey import survey_recording

    surveyed = survey_recording(folder)
    info = recording_info(folder, surveyed, surveyed.segments)
    return Span(info.started_us, info.ended_us)


def open_recording(folder: RecordingPath) -> "Recording":
    """Opens a recording: what it holds, and its facts in their order.

    Raises NotARecording and DamagedRecording.
    """
    from hpaaudit.recording.reading.recording import open_recording as opened

    return opened(recording_folder(folder))
