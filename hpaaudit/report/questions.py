"""Lists the named questions."""

from collections.abc import Mapping


def questions_text(questions: Mapping[str, str]) -> str:
    """One line for each question: its name, then the question."""
    width = max(map(len, questions), default=0)
    return "".join(f"{name.ljust(width)}  {asks}\n" for name, asks in questions.items())
