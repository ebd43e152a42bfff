"""Answers questions from a results file, or from a recording, which is replayed first if it has no results yet."""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from hpaaudit.errors import BadOption
from hpaaudit.flows.options import Warn, ignore_warning
from hpaaudit.flows.source import open_file, open_source
from hpaaudit.model.account import ReplayAccount
from hpaaudit.model.question import Question
from hpaaudit.model.units import Micros

if TYPE_CHECKING:
    from hpaaudit.results.answer import Answer
    from hpaaudit.results.read import Results


def query(  # noqa: PLR0913 the public API: an argument for each option of the command
    source: Path | str,
    question: str,
    *,
    hpa: str | None = None,
    at: Micros | None = None,
    since: Micros | None = None,
    until: Micros | None = None,
    warn: Warn = ignore_warning,
) -> "Answer":
    """Answer a question of `sql/questions/` by its name, or any SQL that only reads.

    hpa                `namespace/name`, `*` matches anything; None: all
    at, since, until   what a question asks about, in microseconds since 1970
    warn               is called if somebody else made the results, and with what `replay` warns of

    SQL uses these values as `$hpa` (for `like`), `$at`, `$since` and `$until`.

    Raises NotResults, UnknownQuestion, UnknownHpa, BadOption if the question does not use a value, BadQuery and what
    `replay` raises.
    """
    from hpaaudit.results.answer import Answer
    from hpaaudit.results.questions import Scope, ask, ask_sql, parameters_of, question_named, require_hpa, require_used

    known_question = None if _is_sql(question) else question_named(question)
    scope = Scope(hpa=hpa, at_us=at, since_us=since, until_us=until)
    if known_question is None:
        require_used("this SQL", parameters_of(question), scope)
    else:
        require_used(known_question.name, known_question.parameters, scope)
    results = open_source(Path(source), warn)
    if hpa is not None:
        require_hpa(results, hpa)
    if known_question is None:
        return Answer(results, ask_sql(results, question, scope))
    return Answer(results, ask(results, known_question, scope))


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
        raise BadOption("--columns describes a named question: put `describe` before SQL to see its columns")
    return question_named(name)


def account(results: "Results") -> ReplayAccount:
    """The outcome of a replay, HPA by HPA."""
    from hpaaudit.results.account import replay_account

    return replay_account(results)


def span_of(source: Path) -> tuple[Micros, Micros]:
    """Begin and end of a recording, or of the recording behind a results file. The recording may be damaged."""
    from hpaaudit.recording.reading.recording import recording_info
    from hpaaudit.recording.reading.survey import survey_recording

    if source.is_dir():
        surveyed = survey_recording(source)
        info = recording_info(source, surveyed, surveyed.segments)
        return info.started_us, info.ended_us
    with open_file(source) as results:
        return results.span


def bundled_recording() -> Path:
    """The recording that is part of the package."""
    return Path(str(files("hpaaudit") / "demo"))


def _is_sql(text: str) -> bool:
    """True unless the text is one word, as the name of a question is."""
    return len(text.split()) > 1
