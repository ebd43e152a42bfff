"""Answers questions from a results file, or from a recording, which is replayed first if it has no results yet."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hpaaudit.errors import BadOption
from hpaaudit.flows.chosen_hpas import decoded_labels
from hpaaudit.flows.moments import At, Moment, When, landmark_or_time, time_of
from hpaaudit.flows.options import ShowProgress, Warn, ignore_warning, show_nothing
from hpaaudit.flows.paths import Source, path_of, recorded_span
from hpaaudit.flows.source import open_file, open_source
from hpaaudit.model.landmark import Landmark
from hpaaudit.model.meant_hpas import whole_pattern
from hpaaudit.model.question import Question
from hpaaudit.model.span import Span

if TYPE_CHECKING:
    from hpaaudit.model.account import ReplayAccount
    from hpaaudit.results.answer import Answer
    from hpaaudit.results.questions import Scope
    from hpaaudit.results.read import Results


def query(  # noqa: PLR0913 the public API: an argument for each option of the command
    source: Source,
    question: str,
    *,
    hpa: str | None = None,
    selector: str = "",
    at: At | None = None,
    since: When | None = None,
    until: When | None = None,
    warn: Warn = ignore_warning,
    progress: ShowProgress = show_nothing,
) -> "Answer":
    """Answers a question of `sql/questions/` by its name, or any SQL that only reads.

    hpa                `namespace/name`, `*` matches anything, or a name alone that only one HPA has; None: all
    selector           only HPAs whose last recorded labels match this label selector, as of kubectl; empty: all. Every
                       relation that is about HPAs has only their rows
    source             results or a recording: the path, or what was opened
    at, since, until   what a question asks about: microseconds since 1970, a datetime with its zone, or a text such as
                       `14:05` or `-5m`. `at` may be the name of a moment of the HPA, or without one of the HPA that
                       matters most
    warn               is called if somebody else made the results, and with what `replay` warns of
    progress           is called while a recording is replayed

    SQL uses these values as `$hpa` (for `like`), `$at`, `$since` and `$until`.

    Raises NotResults, UnknownQuestion, UnknownHpa, BadOption if the question does not use a value, BadQuery and what
    `replay` raises.
    """
    return next(_answers(source, [question], _Asked(hpa, selector, at, since, until), warn, progress))


def query_each(  # noqa: PLR0913 as `query`
    source: Source,
    text: str,
    *,
    hpa: str | None = None,
    selector: str = "",
    at: At | None = None,
    since: When | None = None,
    until: When | None = None,
    warn: Warn = ignore_warning,
    progress: ShowProgress = show_nothing,
) -> "Iterator[Answer]":
    """Answers a question or each statement of SQL, from results that are opened once. As `query` besides."""
    from hpaaudit.results.questions import statements

    texts = statements(text) if _is_sql(text) else [text]
    return _answers(source, texts, _Asked(hpa, selector, at, since, until), warn, progress)


def query_sql(  # noqa: PLR0913 as `query`
    source: Source,
    question: str,
    *,
    hpa: str | None = None,
    at: At | None = None,
    since: When | None = None,
    until: When | None = None,
    warn: Warn = ignore_warning,
    progress: ShowProgress = show_nothing,
) -> str:
    """The SQL that `query` asks, with its values in it: any DuckDB runs it on the results file. Raises as `query`."""
    from hpaaudit.results.questions import bound_sql

    asked = _Asked(hpa, "", at, since, until)
    known = _known(question, asked)
    with open_source(path_of(source), warn, progress) as results:
        return bound_sql(results, question if known is None else known.text, _scope(results, asked))


@dataclass(frozen=True, slots=True)
class _Asked:
    """The HPA, labels and times that a question is about, as they were given."""

    hpa: str | None
    selector: str
    at: At | None
    since: When | None
    until: When | None


def _known(text: str, asked: _Asked) -> Question | None:
    """The question of that name, None for SQL. Raises BadOption if it does not use what was given."""
    from hpaaudit.results.questions import question_named, require_hpas

    given = {"hpa": asked.hpa, "at": asked.at, "since": asked.since, "until": asked.until}
    refuse_unused(text, {name: f"--{name}" for name, value in given.items() if value is not None})
    known = None if _is_sql(text) else question_named(text)
    if asked.selector:
        require_hpas(text, known)
    return known


def _scope(results: "Results", asked: _Asked) -> "Scope":
    """What was asked for, as values."""
    from hpaaudit.results.questions import Scope, hpas_of

    hpa, at = asked.hpa, asked.at
    if hpa is not None:
        meant = hpas_of(results, hpa)
        hpa = whole_pattern(hpa, meant) if "*" in hpa else meant[0]
    at_us = None if at is None else landmark_or_time(at, results.span)
    if isinstance(at_us, Landmark):
        from hpaaudit.results.account_reconcile import chosen_hpa, landmark_place

        at_us, _ = landmark_place(results, chosen_hpa(results, hpa), at_us)
    return Scope(
        hpa=hpa,
        at_us=at_us,
        since_us=None if asked.since is None else time_of("since", asked.since, results.span),
        until_us=None if asked.until is None else time_of("until", asked.until, results.span),
    )


def _answers(
    source: Source, texts: Sequence[str], asked: _Asked, warn: Warn, progress: ShowProgress
) -> "Iterator[Answer]":
    """The answer to each question or statement."""
    from hpaaudit.results.answer import Answer
    from hpaaudit.results.questions import ask, ask_sql

    known = _known(";".join(texts), asked)
    results = open_source(path_of(source), warn, progress, asked.selector)
    scope = _scope(results, asked)
    for text in texts:
        yield Answer(results, ask_sql(results, text, scope) if known is None else ask(results, known, scope))


def refuse_unused(question: str, given: Mapping[str, str]) -> None:
    """Raises as `query` if the question does not use what was given.

    given   the option with which `hpa`, `at`, `since` and `until` were given; those that were not are left out
    """
    from hpaaudit.results.questions import parameters_of, question_named, require_used

    if _is_sql(question):
        require_used("this SQL", parameters_of(question), given)
    else:
        known = question_named(question)
        require_used(known.name, known.parameters, given)


def named_questions() -> Mapping[str, Question]:
    """Every question of `sql/questions/`, by its name."""
    from hpaaudit.results.questions import questions

    return questions()


def named_question(name: str) -> Question:
    """The question of that name in `sql/questions/`.

    Raises UnknownQuestion, and BadOption for SQL.
    """
    from hpaaudit.results.questions import question_named

    if _is_sql(name):
        raise BadOption("SQL has no described columns, a named question has: put `describe` before SQL to see its own")
    return question_named(name)


def columns_sql(relation: str) -> str:
    """The SQL that tells of the columns of a relation, by its name."""
    from hpaaudit.results import sql

    return sql.folder("shell")["columns_of"].replace("{relation}", relation)


def account(results: "Results", drawn_of_many: int | None = None) -> "ReplayAccount":
    """The outcome of a replay, HPA by HPA.

    drawn_of_many   so many of a fleet's HPAs are read over time; None: as many as a report draws
    """
    from hpaaudit.results.account import replay_account

    return replay_account(results, drawn_of_many)


def replayed_hpas(file: Path) -> list[str]:
    """Every HPA of a results file as `namespace/name`. Raises NotResults."""
    from hpaaudit.results.hpa_names import hpa_names

    with open_file(file) as results:
        return hpa_names(results)


def replayed_labels(file: Path) -> set[str]:
    """The labels of the HPAs of a results file as `key=value`. Raises NotResults, and BadOption for what are none."""
    with open_file(file) as results:
        known = [decoded_labels(name, one, str(file)) for name, one in results.labels.items() if one is not None]
    return {f"{key}={value}" for one in known for key, value in one.items()}


def span_of(source: Path) -> Span:
    """Begin and end of a recording, which may be damaged, or of what a results file shows."""
    if source.is_dir():
        return recorded_span(source)
    with open_file(source) as results:
        return results.span


def asked_moment(source: Path, at: Moment | Landmark) -> At:
    """What `--at` asks for. A results file is not opened for that: who answers from it resolves the text."""
    if isinstance(at, Landmark):
        return at
    return at.within("at", span_of(source)) if source.is_dir() else at.text


def _is_sql(text: str) -> bool:
    """True unless the text is one word, as the name of a question is. Raises BadOption for bytes that are no text."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadOption(f"what is asked is not text: {error.reason} at character {error.start}") from error
    return len(text.split()) > 1
