"""The command `verify`."""

from pathlib import Path

import click

DAMAGED = 2
"""Exit code: a replay of this recording would be refused."""


@click.command("verify", short_help="Check every checksum of a recording.")
@click.argument("recording", metavar="DIR", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True)
def verify_command(recording: Path, output: str) -> None:
    """Check every checksum of a recording and read every fact again. Exit code 2: it is damaged.

    Example: hpaaudit verify recordings/friday
    """
    from hpaaudit.flows.verify import verify
    from hpaaudit.report.inspect import as_json, verification_text

    found = verify(recording)
    click.echo(as_json(found) if output == "json" else verification_text(found), nl=False)
    if found.damages:
        click.get_current_context().exit(DAMAGED)
