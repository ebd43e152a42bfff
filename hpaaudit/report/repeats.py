"""Rate-limits the log: a repeated message is counted instead of written again."""

from dataclasses import dataclass, field

from hpaaudit.model.note import Event, Note

PERIOD_SECONDS = 60
"""The same message is written once in this time."""
OF_AN_EVENT = 60
"""The most messages of one event in this time, even if they differ."""
KEPT = 500
"""The most messages that are counted separately. Further ones are counted by their event."""
ALWAYS = (Event.PROGRESS, Event.ENDED, Event.FAILED, Event.CRASHED)
"""Events that are never limited: they come once, or once a minute."""


@dataclass(slots=True)
class _Written:
    """A message that was written; `more` counts the repeated ones since then."""

    note: Note
    at_seconds: float
    more: int = 0


@dataclass(slots=True)
class Repeats:
    """The messages of the last minute."""

    written: dict[str, _Written] = field(default_factory=dict)
    events: dict[Event, _Written] = field(default_factory=dict)

    def take(self, line: str, now_seconds: float) -> list[Note]:
        """The messages to write now: counts that are due, then this message unless it is a repeated one."""
        note = line if isinstance(line, Note) else Note(line)
        if note.event in ALWAYS:
            return [*self.due(now_seconds), note]
        notes = self.due(now_seconds)
        if earlier := self.written.get(note):
            earlier.more += 1
            return notes
        of_event = self.events.setdefault(note.event, _Written(note, now_seconds, -OF_AN_EVENT))
        of_event.more += 1
        if of_event.more > 0 or len(self.written) >= KEPT:
            of_event.note, of_event.more = note, max(of_event.more, 1)
            return notes
        self.written[note] = _Written(note, now_seconds)
        return [*notes, note]

    def due(self, now_seconds: float) -> list[Note]:
        """Counts of repeated messages whose minute is over. Call it regularly."""
        notes = []
        for text, written in list(self.written.items()):
            if now_seconds - written.at_seconds >= PERIOD_SECONDS:
                del self.written[text]
                if written.more:
                    notes.append(_counted(written, "the same", now_seconds))
        for event, written in list(self.events.items()):
            if now_seconds - written.at_seconds >= PERIOD_SECONDS:
                del self.events[event]
                if written.more > 0:
                    notes.append(_counted(written, f"{event}", now_seconds))
        return notes


def _counted(written: _Written, what: str, now_seconds: float) -> Note:
    line = f"{written.note} ({written.more} more of {what} in {round(now_seconds - written.at_seconds)} s)"
    return Note(line, written.note.event, written.note.level, **{**written.note.fields, "repeated": written.more})
