"""The kernel beside `reconcile`, over many worlds of chance: how many reconciles, and how many differ.

python -m tests.bench.fuzz RECONCILES SEED
"""

import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from hpaaudit.engine.fleet.compile import walk
from hpaaudit.flows.fleet import cache_folder
from tests.bench.table import Row, rendered
from tests.fleet.chance import compared

RECONCILES = 100
WORLDS_AT_ONCE = 50
WORKERS = 2


def rows(reconciles: int, seed: int) -> Iterator[Row]:
    """Yields how many reconciles two engines decided alike."""
    shares = [(seed + begin, WORLDS_AT_ONCE) for begin in range(0, reconciles // RECONCILES, WORLDS_AT_ONCE)]
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        differing = [difference for outcome in pool.map(_share, shares) for difference in outcome]
    count = len(shares) * WORLDS_AT_ONCE * RECONCILES
    yield Row(
        "reconciles of chance, compiled",
        f"{count:,}",
        f"{len(differing)} worlds differ",
        differing[0] if differing else "",
    )


def _share(share: tuple[int, int]) -> list[str]:
    begin, count = share
    compiled = walk(str(cache_folder()))
    collected = []
    shared = Path("/dev/shm")  # noqa: S108 (files of this run only)
    for seed in range(begin, begin + count):
        with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder:
            comparisons = compared(Path(folder) / "world", seed, RECONCILES, compiled)
        if comparisons:
            collected.append(f"world {seed}: {comparisons}")
    return collected


if __name__ == "__main__":
    wanted, first = (int(word) for word in sys.argv[1:])
    sys.stdout.write(rendered("worlds of chance", rows(wanted, first)))
