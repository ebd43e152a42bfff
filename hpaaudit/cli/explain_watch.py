"""`explain --watch`: steps through the reconciles of an HPA in the terminal, with the arrow keys."""

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

import click

from hpaaudit.report.text import beside

KEYS = ("arrows: step, scroll", "d, D: divergence", "home, end", "?: keys", "q: leave")
HELP = (
    ("left, right", "the reconcile before, or after (h, l, space)"),
    ("page up, page down", "ten reconciles back, or on"),
    ("home, end", "the first reconcile, or the last one"),
    ("d, D", "the next divergent reconcile, or the one before"),
    ("up, down", "scroll (k, j)"),
    ("?", "these keys; any key leads back"),
    ("q, Esc, Ctrl-C", "leave"),
)
"""Every key with what it does."""
HELP_FOOT = "any key: back"
PAGE = 10
"""So many reconciles lie between two pages."""
STEPS = {"\x1b[D": "left", "\x1b[C": "right", "\x1b[A": "up", "\x1b[B": "down", "\x1b[H": "home", "\x1b[F": "end"}
STEPS |= {code.replace("[", "O"): key for code, key in STEPS.items()}  # terminals in application mode
STEPS |= {"\x1b[1~": "home", "\x1b[4~": "end", "h": "left", "l": "right", "k": "up", "j": "down", " ": "right"}
STEPS |= {"\x1b[5~": "page up", "\x1b[6~": "page down"}
LEAVE = ("q", "\x1b", "\x03", "\x04")
CLEAR = "\x1b[H\x1b[2J"
ENTER, RESTORE = "\x1b[?1049h", "\x1b[?1049l"
"""To the terminal's other screen, and back to what stood on it before."""
_KEY = re.compile(r"\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Za-z])?|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class View:
    """What the terminal shows: the reconcile `at`, scrolled to `line` of its explanation, or what each key does."""

    at: int
    line: int = 0
    has_keys: bool = False


def moved(view: View, key: str, divergent: Sequence[bool]) -> View:
    """What is shown after a key, with what is known of each reconcile. An unknown key changes nothing."""
    if view.has_keys:
        return replace(view, has_keys=False)
    last = len(divergent) - 1
    views = {
        "left": View(max(view.at - 1, 0)),
        "right": View(min(view.at + 1, last)),
        "page up": View(max(view.at - PAGE, 0)),
        "page down": View(min(view.at + PAGE, last)),
        "home": View(0),
        "end": View(last),
        "up": replace(view, line=max(view.line - 1, 0)),
        "down": replace(view, line=view.line + 1),
        "?": replace(view, has_keys=True),
        "d": View(next((at for at in range(view.at + 1, last + 1) if divergent[at]), view.at)),
        "D": View(next((at for at in reversed(range(view.at)) if divergent[at]), view.at)),
    }
    return views.get(STEPS.get(key, key), view)


def watch(divergent: Sequence[bool], first: int, text_of: Callable[[int], str]) -> None:
    """Shows one reconcile at a time until the user leaves, with what is known of each one.

    Ctrl-C leaves too, at whatever instant it comes: also between the foot on the screen and the read of the next key.

    first     the number of the one that is shown first
    text_of   the explanation of the reconcile with this number
    """
    view, shown, lines = View(first), -1, list[str]()
    with suppress(KeyboardInterrupt), _other_screen(), _keys() as keys:
        while True:
            columns, rows = shutil.get_terminal_size()
            if shown != view.at:
                lines, shown = text_of(view.at).splitlines(), view.at
            fitting = help_lines(columns) if view.has_keys else _wrapped(lines, columns)
            parts = (HELP_FOOT, KEYS[-1]) if view.has_keys else (f"{view.at + 1} of {len(divergent)}", *KEYS)
            foot = beside(parts, columns - 1)
            room = max(rows - 1 - len(foot), 1)
            first_line = 0 if view.has_keys else min(view.line, max(len(fitting) - room, 0))
            page = fitting[first_line : first_line + room]
            below = "\n" * (room + 1 - len(page)) + "\n".join(foot)
            click.echo(CLEAR + "\n".join(page) + below, nl=False, color=True)
            key = next(keys, LEAVE[0])
            if key in LEAVE:
                return
            view = moved(view if view.has_keys else replace(view, line=first_line), key, divergent)


def _wrapped(lines: Sequence[str], columns: int) -> list[str]:
    """The lines as the terminal has room for them."""
    return [part for line in lines for part in textwrap.wrap(line, columns, drop_whitespace=False) or [""]]


def help_lines(columns: int) -> list[str]:
    """Every key with what it does, no line wider than the terminal."""
    width = max(len(keys) for keys, _ in HELP)
    return [
        line
        for keys, words in HELP
        for line in textwrap.wrap(f"  {keys:<{width}}  {words}", columns, subsequent_indent=" " * (width + 4))
    ]


@contextmanager
def _other_screen() -> Iterator[None]:
    """Draws on the terminal's other screen, and leaves it however that ends: what stood there before is back."""
    click.echo(ENTER, nl=False, color=True)
    try:
        yield
    finally:
        click.echo(RESTORE, nl=False, color=True)


@contextmanager
def _keys() -> Iterator[Iterator[str]]:
    """Reads the keys that the user presses, until the end of input. None is lost while a page is drawn."""
    try:
        import termios
        import tty
    except ImportError:  # not on Unix
        yield iter(click.getchar, "")
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal, termios.TCSADRAIN)
        yield _pressed(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _pressed(terminal: int) -> Iterator[str]:
    while keys := os.read(terminal, 1024).decode(errors="replace"):
        yield from _KEY.findall(keys)
