"""A function that acts is described by an imperative: `Write the file`, not `Writes the file`."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(path for folder in ("hpaaudit", "tests") for path in (ROOT / folder).rglob("*.py"))
THIRD_PERSON = re.compile(r"[A-Z][a-z]*[^s]s\b(?!')")
NO_VERB = {"This", "Its", "As", "Always"}


def problems(text: str) -> list[str]:
    """The docstrings of functions without a result that begin with a verb in the third person."""
    functions = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    acting = (node for node in functions if isinstance(node.returns, ast.Constant) and node.returns.value is None)
    docstrings = (ast.get_docstring(node) or "" for node in acting if not node.name.startswith("test_"))
    begins = ((text, THIRD_PERSON.match(text)) for text in docstrings)
    return [text for text, begin in begins if begin is not None and begin[0] not in NO_VERB]


def test_a_function_that_acts_is_described_by_an_imperative() -> None:
    assert {path: wrong for path in FILES if (wrong := problems(path.read_text("utf-8")))} == {}


@pytest.mark.parametrize(
    ("first_word", "is_problem"), [("Writes", True), ("Write", False), ("This", False), ("Pass", False)]
)
def test_a_verb_in_the_third_person_is_a_problem(first_word: str, is_problem: bool) -> None:
    text = f'def act() -> None:\n    """{first_word} the file."""\n'
    assert bool(problems(text)) == is_problem
