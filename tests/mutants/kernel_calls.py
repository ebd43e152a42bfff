"""What the kernel writes for some worlds, run by CPython: kept before a rule is changed, compared afterwards.

python -m tests.mutants.kernel_calls FILE
"""

import pickle
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, NamedTuple

RECENT = ("1.23", "1.28", "1.36", "1.37")
"""Releases whose worlds are also told from outside of the controller."""

CHANCE: Mapping[str, tuple[int, ...]] = {
    "chance": (*range(24), 53, 101, 128, 140, 178, 200, 258, 265, 278, 302, 303),
    "exact": (3, 5, 33, 38, 41, 44, 47, 60, 64),
    "huge": (
        *(1, 17, 24, 35, 37, 40, 52, 53, 61, 71, 76, 85, 101, 104, 112, 115, 118, 128, 130, 137, 140, 141, 153, 154),
        *(171, 595),
    ),
    "told": (5, 6, 30, 56, 71, 72, 82, 111, 138, 1741, 1985),
    "windows": tuple(range(16)),
    "windows told": tuple(range(6)),
}
"""Seeds of worlds of chance, by kind. All but the first 24 were chosen: each meets edges of rules that few others meet.

If a change to how worlds are drawn lets mutants live again, look for other seeds: most are met once in 50 worlds.
"""

RECONCILES = 24
EACH, RECENT_EACH = 6, 24
RULES = "/engine/rules/"
RARE = ("failures-100-0004", "vector-no-pods-object-within")
"""Worlds that few are like: all reads of a reconcile with several requests fail; an Object value at its target while no
pod is there."""

WHOLE = 1 << 30
"""So many facts make a segment: every world is one slice."""

Rule = tuple[str, str]
"""A rule: file and function."""


class Call(NamedTuple):
    """One call of the kernel.

    world       the name of its world
    arguments   what the kernel was called with, pickled;  written   what it wrote, as text
    rules       the rules that it called;  seconds   how long it took
    """

    world: str
    arguments: bytes
    written: str
    rules: frozenset[Rule]
    seconds: float


def answer(arguments: bytes) -> str:
    """What the kernel writes, called with these arguments; raises whatever a mutant raises."""
    from hpaaudit.engine.fleet.kernel import walk as kernel

    run, first, last = pickle.loads(arguments)  # noqa: S301 (our own)
    kernel.walk(run, first, last)
    return repr((run.memory, run.decisions, run.proposals))


def call_of(arguments: bytes) -> Call:
    """The call with these arguments, its world not named yet."""
    begun = time.perf_counter()
    written = answer(arguments)
    seconds = time.perf_counter() - begun
    called: set[Rule] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and RULES in code.co_filename:
            called.add((Path(code.co_filename).stem, code.co_name))

    sys.setprofile(note)
    try:
        answer(arguments)
    finally:
        sys.setprofile(None)
    return Call("", arguments, written, frozenset(called), seconds)


def reached() -> set[Rule]:
    """The rules that are compiled into the kernel."""
    from hpaaudit.engine.fleet import compile as compiled

    functions = compiled.functions()
    return {
        (item.__module__.rsplit(".", 1)[1], item.__name__) for item in functions if ".engine.rules." in item.__module__
    }


def calls() -> Iterator[Call]:
    """Every call of the kernel in all worlds."""
    from tests.fleet.beside import by_kernel

    calls: list[Call] = []

    def keep(run: Any, first: int, last: int) -> None:
        from tests.fleet.beside import listed, over_lists

        calls.append(call_of(pickle.dumps((listed(run), first, last))))
        over_lists(run, first, last)

    from hpaaudit.engine.fleet.input.unsupported import Unsupported

    with tempfile.TemporaryDirectory() as folder:
        for number, (name, write, flags_of) in enumerate(_worlds()):
            mine = Path(folder) / str(number)
            write(mine)
            calls.clear()
            try:
                by_kernel(mine, flags_of, keep)
            except Unsupported:
                continue
            yield from (call._replace(world=name) for call in calls)


def _worlds() -> Iterator[tuple[str, Callable[[Path], None], Callable[[Any], Any]]]:
    """Worlds of the real controller, the same told from outside, and worlds of chance."""
    from hpaaudit.importers.capture import Reader
    from tests.conformance.expected import captures, name_of, releases
    from tests.fleet.chance import write
    from tests.fleet.drawn import DRAWN
    from tests.fleet.outside import ahead, blind, late, published, thin, well
    from tests.fleet.test_kernel import of_release

    for kind, seeds in CHANCE.items():
        for seed in seeds:
            flags: list[Any] = []
            yield (
                f"{kind} {seed}",
                lambda folder, seed=seed, flags=flags, drawn=DRAWN[kind]: flags.append(
                    drawn(folder, seed, RECONCILES, WHOLE)
                ),
                lambda _, flags=flags: flags[0],
            )
    for release in releases():
        each = RECENT_EACH if release in RECENT else EACH
        own = captures(release)
        chosen = own[:: max(len(own) // each, 1)][:each]
        chosen += [capture for capture in own if name_of(capture) in RARE and capture not in chosen]
        for number, capture in enumerate(chosen):
            facts = list(Reader((capture,)).facts())
            views = {"": facts}
            if release in RECENT:
                views |= {
                    " published": list(published(facts)),
                    " ahead": list(ahead(facts)),
                    " well": list(well(facts)),
                    " late": list(late(facts, Random(number))),  # noqa: S311 (a seed makes a world)
                    " thin": list(thin(facts, Random(number))),  # noqa: S311
                    " blind": list(blind(facts, Random(number))),  # noqa: S311
                }
            for view, view_facts in views.items():
                name = f"{release} {name_of(capture)}{view}"
                yield (
                    name,
                    lambda folder, view_facts=view_facts: write(folder, view_facts, rows=WHOLE),
                    of_release(release),
                )


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(pickle.dumps((list(calls()), reached())))
