"""Talks on stderr while a recorder works: to a person, or as JSON to whoever collects logs."""

import logging
import sys
import time
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from hpaaudit.model.note import Event, Level, Note
from hpaaudit.model.units import Micros

if TYPE_CHECKING:
    from hpaaudit.model.plan import Progress

LINE_SECONDS = 60
"""Where stderr is no terminal, a line of progress comes so often."""


class Talk:
    """To a person: progress is one line that changes on a terminal, else a line a minute."""

    def __init__(self) -> None:
        from hpaaudit.report.repeats import Repeats

        self.terminal = sys.stderr.isatty()
        self.shown = 0.0
        self.repeats = Repeats()
        # What libraries log comes through the same door, and is counted there.
        logging.basicConfig(handlers=[_Handler(self)], level=logging.WARNING, force=True)

    def show(self, progress: "Progress") -> None:
        """Called every second."""
        from hpaaudit.report.progress import progress_line

        self.catch_up()
        if self.terminal:
            self.say(f"\r\033[K{progress_line(progress)}", ended=False)
        elif self.due(progress):
            self.say(progress_line(progress))

    def due(self, progress: "Progress") -> bool:
        """Whether it is time for another line of progress."""
        due = progress.seconds - self.shown >= LINE_SECONDS
        if due:
            self.shown = progress.seconds
        return due

    def note(self, line: str) -> None:
        """A line that stays, if it was not said just now."""
        for one in self.repeats.take(line, time.monotonic()):
            self.write(one)

    def catch_up(self) -> None:
        """Say how often what was said came again."""
        for one in self.repeats.due(time.monotonic()):
            self.write(one)

    def write(self, line: str) -> None:
        """A line that stays."""
        from hpaaudit.report.text import printable

        self.say(f"\r\033[K{printable(line)}" if self.terminal else printable(line))

    def end(self, progress: "Progress", into: object) -> None:
        """The last words."""
        from hpaaudit.report.progress import progress_line

        self.say("" if self.terminal else progress_line(progress))
        self.say(f"recorded {into}")

    @staticmethod
    def say(line: str, *, ended: bool = True) -> None:
        """Whoever listened may have gone; the recording goes on."""
        with suppress(OSError):
            click.echo(line, nl=ended, err=True)


class JsonTalk(Talk):
    """To a machine: one object a line, what libraries log among them."""

    def show(self, progress: "Progress") -> None:
        """Every minute."""
        from hpaaudit.report.log import progress_note

        self.catch_up()
        if self.due(progress):
            self.note(progress_note(progress))

    def write(self, line: str) -> None:
        """A line."""
        from hpaaudit.report.log import log_line

        self.say(log_line(Micros(time.time_ns() // 1000), line))

    def end(self, progress: "Progress", into: object) -> None:
        """The last word."""
        from hpaaudit.report.log import progress_note

        del into
        self.note(progress_note(progress, Event.ENDED))

    def fail(self, problem: Exception, *, known: bool) -> None:
        """What ended the recording; where nobody foresaw it, with the way there."""
        if known:
            self.note(Note(str(problem), Event.FAILED, Level.ERROR, kind=type(problem).__name__))
        else:
            way = "".join(traceback.format_exception(problem))
            self.note(Note(repr(problem), Event.CRASHED, Level.ERROR, traceback=way))


class _Handler(logging.Handler):
    """Brings what Python's libraries log into our own lines."""

    def __init__(self, talk: Talk) -> None:
        super().__init__()
        self.talk = talk

    def emit(self, record: logging.LogRecord) -> None:
        """A line."""
        level = Level.ERROR if record.levelno >= logging.ERROR else Level.WARNING
        way = "".join(traceback.format_exception(*record.exc_info)) if record.exc_info else None
        fields = {} if way is None else {"traceback": way}
        self.talk.note(Note(record.getMessage(), Event.LOG, level, logger=record.name, **fields))
