"""A function that acts is described in the third person without a subject: `Writes the file`, not `Write the file`."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(path for folder in ("hpaaudit", "tests") for path in (ROOT / folder).rglob("*.py"))
VERBS = {
    "Accept", "Acknowledge", "Adapt", "Add", "Advance", "Answer", "Append", "Apply", "Ask", "Build",
    "Check", "Clear", "Close", "Collect", "Compare", "Compile", "Continue", "Copy", "Correct", "Count",
    "Create", "Cut", "Decide", "Delete", "Describe", "Discard", "Do", "Draw", "Drop", "Emit", "Erase",
    "Explain", "Fill", "Find", "Follow", "Forget", "Free", "Get", "Give", "Hear", "Hold", "Import", "Judge",
    "Keep", "Kill", "Leave", "Let", "Look", "Make", "Mark", "Move", "Narrow", "Open", "Parse", "Pass", "Play",
    "Poll", "Press", "Print", "Put", "Raise", "Read", "Receive", "Refuse", "Register", "Remember", "Remove",
    "Rename", "Repair", "Replace", "Require", "Reserve", "Reset", "Resolve", "Restore", "Return", "Run", "Say",
    "Seal", "Send", "Serve", "Set", "Show", "Skip", "Sleep", "Stop", "Store", "Take", "Talk", "Tell", "Try",
    "Unlock", "Update", "Upload", "Wait", "Wake", "Walk", "Warn", "Write", "Yield",
}  # fmt: skip
"""Verbs that cannot be read as a noun at the begin of a sentence here."""


def problems(text: str) -> list[str]:
    """The docstrings of functions that begin with an imperative. The text of a command is its help: it may."""
    return [docstring for docstring in _docstrings(text) if docstring.split(maxsplit=1)[0].strip(".,:;") in VERBS]


def _docstrings(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name.startswith("test_"):
            continue
        is_command = any(
            "click." in ast.unparse(decorator) or "command" in ast.unparse(decorator)
            for decorator in node.decorator_list
        )
        docstring = ast.get_docstring(node)
        if docstring and not is_command:
            yield docstring


def test_a_function_that_acts_is_described_in_the_third_person() -> None:
    assert {str(path): wrong for path in FILES if (wrong := problems(path.read_text("utf-8")))} == {}


@pytest.mark.parametrize(
    ("docstring", "is_problem"),
    [("Write the file.", True), ("Writes the file.", False), ("The file.", False), ("Write: the file.", True)],
)
def test_an_imperative_is_a_problem(docstring: str, is_problem: bool) -> None:
    assert bool(problems(f'def act() -> None:\n    """{docstring}"""\n')) == is_problem


def test_the_help_of_a_command_is_an_imperative() -> None:
    assert problems('@click.command("record")\ndef record() -> None:\n    """Record a cluster."""\n') == []
