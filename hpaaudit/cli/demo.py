"""The command `demo`."""

from dataclasses import replace
from pathlib import Path

import click

from hpaaudit.cli.completion import bundled
from hpaaudit.cli.options import zone_option
from hpaaudit.cli.screen import screen

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
@zone_option()
def demo_command(name: str | None, into: Path | None, *, is_list: bool, overwrite: bool) -> None:
    """Replay a bundled incident and explain its worst moment, without a cluster and without network.

    Without NAME it is the incident scaled-by-hand.

    Example: hpaaudit demo

    Example: hpaaudit demo metrics-down
    """
    from hpaaudit.flows.bundled import DEMO, bundled_recording, bundled_recordings
    from hpaaudit.flows.explain import explain
    from hpaaudit.flows.inspect import missing
    from hpaaudit.flows.query import account
    from hpaaudit.flows.replay import replay
    from hpaaudit.report.explain import explain_text
    from hpaaudit.report.replay import next_text, outcome_text
    from hpaaudit.report.text import paragraph

    if is_list:
        if name is not None:
            raise click.UsageError("--list names all incidents: give it without NAME")
        click.echo("\n".join(f"{name}\n{paragraph(happened)}" for name, happened in bundled_recordings().items()))
        return
    recording = bundled_recording(name or DEMO)
    default = RESULTS if name in (None, DEMO) else RESULTS.with_stem(f"{RESULTS.stem}-{name}")
    file = into or default
    with replay(recording, into=file, overwrite=overwrite or file == default) as results:
        replayed = replace(account(results), missing=missing(recording))
    screens = (outcome_text(replayed, screen()), explain_text(explain(file)), next_text(replayed))
    click.echo("\n".join(screens), nl=False, color=True)
