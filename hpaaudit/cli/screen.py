"""The terminal that a page is drawn for: its width, its characters and its colours."""

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hpaaudit.model.units import Micros
    from hpaaudit.report.timeline import Screen

NARROWEST, WIDEST = 40, 250
"""What a page can use, in columns. On a narrower terminal its text is wrapped by the terminal."""


def screen(
    *,
    width: int | None = None,
    is_ascii: bool = False,
    color: str = "auto",
    first_us: "Micros | None" = None,
    last_us: "Micros | None" = None,
) -> "Screen":
    """The screen of this process.

    width      in columns; None: that of a page, 79 or as many as the terminal has
    is_ascii   draw with ASCII characters, as on an output that knows no others
    color      always, never, or auto: on a terminal that has them, unless NO_COLOR is set or CLICOLOR is 0; with
               CLICOLOR_FORCE also in a pipe
    """
    from hpaaudit.report.chart import ASCII, UNICODE
    from hpaaudit.report.paint import coloured, plain
    from hpaaudit.report.text import page_width
    from hpaaudit.report.timeline import Screen

    return Screen(
        width=width or page_width(),
        first_us=first_us,
        last_us=last_us,
        glyphs=ASCII if is_ascii or not _can_write(UNICODE.unseen) else UNICODE,
        paint=coloured if _has_colours(color) else plain,
    )


def has_terminal() -> bool:
    """True if a person types and reads."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def fit_terminal() -> None:
    """Lets pages and their tables be no wider than the terminal. In a pipe they have their usual width."""
    columns = terminal_columns() if sys.stdout.isatty() else 0
    if columns >= NARROWEST:
        from hpaaudit.report.text import use_terminal

        use_terminal(columns)


def terminal_width() -> int | None:
    """The width of the terminal, within what a chart can use; None without a terminal."""
    if not sys.stdout.isatty():
        return None
    return min(max(terminal_columns(), NARROWEST), WIDEST)


def terminal_columns() -> int:
    """How wide the terminal is, as it says or as `COLUMNS` does."""
    from shutil import get_terminal_size

    return get_terminal_size().columns


def _can_write(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _has_colours(asked: str) -> bool:
    if asked != "auto":
        return asked == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("CLICOLOR_FORCE", "0") != "0":
        return True
    return sys.stdout.isatty() and os.environ.get("CLICOLOR") != "0" and os.environ.get("TERM") != "dumb"
