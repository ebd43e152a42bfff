"""`make mutants`: every mutant must be noticed twice, by the object engine and by the kernel.

The object engine is held to the tests of the changed file (of all eras, if it is one of `engine/eras`), to the
decisions of the real controller, and to the tests of all rules; the kernel's source, run by CPython, to what it made of
some worlds before.

python -m tests.mutants [TEXT…]     only those whose name contains one of the texts
python -m tests.mutants --kernel [TEXT…]     ask the kernel only
"""

import contextlib
import gc
import io
import multiprocessing
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpaaudit.importers.capture import Reader
from tests.conformance.expected import captures, expected_of, name_of, releases
from tests.mutants.change import install
from tests.mutants.kernel_calls import Call, answer
from tests.mutants.mutants import MUTANTS, Mutant

if TYPE_CHECKING:
    from hpaaudit.model.facts import Fact

ROOT = Path(__file__).parents[2]
FOUND = ROOT / "tests" / "oracle" / "found"
UNIT_TESTS = sorted(str(path) for path in (ROOT / "tests" / "engine").glob("test_*.py") if "silence" not in path.name)
WORKERS = 2
KERNEL_ONLY = "--kernel" in sys.argv[1:]


@dataclass(frozen=True, slots=True)
class World:
    """One capture, read before anything of the engine is imported."""

    name: str
    facts: "list[Fact]"
    expected: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a mutant.

    killer   what noticed it, empty where nothing did;  by_kernel   the same of the kernel
    reached  the kernel calls the function that was changed
    """

    mutant: Mutant
    killer: str
    by_kernel: str
    reached: bool

    @property
    def verdict(self) -> str:
        """In a word or two; what is called equivalent or an edge, and yet was noticed, is neither."""
        if self.mutant.equivalent:
            return "equivalent" if not self.killer and not self.by_kernel else "NOT EQUIVALENT"
        if self.mutant.edge and self.by_kernel:
            return "NOT AN EDGE"
        if not self.killer:
            return "SURVIVED"
        if self.reached and not self.by_kernel and not self.mutant.edge:
            return "SURVIVED IN THE KERNEL"
        return "killed"


WORLDS: list[World] = []
"""What the forked workers share with their parent; so are the next two."""

CALLS: list[Call] = []
"""The calls of the kernel, with what it wrote."""

REACHED: set[tuple[str, str]] = set()
"""The rules that the kernel calls."""


def worlds() -> Iterator[World]:
    """Every capture that we hold: those of each release in turn, so that old rules are asked for early."""
    ordered = sorted(FOUND.glob("*.capture.jsonl.gz"))
    in_turn = zip_longest(ordered, *(captures(release) for release in releases()))
    for capture in (capture for turn in in_turn for capture in turn if capture is not None):
        name = f"{capture.parent.name}/{name_of(capture)}"
        yield World(name, list(Reader((capture,)).facts()), expected_of(capture))


def fate(mutant: Mutant) -> Fate:
    """What notices a mutant, in both engines."""
    install(mutant)
    reached = (mutant.file, mutant.function) in REACHED
    by_kernel = _kernel_world(mutant) if reached else ""
    if KERNEL_ONLY:
        return Fate(mutant, by_kernel or ("" if mutant.equivalent else "not asked"), by_kernel, reached)
    own = [path for path in UNIT_TESTS if Path(path).stem.startswith(f"test_{mutant.file.partition('/')[0]}")]
    killer = _failing_test(own) or _decision() or _failing_test(UNIT_TESTS)
    return Fate(mutant, killer, by_kernel, reached)


def _decision() -> str:
    """The first decision of the real controller that is not ours any more."""
    from tests.conformance.decisions import differences

    for world in WORLDS:
        try:
            first = next(differences(world.facts, world.expected), None)
        except Exception as error:  # noqa: BLE001 (a mutant may raise anything)
            first = f"raises {type(error).__name__}"
        if first is not None:
            return f"{world.name} {first[:60]}"
    return ""


def _kernel_world(mutant: Mutant) -> str:
    """The first world for which the kernel writes something else. Only calls that reach the rule are asked again."""
    for call in CALLS:
        if (mutant.file, mutant.function) not in call.rules:
            continue
        try:
            if answer(call.arguments) != call.written:
                return call.world
        except Exception as error:  # noqa: BLE001 (a mutant may raise anything)
            return f"{call.world} raises {type(error).__name__}"
    return ""


def _kernel_calls() -> None:
    """Fills CALLS and REACHED in another process: here nothing of the engine may be imported yet."""
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run([sys.executable, "-m", "tests.mutants.kernel_calls", file.name], check=True, cwd=ROOT)
        calls, reached = pickle.loads(Path(file.name).read_bytes())  # noqa: S301 (written a line before)
    # The quick ones first: most mutants are noticed by any call.
    CALLS.extend(sorted(calls, key=lambda call: call.seconds))
    REACHED.update(reached)


def _failing_test(files: list[str]) -> str:
    """The first test of some files that fails, empty if none does."""
    if not files:
        return ""
    import pytest

    class Listener:
        """Keeps the name of the first test that fails."""

        failed = ""

        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            """Hears how a test went."""
            if report.failed and not self.failed:
                self.failed = report.nodeid

    listener = Listener()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        pytest.main(["-x", "-q", "-p", "no:cacheprovider", *files], plugins=[listener])
    return listener.failed


def main() -> int:
    """Prints a line for each mutant; 1 if one that matters survives."""
    texts = [text for text in sys.argv[1:] if text != "--kernel"]
    wanted = [mutant for mutant in MUTANTS if any(text in mutant.name for text in texts or [""])]
    if not KERNEL_ONLY:
        WORLDS.extend(worlds())
    _kernel_calls()
    gc.freeze()  # the workers share these pages as long as nobody collects them
    reconciles = sum(len(world.expected) for world in WORLDS)
    sys.stderr.write(
        f"{len(wanted)} mutants against {reconciles} decisions, {len(UNIT_TESTS)} files of tests "
        f"and {len(CALLS)} worlds of the kernel\n"
    )
    counts: dict[str, int] = {}
    with multiprocessing.get_context("fork").Pool(WORKERS, maxtasksperchild=1) as pool:
        for outcome in pool.imap(fate, wanted):
            counts[outcome.verdict] = counts.get(outcome.verdict, 0) + 1
            why = outcome.mutant.equivalent if outcome.verdict == "equivalent" else outcome.killer
            kernel = outcome.by_kernel or outcome.mutant.edge or ("" if outcome.reached else "not called")
            sys.stdout.write(f"{outcome.verdict:<14} {outcome.mutant.name:<100} {why}; kernel: {kernel}\n")
            sys.stdout.flush()
    sys.stdout.write(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())) + "\n")
    return 0 if counts.keys() <= {"killed", "equivalent"} else 1


if __name__ == "__main__":
    sys.exit(main())
