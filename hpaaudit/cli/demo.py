"""The command `demo`."""

from dataclasses import replace
from pathlib import Path

import click

from hpaaudit.cli.options import zone_option
from hpaaudit.cli.screen import screen

RESULTS = Path("hpaaudit-demo.duckdb")


@click.command("demo", short_help="Replay a bundled incident, without a cluster.")
@click.option(
    "--into",
    metavar="RESULTS",
    type=click.Path(path_type=Path),
    default=RESULTS,
    show_default=True,
    help="Write the results to this file; the default one is replaced.",
)
@click.option("--overwrite", is_flag=True, help="Replace the file that --into names.")
@zone_option()
def demo_command(into: Path, overwrite: bool) -> None:
    """Replay a bundled incident and explain its worst moment, without a cluster and without network.

    Example: hpaaudit demo
    """
    from hpaaudit.flows.explain import explain
    from hpaaudit.flows.inspect import missing
    from hpaaudit.flows.query import account, bundled_recording
    from hpaaudit.flows.replay import replay
    from hpaaudit.report.explain import explain_text
    from hpaaudit.report.replay import replay_text

    with replay(bundled_recording(), into=into, overwrite=overwrite or into == RESULTS) as results:
        replayed = replace(account(results), missing=missing(bundled_recording()))
    click.echo(replay_text(replayed, screen()), color=True)
    click.echo(explain_text(explain(into)), nl=False)
