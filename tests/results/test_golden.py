"""Questions and verdicts over the story, held to what stands in `golden/`."""

from pathlib import Path

import pytest

from hpaaudit.report.text_table import table
from hpaaudit.results.answer import Answer
from hpaaudit.results.questions import Scope, ask, question_named
from hpaaudit.results.read import Results
from tests.results.things import at
from tests.script import play

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.golden
@pytest.mark.parametrize("script", sorted(GOLDEN.glob("*.txt")), ids=lambda path: path.stem)
def test_answers_are_the_golden_ones(script: Path, story_results: Results, rewrite: bool) -> None:
    def answer(command: str, text: str) -> str:
        """`ask NAME [hpa=…] [at=seconds]` or `sql` with the query below it."""
        verb, *words = command.split()
        if verb == "sql":
            relation = story_results.sql(text)
        else:
            settings = dict(word.split("=") for word in words[1:])
            at_us = at(float(settings["at"])) if "at" in settings else None
            relation = ask(story_results, question_named(words[0]), Scope(hpa=settings.get("hpa"), at_us=at_us))
        shown = Answer(story_results, relation)
        return table(shown.columns, shown.rows())

    play(script, answer, rewrite=rewrite)
