"""Lists the questions that can be asked by name."""

from collections.abc import Mapping


def questions_text(questions: Mapping[str, str]) -> str:
    """One line for each, its name first, then the question itself."""
    width = max(map(len, questions), default=0)
    return "".join(f"{name.ljust(width)}  {asks}\n" for name, asks in questions.items())
