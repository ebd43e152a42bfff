"""The command `releases`."""

import click


@click.command("releases", short_help="Show what each Kubernetes release changed.")
@click.option(
    "--between", nargs=2, metavar="RELEASE RELEASE", help="Only what differs between these two, as 1.15 and 1.28.1."
)
@click.option(
    "-o", "--output", type=click.Choice(["text", "json", "yaml", "markdown"]), default="text", show_default=True
)
def releases_command(between: tuple[str, str] | None, output: str) -> None:
    """Show what each Kubernetes release changed in the HPA: its rules, gates, flags and API versions.

    Each line has the name that --with and --without of `hpaaudit replay` take, upstream's reference, and how we know.

    Example: hpaaudit releases --between 1.15 1.28
    """
    from hpaaudit.flows.releases import releases
    from hpaaudit.report.releases import releases_json, releases_markdown, releases_text, releases_yaml

    words = {"text": releases_text, "json": releases_json, "yaml": releases_yaml, "markdown": releases_markdown}
    click.echo(words[output](releases(between)), nl=False)
