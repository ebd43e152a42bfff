"""The kernel decides as `reconcile` does: every column, every proposal, every slot of the memory."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hpaaudit.api.flags import with_flags
from hpaaudit.engine.fleet import compiled, kernel
from hpaaudit.engine.fleet.beyond import Beyond
from hpaaudit.engine.reconcile import reconcile
from hpaaudit.flows.fleet import cache_folder
from hpaaudit.importers.capture import Reader
from hpaaudit.model.facts import Fact
from hpaaudit.model.flags import Flags
from hpaaudit.model.memory import EMPTY
from hpaaudit.recording.write import Writer
from tests.conformance.expected import captures, name_of, releases
from tests.engine.telling import told
from tests.engine.worlds import passes, world
from tests.fleet.beside import Walk, by_kernel, difference, one_by_one

WORLDS, PASSES, SHARES = 120, 40, 4
ROWS = 400
"""So few facts make a segment of their own: answers, pods and memory must come over from the one before."""

BEYOND = {
    "several HPAs select the same pods",
    "an answer of a metric API names a pod twice",
    "the controller called a kind unknown",
    "the controller was started with other flags meanwhile",
}
"""What is left to the object engine; nothing else may be."""


@pytest.fixture(scope="session")
def walk() -> Walk:
    """The compiled kernel."""
    return compiled.walk(str(cache_folder()))


@pytest.fixture
def folder() -> Iterator[Path]:
    """A place in memory, where writing costs nothing, if there is one."""
    shared = Path("/dev/shm")  # noqa: S108 (files of this test only)
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as found:
        yield Path(found) / "recording"


def _write(folder: Path, facts: list[Fact], rows: int) -> None:
    with Writer(folder, source="test", started_us=facts[0].at_us) as writer:
        for number, fact in enumerate(facts, 1):
            writer.add(fact)
            if number % rows == 0:
                writer.seal()


def _of_release(release: str) -> Callable[[Any], Flags]:
    def flags_of(controller: Any) -> Flags:
        if controller is None:
            return Flags(release=release)
        return replace(with_flags(Flags(release=release), dict(controller.flags)), gates=controller.gates)

    return flags_of


def _compare(folder: Path, flags_of: Callable[[Any], Flags], walk: Walk, where: str) -> int:
    theirs = one_by_one(folder, flags_of)
    assert (where, difference(by_kernel(folder, flags_of, walk), theirs)) == (where, "")
    return len(theirs.reconciles)


@pytest.mark.parametrize("release", releases())
def test_it_decides_the_worlds_of_the_real_controller_likewise(release: str, walk: Walk, folder: Path) -> None:
    decided, beyond = 0, set()
    for number, capture in enumerate(captures(release)):
        mine = folder.with_name(f"world-{number}")
        _write(mine, list(Reader((capture,)).facts()), ROWS)
        try:
            decided += _compare(mine, _of_release(release), walk, name_of(capture))
        except Beyond as reason:
            beyond.add(str(reason))
    assert decided > 0
    assert beyond <= BEYOND


@pytest.mark.parametrize("share", range(SHARES))
def test_it_decides_worlds_of_chance_on_a_grid_of_time_likewise(share: int, walk: Walk, folder: Path) -> None:
    for seed in range(share, WORLDS, SHARES):
        mine = folder.with_name(f"world-{seed}")
        flags = _chance(mine, seed, PASSES)
        _compare(mine, lambda _, flags=flags: flags, walk, f"world {seed}")


def test_its_source_decides_likewise_in_cpython(folder: Path) -> None:
    for seed in range(1000, 1012):
        mine = folder.with_name(f"world-{seed}")
        flags = _chance(mine, seed, PASSES)
        _compare(mine, lambda _, flags=flags: flags, kernel.walk, f"world {seed}")


def _chance(folder: Path, seed: int, count: int) -> Flags:
    """Write a world of chance whose replicas follow its decisions; the flags of its controller."""
    drawn = world(Random(seed))  # noqa: S311 (a seed makes a world)
    release = Random(seed).choice(("1.36", "1.36", "1.12", "1.15", "1.18", "1.20", "1.23", "1.28", "1.33", "1.37"))  # noqa: S311
    flags = replace(drawn.flags, release=release)
    seen, memory = [], EMPTY
    for look in passes(drawn, count):
        seen.append(look)
        decision, memory = reconcile(look, memory, flags)
        if decision.desired is not None:
            drawn.replicas = decision.desired
    _write(folder, told(seen), ROWS)
    return flags
