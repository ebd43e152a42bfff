"""Worlds of chance on a grid of time, written as recordings, whose decisions every engine must make alike."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from hpaaudit.engine.controller.reconcile import reconcile
from hpaaudit.model.facts import Fact
from hpaaudit.model.flags import Flags
from hpaaudit.model.memory import EMPTY
from hpaaudit.recording.writing.writer import Writer
from tests.engine.recorded_facts import facts_of_observations
from tests.engine.worlds import World, observations, world
from tests.fleet.beside import Walk, by_kernel, difference, one_by_one

RELEASES = ("1.36",) * 5 + tuple(f"1.{minor}" for minor in range(12, 39))
"""Every release, and most often the one that most worlds of the real controller are of."""

Draw = Callable[[Path, int, int, int], Flags]
"""Writes the world of a seed, of so many reconciles, in segments of so many facts."""

ROWS = 400
"""So few facts make a segment of their own: answers, pods and memory must come over from the one before."""


def write(folder: Path, facts: Sequence[Fact], rows: int = ROWS) -> None:
    """Writes facts as a recording of small segments."""
    with Writer(folder, source="test", started_us=facts[0].at_us) as writer:
        for number, fact in enumerate(facts, 1):
            writer.add(fact)
            if number % rows == 0:
                writer.seal()


def draw(
    folder: Path, seed: int, count: int, rows: int = ROWS, *, drawn_by: Callable[[Random], World] = world
) -> Flags:
    """Writes a world whose replicas follow its decisions; returns the flags of its controller."""
    drawn = drawn_by(Random(seed))  # noqa: S311 (a seed makes a world)
    flags = replace(drawn.flags, release=release_of(seed))
    decided, memory = [], EMPTY
    for observation in observations(drawn, count):
        decided.append(observation)
        decision, memory = reconcile(observation, memory, flags)
        if decision.desired is not None:
            drawn.replicas = decision.desired
    write(folder, facts_of_observations(decided), rows)
    return flags


def release_of(seed: int) -> str:
    """The release of a world. It is drawn apart: else the same first bits would choose release and metrics."""
    return Random(f"release of {seed}").choice(RELEASES)  # noqa: S311


def compared(folder: Path, seed: int, count: int, walk: Walk, rows: int = ROWS, drawn: Draw = draw) -> str:
    """Decides a world twice; returns what differs, empty where nothing does."""
    flags = drawn(folder, seed, count, rows)

    def flags_of(_: object) -> Flags:
        return flags

    return difference(by_kernel(folder, flags_of, walk), one_by_one(folder, flags_of))
