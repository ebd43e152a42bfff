"""Shows the progress of long work on a terminal."""

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

import click

PATIENCE_SECONDS = 2.0
"""Work that takes less than this shows no progress."""

EVERY_SECONDS = 0.2

Line = Callable[[int, int, float], str]
"""Words the progress: how much is done, of how much, in how many seconds."""


class ProgressLine:
    """A line on stderr that is overwritten, and removed at the end. Nothing is shown in a pipe, or if `quiet`.

    verbose   at the end, a line says how long each step took
    """

    def __init__(self, *, quiet: bool, verbose: bool = False) -> None:
        self._is_quiet = quiet
        self._is_silent = quiet or not sys.stderr.isatty()
        self._begun_s = time.monotonic()
        self._due_s = self._begun_s + PATIENCE_SECONDS
        self._is_shown = False
        self._is_verbose = verbose
        self._steps: list[tuple[str, float]] = [("opened", self._begun_s)]

    def __call__(self, decided: int, planned: int) -> None:
        """Shows how far a replay is."""
        from hpaaudit.report.progress import replay_line

        self._enter("decided" if decided < planned else "compared")
        self._show(replay_line, decided, planned, self._begun_s)

    def of(self, line: Line, step: str) -> Callable[[int, int], None]:
        """Shows progress of other work than a replay: in the words of `line`, timed from the first call.

        step   what it does, in the past tense
        """
        begun_s = None

        def show(done: int, planned: int) -> None:
            nonlocal begun_s
            begun_s = time.monotonic() if begun_s is None else begun_s
            self._enter(step)
            self._show(line, done, planned, begun_s)

        return show

    def _enter(self, step: str) -> None:
        """Notes when a step begins."""
        if self._is_verbose and self._steps[-1][0] != step:
            self._steps.append((step, time.monotonic()))

    def warn(self, text: str) -> None:
        """Prints a warning where the progress stands; nothing if `quiet`."""
        from hpaaudit.cli.warn import warn

        if not self._is_quiet:
            self._clear()
            warn(text)

    def _show(self, line: Line, done: int, planned: int, begun_s: float) -> None:
        """Overwrites the line, at most five times a second, and once more when everything is done."""
        if self._is_silent:
            return
        now_s = time.monotonic()
        if (now_s < self._due_s and done < planned) or now_s < begun_s + PATIENCE_SECONDS:
            return
        self._due_s = now_s + EVERY_SECONDS
        self._is_shown = True
        self._print(line(done, planned, now_s - begun_s))

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
        if self._is_verbose:
            from hpaaudit.report.progress import steps_line

            click.echo(steps_line(self._steps, time.monotonic()), err=True)
