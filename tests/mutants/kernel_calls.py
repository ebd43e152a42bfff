"""What the kernel writes for some worlds, run by CPython: kept before a rule is changed, compared afterwards."""

import pickle
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from hpaaudit.engine.fleet import compile as compiled
from hpaaudit.engine.fleet.input.unsupported import Unsupported
from hpaaudit.engine.fleet.kernel import walk as kernel
from tests.fleet.beside import by_kernel, listed, over_lists
from tests.mutants.kernel_worlds import Group, worlds_of
from tests.mutants.lines import Lines, running_lines

Rule = tuple[str, str]
"""A rule: file and function."""


class Call(NamedTuple):
    """One call of the kernel.

    name        of its world, and its number there
    arguments   what the kernel was called with, pickled;  written   what it wrote, as text
    lines       those of rules that ran;  seconds   how long it took
    """

    name: str
    arguments: bytes
    written: str
    lines: Lines
    seconds: float

    def noticed(self) -> str:
        """How the kernel answers otherwise now, empty if it does not."""
        return "" if answer(self.arguments) == self.written else "writes something else"


def answer(arguments: bytes) -> str:
    """What the kernel writes, called with these arguments; raises whatever a mutant raises."""
    run, first, last = pickle.loads(arguments)  # noqa: S301 (our own)
    kernel.walk(run, first, last)
    return repr((run.memory, run.decisions, run.proposals))


def reached() -> set[Rule]:
    """The rules that are compiled into the kernel."""
    functions = compiled.functions()
    return {
        (item.__module__.rsplit(".", 1)[1], item.__name__) for item in functions if ".engine.rules." in item.__module__
    }


def calls_of(group: Group) -> list[Call]:
    """The calls of the kernel in the worlds of a group."""
    calls: list[Call] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, place, flags_of in worlds_of(group, Path(folder)):
            of_world: list[Call] = []

            def keep(run: Any, first: int, last: int, name: str = name, of_world: list[Call] = of_world) -> None:
                arguments = pickle.dumps((listed(run), first, last))
                with running_lines() as running:
                    written = answer(arguments)
                begun = time.perf_counter()
                over_lists(run, first, last)
                seconds = time.perf_counter() - begun
                of_world.append(Call(f"{name} #{len(of_world)}", arguments, written, running.lines, seconds))

            try:
                by_kernel(place, flags_of, keep)
            except Unsupported:
                continue
            calls += of_world
    return calls
