"""`make mutants`: every mutant against the decisions of the real controller, then against the tests of the rules.

python -m tests.mutants [TEXT…]     only those whose name contains one of them
"""

import contextlib
import gc
import io
import multiprocessing
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpaaudit.importers.capture import Reader
from tests.conformance.expected import captures, expected_of, name_of, releases
from tests.mutants.change import install
from tests.mutants.mutants import MUTANTS, Mutant

if TYPE_CHECKING:
    from hpaaudit.model.facts import Fact

ROOT = Path(__file__).parents[2]
FOUND = ROOT / "tests" / "oracle" / "found"
UNIT_TESTS = sorted(str(path) for path in (ROOT / "tests" / "engine").glob("test_*.py") if "silence" not in path.name)
WORKERS = 2


@dataclass(frozen=True, slots=True)
class World:
    """One capture, read before anything of the engine is imported."""

    name: str
    facts: "list[Fact]"
    expected: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a mutant: `killer` is empty where nothing noticed it."""

    mutant: Mutant
    killer: str

    @property
    def verdict(self) -> str:
        """One word; a mutant called equivalent that something noticed is not."""
        if self.mutant.equivalent:
            return "equivalent" if not self.killer else "NOT EQUIVALENT"
        return "killed" if self.killer else "SURVIVED"


WORLDS: list[World] = []
"""What the forked workers share with their parent."""


def worlds() -> Iterator[World]:
    """Every capture that we hold: those of each release in turn, so that old rules are asked for early."""
    found = sorted(FOUND.glob("*.capture.jsonl.gz"))
    in_turn = zip_longest(found, *(captures(release) for release in releases()))
    for capture in (capture for turn in in_turn for capture in turn if capture is not None):
        name = f"{capture.parent.name}/{name_of(capture)}"
        yield World(name, list(Reader((capture,)).facts()), expected_of(capture))


def fate(mutant: Mutant) -> Fate:
    """The first decision, or else the first test, that notices a mutant."""
    install(mutant)
    from tests.conformance.decisions import differences

    for world in WORLDS:
        try:
            first = next(differences(world.facts, world.expected), None)
        except Exception as error:  # noqa: BLE001 (a mutant may raise anything)
            first = f"raises {type(error).__name__}"
        if first is not None:
            return Fate(mutant, f"{world.name} {first[:60]}")
    return Fate(mutant, _failing_test())


def _failing_test() -> str:
    """The first of the rules' own tests that fails, empty if none does."""
    import pytest

    class Listener:
        """Keeps the name of the first test that fails."""

        failed = ""

        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            """Hear how a test went."""
            if report.failed and not self.failed:
                self.failed = report.nodeid

    listener = Listener()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        pytest.main(["-x", "-q", "-p", "no:cacheprovider", *UNIT_TESTS], plugins=[listener])
    return listener.failed


def main() -> int:
    """Print a line for each mutant; 1 if one that matters survives."""
    wanted = [mutant for mutant in MUTANTS if any(text in mutant.name for text in sys.argv[1:] or [""])]
    WORLDS.extend(worlds())
    gc.freeze()  # the workers share these pages as long as nobody collects them
    reconciles = sum(len(world.expected) for world in WORLDS)
    sys.stderr.write(f"{len(wanted)} mutants against {reconciles} decisions and {len(UNIT_TESTS)} files of tests\n")
    counts: dict[str, int] = {}
    with multiprocessing.get_context("fork").Pool(WORKERS, maxtasksperchild=1) as pool:
        for found in pool.imap(fate, wanted):
            counts[found.verdict] = counts.get(found.verdict, 0) + 1
            why = found.mutant.equivalent if found.verdict == "equivalent" else found.killer
            sys.stdout.write(f"{found.verdict:<14} {found.mutant.name:<100} {why}\n")
            sys.stdout.flush()
    sys.stdout.write(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())) + "\n")
    return 0 if counts.keys() <= {"killed", "equivalent"} else 1


if __name__ == "__main__":
    sys.exit(main())
