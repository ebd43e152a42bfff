"""The command `verify`."""

import re
from pathlib import Path

import click

DAMAGED = 2
"""Exit code: a replay of this recording would be refused."""


def head_hash(text: str) -> str:
    """Reads a head hash."""
    if not re.fullmatch("[0-9a-f]{64}", text.strip().lower()):
        raise click.BadParameter(f"{text!r} is no hash: give the 64 digits that verify or record said")
    return text.strip().lower()


@click.command("verify", short_help="Check every checksum of a recording.")
@click.argument("recording", metavar="DIR", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Choice(["text", "json", "head"]), default="text", show_default=True)
@click.option("--expect", metavar="HASH", type=head_hash, help="The head hash, of now or of before, as kept elsewhere.")
def verify_command(recording: Path, output: str, expect: str | None) -> None:
    """Check every checksum of a recording and read every fact again.

    Exit code 2: it is damaged, or not the recording that --expect stands for. -o head says the head hash alone.

    Example: hpaaudit verify recordings/friday
    """
    from hpaaudit.flows.verify import verify
    from hpaaudit.report.inspect import as_json, verification_text

    found = verify(recording, expect=expect)
    bad = bool(found.damages) or (found.anchor is not None and not found.anchor.found)
    if output == "head":
        click.echo(verification_text(found) if bad else f"{found.head}\n", nl=False, err=bad)
    else:
        click.echo(as_json(found) if output == "json" else verification_text(found), nl=False)
    if bad:
        click.get_current_context().exit(DAMAGED)
