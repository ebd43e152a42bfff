"""The command `demo`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hpaaudit.cli.completion import bundled
from hpaaudit.cli.options import (
    headings_option,
    message_options,
    named_hpas,
    narrowing_options,
    output_option_with,
    zone_option,
)
from hpaaudit.cli.screen import screen
from hpaaudit.flows.moments import Moment, moments

if TYPE_CHECKING:
    from hpaaudit.model.account import ReplayAccount

RESULTS = Path("hpaaudit-demo.duckdb")


@click.command("demo", short_help="Replay a bundled incident, without a cluster.")
@click.argument("name", metavar="[NAME]", required=False, shell_complete=bundled)
@click.option("--list", "is_list", is_flag=True, help="List the incidents, and what happened in each.")
@click.option(
    "--into",
    metavar="RESULTS",
    type=click.Path(path_type=Path),
    help="Write the results to this file.  [default: hpaaudit-demo.duckdb, of another incident "
    "hpaaudit-demo-NAME.duckdb; it is replaced]",
)
@click.option("--overwrite", is_flag=True, help="Replace the file that --into names.")
@narrowing_options()
@output_option_with("name lists the HPAs, with --list the incidents")
@headings_option()
@message_options()
@zone_option()
def demo_command(  # noqa: PLR0913 click hands over every option
    name: str | None,
    into: Path | None,
    hpas: tuple[str, ...],
    namespace: str | None,
    selector: str,
    since: Moment | None,
    until: Moment | None,
    output: str,
    *,
    is_list: bool,
    overwrite: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Replay a bundled incident and explain its worst moment, without a cluster and without network.

    Without NAME it is the incident scaled-by-hand. TIME is as in replay.

    Example: hpaaudit demo

    Example: hpaaudit demo metrics-down
    """
    from hpaaudit.cli.progress import ProgressLine
    from hpaaudit.flows.bundled import DEMO, bundled_recording
    from hpaaudit.flows.inspect import with_coverage
    from hpaaudit.flows.paths import recorded_span
    from hpaaudit.flows.query import account
    from hpaaudit.flows.replay import replay

    if is_list:
        if name is not None:
            raise click.UsageError("--list names all incidents: give it without NAME")
        click.echo(_listed(output), nl=False)
        return
    recording = bundled_recording(name or DEMO)
    default = RESULTS if name in (None, DEMO) else RESULTS.with_stem(f"{RESULTS.stem}-{name}")
    file = into or default
    bounds = moments(recorded_span(recording), since=since, until=until) if since or until else {}
    with (
        ProgressLine(quiet=quiet, verbose=verbose) as progress,
        replay(
            recording,
            into=file,
            overwrite=overwrite or file == default,
            hpas=named_hpas(hpas, namespace),
            selector=selector,
            warn=progress.warn,
            progress=progress,
            since=bounds.get("since"),
            until=bounds.get("until"),
        ) as results,
    ):
        replayed = with_coverage(account(results), recording)
    click.echo(_shown(replayed, file, output), nl=False, color=True)


def _listed(output: str) -> str:
    """Every incident with what happened in it."""
    from hpaaudit.flows.bundled import bundled_recordings
    from hpaaudit.report.structured import structured_list
    from hpaaudit.report.text import paragraph
    from hpaaudit.report.text_table import table

    incidents = bundled_recordings()
    if output == "name":
        return "".join(f"{name}\n" for name in incidents)
    if output == "wide":
        return table(("name", "happened"), [*incidents.items()]) + "\n"
    if output == "text":
        return "".join(f"{name}\n{paragraph(happened)}\n" for name, happened in incidents.items())
    return structured_list([{"name": name, "happened": happened} for name, happened in incidents.items()], output)


def _shown(replayed: "ReplayAccount", file: Path, output: str) -> str:
    """The screen of `replay`, the explanation of the worst moment, and the next command."""
    from hpaaudit.flows.explain import explain
    from hpaaudit.report.difference import replay_fields
    from hpaaudit.report.explain import explain_text
    from hpaaudit.report.fleet import WORST
    from hpaaudit.report.replay import next_text, outcome_text
    from hpaaudit.report.structured import structured
    from hpaaudit.report.text import printable

    if output == "name":
        return "".join(f"{printable(f'{hpa.namespace}/{hpa.name}')}\n" for hpa in replayed.hpas)
    if output in ("json", "yaml"):
        return structured(replay_fields(replayed, None), output)
    explained = explain(file)
    is_wide = output == "wide"
    return "\n".join(
        (
            outcome_text(replayed, screen(), most=None if is_wide else WORST),
            explain_text(explained, None) if is_wide else explain_text(explained),
            next_text(replayed),
        )
    )
