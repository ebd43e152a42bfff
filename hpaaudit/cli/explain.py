"""The command `explain`."""

from pathlib import Path

import click

from hpaaudit.cli.options import at_option, one_hpa, output_option, quiet_option, results_argument, zone_option
from hpaaudit.flows.moments import Moment, moment_at
from hpaaudit.model.landmark import Landmark


@click.command("explain", short_help="Explain one reconcile line by line.")
@results_argument()
@one_hpa
@at_option(
    "The last reconcile until this time; or first, last, first-divergence, or next for the one after the one that "
    "matters most.  [default: the one that matters most]"
)
@click.option("--sql", "is_sql", is_flag=True, help="Print the queries that give the rows behind each statement.")
@output_option()
@quiet_option()
@zone_option()
def explain_command(
    source: Path, hpa: str | None, at: Moment | Landmark | None, *, is_sql: bool, output: str, quiet: bool
) -> None:
    """Explain one reconcile line by line: its inputs, how it reached its number, and who agrees.

    NS/NAME may be the name alone if only one HPA has it. TIME is RFC 3339 with any offset, 14:05 (on the day of the
    recording) or 5m (before its end). A time without a fraction means its whole second, so a time from any screen can
    be pasted.

    Example: hpaaudit explain recordings/friday shop/checkout --at 14:05
    """
    from hpaaudit.cli.progress import ProgressLine
    from hpaaudit.flows.explain import evidence_sql, explain
    from hpaaudit.flows.query import span_of
    from hpaaudit.report.explain import explain_text
    from hpaaudit.report.structured import structured

    asked = None if at is None else moment_at(span_of(source), at)
    with ProgressLine(quiet=quiet) as progress:
        account = explain(source, hpa, at=asked, warn=progress.warn, progress=progress)
    if is_sql:
        click.echo(evidence_sql(account), nl=False)
    else:
        click.echo(explain_text(account) if output == "text" else structured(account, output), nl=False)
