"""The command `verify`."""

import re
from pathlib import Path

import click

from hpaaudit.cli.completion import recordings
from hpaaudit.cli.options import message_options, output_option_with, zone_option

DAMAGED = 2
"""Exit code: the recording is damaged, or not the expected one."""


def head_hash(text: str) -> str:
    """Parses a head hash."""
    if not re.fullmatch("[0-9a-f]{64}", text.strip().lower()):
        raise click.BadParameter(f"{text!r} is not a hash: give the 64 digits that verify or record printed")
    return text.strip().lower()


@click.command("verify", short_help="Check every checksum of a recording.")
@click.argument("recording", metavar="DIR", type=click.Path(path_type=Path), shell_complete=recordings)
@output_option_with("name lists the damaged files, head is the head hash", "head")
@click.option(
    "--expect",
    metavar="HASH",
    type=head_hash,
    help="A head hash that was kept elsewhere, the current or an earlier one.",
)
@click.option("--deep", is_flag=True, help="Also read every fact: find what no recorder can have written. Takes long.")
@message_options("Print no progress.")
@zone_option()
def verify_command(recording: Path, output: str, expect: str | None, *, deep: bool, quiet: bool, verbose: bool) -> None:
    """Check every checksum of a recording: each byte is the one that was written.

    Exit code 2: it is damaged, or not the recording with the expected hash.

    Example: hpaaudit verify friday
    """
    from hpaaudit.cli.progress import ProgressLine
    from hpaaudit.flows.verify import verify
    from hpaaudit.report.inspect import LISTED, verification_text
    from hpaaudit.report.progress import verification_line
    from hpaaudit.report.structured import of_recording, structured
    from hpaaudit.report.text import printable

    with ProgressLine(quiet=quiet, verbose=verbose) as progress:
        verification = verify(recording, expect=expect, deep=deep, progress=progress.of(verification_line, "checked"))
    bad = bool(verification.damages) or (verification.anchor is not None and not verification.anchor.found)
    if output == "head":
        click.echo(verification_text(verification) if bad else f"{verification.head}\n", nl=False, err=bad)
    elif output == "name":
        click.echo("".join(f"{printable(damage.file)}\n" for damage in verification.damages), nl=False)
    elif output in ("text", "wide"):
        click.echo(verification_text(verification, most=LISTED if output == "text" else None), nl=False)
    else:
        click.echo(structured(of_recording(verification.info, verification), output), nl=False)
    if bad:
        click.get_current_context().exit(DAMAGED)
