"""The command `query`."""

import sys
from pathlib import Path

import click

from hpaaudit.cli.options import Moment, hpa_name, moment_option, moments, results_argument
from hpaaudit.errors import BadOption

FORMATS = ("table", "json", "csv", "parquet")


@click.command("query", short_help="Ask a question, or anything in SQL.")
@results_argument(required=False)
@click.argument("question", metavar='[QUESTION|"SQL"]', required=False)
@click.option("--hpa", metavar="NS/NAME", type=hpa_name, help="Only this one; * stands for anything.")
@moment_option("--at", "For questions about a moment.  [default: the one that matters most]")
@moment_option("--since", "For questions about a span.")
@moment_option("--until", "For questions about a span.")
@click.option("-o", "--output", type=click.Choice(FORMATS), default="table", show_default=True)
def query_command(
    source: Path | None,
    question: str | None,
    hpa: str | None,
    at: Moment | None,
    since: Moment | None,
    until: Moment | None,
    output: str,
) -> None:
    """Ask a question by its name, or anything in SQL; without either, list the questions.

    TIME is RFC 3339 with any offset, 14:05 (of the recording's day) or -5m (before its end).

    Example: hpaaudit query recordings/friday why_this_number --at 14:05

    Example: hpaaudit query recordings/friday "from divergences" -o json
    """
    from hpaaudit.cli.warn import warn
    from hpaaudit.flows import query as flow
    from hpaaudit.report.questions import questions_text
    from hpaaudit.report.table import table
    from hpaaudit.report.text import printable

    if source is None or question is None:
        click.echo(questions_text(flow.question_texts()), nl=False)
        return
    if output == "parquet" and sys.stdout.isatty():
        raise BadOption("Parquet is no text: send it into a file, as in -o parquet > answer.parquet")
    span = flow.span_of(source) if at or since or until else None
    asked = moments(span, at=at, since=since, until=until) if span else {}
    with flow.query(source, question, hpa=hpa, warn=warn, **asked) as answer:
        if output == "parquet":
            sys.stdout.buffer.write(answer.parquet())
        elif output == "table":
            click.echo(table(answer.columns, answer.rows()))
        else:
            text = answer.json() if output == "json" else answer.csv()
            for line in text.splitlines():
                click.echo(printable(line) if sys.stdout.isatty() else line)
