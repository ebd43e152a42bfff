"""The worlds whose calls of the kernel are kept: of chance, of the real controller, and as others saw those."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from hpaaudit.model.flags import Flags
from tests.conformance.decisions import facts_of
from tests.conformance.expected import HERE, captures, name_of, releases
from tests.fleet.chance import write
from tests.fleet.drawn import DRAWN
from tests.fleet.outside import ahead, blind, late, published, thin, well
from tests.fleet.test_kernel import of_release

RECENT = ("1.23", "1.28", "1.36", "1.37")
"""Releases whose worlds are also told from outside of the controller."""

CHANCE: Mapping[str, tuple[int, ...]] = {
    "chance": (*range(24), 53, 101, 128, 140, 178, 200, 258, 265, 278, 302, 303),
    "exact": (3, 5, 33, 38, 41, 44, 47, 60, 64),
    "huge": (
        *(1, 17, 24, 35, 37, 40, 52, 53, 61, 71, 76, 85, 101, 104, 112, 115, 118, 128, 130, 137, 140, 141, 153, 154),
        *(171, 595),
    ),
    "told": (5, 6, 30, 56, 71, 72, 82, 105, 111, 138, 441, 1741, 1985),
    "windows": (*range(16), 77, 190),
    "windows told": tuple(range(6)),
}
"""Seeds of worlds of chance, by kind. All but the first 24 were chosen: each meets edges of rules that few others meet.

If a change to how worlds are drawn lets mutants live again, look for other seeds: most are met once in 50 worlds.
"""

FIRST_OF_1_7: Mapping[str, tuple[int, ...]] = {"windows": (21, 47)}
"""Worlds that 1.7.0 decides: a release without its patch is the last of it, and two rules came with 1.7.2 and 1.7.9."""

RECONCILES = 24
EACH, RECENT_EACH = 6, 24
RARE = ("failures-100-0004", "vector-no-pods-object-within")
"""Worlds that few are like: all reads of a reconcile with several requests fail; an Object value at its target while no
pod is there."""

RARE_OF: Mapping[str, tuple[str, ...]] = {
    "1.1": ("vector-pending-pod-cpu-100",),
    "1.4": ("vector-failed-pod-cpu-100", "vector-failed-pod-custom-100"),
    "1.5": (
        *("common-100-0003", "people-100-0000", "people-100-0004"),
        *("vector-silent-pod-custom-100", "vector-silent-pod-custom-131"),
    ),
}
"""The same of one release: pods that are pending, have failed or lack a sample, and a target at zero."""

WHOLE = 1 << 30
"""So many facts make a segment: every world is one slice."""

FlagsOf = Callable[[Any], Flags]


class Group(NamedTuple):
    """Worlds whose calls are kept together.

    name     of the kind of chance or of the release
    worlds   seeds, or names of captures;  asked_as   the release that decides, empty for that of each world
    """

    name: str
    worlds: tuple[int, ...] | tuple[str, ...]
    asked_as: str = ""


def groups() -> list[Group]:
    """All groups."""
    return [
        *(Group(kind, seeds) for kind, seeds in CHANCE.items()),
        *(Group(kind, seeds, "1.7.0") for kind, seeds in FIRST_OF_1_7.items()),
        *(Group(release, tuple(_chosen(release))) for release in releases()),
    ]


def _chosen(release: str) -> list[str]:
    """Some captures of a release, by name."""
    each = RECENT_EACH if release in RECENT else EACH
    own = [name_of(capture) for capture in captures(release)]
    chosen = own[:: max(len(own) // each, 1)][:each]
    rare = (*RARE, *RARE_OF.get(release, ()))
    return chosen + [name for name in own if name in rare and name not in chosen]


def worlds_of(group: Group, folder: Path) -> Iterator[tuple[str, Path, FlagsOf]]:
    """The worlds of a group, written into a folder: name, place and flags."""
    for number, world in enumerate(group.worlds):
        if isinstance(world, int):
            place = folder / str(number)
            flags = DRAWN[group.name](place, world, RECONCILES, WHOLE)
            asked = replace(flags, release=group.asked_as) if group.asked_as else flags
            yield f"{group.name} {world} {group.asked_as}".strip(), place, lambda _, asked=asked: asked
        else:
            for view, facts in _views(group.name, world, number).items():
                place = folder / f"{number}{view}"
                write(place, facts, rows=WHOLE)
                yield f"{group.name} {world}{view}", place, of_release(group.name)


def _views(release: str, name: str, number: int) -> dict[str, list[Any]]:
    """A world of the real controller, and for some releases how others see it."""
    facts = facts_of(HERE / release / f"{name}.capture.jsonl.gz")
    if release not in RECENT:
        return {"": facts}
    return {
        "": facts,
        " published": list(published(facts)),
        " ahead": list(ahead(facts)),
        " well": list(well(facts)),
        " late": list(late(facts, Random(number))),  # noqa: S311 (a seed makes a world)
        " thin": list(thin(facts, Random(number))),  # noqa: S311
        " blind": list(blind(facts, Random(number))),  # noqa: S311
    }
