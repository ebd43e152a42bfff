"""Writes a count with its noun, for messages."""


def counted(number: int, noun: str) -> str:
    """`1 pod`, `3 pods`. The macro `counted` in `sql/macros/` does the same in SQL."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
