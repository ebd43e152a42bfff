"""Shows on a terminal how far a replay is, if it takes long."""

import sys
import time
from types import TracebackType
from typing import Self

import click

PATIENCE_SECONDS = 2.0
"""A replay that takes less shows nothing."""

EVERY_SECONDS = 0.2


class ReplayProgress:
    """A line on stderr that is overwritten, and removed at the end. Nothing is shown in a pipe, or if `quiet`."""

    def __init__(self, *, quiet: bool) -> None:
        self._is_silent = quiet or not sys.stderr.isatty()
        self._begun_s = time.monotonic()
        self._due_s = self._begun_s + PATIENCE_SECONDS
        self._is_shown = False

    def __call__(self, decided: int, planned: int) -> None:
        """Overwrites the line, at most five times a second, and once more after the last reconcile."""
        now_s = time.monotonic()
        if self._is_silent or (now_s < self._due_s and decided < planned) or now_s < self._begun_s + PATIENCE_SECONDS:
            return
        from hpaaudit.report.progress import replay_line

        self._due_s = now_s + EVERY_SECONDS
        self._is_shown = True
        self._print(replay_line(decided, planned, now_s - self._begun_s))

    def warn(self, line: str) -> None:
        """Prints a warning where the progress stands."""
        from hpaaudit.cli.warn import warn

        self._clear()
        warn(line)

    def _clear(self) -> None:
        if self._is_shown:
            self._print("")
            self._is_shown = False

    def _print(self, line: str) -> None:
        click.echo(f"\r\x1b[K{line}", err=True, nl=False, color=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clear()
