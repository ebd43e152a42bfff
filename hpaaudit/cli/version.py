"""The command `version`."""

import click

from hpaaudit.cli.options import message_options, output_option


@click.command("version", short_help="Show what is installed, and which releases it knows.")
@output_option()
@message_options()
def version_command(output: str, *, quiet: bool, verbose: bool) -> None:
    """Show the versions of hpaaudit, of the format of recordings, and of the Kubernetes releases that it knows.

    Example: hpaaudit version
    """
    from hpaaudit.cli.progress import ProgressLine
    from hpaaudit.flows.versions import versions
    from hpaaudit.report.structured import structured
    from hpaaudit.report.versions import versions_fields, versions_text

    with ProgressLine(quiet=quiet, verbose=verbose):
        installed = versions()
    click.echo(
        versions_text(installed) if output == "text" else structured(versions_fields(installed), output), nl=False
    )
