"""The command `convert`."""

from pathlib import Path

import click

from hpaaudit.cli.options import message_options


@click.command("convert", short_help="Convert HPAs to another API version.")
@click.argument("file", metavar="FILE", required=False, type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "-f",
    "--filename",
    metavar="FILE",
    type=click.Path(path_type=Path, allow_dash=True),
    help="The same as the argument FILE, as in kubectl.",
)
@click.option(
    "--to",
    metavar="VERSION",
    required=True,
    help="v2, v2beta2, v2beta1, v2alpha1 or v1 of autoscaling, or extensions/v1beta1.",
)
@click.option("-o", "--output", type=click.Choice(["yaml", "json"]), default="yaml", show_default=True)
@message_options("Do not say what the new version cannot carry.")
def convert_command(
    file: Path | None, filename: Path | None, to: str, output: str, *, quiet: bool, verbose: bool
) -> None:
    """Convert the HPAs of a file of YAML or JSON to another API version, as the API server does.

    Every version since Kubernetes 1.1 is read, filled in with defaults, and validated as by the newest API server that
    serves it; what that server refuses is refused here in its words. What the new version cannot carry is said on
    stderr. FILE may hold several documents or a List; - reads stdin.

    Example: hpaaudit convert web.yaml --to v1
    """
    from hpaaudit.cli.progress import ProgressLine
    from hpaaudit.flows.convert import convert
    from hpaaudit.report import conversion as words

    if file is not None and filename is not None:
        raise click.UsageError(f"{file} and --filename {filename} name two files")
    named = file or filename
    if named is None:
        raise click.MissingParameter(param_hint="'FILE'", param_type="argument")
    with ProgressLine(quiet=quiet, verbose=verbose) as progress:
        converted = convert(named, to=to)
        for line in words.loss_lines(converted):
            progress.warn(line)
    click.echo(words.as_yaml(converted) if output == "yaml" else words.as_json(converted), nl=False)
