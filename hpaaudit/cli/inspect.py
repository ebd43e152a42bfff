"""The command `inspect`."""

from pathlib import Path

import click


@click.command("inspect", short_help="Show what is in a recording, and what is missing.")
@click.argument("recording", metavar="DIR", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True)
def inspect_command(recording: Path, output: str) -> None:
    """Show what is in a recording: HPAs, reads, gaps, bytes, and which verdicts it cannot support.

    Example: hpaaudit inspect recordings/friday
    """
    from hpaaudit.flows.inspect import inspect
    from hpaaudit.report.inspect import as_json, inspection_text

    inspection = inspect(recording)
    click.echo(as_json(inspection) if output == "json" else inspection_text(inspection), nl=False)
