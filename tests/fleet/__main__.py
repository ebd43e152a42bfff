"""Draws recordings of every kind, one after the other, and replays each compiled and one by one.

python -m tests.fleet [--first 0] [--count 1000] [--old | --oldest | --whole]
"""

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from tests.fleet.both import Both, replayed_twice
from tests.fleet.kinds import Drawn, draw, draw_old, draw_oldest, facts_of, keep, sources


def decided_twice(drawn: Drawn) -> Both:
    """What comes of a recording that was drawn."""
    shared = Path("/dev/shm")  # noqa: S108 (files of this run only)
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder:
        keep(Path(folder) / "recording", drawn)
        return replayed_twice(Path(folder) / "recording", Path(folder), **drawn.asked)


def whole() -> list[tuple[str, Drawn]]:
    """Every capture and every recording that there is, as it is."""
    return [
        (str(source), Drawn(story="", facts=facts_of(source), keeping="segments", rows=400, asked={}))
        for source in sources()
    ]


def main() -> None:
    """As the first line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=0, help="The first seed.")
    parser.add_argument("--count", type=int, default=1000, help="How many seeds.")
    parser.add_argument("--old", action="store_true", help="Of controllers of 1.6 to 1.11.")
    parser.add_argument("--oldest", action="store_true", help="Of controllers of 1.1 to 1.5.")
    parser.add_argument("--whole", action="store_true", help="Every recording that there is instead, as it is.")
    asked = parser.parse_args()
    draw_one = draw_oldest if asked.oldest else draw_old if asked.old else draw
    begun, beyond, finds, reconciles, refused = time.monotonic(), Counter[str](), 0, 0, 0
    names = [name for name, _ in whole()] if asked.whole else range(asked.first, asked.first + asked.count)
    for number, name in enumerate(names, 1):
        drawn = dict(whole())[str(name)] if asked.whole else draw_one(int(name))
        try:
            outcome = decided_twice(drawn)
            difference = outcome.difference
        except Exception:  # noqa: BLE001 (a crash is a find, and the search goes on)
            outcome, difference = Both(), traceback.format_exc()
        beyond[outcome.beyond] += 1
        reconciles += outcome.reconciles
        refused += bool(outcome.refused)
        if difference:
            finds += 1
            sys.stdout.write(f"{name} ({drawn.story}; {drawn.keeping}, {drawn.rows}; {drawn.asked}): {difference}\n")
        if difference or number % 100 == 0:
            sys.stdout.write(
                f"{number} recordings, {reconciles:,} reconciles alike, {refused} refused alike, {finds} finds, "
                f"{time.monotonic() - begun:.0f} s; beyond: {dict(beyond)}\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
