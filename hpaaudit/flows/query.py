"""Asks questions of a results file, or of a recording, which is replayed first where it must be."""

from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from hpaaudit.flows.replay import unheard
from hpaaudit.flows.source import open_file, open_source
from hpaaudit.model.account import ReplayAccount
from hpaaudit.model.units import Micros

if TYPE_CHECKING:
    from hpaaudit.results.answer import Answer
    from hpaaudit.results.read import Results


def query(
    source: Path,
    question: str,
    *,
    hpa: str | None = None,
    at: Micros | None = None,
    since: Micros | None = None,
    until: Micros | None = None,
    warn: Callable[[str], None] = unheard,
) -> "Answer":
    """Answers a question of `sql/questions/` by name, or any SQL that only reads; the scope goes to questions only.

    hpa    `namespace/name`, `*` stands for anything; None: the one that matters most, or all
    warn   is told of results that somebody else made, and what `replay` tells

    Raises NotResults, UnknownQuestion, BadQuery and what `replay` raises.
    """
    from hpaaudit.results.answer import Answer
    from hpaaudit.results.questions import Scope, ask
    from hpaaudit.results.questions import question as named

    asked = None if _is_sql(question) else named(question)
    results = open_source(source, warn)
    if asked is None:
        return Answer(results, results.sql(question))
    return Answer(results, ask(results, asked, Scope(hpa=hpa, at_us=at, since_us=since, until_us=until)))


def questions() -> Mapping[str, str]:
    """Every question by name, with itself in words."""
    from hpaaudit.results.questions import questions as known

    return {name: question.asks for name, question in known().items()}


def account(results: "Results") -> ReplayAccount:
    """What a replay found, HPA by HPA."""
    from hpaaudit.results.account import replay_account

    return replay_account(results)


def span_of(source: Path) -> tuple[Micros, Micros]:
    """When a recording, a damaged one too, or the recording behind a results file begins and ends."""
    from hpaaudit.recording.reading.recording import recording_info
    from hpaaudit.recording.reading.survey import survey_recording

    if source.is_dir():
        seen = survey_recording(source)
        info = recording_info(source, seen, seen.segments)
        return info.started_us, info.ended_us
    with open_file(source) as results:
        return results.span


def bundled_recording() -> Path:
    """The recording that travels with the package."""
    return Path(str(files("hpaaudit") / "demo"))


def _is_sql(text: str) -> bool:
    """A question's name is one word."""
    return len(text.split()) > 1
