"""Random worlds on a grid of time, written as recordings, whose decisions every engine must make alike."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from hpaaudit.engine.eras.reconcile import reconcile
from hpaaudit.model.facts import Fact
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import HpaStatus
from hpaaudit.model.memory import EMPTY
from hpaaudit.model.observation import Observation
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording.writing.writer import Writer
from tests.engine.recorded_facts import facts_of_observations
from tests.engine.worlds import World, observations, world
from tests.fleet.beside import Walk, by_kernel, difference, one_by_one

RELEASES = ("1.36",) * 5 + tuple(f"1.{minor}" for minor in range(12, 39))
"""Every release, and most often the one that most worlds of the real controller are of."""

OLD_RELEASES = tuple(f"1.{minor}" for minor in range(6, 12))
"""Those with forbidden windows, which depend on the status that the reconcile before left."""

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
    folder: Path,
    seed: int,
    count: int,
    rows: int = ROWS,
    *,
    drawn_by: Callable[[Random], World] = world,
    is_old: bool = False,
) -> Flags:
    """Writes a world whose replicas follow its decisions; returns the flags of its controller."""
    drawn = drawn_by(Random(seed))  # noqa: S311 (a seed makes a world)
    flags = flags_of(seed, drawn.flags, is_old=is_old)
    decided, memory, status = [], EMPTY, None
    for drawn_observation in observations(drawn, count):
        observation = with_status(drawn_observation, status) if is_old else drawn_observation
        decided.append(observation)
        decision, memory = reconcile(observation, memory, flags)
        status = decision.status or status
        if decision.desired is not None:
            drawn.replicas = decision.desired
    write(folder, facts_of_observations(decided), rows)
    return flags


def with_status(observation: Observation, status: HpaStatus | None) -> Observation:
    """The observation with the status that the reconcile before it left."""
    if observation.hpa is None or status is None:
        return observation
    return replace(observation, hpa=replace(observation.hpa, status=status))


def flags_of(seed: int, flags: Flags, *, is_old: bool) -> Flags:
    """The flags of the controller of a world: of its release, and up to 1.11 with delays on the grid of time.

    There no rule is switched on or off: the kernel leaves that to the other engine.
    """
    if not is_old:
        return replace(flags, release=release_of(seed))
    chance = Random(f"delays of {seed}")  # noqa: S311 (a seed makes a world)
    return replace(
        flags,
        release=chance.choice(OLD_RELEASES),
        upscale_delay_us=Micros(chance.choice((0, 15, 60, 180)) * SECOND),
        downscale_delay_us=Micros(chance.choice((0, 15, 60, 300)) * SECOND),
        rest_clients=True,
        with_behaviours=(),
    )


def release_of(seed: int) -> str:
    """The release of a world. It is drawn apart: else the same first bits would choose release and metrics."""
    return Random(f"release of {seed}").choice(RELEASES)  # noqa: S311


def compared(folder: Path, seed: int, count: int, walk: Walk, rows: int = ROWS, drawn: Draw = draw) -> str:
    """Decides a world twice; returns what differs, empty where nothing does."""
    flags = drawn(folder, seed, count, rows)
    return difference(by_kernel(folder, lambda _: flags, walk), one_by_one(folder, lambda _: flags))
