"""The command `inspect`."""

from pathlib import Path

import click

from hpaaudit.cli.completion import recordings
from hpaaudit.cli.options import output_option, zone_option


@click.command("inspect", short_help="Show what is in a recording, and what is missing.")
@click.argument("recording", metavar="DIR", type=click.Path(path_type=Path), shell_complete=recordings)
@output_option()
@zone_option()
def inspect_command(recording: Path, output: str) -> None:
    """Show what is in a recording: HPAs, reads, gaps, bytes, and which verdicts it cannot support.

    Example: hpaaudit inspect recordings/friday
    """
    from hpaaudit.flows.inspect import inspect
    from hpaaudit.report.inspect import inspection_text
    from hpaaudit.report.structured import structured

    inspection = inspect(recording)
    click.echo(inspection_text(inspection) if output == "text" else structured(inspection, output), nl=False)
