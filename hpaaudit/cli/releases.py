"""The command `releases`."""

import click

from hpaaudit.cli.options import headings_option, message_options, output_option_with


@click.command("releases", short_help="Show what each Kubernetes release changed.")
@click.option(
    "--between", nargs=2, metavar="RELEASE RELEASE", help="Only what differs between these two, as 1.15 and 1.28.1."
)
@output_option_with("name lists what changed", "markdown", wide="wide is a table with a line for each change")
@headings_option()
@message_options()
def releases_command(between: tuple[str, str] | None, output: str, *, quiet: bool, verbose: bool) -> None:
    """Show what each Kubernetes release changed in the HPA: its rules, gates, flags and API versions.

    Each line has the name that --with and --without of `hpaaudit replay` take, upstream's reference, and how we know.

    Example: hpaaudit releases --between 1.15 1.28
    """
    from hpaaudit.cli.progress import ProgressLine
    from hpaaudit.flows.releases import releases
    from hpaaudit.report import releases as words

    forms = {
        "text": words.releases_text,
        "wide": words.releases_table,
        "name": words.releases_names,
        "json": words.releases_json,
        "yaml": words.releases_yaml,
        "markdown": words.releases_markdown,
    }
    with ProgressLine(quiet=quiet, verbose=verbose):
        text = forms[output](releases(between))
    click.echo(text, nl=False)
