"""The command `timeline`."""

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import click

from hpaaudit.cli.options import (
    message_options,
    one_hpa,
    output_option_of_one,
    results_argument,
    span_options,
    zone_option,
)
from hpaaudit.cli.screen import NARROWEST, WIDEST, screen, terminal_width
from hpaaudit.flows.moments import Moment, moments


@click.command("timeline", short_help="Draw one HPA over time.")
@results_argument()
@one_hpa
@span_options("Begin here.", "End here.")
@click.option(
    "--width",
    type=click.IntRange(NARROWEST, WIDEST),
    help="So many columns.  [default: as wide as the terminal, 79 without one]",
)
@click.option("--ascii", "is_ascii", is_flag=True, help="Draw with ASCII characters only.")
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", show_default=True)
@output_option_of_one()
@message_options()
@zone_option()
def timeline_command(  # noqa: PLR0913 click hands over every option
    source: Path,
    hpa: str | None,
    selector: str,
    since: Moment | None,
    until: Moment | None,
    width: int | None,
    *,
    is_ascii: bool,
    color: str,
    output: str,
    quiet: bool,
    verbose: bool,
) -> None:
    """Draw one HPA over time: replicas and bounds, the metric that decided, pods that did not count, and what happened.

    Without NS/NAME it is the HPA that matters most. TIME is as in explain. The variable NO_COLOR turns colours off.

    Example: hpaaudit timeline friday shop/checkout --since 14:00 --until 14:20
    """
    from hpaaudit.cli.progress import ProgressLine
    from hpaaudit.flows.query import span_of
    from hpaaudit.flows.timeline import timeline
    from hpaaudit.report.structured import structured
    from hpaaudit.report.text import fitted_to, printable
    from hpaaudit.report.timeline import timeline_text

    asked = moments(span_of(source), since=since, until=until) if since or until else {}
    with ProgressLine(quiet=quiet, verbose=verbose) as progress:
        shown = timeline(source, hpa, selector=selector, warn=progress.warn, progress=progress)
    if output == "name":
        click.echo(printable(f"{shown.namespace}/{shown.name}"))
        return
    if output not in ("text", "wide"):
        click.echo(structured(shown, output), nl=False)
        return
    drawn_on = screen(
        width=width or terminal_width(),
        is_ascii=is_ascii,
        color=color,
        first_us=asked.get("since"),
        last_us=asked.get("until"),
    )
    if output == "wide":
        drawn_on = replace(drawn_on, listed=None)
    with fitted_to(width) if width else nullcontext():
        text = timeline_text(shown, drawn_on)
    click.echo(text, nl=False, color=True)
