"""How much of the real controller the worlds reach, and which of its lines they do not.

python -m tests.oracle.reach --release 1.36 [--seed 1] [--worlds 12]
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.oracle.controller import prepare, program, releases, run
from tests.oracle.mishaps import mishaps
from tests.oracle.vectors import vectors
from tests.oracle.worlds import PROFILES, scenario

PACKAGE = "k8s.io/kubernetes/pkg/controller/podautoscaler"


def measured(release: str) -> Path:
    """The controller of a release, built so that it counts the statements it runs."""
    folder = program(release).parent
    built = folder / "measured.test"
    work = folder.parent
    subprocess.run(
        ["go", "test", "-vet=off", "-c", "-cover", f"-coverpkg={PACKAGE}/...", "-o", built, "."],
        cwd=folder,
        env={**os.environ, "GOMODCACHE": str(work / "mod"), "GOCACHE": str(work / "gocache"), "GOFLAGS": "-mod=mod"},
        check=True,
    )
    return built


def unreached(profile: Path) -> tuple[list[tuple[str, int, int]], int, int]:
    """Blocks that nothing ran (file, first and last line), how many statements ran, how many there are."""
    ran: dict[tuple[str, int, int], tuple[int, bool]] = {}
    for line in profile.read_text(encoding="utf-8").splitlines()[1:]:
        location, statements, count = line.rsplit(" ", 2)
        file, span = location.rsplit(":", 1)
        first, last = (int(end.split(".")[0]) for end in span.split(","))
        key = (file.removeprefix(f"{PACKAGE}/"), first, last)
        ran[key] = (int(statements), int(count) > 0)
    blocks = sorted(key for key, (_, done) in ran.items() if not done)
    return blocks, sum(n for n, done in ran.values() if done), sum(n for n, _ in ran.values())


def main() -> None:
    """Run worlds of every profile and every single case, then print what was not reached."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", default="1.36", choices=releases())
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worlds", type=int, default=12, help="of each profile")
    options = parser.parse_args()
    prepare(options.release)
    worlds = [*vectors(options.release), *mishaps(options.release)]
    worlds += [
        scenario(options.seed, profile, options.release, index)
        for profile in PROFILES
        for index in range(options.worlds)
    ]
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "profile"
        counted = ["-test.coverprofile", str(profile)]
        completed = run(options.release, worlds, Path(folder), binary=measured(options.release), extra=counted)
        blocks, ran, whole = unreached(profile)
    sys.stdout.write(f"{options.release}: {completed.reconciles} reconciles reach {ran} of {whole} statements\n")
    for file, first, last in blocks:
        sys.stdout.write(f"  {file}:{first}-{last}\n")


if __name__ == "__main__":
    main()
