"""The command `repair`."""

from dataclasses import asdict
from pathlib import Path

import click

from hpaaudit.cli.completion import recordings
from hpaaudit.cli.options import message_options, output_option


@click.command("repair", short_help="Save what can be read of a damaged recording.")
@click.argument("recording", metavar="DIR", type=click.Path(path_type=Path), shell_complete=recordings)
@click.option("--plan", is_flag=True, help="Only show what would be done.")
@output_option()
@message_options()
def repair_command(recording: Path, plan: bool, output: str, *, quiet: bool, verbose: bool) -> None:
    """Repair a damaged recording: keep what can be read, move the rest aside, and record it as a gap.

    Nothing is deleted. Damaged files are moved to quarantine/ in the recording.

    Example: hpaaudit repair friday --plan
    """
    from hpaaudit.cli.progress import ProgressLine
    from hpaaudit.flows.repair import repair
    from hpaaudit.report.repair import repair_text
    from hpaaudit.report.structured import structured

    with ProgressLine(quiet=quiet, verbose=verbose):
        repaired = repair(recording, plan=plan)
    if output == "text":
        click.echo(repair_text(repaired), nl=False)
    else:
        click.echo(structured({"recording": repaired.path, **asdict(repaired)}, output), nl=False)
