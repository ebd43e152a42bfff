"""Prints warnings on stderr."""

import click


def warn(line: str) -> None:
    """Prints a line. Control characters in names are escaped."""
    from hpaaudit.report.text import printable

    click.echo(printable(line), err=True)
