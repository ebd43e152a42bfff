"""The command `explain`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hpaaudit.cli.options import (
    at_option,
    message_options,
    one_hpa,
    output_option_of_one,
    results_argument,
    span_options,
    zone_option,
)
from hpaaudit.cli.screen import has_terminal
from hpaaudit.flows.moments import Moment, moments
from hpaaudit.model.landmark import Landmark
from hpaaudit.model.span import is_within

if TYPE_CHECKING:
    from hpaaudit.model.account import ReconcileAccount
    from hpaaudit.model.units import Micros


@click.command("explain", short_help="Explain one reconcile line by line.")
@results_argument()
@one_hpa
@at_option(
    "The last reconcile until this time; or first, last, first-divergence; or next, prev: the one after, and before, "
    "the one that matters most.  [default: the one that matters most]"
)
@span_options(
    "Only reconciles from here on: it is among them that one is first, or matters most.",
    "Only reconciles until here: it is among them that one is last, or matters most.",
)
@click.option("--sql", "is_sql", is_flag=True, help="Print the queries that give the rows behind each statement.")
@click.option("--watch", "is_watched", is_flag=True, help="Step through the reconciles with the arrow keys.")
@output_option_of_one()
@message_options()
@zone_option()
def explain_command(  # noqa: PLR0913 click hands over every option
    source: Path,
    hpa: str | None,
    selector: str,
    at: Moment | Landmark | None,
    since: Moment | None,
    until: Moment | None,
    *,
    is_sql: bool,
    is_watched: bool,
    output: str,
    quiet: bool,
    verbose: bool,
) -> None:
    """Explain one reconcile line by line: its inputs, how it reached its number, and who agrees.

    NS/NAME may be the name alone if only one HPA has it. TIME is RFC 3339 with any offset, 14:05 (on the day of the
    recording), 5m (before its end), seconds or ms since 1970, or as date and kubectl print it. A time without a
    fraction means its whole second, so a time from any screen can be pasted.

    Example: hpaaudit explain friday shop/checkout --at 14:05
    """
    from hpaaudit.cli.progress import ProgressLine
    from hpaaudit.flows.explain import evidence_sql, explain
    from hpaaudit.flows.query import asked_moment, span_of
    from hpaaudit.report.explain import explain_text
    from hpaaudit.report.structured import structured
    from hpaaudit.report.text import printable

    if is_watched and (is_sql or output != "text"):
        raise click.UsageError("--watch shows text: it takes neither --sql nor -o")
    if is_sql and output != "text":
        raise click.UsageError("--sql prints SQL: it does not take -o")
    if is_watched and not has_terminal():
        raise click.UsageError("--watch needs a terminal")
    asked = None if at is None else asked_moment(source, at)
    within = moments(span_of(source), since=since, until=until) if since or until else {}
    with ProgressLine(quiet=quiet, verbose=verbose) as progress:
        account = explain(source, hpa, at=asked, **within, selector=selector, warn=progress.warn, progress=progress)
    if is_watched:
        _watch(source, account, **within)
    elif is_sql:
        click.echo(evidence_sql(account), nl=False)
    elif output == "name":
        click.echo(printable(f"{account.namespace}/{account.name}"))
    elif output in ("text", "wide"):
        click.echo(explain_text(account, None) if output == "wide" else explain_text(account), nl=False)
    else:
        click.echo(structured(account, output), nl=False)


def _watch(
    source: Path, account: "ReconcileAccount", *, since: "Micros | None" = None, until: "Micros | None" = None
) -> None:
    """Steps through the reconciles of the HPA of this account that belong to a time, from that one on."""
    from hpaaudit.cli.explain_watch import watch
    from hpaaudit.flows.explain import explain_number, reconciles_of
    from hpaaudit.report.explain import explain_text

    columns = reconciles_of(source, f"{account.namespace}/{account.name}")
    shown = [
        (reconcile_id, verdict)
        for reconcile_id, verdict, at_us in zip(
            columns.reconcile_ids, columns.words["verdict"], columns.times_us, strict=True
        )
        if is_within(at_us, since, until)
    ]
    numbers = [reconcile_id for reconcile_id, _ in shown]
    texts = {account.reconcile_id: explain_text(account)}

    def text_of(number: int) -> str:
        reconcile_id = numbers[number]
        if reconcile_id not in texts:
            texts[reconcile_id] = explain_text(explain_number(source, reconcile_id))
        return texts[reconcile_id]

    watch([verdict == "divergent" for _, verdict in shown], numbers.index(account.reconcile_id), text_of)
