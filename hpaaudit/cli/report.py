"""The command `report`."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

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
from hpaaudit.flows.moments import Moment, moments

if TYPE_CHECKING:
    from hpaaudit.model.report import Report

SUFFIXES = {"html": "html", "markdown": "md", "junit": "xml", "sarif": "sarif", "perfetto": "json"}
"""What the name of a file ends with, by the format."""
FORMATS = {f".{suffix}": name for name, suffix in SUFFIXES.items()} | {".sarif": "sarif"}
"""The format that the name of a file asks for. A name without an ending is a page."""


@click.command("report", short_help="Write a replay as one HTML page.")
@results_argument()
@hpas_argument
@click.option(
    "--into",
    metavar="FILE",
    type=click.Path(path_type=Path),
    required=True,
    help="Write the page here: a file, a folder (then it is report.html, or as its format is), or - to print it.",
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
    into: Path,
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
    from hpaaudit.errors import NotWritable
    from hpaaudit.flows.query import span_of
    from hpaaudit.flows.report import report
    from hpaaudit.report.progress import page_line
    from hpaaudit.report.text import fitted_to

    if into.is_dir():
        output = output or "html"
        into /= f"report.{SUFFIXES[output]}"
    output = output or _format_of(into)
    is_printed = str(into) == "-"
    if not is_printed:
        _require_folder(into)
        _require_new([into], overwrite=overwrite)
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
        texts = _files(drawn, into, output, has_pictures=not is_printed)
    if is_printed:
        click.echo("".join(texts.values()), nl=False)
        return
    _require_new(texts, overwrite=overwrite)
    for path, text in texts.items():
        try:
            path.write_text(text, "utf-8")
        except OSError as error:
            raise NotWritable(f"{path} cannot be written ({error.strerror}): name another file with --into") from error
        click.echo(f"saved {path} ({len(text.encode()):,} bytes)")


def _format_of(into: Path) -> str:
    """The format that the name of a file asks for. Raises BadOption for an ending that no format has."""
    from hpaaudit.errors import BadOption

    suffix = into.suffix.lower()
    if suffix and suffix not in FORMATS:
        known = ", ".join(f"{ending} ({name})" for ending, name in FORMATS.items())
        raise BadOption(f"no report is written as {suffix}: --into takes {known}, or say the format with -o")
    return FORMATS.get(suffix, "html")


def _require_folder(into: Path) -> None:
    """Raises NotWritable for a file in a folder that does not exist, before anything is drawn."""
    from hpaaudit.errors import NotWritable
    from hpaaudit.report.text import pasteable

    if not into.parent.exists():
        folder = pasteable(str(into.parent))
        raise NotWritable(
            f"{into} cannot be written, because its folder does not exist: make it with mkdir -p {folder}"
        )


def _require_new(paths: Iterable[Path], *, overwrite: bool) -> None:
    """Raises FileExists for a file that would be replaced unasked."""
    from hpaaudit.errors import FileExists

    for path in paths:
        if path.exists() and not overwrite:
            raise FileExists(f"{path} exists: name another file with --into, or add --overwrite")


def _files(report: "Report", into: Path, output: str, *, has_pictures: bool) -> Mapping[Path, str]:
    """The texts of a format by their files.

    has_pictures   files with pictures may lie beside the first one
    """
    from hpaaudit.report.export.junit import junit
    from hpaaudit.report.export.markdown import markdown
    from hpaaudit.report.export.perfetto import perfetto
    from hpaaudit.report.export.sarif import sarif
    from hpaaudit.report.page.html import page

    if output == "markdown":
        text, pictures = markdown(report, into.stem if has_pictures else None)
        return {into: text} | {into.with_name(name): picture for name, picture in pictures.items()}
    return {into: {"html": page, "junit": junit, "sarif": sarif, "perfetto": perfetto}[output](report)}
