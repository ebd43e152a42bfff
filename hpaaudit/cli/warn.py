"""Says on stderr what a user should know of an answer."""

import click


def warn(line: str) -> None:
    """A line that steers no terminal, whatever names it holds."""
    from hpaaudit.report.text import printable

    click.echo(printable(line), err=True)
