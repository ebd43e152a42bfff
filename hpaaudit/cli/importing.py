"""The command `import`, one subcommand for each kind of history."""

from pathlib import Path

import click


@click.group("import", short_help="Make a recording of history that somebody else kept.")
def import_command() -> None:
    """Make a recording of history that somebody else kept.

    Example: hpaaudit import capture incident.jsonl.gz --into recordings/incident
    """


@import_command.command("capture", short_help="Answers of the Kubernetes API, as JSON lines.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--into", metavar="DIR", required=True, type=click.Path(path_type=Path), help="A new folder.")
def capture(files: tuple[Path, ...], into: Path) -> None:
    """Make a recording of captures: answers of the Kubernetes API as JSON lines, plain, gzip or zstd.

    Example: hpaaudit import capture incident.jsonl.gz --into recordings/incident
    """
    from hpaaudit.flows.importing import import_capture
    from hpaaudit.report.text import counted, printable

    done = import_capture(files, into=into)
    click.echo(f"imported {counted(done.facts, 'fact')} into {into}", err=True)
    for kind, count in done.ignored:
        click.echo(f"ignored  {counted(count, 'line')}: {printable(kind)}", err=True)
    click.echo(f"next     hpaaudit replay {into}", err=True)
