"""Worlds of chance on a grid of time, written as recordings, whose decisions every engine must make alike."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from hpaaudit.engine.controller.reconcile import reconcile
from hpaaudit.model.facts import Fact
from hpaaudit.model.flags import Flags
from hpaaudit.model.memory import EMPTY
from hpaaudit.recording.writing.writer import Writer
from tests.engine.recorded_facts import facts_of_observations
from tests.engine.worlds import observations, world
from tests.fleet.beside import Walk, by_kernel, difference, one_by_one

RELEASES = ("1.36", "1.36", "1.12", "1.15", "1.18", "1.20", "1.23", "1.28", "1.33", "1.37")

ROWS = 400
"""So few facts make a segment of their own: answers, pods and memory must come over from the one before."""


def write(folder: Path, facts: Sequence[Fact], rows: int = ROWS) -> None:
    """Write facts as a recording of small segments."""
    with Writer(folder, source="test", started_us=facts[0].at_us) as writer:
        for number, fact in enumerate(facts, 1):
            writer.add(fact)
            if number % rows == 0:
                writer.seal()


def draw(folder: Path, seed: int, count: int, rows: int = ROWS) -> Flags:
    """Write a world whose replicas follow its decisions; return the flags of its controller."""
    drawn = world(Random(seed))  # noqa: S311 (a seed makes a world)
    flags = replace(drawn.flags, release=Random(seed).choice(RELEASES))  # noqa: S311
    decided, memory = [], EMPTY
    for observation in observations(drawn, count):
        decided.append(observation)
        decision, memory = reconcile(observation, memory, flags)
        if decision.desired is not None:
            drawn.replicas = decision.desired
    write(folder, facts_of_observations(decided), rows)
    return flags


def compared(folder: Path, seed: int, count: int, walk: Walk, rows: int = ROWS) -> str:
    """Decide a world twice; return what differs, empty where nothing does."""
    flags = draw(folder, seed, count, rows)

    def flags_of(_: object) -> Flags:
        return flags

    return difference(by_kernel(folder, flags_of, walk), one_by_one(folder, flags_of))
