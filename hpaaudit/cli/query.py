"""The command `query`."""

import shutil
import sys
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hpaaudit.cli.completion import hpas, questions
from hpaaudit.cli.options import (
    at_option,
    headings_option,
    hpa_name,
    hpa_named_by,
    message_options,
    named_hpa,
    named_once,
    namespace_option,
    results_argument,
    selector_option,
    span_options,
    zone_option,
)
from hpaaudit.cli.screen import has_terminal
from hpaaudit.cli.standard_input import read_stdin, text_that_is_there
from hpaaudit.errors import BadOption
from hpaaudit.flows.moments import Moment, moments
from hpaaudit.model.landmark import Landmark

if TYPE_CHECKING:
    from hpaaudit.results.answer import Answer

FORMATS = ("table", "wide", "name", "json", "yaml", "csv", "parquet")
STDIN = Path("-")
NO_ROWS = "0 rows"
HISTORY = "query-history"


@click.command("query", short_help="Ask a named question, or run any SQL.")
@results_argument(required=False)
@click.argument("question", metavar='[QUESTION|"SQL"]', required=False, shell_complete=questions)
@click.argument("words", metavar="[NS/NAME]", nargs=-1, type=hpa_name, shell_complete=hpas)
@click.option(
    "-f", "--file", metavar="FILE", type=click.Path(path_type=Path), help="Read the SQL from this file; - is stdin."
)
@click.option(
    "--hpa",
    metavar="NS/NAME",
    type=hpa_name,
    shell_complete=hpas,
    help="Only this HPA; * matches anything.  [in SQL: $hpa]",
)
@namespace_option()
@selector_option()
@at_option(
    "The moment that a question asks about; or first, last, next, prev or first-divergence, as in explain.  "
    "[default: the one that matters most]"
)
@span_options("The start of the time that a question asks about.", "The end of the time that a question asks about.")
@click.option("--list", "is_list", is_flag=True, help="List the questions, as without RESULTS|DIR.")
@click.option("--columns", is_flag=True, help="Describe the columns of the question's answer, or of every question.")
@click.option("--sql", "is_sql", is_flag=True, help="Print the SQL instead, so that any DuckDB runs it on the results.")
@click.option(
    "-o",
    "--output",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="table fits the terminal, wide cuts nothing; name lists the HPAs of the rows.",
)
@headings_option("Print no headings (table, wide, csv).")
@message_options("Print no explanations of codes and no warnings.")
@zone_option()
def query_command(  # noqa: PLR0913 click hands over every option
    source: Path | None,
    question: str | None,
    words: tuple[str, ...],
    file: Path | None,
    hpa: str | None,
    namespace: str | None,
    selector: str,
    at: Moment | Landmark | None,
    since: Moment | None,
    until: Moment | None,
    *,
    is_list: bool,
    columns: bool,
    is_sql: bool,
    output: str,
    quiet: bool,
    verbose: bool,
) -> None:
    """Ask a question by its name, or run any SQL; with neither, list the questions.

    On a terminal, RESULTS|DIR alone opens a shell: one question or SQL after the other, with a history.

    An option that the question does not use is refused. SQL uses the options as $hpa, $at, $since and $until; with -l
    its relations have only the rows of the HPAs that match. TIME is as in explain. The question - reads SQL from stdin;
    without a question, SQL that was redirected or piped is read too.

    Example: hpaaudit query friday why_this_number --at 14:05

    Example: hpaaudit query friday why_this_number --columns

    Example: hpaaudit query friday "from divergences" -o json
    """
    from hpaaudit.cli.progress import ProgressLine
    from hpaaudit.flows import query as flow
    from hpaaudit.flows.source import require_there

    source, question = _in_order(source, question, columns=columns)
    if file is not None and question is not None:
        raise click.UsageError("--file takes the place of the question: give one of them")
    if file is not None or question == str(STDIN):
        question = _sql_in(file or STDIN)
    named = hpa_named_by(words)
    by_option = {"hpa": named or ("--hpa" if hpa else "--namespace")}
    hpa = named_hpa(named_once(named, hpa), namespace)
    values = {"hpa": hpa, "selector": selector, "at": at, "since": since, "until": until}
    given = {name: by_option.get(name, f"--{name}") for name, value in values.items() if value}
    scope = list(given.values())
    if source is not None and question is None and not (is_list or columns or scope) and has_terminal():
        _open_shell(source)
        return
    if source is not None and (question is None or is_list) and not columns:
        require_there(source)
        if question is None and not is_list:
            question = _sql_on_stdin(quiet=quiet)
    if columns or is_list or source is None or question is None:
        if scope:
            raise click.UsageError(
                f"{scope[0]} cannot be used with --columns" if columns else f"{scope[0]} needs a question or SQL"
            )
        _list_questions(question, output, columns=columns)
        return
    about = _about(source, hpa, at, since, until)
    flow.refuse_unused(question, given)
    with ProgressLine(quiet=quiet, verbose=verbose) as progress:
        about |= {"warn": progress.warn, "progress": progress}
        if is_sql:
            _require_alone(selector, output)
            click.echo(flow.query_sql(source, question, **about), nl=False)
            return
        _require_no_terminal(output)
        answers = flow.query_each(source, question, selector=selector, **about)
        first = next(answers)
    with first:
        print_answers(chain([first], answers), output, has_legend=not quiet)


def _in_order(source: Path | None, question: str | None, *, columns: bool) -> tuple[Path | None, str | None]:
    """The source and the question. Raises BadOption if the question came first; `--columns` needs no source."""
    from hpaaudit.flows import query as flow

    if source is None or source.exists() or str(source) not in flow.named_questions():
        return source, question
    if columns and question is None:
        return None, str(source)
    example = f"hpaaudit query {question or 'RESULTS|DIR'} {source}"
    raise BadOption(f"{source} is a question, and what it is asked of comes first: {example}")


def _about(
    source: Path, hpa: str | None, at: Moment | Landmark | None, since: Moment | None, until: Moment | None
) -> dict[str, Any]:
    """What a question is about, as `flows.query` takes it."""
    from hpaaudit.flows import query as flow

    times = moments(flow.span_of(source), since=since, until=until) if since or until else {}
    return {"hpa": hpa, "at": flow.asked_moment(source, at) if at else None, **times}


def _require_alone(selector: str, output: str) -> None:
    """Raises UsageError for options that `--sql` does not take."""
    if selector or output != "table":
        raise click.UsageError(f"--sql prints SQL: it does not take {'--selector' if selector else '-o'}")


def _require_no_terminal(output: str) -> None:
    """Raises BadOption for bytes that a terminal would get."""
    if output == "parquet" and sys.stdout.isatty():
        raise BadOption("Parquet is not text: redirect it to a file, as in -o parquet > answer.parquet")


def _sql_in(file: Path) -> str:
    """The SQL in a file, or on stdin. Raises BadOption."""
    if file == STDIN:
        return read_stdin()
    try:
        return file.read_text("utf-8")
    except FileNotFoundError as error:
        raise BadOption(f"--file {file} does not exist: name a file with SQL, or - for stdin") from error
    except OSError as error:
        raise BadOption(f"--file {file} cannot be read: {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        raise BadOption(f"--file {file} is no text in UTF-8: name a file with SQL, or - for stdin") from error


def _sql_on_stdin(*, quiet: bool) -> str | None:
    """The SQL that was redirected or piped to a query without any; None if there is none."""
    text = text_that_is_there()
    if text is None and not quiet:
        click.echo("stdin is a pipe that has nothing yet: `hpaaudit query RESULTS|DIR -` waits for its SQL", err=True)
    return text if text and text.strip() else None


def _open_shell(source: Path) -> None:
    """Asks what the user types, each as if it stood behind `hpaaudit query SOURCE`."""
    from hpaaudit.cli import code_of
    from hpaaudit.cli.query_shell import ask_in_turn
    from hpaaudit.flows import query as flow
    from hpaaudit.flows.provenance import state_folder

    flow.span_of(source)  # what is no results is said at once
    state = state_folder()
    command = click.get_current_context().command_path

    def ask(words: list[str]) -> int:
        arguments = [str(source), *words]
        return code_of(lambda: query_command.main(arguments, prog_name=command, standalone_mode=False), command)

    ask_in_turn(list(flow.named_questions()), flow.columns_sql, state / HISTORY if state else None, ask)


def _list_questions(question: str | None, output: str, *, columns: bool) -> None:
    """Lists one question or all of them, with the columns of their answers if asked."""
    from hpaaudit.flows import query as flow
    from hpaaudit.report.question_list import columns_text, questions_structured, questions_text

    listed = ("table", "name", "json", "yaml")
    if output not in listed:
        raise click.UsageError(f"-o {output} needs a question or SQL; the questions are listed as {', '.join(listed)}")
    named = flow.named_questions() if question is None else {question: flow.named_question(question)}
    if output == "name":
        text = "".join(f"{name}\n" for name in named)
    elif output != "table":
        text = questions_structured(named.values(), output)
    else:
        text = columns_text(named.values()) if columns else questions_text(named)
    click.echo(text, nl=False)


def print_answers(answers: "Iterable[Answer]", output: str, *, has_legend: bool) -> None:
    """Prints the answers in the format that was asked for: several as tables below each other, or as one document."""
    from hpaaudit.report.text import printable
    from hpaaudit.report.text_table import has_headings

    if output in ("table", "wide"):
        is_fitted = output == "table" and has_headings() and sys.stdout.isatty()
        for number, answer in enumerate(answers):
            if number:
                click.echo()
            _print_table(answer, has_legend=has_legend, is_fitted=is_fitted)
            _say_what_is_shown(answer, quiet=not has_legend)
    elif output == "parquet":
        first, *others = answers
        if others:
            raise BadOption("Parquet holds one table: give one statement, or -o json")
        sys.stdout.buffer.write(first.parquet())
        _say_what_is_shown(first, quiet=not has_legend)
    else:
        every = [*answers]
        text = _joined([_text(answer, output) for answer in every], output)
        if sys.stdout.isatty():
            text = "".join(f"{printable(line)}\n" for line in text.removesuffix("\n").split("\n") if text)
        click.echo(text, nl=False)
        for answer in every:
            _say_what_is_shown(answer, quiet=not has_legend)


def _say_what_is_shown(answer: "Answer", *, quiet: bool) -> None:
    """Says on stderr, where an answer has no rows, which part of the recording the results cover, if not all of it."""
    from hpaaudit.report.settings import part_in_words
    from hpaaudit.report.text import paragraph

    results = answer.results
    if quiet or results.is_whole:
        return
    words = part_in_words(str(results.path), results.options, results.span)
    if words and not len(answer):  # counted only then: that asks again
        click.echo(paragraph(words, ""), err=True)


def _print_table(answer: "Answer", *, has_legend: bool, is_fitted: bool) -> None:
    """Prints an answer as a table, fitted to the terminal if asked; what was cut, and the legend, on stderr."""
    from hpaaudit.report.answer_table import FittedTable, fitted_table
    from hpaaudit.report.codes import legend_of_table
    from hpaaudit.report.text import paragraph
    from hpaaudit.report.text_table import has_headings, table
    from hpaaudit.report.told_times import rows_in_zone

    rows = rows_in_zone(answer.columns, answer.rows())
    if is_fitted:
        shown = fitted_table(answer.columns, rows, shutil.get_terminal_size().columns)
    else:
        shown = FittedTable(text=table(answer.columns, rows))
    if rows or has_headings():
        click.echo(shown.text)
    if not rows:
        click.echo(NO_ROWS, err=not has_headings())  # who wants no headings counts lines
    if has_legend:
        for words in filter(None, (paragraph(shown.note, ""), legend_of_table(answer.columns, rows))):
            click.echo(f"\n{words}", err=True)


def _joined(texts: Sequence[str], output: str) -> str:
    """One document of several: a list of lists as JSON, documents as YAML, blocks as CSV, names each once."""
    if output == "json" and len(texts) > 1:
        return f"[{','.join(texts)}]\n"
    if output == "name":
        return "".join(dict.fromkeys("".join(texts).splitlines(keepends=True)))
    return {"yaml": "---\n", "csv": "\n"}.get(output, "").join(texts)


def _text(answer: "Answer", output: str) -> str:
    """An answer for programs."""
    from hpaaudit.report.structured import as_yaml
    from hpaaudit.report.text_table import has_headings

    if output == "name":
        return "".join(f"{name}\n" for name in _names(answer))
    if output == "csv":
        return answer.csv(has_headings=has_headings())
    return answer.json() if output == "json" else as_yaml(answer.plain())


def _names(answer: "Answer") -> Sequence[str]:
    """The HPAs of the rows as `namespace/name`, each once. Raises BadOption if the rows name no HPA."""
    if not {"namespace", "name"} <= set(answer.columns):
        raise BadOption("-o name needs the columns namespace and name in the answer")
    namespace, name = answer.columns.index("namespace"), answer.columns.index("name")
    return list(dict.fromkeys(f"{row[namespace]}/{row[name]}" for row in answer.rows()))
