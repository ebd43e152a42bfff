"""Formats the recorder's log as JSON lines in ASCII, so that no name in them can control a terminal."""

import json
from dataclasses import asdict

from hpaaudit.api.times import precise
from hpaaudit.model.note import Event, Level, Note
from hpaaudit.model.recorder_plan import Progress
from hpaaudit.model.units import Micros
from hpaaudit.report.progress import progress_line


def log_line(at_us: Micros, message: str) -> str:
    """One line without its newline: time, level, event, message, then the fields of the event."""
    note = message if isinstance(message, Note) else Note(message)
    head = {"time": precise(at_us), "level": note.level, "event": note.event, "message": str(note)}
    return json.dumps({**head, **note.fields})


def progress_note(progress: Progress, event: Event = Event.PROGRESS) -> Note:
    """The progress of a recorder as a log message."""
    return Note(progress_line(progress), event, Level.INFO, **asdict(progress))
