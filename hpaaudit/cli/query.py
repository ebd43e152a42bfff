"""The command `query`."""

import sys
from pathlib import Path

import click

from hpaaudit.cli.options import Moment, hpa_name, moment_option, moments, results_argument
from hpaaudit.errors import BadOption

FORMATS = ("table", "json", "csv", "parquet")
NO_ROWS = "0 rows"


@click.command("query", short_help="Ask a named question, or run any SQL.")
@results_argument(required=False)
@click.argument("question", metavar='[QUESTION|"SQL"]', required=False)
@click.option("--hpa", metavar="NS/NAME", type=hpa_name, help="Only this HPA; * matches anything.  [in SQL: $hpa]")
@moment_option("--at", "The moment that a question asks about.  [default: the one that matters most]")
@moment_option("--since", "The start of the time that a question asks about.")
@moment_option("--until", "The end of the time that a question asks about.")
@click.option("--columns", is_flag=True, help="Describe the columns of the question's answer, or of every question.")
@click.option("-o", "--output", type=click.Choice(FORMATS), default="table", show_default=True)
def query_command(  # noqa: PLR0913 click hands over every option
    source: Path | None,
    question: str | None,
    hpa: str | None,
    at: Moment | None,
    since: Moment | None,
    until: Moment | None,
    *,
    columns: bool,
    output: str,
) -> None:
    """Ask a question by its name, or run any SQL; with neither, list the questions.

    An option that the question does not use is refused. SQL uses the options as $hpa, $at, $since and $until. TIME is
    RFC 3339 with any offset, 14:05 (on the day of the recording) or -5m (before its end).

    Example: hpaaudit query recordings/friday why_this_number --at 14:05

    Example: hpaaudit query recordings/friday why_this_number --columns

    Example: hpaaudit query recordings/friday "from divergences" -o json
    """
    from hpaaudit.cli.warn import warn
    from hpaaudit.flows import query as flow
    from hpaaudit.report.codes import legend_of_table
    from hpaaudit.report.questions import columns_text, questions_text
    from hpaaudit.report.table import table
    from hpaaudit.report.text import printable

    scope = [f"--{name}" for name, value in (("hpa", hpa), ("at", at), ("since", since), ("until", until)) if value]
    if columns or source is None or question is None:
        if scope:
            raise click.UsageError(
                f"{scope[0]} cannot be used with --columns" if columns else f"{scope[0]} needs a question or SQL"
            )
        named = flow.named_questions() if question is None else {question: flow.named_question(question)}
        click.echo(columns_text(named.values()) if columns else questions_text(named), nl=False)
        return
    if output == "parquet" and sys.stdout.isatty():
        raise BadOption("Parquet is not text: redirect it to a file, as in -o parquet > answer.parquet")
    span = flow.span_of(source) if at or since or until else None
    asked = moments(span, at=at, since=since, until=until) if span else {}
    with flow.query(source, question, hpa=hpa, warn=warn, **asked) as answer:
        if output == "parquet":
            sys.stdout.buffer.write(answer.parquet())
        elif output == "table":
            rows = answer.rows()
            click.echo(table(answer.columns, rows))
            if not rows:
                click.echo(NO_ROWS)
            if words := legend_of_table(answer.columns, rows):
                click.echo(f"\n{words}", err=True)
        else:
            text = answer.json() if output == "json" else answer.csv()
            for line in text.splitlines():
                click.echo(printable(line) if sys.stdout.isatty() else line)
