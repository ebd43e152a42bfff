"""The command `import`, with one subcommand for each kind of source."""

from pathlib import Path

import click

from hpaaudit.cli.options import message_options
from hpaaudit.model.nearest import did_you_mean


class _Imports(click.Group):
    """The kinds of sources; the error for a file in their place says where it goes."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The named command."""
        if args[0] not in self.commands and not args[0].startswith("-"):
            hint = did_you_mean(args[0], self.commands, f"there are {', '.join(self.commands)}")
            if Path(args[0]).is_file():
                hint = f"did you mean import capture {args[0]}?"
            ctx.fail(f"no source {args[0]!r}: {hint}")
        return super().resolve_command(ctx, args)


@click.group("import", cls=_Imports, short_help="Make a recording from saved answers of the Kubernetes API.")
def import_command() -> None:
    """Make a recording from saved answers of the Kubernetes API.

    Example: hpaaudit import capture incident.jsonl.gz --into recordings/incident
    """


@import_command.command("capture", short_help="From JSON lines, each with one answer.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--into",
    metavar="DIR",
    required=True,
    type=click.Path(path_type=Path),
    help="The folder of the recording; it must be new.",
)
@message_options("Print no progress.")
def capture(files: tuple[Path, ...], into: Path, *, quiet: bool, verbose: bool) -> None:
    """Make a recording from captures: answers of the Kubernetes API as JSON lines, plain, gzip or zstd; - reads stdin.

    Example: hpaaudit import capture incident.jsonl.gz --into recordings/incident
    """
    from hpaaudit.cli.progress import ProgressLine
    from hpaaudit.flows.importing import import_capture
    from hpaaudit.model.counted import counted
    from hpaaudit.report.progress import import_line
    from hpaaudit.report.text import pasteable, printable

    with ProgressLine(quiet=quiet, verbose=verbose) as progress:
        imported = import_capture(files, into=into, progress=progress.of(import_line, "read"))
    click.echo(f"imported {counted(imported.facts, 'fact')} into {into}", err=True)
    for kind, count in imported.ignored:
        click.echo(f"ignored  {counted(count, 'line')}: {printable(kind)}", err=True)
    click.echo(f"next     hpaaudit replay {pasteable(str(into))}", err=True)
