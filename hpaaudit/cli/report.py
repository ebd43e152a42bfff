"""The command `report`."""

import os
import shlex
from pathlib import Path
from typing import Any

import click

from hpaaudit.cli.completion import hpas as completed_hpas
from hpaaudit.cli.options import (
    hpas_argument,
    message_options,
    named_hpas,
    narrowing_options,
    results_argument,
    zone_option,
)
from hpaaudit.errors import BadOption
from hpaaudit.flows.moments import Moment, moments
from hpaaudit.flows.report_files import SUFFIXES, files, named, require_writable, write


class FileOrFolder(click.Path):
    """The path of a file, or of a folder that there is: a name that ends in a slash is that of a folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path. Raises BadOption for a folder that is not there."""
        if str(value).endswith(os.sep) and not Path(value).is_dir():
            raise BadOption(f"{value} is no folder: make it with mkdir -p {shlex.quote(str(value))}")
        return Path(os.fsdecode(super().convert(value, param, ctx)))


@click.command("report", short_help="Write a replay as one HTML page.")
@results_argument()
@hpas_argument
@click.option(
    "--into",
    metavar="FILE",
    type=FileOrFolder(),
    help="Write the page here: a file, a folder (then it is report.html, or as its format is), or - to print it.  "
    "[required]",
)
@click.option("--overwrite", is_flag=True, help="Replace the file that --into names.")
@click.option(
    "-o",
    "--output",
    type=click.Choice([*SUFFIXES]),
    help="The format.  [default: as the name of FILE says, else html]",
)
@narrowing_options(completed_hpas)
@message_options()
@zone_option()
def report_command(  # noqa: PLR0913 click hands over every option
    source: Path,
    into: Path | None,
    output: str | None,
    hpas: tuple[str, ...],
    namespace: str | None,
    selector: str,
    since: Moment | None,
    until: Moment | None,
    *,
    overwrite: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Write a replay as one HTML page: what happened in a sentence, charts, changes, and reconciles explained.

    The page opens offline, loads nothing, reads without scripts, and can be printed. Other formats: markdown for a
    ticket, with an SVG beside its file, and printed without; junit for CI, where an HPA with a divergent reconcile
    fails; sarif for code scanning; perfetto for ui.perfetto.dev.

    NS/NAME, --hpa, -n, -l, --since and --until replay the recording so, into its what-if.duckdb. TIME is as in replay.

    Example: hpaaudit report friday --into friday.html

    Example: hpaaudit report friday --hpa shop/checkout --since 14:00 --until 15:00 --into checkout.html
    """
    from hpaaudit.cli.progress import ProgressLine
    from hpaaudit.flows.query import span_of
    from hpaaudit.flows.report import report
    from hpaaudit.report.progress import page_line
    from hpaaudit.report.text import fitted_to

    if into is None:
        raise click.UsageError("missing option --into FILE, or --into - to print it")
    is_printed = str(into) == "-"
    into, output = named(into, output)
    if not is_printed:
        require_writable(into, overwrite=overwrite)
    bounds = moments(span_of(source), since=since, until=until) if since or until else {}
    with ProgressLine(quiet=quiet, verbose=verbose) as progress:
        drawn = report(
            source,
            explained=output == "html",
            hpas=named_hpas(hpas, namespace),
            selector=selector,
            warn=progress.warn,
            progress=progress,
            drawing=progress.of(page_line, "drew"),
            **bounds,
        )
    with fitted_to(None):  # A file is the same whatever terminal it was made on.
        texts = files(drawn, into, output, has_pictures=not is_printed)
    if is_printed:
        click.echo("".join(texts.values()), nl=False)
        return
    for path, size in write(texts, overwrite=overwrite).items():
        click.echo(f"saved {path} ({size:,} bytes)")
