"""The kernel decides as `reconcile` does: every column, every proposal, every slot of the memory."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hpaaudit.api.flags import with_flags
from hpaaudit.engine.fleet import compile as compiled
from hpaaudit.engine.fleet.input.unsupported import Unsupported
from hpaaudit.engine.fleet.kernel import walk as kernel
from hpaaudit.flows.fleet import cache_folder
from hpaaudit.importers.capture import Reader
from hpaaudit.model.flags import Flags
from tests.conformance.expected import captures, name_of, releases
from tests.fleet.beside import Walk, by_kernel, difference, one_by_one
from tests.fleet.chance import compared, write
from tests.fleet.drawn import DRAWN
from tests.fleet.outside import ahead, blind, late, published, thin, well
from tests.sample import one_in

WORLDS, RECONCILES, SHARES = 60, 40, 4
SEEDS = 20
FEW = 3
"""Of each release one world in so many is decided twice, of the next release the next one: their names recur."""
BEYOND = {
    "several HPAs select the same pods",
    "an answer of a metric API names a pod twice",
    "the controller called a kind unknown",
    "the controller was started with other flags meanwhile",
    "the controller wrote a scale long after its last reconcile",
    "Heapster was asked for a metric of pods",
    "Heapster was asked for something else than this release asks",
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
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder_name:
        yield Path(folder_name)


def of_release(release: str) -> Callable[[Any], Flags]:
    """The flags of a controller of this release, as it declares them."""

    def flags_of(controller: Any) -> Flags:
        if controller is None:
            return Flags(release=release)
        return replace(with_flags(Flags(release=release), dict(controller.flags)), gates=controller.gates)

    return flags_of


def decides_likewise(
    worlds: Sequence[Path], flags_of: Callable[[Any], Flags], walk: Walk, folder: Path, **options: int
) -> None:
    """Both engines decide some of these worlds, and all of those alike. `options` are those of the recording."""
    decided, beyond = 0, set()
    for number, capture in enumerate(worlds):
        mine = folder / f"world-{number}"
        write(mine, list(Reader((capture,)).facts()), **options)
        try:
            ours = by_kernel(mine, flags_of, walk)
        except Unsupported as reason:
            beyond.add(str(reason))
            continue
        assert (name_of(capture), difference(ours, one_by_one(mine, flags_of))) == (name_of(capture), "")
        decided += len(ours.reconciles)
    assert decided > 0
    assert beyond <= BEYOND


@pytest.mark.parametrize("release", releases())
def test_it_decides_the_worlds_of_the_real_controller_likewise(release: str, walk: Walk, folder: Path) -> None:
    worlds = one_in(FEW, captures(release), releases().index(release))
    decides_likewise(worlds, of_release(release), walk, folder)


@pytest.mark.parametrize(
    ("release", "asked"),
    [
        ("1.4", "1.4.0"),
        ("1.4", "1.4.3"),
        ("1.3", "1.5"),
        ("1.5", "1.3"),
        ("1.5", "1.4"),
        ("1.2", "1.3"),
        ("1.1", "1.2"),
        ("1.9", "1.5"),
        ("1.36", "1.4"),
    ],
)
def test_it_decides_worlds_of_another_release_likewise(release: str, asked: str, walk: Walk, folder: Path) -> None:
    """A controller of 1.1 to 1.5 takes what Heapster answered in its order, whatever had been asked."""
    decides_likewise(captures(release)[::5], of_release(asked), walk, folder, rows=90)


@pytest.mark.parametrize("release", ["1.1", "1.3", "1.5"])
def test_a_recording_of_1_5_or_older_without_lines_is_left_to_the_other_engine(
    release: str, walk: Walk, folder: Path
) -> None:
    write(folder, list(published(list(Reader((captures(release)[0],)).facts()))))
    with pytest.raises(Unsupported, match="the HPAs were served as"):
        by_kernel(folder, of_release(release), walk)


def test_newer_hpas_without_lines_are_left_to_the_other_engine_as_1_5(walk: Walk, folder: Path) -> None:
    write(folder, list(published(list(Reader((captures("1.36")[0],)).facts()))))
    with pytest.raises(Unsupported, match="every reconcile has a line"):
        by_kernel(folder, of_release("1.5"), walk)


@pytest.mark.parametrize("release", ["1.23", "1.28", "1.36", "1.37"])
def test_it_tells_what_the_real_controller_saw_likewise_from_outside(release: str, walk: Walk, folder: Path) -> None:
    """Instants, candidates, bands and memory: found out from what was published."""
    decided, beyond, flags_of = 0, set(), of_release(release)
    for number, capture in enumerate(one_in(18 if release == "1.36" else 4, captures(release))):
        facts, chance = list(Reader((capture,)).facts()), Random(number)  # noqa: S311 (a seed makes a world)
        for kind, view_facts in (
            ("all", published(facts)),
            ("late", late(facts, chance)),
            ("thin", thin(facts, chance)),
            ("blind", blind(facts, chance)),
            ("well", well(facts)),
            ("ahead", ahead(facts)),
        ):
            mine = folder / f"{kind}-{number}"
            write(mine, list(view_facts), rows=150)
            try:
                ours = by_kernel(mine, flags_of, walk)
            except Unsupported as reason:
                beyond.add(str(reason))
                continue
            differs = difference(ours, one_by_one(mine, flags_of))
            assert (name_of(capture), kind, differs) == (name_of(capture), kind, "")
            decided += len(ours.reconciles)
    assert decided > 0
    assert beyond <= BEYOND


@pytest.mark.parametrize("share", range(SHARES))
def test_it_decides_worlds_of_chance_on_a_grid_of_time_likewise(share: int, walk: Walk, folder: Path) -> None:
    for seed in range(share, WORLDS, SHARES):
        assert (seed, compared(folder / f"world-{seed}", seed, RECONCILES, walk)) == (seed, "")


@pytest.mark.parametrize("kind", sorted(DRAWN.keys() - {"chance"}))
def test_it_decides_worlds_of_other_kinds_likewise(kind: str, walk: Walk, folder: Path) -> None:
    for seed in range(SEEDS):
        differs = compared(folder / f"world-{seed}", seed, RECONCILES // 2, walk, drawn=DRAWN[kind])
        assert (seed, differs) == (seed, "")


def test_its_source_decides_likewise_in_cpython(folder: Path) -> None:
    for seed in range(1000, 1012):
        assert (seed, compared(folder / f"world-{seed}", seed, RECONCILES, kernel.walk)) == (seed, "")


def test_it_decides_likewise_where_a_slice_holds_next_to_nothing(walk: Walk, folder: Path) -> None:
    """Nothing but the ends of pods, no read, no reconcile: whatever a cut may leave."""
    for seed in range(2000, 2012):
        assert (seed, compared(folder / f"world-{seed}", seed, RECONCILES // 2, walk, rows=7)) == (seed, "")
