"""Makes what `tests/conformance/RELEASE` holds: worlds of a seed with what the real controller decided.

python -m tests.oracle.keep --release 1.36 --into tests/conformance/1.36 [--seed 100] [--worlds 18] [--profile calm …]
"""

import argparse
import sys
from pathlib import Path

from tests.oracle.check import check
from tests.oracle.controller import prepare, releases, run
from tests.oracle.mishaps import mishaps
from tests.oracle.vectors import vectors
from tests.oracle.worlds import PROFILES, scenario

ZEROS = 30
"""Worlds of the profile `tozero`, which has the fewest reconciles to tell of."""


def main() -> None:
    """Runs the worlds and the single cases, and checks what came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", required=True, choices=releases())
    parser.add_argument("--into", required=True, type=Path)
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--worlds", type=int, default=18, help="of each profile")
    parser.add_argument("--profile", action="append", choices=PROFILES, help="default: all")
    options = parser.parse_args()
    prepare(options.release)
    worlds = [*vectors(options.release), *mishaps(options.release)]
    for profile in options.profile or PROFILES:
        count = max(options.worlds, ZEROS) if profile == "tozero" else options.worlds
        worlds += [scenario(options.seed, profile, options.release, index) for index in range(count)]
    options.into.mkdir(parents=True, exist_ok=True)
    completed = run(options.release, worlds, options.into.absolute(), plain=False)
    rows = sum(check(capture) for capture in options.into.glob("*.capture.jsonl.gz"))
    sys.stdout.write(
        f"{completed.scenarios} worlds ({completed.refused} refused), "
        f"{completed.reconciles} reconciles; {rows} rows agree\n"
    )


if __name__ == "__main__":
    main()
