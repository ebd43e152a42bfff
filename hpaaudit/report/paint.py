"""Colours for a terminal. Without colours every text stays as it is."""

from collections.abc import Callable

Paint = Callable[[str, str], str]
"""A text and its role to what the terminal prints. Roles: `other`, `quiet`, `bad`, `doubtful`, `title`."""

_CODES = {"other": "31", "bad": "31;1", "doubtful": "33", "quiet": "2", "title": "1"}


def plain(text: str, role: str) -> str:  # noqa: ARG001 the role has no effect here
    """The text without a colour."""
    return text


def coloured(text: str, role: str) -> str:
    """The text in the colour of its role, by an escape sequence that every terminal knows."""
    return f"\x1b[{_CODES[role]}m{text}\x1b[0m" if text else text
