"""The command `repair`."""

from pathlib import Path

import click


@click.command("repair", short_help="Keep what can be read of a damaged recording.")
@click.argument("recording", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--plan", is_flag=True, help="Only tell what would be done.")
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True)
def repair_command(recording: Path, plan: bool, output: str) -> None:
    """Make a damaged recording sound: keep all that can be read, set aside what cannot, and note it as a gap.

    Nothing is deleted: what is damaged is moved to quarantine/ in the recording.

    Example: hpaaudit repair recordings/friday --plan
    """
    from hpaaudit.flows.repair import repair
    from hpaaudit.report.inspect import as_json
    from hpaaudit.report.repair import repair_text

    found = repair(recording, plan=plan)
    click.echo(as_json(found) if output == "json" else repair_text(found), nl=False)
