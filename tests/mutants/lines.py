"""Which lines that may be changed run while something is asked, and which lines a mutant touches.

What runs none of a mutant's lines cannot notice the mutant.
"""

import ast
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from tests.mutants.change import ENGINE, function_of, path_of
from tests.mutants.mutants import MUTANTS, Mutant

Lines = int
"""A set of lines: the bit of each is 1."""

_FILES = sorted(
    {path_of(mutant) for mutant in MUTANTS}.union(*((ENGINE / folder).glob("*.py") for folder in ("rules", "eras")))
)
FOLLOWED = [str(path.relative_to(ENGINE)) for path in _FILES]
"""The files whose lines are followed, in the order of their bits."""

_LENGTHS = [len(path.read_bytes().splitlines()) for path in _FILES]
_FIRST_BITS = {str(path): sum(_LENGTHS[:nth]) for nth, path in enumerate(_FILES)}


@dataclass(slots=True)
class Running:
    """The lines that ran so far."""

    lines: Lines = 0


@contextmanager
def running_lines() -> Iterator[Running]:
    """Fills in the lines that run inside of the `with`, of the files that are followed."""
    seen: set[tuple[int, int]] = set()

    def called(frame: FrameType, _event: str, _argument: Any) -> Any:
        first = _FIRST_BITS.get(frame.f_code.co_filename)
        if first is None:
            return None
        seen.add((first, frame.f_lineno))

        def went_on(inner: FrameType, _event: str, _argument: Any) -> Any:
            seen.add((first, inner.f_lineno))
            return went_on

        return went_on

    running = Running()
    before = sys.gettrace()
    sys.settrace(called)
    try:
        yield running
    finally:
        sys.settrace(before)
        running.lines = _lines(first + number for first, number in seen)


def lines_of(mutant: Mutant) -> Lines:
    """The lines of the statements that a mutant changes: of an `if` or a loop those above its body.

    A statement of several lines runs if any of them does.
    """
    path = path_of(mutant)
    source = path.read_text(encoding="utf-8")
    function = function_of(mutant, source)
    text = "".join(source.splitlines(keepends=True)[function.lineno - 1 : function.end_lineno])
    begin = function.lineno + text[: text.index(mutant.before)].count("\n")
    changed = range(begin, begin + mutant.before.count("\n") + 1)
    touched = [head for head in _heads(function) if set(head) & set(changed)]
    return _lines(_FIRST_BITS[str(path)] + number for head in touched for number in head)


def _lines(bits: Iterable[int]) -> Lines:
    return sum(1 << bit for bit in set(bits))


def _heads(function: ast.FunctionDef) -> Iterator[range]:
    """The lines of each statement of a function, without those of the statements inside."""
    for node in ast.walk(function):
        if isinstance(node, ast.stmt):
            inside = [inner.lineno for inner in ast.walk(node) if isinstance(inner, ast.stmt) and inner is not node]
            yield range(node.lineno, min(inside, default=(node.end_lineno or node.lineno) + 1))
