"""Formats times, durations and quantities, and makes text safe to print."""

import shlex
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from hpaaudit.api.zone import in_zone
from hpaaudit.model.units import SECOND, Micros, Milli

WIDTH = 79
"""The columns of a page on a terminal that has as many, and in a pipe."""

_IN_USE: ContextVar[int] = ContextVar("width", default=WIDTH)
_TERMINAL: ContextVar[int | None] = ContextVar("terminal", default=None)
# Control, format (bidirectional overrides among them) and surrogate characters, line and paragraph separators.
_UNSAFE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def use_terminal(columns: int) -> None:
    """Fits pages to a terminal of so many columns from now on: text to 79 at most, tables to all of them."""
    _IN_USE.set(min(columns, WIDTH))
    _TERMINAL.set(columns)


@contextmanager
def fitted_to(columns: int | None) -> Iterator[None]:
    """Fits pages to so many columns for a while; None: as in a pipe, whatever terminal there is."""
    tokens = _IN_USE.set(WIDTH if columns is None else min(columns, WIDTH)), _TERMINAL.set(columns)
    try:
        yield
    finally:
        _IN_USE.reset(tokens[0])
        _TERMINAL.reset(tokens[1])


def page_width() -> int:
    """The columns that a page has."""
    return _IN_USE.get()


def table_width() -> int | None:
    """The columns that a table of a page may have; None in a pipe, where nothing is cut."""
    return _TERMINAL.get()


def printable(text: str) -> str:
    r"""The text with every character that could control a terminal escaped, as in `\x1b`."""
    return "".join(
        character.encode("unicode_escape").decode() if unicodedata.category(character) in _UNSAFE else character
        for character in text
    )


def pasteable(text: str) -> str:
    """The text quoted as one word of a shell command."""
    return shlex.quote(printable(text))


def clock(at_us: Micros) -> str:
    """The time of day, truncated to the second: `14:05:19Z`, in another zone `15:05:19+01:00`."""
    return in_zone(at_us)[11:]


@dataclass(frozen=True, slots=True)
class Clock:
    """Formats times truncated to the second: the time of day where all of a page lies on one day, else with the date.

    first_us, last_us   the times that the page covers
    """

    first_us: Micros
    last_us: Micros

    def __call__(self, at_us: Micros) -> str:
        """`14:05:19Z`, or `2026-03-02T14:05:19Z` where the time of day alone may be that of another day."""
        days = {in_zone(us)[:10] for us in (self.first_us, at_us, self.last_us)}
        return clock(at_us) if len(days) == 1 else in_zone(at_us)

    def seen(self, at_us: Micros, after_us: Micros | None) -> str:
        """`by 14:05:19Z` of what nobody saw happen: it was after one time, and not after the other one."""
        return self(at_us) if after_us is None else f"by {self(at_us)}"


def releases_in_turn(first: str, later: Sequence[tuple[Micros, str]], clock: Clock) -> str:
    """`1.20.15, from 14:20:00Z 1.36.3`: the release of the first controller process, and those that came later."""
    return ", ".join([first, *(f"from {clock(at_us)} {release}" for at_us, release in later)])


def stamp(at_us: Micros) -> str:
    """RFC 3339 with all digits, so that it can be pasted back."""
    fraction = f"{at_us % SECOND:06d}".rstrip("0")
    whole = in_zone(at_us)
    return f"{whole[:19]}.{fraction}{whole[19:]}" if fraction else whole


def duration(seconds: float) -> str:
    """A duration: `22s`, `5m 00s`, `2h 05m`."""
    whole = round(seconds)
    if whole < 60:  # noqa: PLR2004 seconds in a minute
        return f"{whole}s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:  # noqa: PLR2004 minutes in an hour
        return f"{minutes}m {rest:02d}s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h {minutes:02d}m"


def duration_between(begin_us: Micros, end_us: Micros) -> str:
    """The duration between two times."""
    return duration((end_us - begin_us) / SECOND)


def quantity(milli: Milli | int) -> str:
    """A quantity as Kubernetes writes it: `2`, `1160m`."""
    whole, rest = divmod(milli, 1000)
    return str(whole) if not rest else f"{milli}m"


def paragraph(text: str, indent: str = "  ") -> str:
    """The text, printable, wrapped and indented."""
    return _filled(printable(text), page_width(), indent, indent)


def one_line(text: str, hanging: str = "  ") -> str:
    """The text, printable, in one line; on a terminal that is too narrow it goes on below, indented."""
    width = table_width()
    return printable(text) if width is None else _filled(printable(text), width, "", hanging)


def side_by_side(parts: Iterable[str], indent: str = "") -> str:
    """Parts of a line, printable; on a terminal that is too narrow some stand below the others."""

    def indented(part: str) -> list[str]:
        return one_line(f"{indent}{part}", f"{indent}  ").split("\n")

    return "\n".join(beside(map(printable, parts), table_width(), indented))


def beside(
    parts: Iterable[str], width: int | None, lines_of: Callable[[str], list[str]] = lambda part: [part]
) -> list[str]:
    """The lines of parts that stand beside each other as long as these fit; none is cut.

    width      of a line; None: all fit
    lines_of   the lines of a part that is the first of one
    """
    lines: list[str] = []
    for part in parts:
        if lines and (width is None or len(f"{lines[-1]}   {part}") <= width):
            lines[-1] += f"   {part}"
        else:
            lines += lines_of(part)
    return lines


def _filled(text: str, width: int, first: str, later: str) -> str:
    return textwrap.fill(
        text,
        width,
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )
