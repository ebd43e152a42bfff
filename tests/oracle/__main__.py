"""`make oracle`: worlds by chance through the real controller and through our engine, until enough is compared.

python -m tests.oracle --release 1.36 --seed 7 --count 10000
"""

import argparse
import json
import secrets
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from tests.conformance.decisions import compare
from tests.oracle.controller import prepare, releases, run
from tests.oracle.draw import Json
from tests.oracle.era_vectors import era_vectors
from tests.oracle.eras import PROFILES as ERA_PROFILES
from tests.oracle.eras import era_scenario, is_era
from tests.oracle.mishaps import mishaps
from tests.oracle.shrink import shrink
from tests.oracle.side_by_side import Compared, compared
from tests.oracle.vectors import vectors
from tests.oracle.worlds import PROFILES, scenario

WORKERS = 2
WORLDS = 28
"""Scenarios that one worker takes at once: about a thousand reconciles."""
FOUND = Path(__file__).parent / "found"


def portions(release: str, seed: int, profiles: list[str]) -> Iterator[list[Json]]:
    """The single cases, then worlds of every profile in turn, without end."""
    yield list(era_vectors(release)) if is_era(release) else [*vectors(release), *mishaps(release)]
    draw = era_scenario if is_era(release) else scenario
    index = 0
    while True:
        yield [draw(seed, profiles[number % len(profiles)], release, number) for number in range(index, index + WORLDS)]
        index += WORLDS


def main() -> int:
    """Compares, prints how many and how fast, and keeps what differs."""
    options = _options()
    prepare(options.release)
    say(
        f"release {options.release}, seed {options.seed}: {options.count} reconciles of {len(options.profile)} profiles"
    )
    done: list[Compared] = []
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as pool:
        running: list[Future[Compared]] = []
        for portion in portions(options.release, options.seed, options.profile):
            running.append(pool.submit(compared, options.release, portion))
            if len(running) > WORKERS:
                done.append(running.pop(0).result())
                if sum(part.theirs.reconciles for part in done) >= options.count:
                    break
        done += [future.result() for future in running]
    reconciles = sum(part.theirs.reconciles for part in done)
    theirs, ours = sum(part.theirs.seconds for part in done), sum(part.ours_seconds for part in done)
    differing = [difference for part in done for difference in part.differing]
    chance = sum(part.by_chance for part in done)
    worlds, refused = sum(part.theirs.scenarios for part in done), sum(part.theirs.refused for part in done)
    sys.stdout.write(
        f"release {options.release} seed {options.seed}: {reconciles} reconciles in {worlds} worlds "
        f"({refused} refused by validation), {len(differing)} worlds decided otherwise, {chance} by upstream's chance; "
        f"reconciles per second and core: {reconciles / theirs:.0f} the real controller, {reconciles / ours:.0f} ours "
        "with its comparison\n"
    )
    for world, texts in differing:
        say(f"{world['name']}: {len(texts)} differences, first {texts[0]:.1000}")
    if differing and options.shrink:
        world, _ = min(differing, key=lambda difference: len(json.dumps(difference[0])))
        _keep(options.release, shrink(options.release, world))
    return 1 if differing else 0


def _keep(release: str, world: Json) -> None:
    """Writes the smallest case with what the real controller did, for a test to hold us to."""
    name = f"{release}-{world['name']}"
    FOUND.mkdir(exist_ok=True)
    run(release, [{**world, "name": name}], FOUND, plain=False)
    (FOUND / f"{name}.scenario.json").write_text(json.dumps(world, indent=1) + "\n", encoding="utf-8")
    differences = compare(FOUND / f"{name}.capture.jsonl.gz").differences
    if not differences:
        for file in FOUND.glob(f"{name}.*"):
            file.unlink()
        say(f"{name} differed by chance: run once more, it does not")
        return
    say(f"the smallest case is kept as {FOUND / name}.*")
    sys.stdout.write("".join(f"{text}\n" for text in differences))


def say(line: str) -> None:
    """Talks goes to stderr."""
    sys.stderr.write(f"{line}\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", default="1.36", choices=releases())
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**31), help="default: one that nobody chose")
    parser.add_argument("--count", type=int, default=10_000, help="reconciles to compare at least")
    parser.add_argument("--profile", action="append", choices=[*PROFILES, "windows"], help="default: all")
    parser.add_argument("--shrink", action=argparse.BooleanOptionalAction, default=True, help="keep the smallest case")
    options = parser.parse_args()
    options.profile = options.profile or (ERA_PROFILES if is_era(options.release) else PROFILES)
    return options


if __name__ == "__main__":
    sys.exit(main())
