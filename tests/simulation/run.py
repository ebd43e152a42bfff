"""Runs one seed: its world, then the checks; says what went wrong and how to see it again."""

import hashlib
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from tests.simulation.check import check
from tests.simulation.plan import plan
from tests.simulation.world import Failed, World, clean

TRACE_LINES = 60


@dataclass
class Outcome:
    """What became of a seed: `problem` is empty where all was well; `digest` is of every byte that was recorded."""

    seed: int
    options: str = ""
    problem: str = ""
    trace: list[str] = field(default_factory=list)
    digest: str = ""
    facts: int = 0
    starts: int = 0
    seconds: int = 0

    def story(self) -> str:
        """What to read when it failed."""
        again = f".venv/bin/python -m tests.simulation --seed {self.seed}{self.options}"
        shown = self.trace[-TRACE_LINES:]
        return "\n".join((f"seed {self.seed}: {self.problem}", *shown, f"again: {again}"))


def run_seed(
    seed: int,
    *,
    without: frozenset[str] = frozenset(),
    also: frozenset[str] = frozenset(),
    keep: Path | None = None,
) -> Outcome:
    """One world and its checks; in the folder `keep` its recording stays."""
    base = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path(tempfile.gettempdir())  # noqa: S108
    folder = keep or Path(tempfile.mkdtemp(prefix="simulation-", dir=base))
    drawn = plan(seed, without=without, also=also)
    world = World(drawn, folder)
    chosen = (("--without", without), ("--also", also))
    outcome = Outcome(seed, "".join(f" {name} {','.join(sorted(kinds))}" for name, kinds in chosen if kinds))
    try:
        world.run()
        outcome.facts = check(world)
    except Failed as problem:
        outcome.problem = str(problem)
    outcome.trace = [f"on: {', '.join(sorted(drawn.on)) or 'nothing'}; {drawn.limits}", *world.lines]
    outcome.digest, outcome.starts = digest(world.folder), len(world.runs)
    outcome.seconds = drawn.seconds
    if keep is None:
        clean(folder)
    return outcome


def digest(folder: Path) -> str:
    """One hash of every file of a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(folder)} {path.stat().st_size}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
