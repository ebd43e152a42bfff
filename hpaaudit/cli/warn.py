"""Prints warnings on stderr."""

import click

from hpaaudit.flows.options import Warn, ignore_warning


def warner(*, quiet: bool) -> Warn:
    """Prints warnings, or drops them if the user wants quiet."""
    return ignore_warning if quiet else warn


def warn(line: str) -> None:
    """Prints a line. Control characters in names are escaped."""
    from hpaaudit.report.text import printable

    click.echo(printable(line), err=True)
