"""Messages of the recorder: a line for people, with a name and fields for machines."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Self


class Event(StrEnum):
    """The names of messages. They do not change, and the runbook explains each."""

    STARTED = "recording_started"
    ENDED = "recording_ended"
    PROGRESS = "progress"
    LISTENING = "listening"
    UNTRUSTED = "server_untrusted"
    ESTIMATE = "estimate"
    STREAM_REFUSED = "stream_refused"
    METRICS_UNSERVED = "metrics_unserved"
    METRIC_UNKNOWN = "metric_unknown"
    OBJECT_REFUSED = "object_refused"
    TARGET_UNKNOWN = "target_unknown"
    RESUMED = "recording_resumed"
    SEGMENT_SEALED = "segment_sealed"
    RECORDING_SEALED = "recording_sealed"
    UNLOCKED = "unlocked"
    DISK_REFUSED = "disk_refused"
    DISK_RECOVERED = "disk_recovered"
    RETENTION_FAILED = "retention_failed"
    SEGMENT_DAMAGED = "segment_damaged"
    UPLOAD_FAILED = "upload_failed"
    UPLOAD_RECOVERED = "upload_recovered"
    UPLOAD_REFUSED = "upload_refused"
    UPLOAD_UNFINISHED = "upload_unfinished"
    FAILED = "failed"
    CRASHED = "crashed"
    NOTE = "note"
    LOG = "log"


class Level(StrEnum):
    """The severity: a warning means that evidence is lost, an error that something stops."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


Field = str | int | float | bool | None


class Note(str):
    """A message: the line for people; `event` and `fields` for machines. A plain line is a warning named `note`."""

    __slots__ = ("event", "fields", "level")

    event: Event
    level: Level
    fields: Mapping[str, Field]

    def __new__(cls, line: str, event: Event = Event.NOTE, level: Level = Level.WARNING, **fields: Field) -> Self:
        """Make a message of its parts."""
        note = super().__new__(cls, line)
        note.event, note.level, note.fields = event, level, fields
        return note
