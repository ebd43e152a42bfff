"""The command `explain`."""

from pathlib import Path

import click

from hpaaudit.cli.options import Moment, hpa_name, moment_option, moments, results_argument


@click.command("explain", short_help="Explain one reconcile line by line.")
@results_argument()
@click.argument("hpa", metavar="[NS/NAME]", type=hpa_name, required=False)
@moment_option("--at", "The last reconcile until this time.  [default: the one that matters most]")
def explain_command(source: Path, hpa: str | None, at: Moment | None) -> None:
    """Explain one reconcile line by line: its inputs, how it reached its number, and who agrees.

    TIME is RFC 3339 with any offset, 14:05 (on the day of the recording) or -5m (before its end). A time without a
    fraction means its whole second, so a time from any screen can be pasted.

    Example: hpaaudit explain recordings/friday shop/checkout --at 14:05
    """
    from hpaaudit.cli.warn import warn
    from hpaaudit.flows.explain import explain
    from hpaaudit.flows.query import span_of
    from hpaaudit.report.explain import explain_text

    asked = moments(span_of(source), at=at) if at else {}
    click.echo(explain_text(explain(source, hpa, warn=warn, **asked)), nl=False)
