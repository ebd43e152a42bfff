"""Counts messages that repeat, instead of repeating them."""

from dataclasses import dataclass, field

from hpaaudit.model.note import Event, Note

PERIOD_SECONDS = 60
"""A message is said once in that time."""
OF_AN_EVENT = 60
"""So many messages of one event are said in that time, however they differ."""
KEPT = 500
"""So many messages are told apart; beyond that they are counted by their event alone."""
ALWAYS = (Event.PROGRESS, Event.ENDED, Event.FAILED, Event.CRASHED)
"""Said whenever they are told: they come once, or once a minute."""


@dataclass(slots=True)
class _Said:
    """A message since it was said last; `more` counts what was held back since."""

    note: Note
    at_seconds: float
    more: int = 0


@dataclass(slots=True)
class Repeats:
    """What was said lately."""

    said: dict[str, _Said] = field(default_factory=dict)
    events: dict[Event, _Said] = field(default_factory=dict)

    def take(self, line: str, now_seconds: float) -> list[Note]:
        """What is to be said now that somebody tells this: itself or not, and before it what is overdue."""
        note = line if isinstance(line, Note) else Note(line)
        if note.event in ALWAYS:
            return [*self.due(now_seconds), note]
        found = self.due(now_seconds)
        if known := self.said.get(note):
            known.more += 1
            return found
        of_event = self.events.setdefault(note.event, _Said(note, now_seconds, -OF_AN_EVENT))
        of_event.more += 1
        if of_event.more > 0 or len(self.said) >= KEPT:
            of_event.note, of_event.more = note, max(of_event.more, 1)
            return found
        self.said[note] = _Said(note, now_seconds)
        return [*found, note]

    def due(self, now_seconds: float) -> list[Note]:
        """Counts of what was held back and whose time is over; to be asked now and then."""
        found = []
        for text, one in list(self.said.items()):
            if now_seconds - one.at_seconds >= PERIOD_SECONDS:
                del self.said[text]
                if one.more:
                    found.append(_counted(one, "the same", now_seconds))
        for event, one in list(self.events.items()):
            if now_seconds - one.at_seconds >= PERIOD_SECONDS:
                del self.events[event]
                if one.more > 0:
                    found.append(_counted(one, f"{event}", now_seconds))
        return found


def _counted(one: _Said, what: str, now_seconds: float) -> Note:
    line = f"{one.note} ({one.more} more of {what} in {round(now_seconds - one.at_seconds)} s)"
    return Note(line, one.note.event, one.note.level, **{**one.note.fields, "repeated": one.more})
