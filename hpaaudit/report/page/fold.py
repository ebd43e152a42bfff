"""Folds explanations that differ only in their numbers: each form of a text once, and its numbers in columns.

`kept 6. Replay 6` and `kept 4. Replay 4` have one form, with a hole (a zero byte) for each number, and two columns of
6 and 4, which compress to little. `unpack.js` puts a text together again.
"""

import re
from collections.abc import Iterable
from typing import Any

HOLE = "\x00"
_NUMBER = re.compile(r"\d+")


def folded(texts: Iterable[str | None]) -> dict[str, Any]:
    """The forms, the form of each text (-1: there is no text), and the numbers of each hole of each form.

    A text with a NUL of its own does not exist here: they are all printable.
    """
    forms: dict[str, int] = {}
    form_of: list[int] = []
    holes: list[list[list[str]]] = []
    for text in texts:
        if text is None:
            form_of.append(-1)
            continue
        numbers = _NUMBER.findall(text)
        form = _NUMBER.sub(HOLE, text)
        if form not in forms:
            forms[form] = len(forms)
            holes.append([[] for _ in numbers])
        form_of.append(forms[form])
        for column, number in zip(holes[forms[form]], numbers, strict=True):
            column.append(number)
    return {
        "forms": list(forms),
        "formOf": form_of,
        "holes": [["\n".join(column) for column in columns] for columns in holes],
    }
