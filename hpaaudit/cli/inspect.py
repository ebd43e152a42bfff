"""The command `inspect`."""

from pathlib import Path

import click

from hpaaudit.cli.completion import recordings
from hpaaudit.cli.options import (
    headings_option,
    hpas_argument,
    hpas_options,
    message_options,
    named_hpas,
    output_option_of_many,
    span_options,
    zone_option,
)
from hpaaudit.flows.moments import Moment, moments


@click.command("inspect", short_help="Show what is in a recording, and what is missing.")
@click.argument("recording", metavar="DIR", type=click.Path(path_type=Path), shell_complete=recordings)
@hpas_argument
@hpas_options()
@span_options("Count what is recorded from here on.", "Count what is recorded until here.")
@output_option_of_many()
@headings_option()
@message_options()
@zone_option()
def inspect_command(  # noqa: PLR0913 click hands over every option
    recording: Path,
    hpas: tuple[str, ...],
    namespace: str | None,
    selector: str,
    since: Moment | None,
    until: Moment | None,
    output: str,
    *,
    quiet: bool,
    verbose: bool,
) -> None:
    """Show what is in a recording: HPAs, reads, gaps, bytes, and which verdicts it cannot support.

    NS/NAME, --hpa, -n and -l choose which HPAs are listed. --since and --until choose the time of HPAs, pods, targets,
    reads and gaps. Everything else is of the whole recording. TIME is as in explain.

    Example: hpaaudit inspect friday
    """
    from hpaaudit.cli.progress import ProgressLine
    from hpaaudit.flows.inspect import inspect
    from hpaaudit.flows.paths import recorded_span
    from hpaaudit.report.inspect import LISTED, inspection_text
    from hpaaudit.report.structured import of_recording, structured
    from hpaaudit.report.text import printable

    within = moments(recorded_span(recording), since=since, until=until) if since or until else {}
    with ProgressLine(quiet=quiet, verbose=verbose) as progress:
        inspection = inspect(
            recording, hpas=named_hpas(hpas, namespace), selector=selector, warn=progress.warn, **within
        )
    if output == "name":
        text = "".join(f"{printable(hpa)}\n" for hpa in inspection.hpas)
    elif output in ("text", "wide"):
        text = inspection_text(inspection, most=LISTED if output == "text" else None)
    else:
        text = structured(of_recording(inspection.info, inspection), output)
    click.echo(text, nl=False)
