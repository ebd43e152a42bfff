"""Lists the named questions, and the columns of their answers."""

import json
from collections.abc import Iterable, Mapping
from itertools import groupby

from hpaaudit.model.question import Question
from hpaaudit.report.structured import as_yaml
from hpaaudit.report.text import one_line, paragraph

_INDENT = "  "


def questions_text(questions: Mapping[str, Question]) -> str:
    """The questions, grouped by when they are asked: a line for each, its name, then the question."""
    width = max(map(len, questions), default=0)
    groups = groupby(questions.values(), key=lambda question: question.occasion)
    return "\n".join(f"{occasion}\n" + "".join(_line(each, width) for each in group) for occasion, group in groups)


def columns_text(questions: Iterable[Question]) -> str:
    """For each question what one row of its answer is, then a line for each column."""
    return "\n".join(map(_columns_of, questions))


def questions_structured(questions: Iterable[Question], form: str) -> str:
    """The questions as `json` or `yaml`, each with its parameters and the columns of its answer."""
    whole = [
        {
            "name": question.name,
            "asks": question.asks,
            "row": question.row,
            "asked": str(question.occasion),
            "parameters": sorted(question.parameters),
            "columns": [{"name": name, "is": what} for name, what in question.columns.items()],
        }
        for question in questions
    ]
    return as_yaml(whole) if form == "yaml" else json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _line(question: Question, width: int) -> str:
    return one_line(f"{_INDENT}{question.name.ljust(width)}  {question.asks}", " " * 6) + "\n"


def _columns_of(question: Question) -> str:
    width = max(map(len, question.columns))
    columns = (f"{_INDENT}{name.ljust(width)}  {what}" for name, what in question.columns.items())
    return "".join(
        f"{line}\n" for line in (question.name, paragraph(question.asks), paragraph(question.row), "", *columns)
    )
