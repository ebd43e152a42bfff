"""`python -m tests.simulation --seeds 10000`: many worlds; `--seed N`: one, with its story."""

import argparse
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tests.simulation.mutants import MOST_SEEDS, MUTANTS, Mutant, planted
from tests.simulation.run import Outcome, run_seed

TOLD = 100
"""So often a long run says how far it is."""


def main() -> int:
    """Run what the command line asks for; 1 where a seed failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, help="one world, with its story")
    parser.add_argument("--seeds", type=int, default=100, help="so many worlds")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first of them")
    parser.add_argument("--jobs", type=int, default=1, help="so many at once")
    parser.add_argument("--without", default="", help="kinds of fault that no world has, with commas")
    parser.add_argument("--keep", type=Path, help="a folder in which the recording of --seed stays")
    parser.add_argument("--digests", action="store_true", help="print a line per seed")
    parser.add_argument("--also", default="", help="kinds of fault that every world has, with commas")
    parser.add_argument("--mutant", help="plant this bug, and stop at the first world that finds it")
    parser.add_argument("--most", type=int, default=MOST_SEEDS, help="so many worlds may a planted bug take")
    options = parser.parse_args()
    without, also = (frozenset(filter(None, words.split(","))) for words in (options.without, options.also))
    if options.mutant is not None:
        return find(next(one for one in MUTANTS if one.name == options.mutant), options.most)
    if options.seed is not None:
        outcome = run_seed(options.seed, without=without, also=also, keep=options.keep)
        say("\n".join(outcome.trace))
        say(f"seed {outcome.seed}: {outcome.problem or 'all is well'}; {outcome.facts} facts, {outcome.digest}")
        return int(bool(outcome.problem))
    one = partial(run_seed, without=without, also=also)
    return many(one, range(options.first, options.first + options.seeds), options.jobs, digests=options.digests)


def find(mutant: Mutant, most: int) -> int:
    """Look for a planted bug; 1 where a world found it that holds without the bug, else 0.

    A world that fails without it too proves nothing: it is named, and the next one is tried.
    """
    faults = frozenset(mutant.faults)
    for seed in range(most):
        with planted(mutant):
            outcome = run_seed(seed, also=faults)
        if not outcome.problem:
            continue
        sound = run_seed(seed, also=faults)
        if not sound.problem:
            say(outcome.story())
            return 1
        say(f"seed {seed} fails without the bug too: {sound.problem}")
    return 0


def many(one: Callable[[int], Outcome], seeds: range, jobs: int, *, digests: bool) -> int:
    """Run many seeds; print each that fails, and a last line."""
    begun, failed, facts, starts = time.monotonic(), list[Outcome](), 0, 0
    for outcome in outcomes(one, seeds, jobs):
        facts, starts = facts + outcome.facts, starts + outcome.starts
        if digests:
            say(f"{outcome.seed} {outcome.digest} {outcome.problem}".rstrip())
        elif outcome.problem:
            say(outcome.story())
        if outcome.problem:
            failed.append(outcome)
        if (outcome.seed + 1) % TOLD == 0:
            sys.stderr.write(f"seed {outcome.seed}: {len(failed)} failed\n")
    kinds = Counter(kind_of(outcome.problem) for outcome in failed)
    for kind, number in kinds.most_common():
        say(f"{number} x {kind}: seeds {', '.join(str(o.seed) for o in failed if kind_of(o.problem) == kind)}")
    took = time.monotonic() - begun
    say(f"{len(seeds)} seeds, {len(failed)} failed; {facts} facts, {starts} starts, {took:.0f} s")
    return int(bool(failed))


def say(text: str) -> None:
    """Say it at once, for what follows may take minutes."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def kind_of(problem: str) -> str:
    """The first words of a problem, without what differs from seed to seed."""
    return re.sub(r"[\w/.-]*\d[\w/.-]*", "N", problem.split(":", maxsplit=1)[0])[:100]


def outcomes(one: Callable[[int], Outcome], seeds: range, jobs: int) -> Iterator[Outcome]:
    """What became of each seed, in order."""
    if jobs == 1:
        yield from map(one, seeds)
        return
    with ProcessPoolExecutor(jobs, max_tasks_per_child=500) as pool:
        yield from pool.map(one, seeds, chunksize=5)


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":
        # The order of sets must be the same in every run of a seed.
        os.execve(sys.executable, [sys.executable, "-m", "tests.simulation", *sys.argv[1:]],  # noqa: S606
                  {**os.environ, "PYTHONHASHSEED": "0"})  # fmt: skip
    sys.exit(main())
