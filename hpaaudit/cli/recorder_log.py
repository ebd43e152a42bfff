"""Writes the recorder's log to stderr: as text for a person, or as JSON lines for a log collector."""

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
    from hpaaudit.model.recorder_plan import Progress

LINE_SECONDS = 60
"""If stderr is not a terminal, a line of progress is written so often."""


class TextLog:
    """Text for a person. Progress is one line that is overwritten on a terminal, else a line per minute."""

    def __init__(self) -> None:
        from hpaaudit.report.repeats import Repeats

        self.terminal = sys.stderr.isatty()
        self.shown = 0.0
        self.repeats = Repeats()
        # Log records of libraries are written by this log too, so that repeats are counted.
        logging.basicConfig(handlers=[_LibraryLogHandler(self)], level=logging.WARNING, force=True)

    def show(self, progress: "Progress") -> None:
        """Shows progress. Called every second."""
        from hpaaudit.report.progress import progress_line

        self.write_repeats()
        if self.terminal:
            self.print(f"\r\033[K{progress_line(progress)}", ended=False)
        elif self.due(progress):
            self.print(progress_line(progress))

    def due(self, progress: "Progress") -> bool:
        """True if it is time for another line of progress."""
        due = progress.seconds - self.shown >= LINE_SECONDS
        if due:
            self.shown = progress.seconds
        return due

    def note(self, line: str) -> None:
        """Writes a message, unless the same one was written just now."""
        for note in self.repeats.take(line, time.monotonic()):
            self.write(note)

    def write_repeats(self) -> None:
        """Writes how often messages were repeated."""
        for note in self.repeats.due(time.monotonic()):
            self.write(note)

    def write(self, line: str) -> None:
        """Writes a line below the progress."""
        from hpaaudit.report.text import printable

        self.print(f"\r\033[K{printable(line)}" if self.terminal else printable(line))

    def end(self, progress: "Progress", into: object) -> None:
        """Writes the last lines."""
        from hpaaudit.report.progress import progress_line

        self.print("" if self.terminal else progress_line(progress))
        self.print(f"recorded {into}")

    @staticmethod
    def print(line: str, *, ended: bool = True) -> None:
        """Prints to stderr. If nobody reads it any more, the recording continues."""
        with suppress(OSError):
            click.echo(line, nl=ended, err=True)


class JsonLog(TextLog):
    """JSON lines for a log collector, the log records of libraries included."""

    def show(self, progress: "Progress") -> None:
        """Writes progress once a minute."""
        from hpaaudit.report.log import progress_note

        self.write_repeats()
        if self.due(progress):
            self.note(progress_note(progress))

    def write(self, line: str) -> None:
        """Writes a message as one JSON object."""
        from hpaaudit.report.log import log_line

        self.print(log_line(Micros(time.time_ns() // 1000), line))

    def end(self, progress: "Progress", into: object) -> None:
        """Writes the last message."""
        from hpaaudit.report.log import progress_note

        del into
        self.note(progress_note(progress, Event.ENDED))

    def fail(self, problem: Exception, *, expected: bool) -> None:
        """Writes the error that ended the recording, with a traceback if it was not expected."""
        if expected:
            self.note(Note(str(problem), Event.FAILED, Level.ERROR, kind=type(problem).__name__))
        else:
            trace = "".join(traceback.format_exception(problem))
            self.note(Note(repr(problem), Event.CRASHED, Level.ERROR, traceback=trace))


class _LibraryLogHandler(logging.Handler):
    """Passes the log records of Python's libraries to our own log."""

    def __init__(self, log: TextLog) -> None:
        super().__init__()
        self.log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Passes one record."""
        level = Level.ERROR if record.levelno >= logging.ERROR else Level.WARNING
        trace = "".join(traceback.format_exception(*record.exc_info)) if record.exc_info else None
        fields = {} if trace is None else {"traceback": trace}
        self.log.note(Note(record.getMessage(), Event.LOG, level, logger=record.name, **fields))
