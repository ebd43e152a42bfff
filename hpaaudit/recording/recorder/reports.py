"""Words what a recorder's writer reports: segments, a disk that refuses, values that cannot be stored."""

from collections.abc import Callable
from pathlib import Path

from hpaaudit.model.facts import Refused
from hpaaudit.model.note import Event, Level, Note
from hpaaudit.recording.recorder.recover import RecoveredRecording
from hpaaudit.recording.writing.recording_folder import RecordingFolder

MAX_REASONS = 100
"""So many different reasons are reported why a value cannot be stored. The rows go on after that."""


class Reports:
    """Calls `note` with a line for each thing that whoever runs the recorder should know."""

    def __init__(self, folder: Path, note: Callable[[str], None]) -> None:
        self.folder, self.note = folder, note
        self._reasons: set[str] = set()

    def continued(self, recovered: RecoveredRecording) -> None:
        """The recording continues."""
        line = f"continuing in {self.folder}: {recovered.cause}"
        quarantined = len(recovered.quarantined)
        self.note(Note(line, Event.RESUMED, facts=recovered.recording.facts, set_aside=quarantined))

    def value_refused(self, refused: Refused) -> None:
        """A value cannot be stored. Each reason is reported once; each value has a row."""
        if refused.reason in self._reasons or len(self._reasons) >= MAX_REASONS:
            return
        self._reasons.add(refused.reason)
        name = "/".join(part for part in (refused.namespace, refused.name) if part) or refused.path
        line = f"a value of {name} cannot be stored, everything else is: {refused.reason}"
        self.note(Note(line, Event.OBJECT_REFUSED, path=refused.path, reason=refused.reason))

    def segment_sealed(self, recording: RecordingFolder) -> None:
        """A segment is on the disk."""
        line = f"segment {recording.segments} of {self.folder} is whole"
        self._hash(line, Event.SEGMENT_SEALED, recording, segment=recording.segments)

    def recording_sealed(self, recording: RecordingFolder) -> None:
        """The recording is complete."""
        line = f"{self.folder} is complete"
        self._hash(line, Event.RECORDING_SEALED, recording, segments=recording.segments)

    def _hash(self, line: str, event: Event, recording: RecordingFolder, **fields: int) -> None:
        """The last hash. It leads to every byte before it, and proves them if it is kept elsewhere."""
        facts, sha256 = recording.facts, recording.previous
        self.note(Note(f"{line}, its hash is {sha256}", event, Level.INFO, **fields, facts=facts, sha256=sha256))

    def disk_refused(self, reason: str) -> None:
        """The disk refuses writes."""
        line = f"{self.folder}: {reason}; new facts wait in memory until it accepts writes again"
        self.note(Note(line, Event.DISK_REFUSED, Level.ERROR))

    def disk_recovered(self, shed: int) -> None:
        """The disk accepts writes again. `shed` is the number of gaps and states that follow."""
        line = f"{self.folder}: the disk accepts writes again" + (
            "; what memory could not hold is a gap" if shed else ""
        )
        self.note(Note(line, Event.DISK_RECOVERED, gaps=shed))
