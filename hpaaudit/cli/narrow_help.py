"""Fits the help to a terminal that is narrower than click's narrowest page."""

from collections.abc import Iterable

import click

from hpaaudit.cli.screen import NARROWEST, terminal_columns

CLICKS_NARROWEST = 52
"""Click's page has two columns less than the terminal, and at least 50."""

OPTIONS_WIDTH = 10
"""So many columns have the names of options; what explains a longer name stands below it."""


class FittedHelp(click.HelpFormatter):
    """The help as click writes it, on a narrow terminal no wider than that."""

    def __init__(self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None) -> None:
        columns = terminal_columns()
        self._is_narrow = width is None and NARROWEST <= columns < CLICKS_NARROWEST
        super().__init__(indent_increment, columns if self._is_narrow else width, max_width)

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Writes names, each with its explanation."""
        if not self._is_narrow:
            super().write_dl(rows, col_max, col_spacing)
            return
        # The choices of an option, which are one word, begin a line of their own where they have no room behind it.
        room = self.width - self.current_indent
        fitted = [(name if len(name) <= room else name.replace(" [", "\n    ["), told) for name, told in rows]
        super().write_dl(fitted, min(col_max, OPTIONS_WIDTH), col_spacing)
