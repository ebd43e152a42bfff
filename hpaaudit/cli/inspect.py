"""The command `inspect`."""

from pathlib import Path

import click

from hpaaudit.cli.completion import recordings
from hpaaudit.cli.options import output_option_of_many, zone_option


@click.command("inspect", short_help="Show what is in a recording, and what is missing.")
@click.argument("recording", metavar="DIR", type=click.Path(path_type=Path), shell_complete=recordings)
@output_option_of_many()
@zone_option()
def inspect_command(recording: Path, output: str) -> None:
    """Show what is in a recording: HPAs, reads, gaps, bytes, and which verdicts it cannot support.

    Example: hpaaudit inspect recordings/friday
    """
    from hpaaudit.flows.inspect import inspect
    from hpaaudit.report.inspect import LISTED, inspection_text
    from hpaaudit.report.structured import structured
    from hpaaudit.report.text import printable

    inspection = inspect(recording)
    if output == "name":
        text = "".join(f"{printable(hpa)}\n" for hpa in inspection.hpas)
    elif output in ("text", "wide"):
        text = inspection_text(inspection, most=LISTED if output == "text" else None)
    else:
        text = structured(inspection, output)
    click.echo(text, nl=False)
