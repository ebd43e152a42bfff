"""Writes counts for messages: with their noun, and as a share."""


def counted(number: int, noun: str) -> str:
    """`1 pod`, `3 pods`. The macro `counted` in `sql/macros/` does the same in SQL."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def percent_of(part: int, whole: int) -> str:
    """`92.8 %`, rounded down: `100.0 %` is all of them, and only none of them is `0.0 %`.

    The macro `percent_of` in `sql/macros/` does the same in SQL.
    """
    tenths = max(1000 * part // whole, 1 if part else 0)
    return f"{tenths // 10}.{tenths % 10} %"
