"""Writes what a recorder says as JSON, one object a line, in ASCII, so that nothing in it steers a terminal."""

import json
from dataclasses import asdict

from hpaaudit.api.times import precise
from hpaaudit.model.note import Event, Level, Note
from hpaaudit.model.plan import Progress
from hpaaudit.model.units import Micros
from hpaaudit.report.progress import progress_line


def log_line(at_us: Micros, said: str) -> str:
    """The line without its end: time, level, event, message, then the fields of the event."""
    note = said if isinstance(said, Note) else Note(said)
    head = {"time": precise(at_us), "level": note.level, "event": note.event, "message": str(note)}
    return json.dumps({**head, **note.fields})


def progress_note(progress: Progress, event: Event = Event.PROGRESS) -> Note:
    """How far a recorder is, as a note."""
    return Note(progress_line(progress), event, Level.INFO, **asdict(progress))
