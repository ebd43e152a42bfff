"""What a recorder says while it works: a line for a person, with a name and fields for a machine."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Self


class Event(StrEnum):
    """What was said; the names are kept, and the runbook tells each."""

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
    """How much it matters: a warning costs evidence, an error ends or stops something."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


Field = str | int | float | bool | None


class Note(str):
    """A line as a person reads it, `event` and `fields` as a machine does; a plain line is a warning named `note`."""

    __slots__ = ("event", "fields", "level")

    event: Event
    level: Level
    fields: Mapping[str, Field]

    def __new__(cls, line: str, event: Event = Event.NOTE, level: Level = Level.WARNING, **fields: Field) -> Self:
        """Make one of its parts."""
        made = super().__new__(cls, line)
        made.event, made.level, made.fields = event, level, fields
        return made
