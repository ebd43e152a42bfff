"""`make mutants`: every mutant must be noticed twice, by the object engine and by the kernel.

The object engine is held to the tests of all rules and to the decisions of the real controller; the kernel's source,
run by CPython, to what it wrote for some worlds before.
What noticed a mutant last time is asked first, then the tests of its own file, then what is quick. What runs no line
of the mutant is not asked: nothing else is left out, so a mutant that survives has survived everything.

python -m tests.mutants [TEXT…]     only those whose name contains one of the texts
python -m tests.mutants --kernel [TEXT…]     ask the kernel only
"""

import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.mutants import store
from tests.mutants.change import install
from tests.mutants.kernel_calls import Call
from tests.mutants.lines import lines_of
from tests.mutants.mutants import MUTANTS, Mutant
from tests.mutants.questions import Question, Test, in_order
from tests.mutants.record import ASKED, record
from tests.mutants.workers import in_workers, silence

ROOT = Path(__file__).parents[2]
UNIT_TESTS = sorted(str(path) for path in (ROOT / "tests" / "engine").glob("test_*.py") if "silence" not in path.name)
PATIENCE_SECONDS = 120
"""What computes for longer does not end: no world takes two seconds without a mutant, and no test a minute."""

KERNEL_ONLY = "--kernel" in sys.argv[1:]


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a mutant.

    killer   what noticed it, empty where nothing did;  by_kernel   the same of the kernel
    reached  the kernel calls the function that was changed;  seconds   how long it took
    """

    mutant: Mutant
    killer: str
    by_kernel: str
    reached: bool
    seconds: float

    @property
    def verdict(self) -> str:
        """In a word or two; what is called equivalent or an edge, and yet was noticed, is neither."""
        if self.mutant.equivalent:
            return "equivalent" if not self.killer and not self.by_kernel else "NOT EQUIVALENT"
        if self.mutant.edge and self.by_kernel:
            return "NOT AN EDGE"
        if not self.killer:
            return "SURVIVED"
        if self.reached and not self.by_kernel:
            return "edge" if self.mutant.edge else "SURVIVED IN THE KERNEL"
        return "killed"


def fate(mutant: Mutant) -> Fate:
    """What notices a mutant, in both engines."""
    begun = time.perf_counter()
    changed = lines_of(mutant)
    reached = (mutant.file, mutant.function) in ASKED.rules
    install(mutant)
    with silence():
        by_kernel = _first_that_notices(_calls_in_order(mutant, changed)) if reached else ""
        if KERNEL_ONLY:
            killer = by_kernel or ("" if mutant.equivalent else "not asked")
        else:
            hint = ASKED.hints.get(mutant.name, "")
            own = tuple(f"test_{part}" for part in mutant.file.split("/"))
            killer = _first_that_notices(
                in_order(ASKED.questions, ASKED.reaches, changed, lambda stem: stem.startswith(own), hint)
            )
    return Fate(mutant, killer, by_kernel, reached, time.perf_counter() - begun)


def _calls_in_order(mutant: Mutant, changed: int) -> list[Call]:
    """The calls of the kernel that run a line of a mutant: what noticed it last time, then the quick ones."""
    hint = ASKED.hints.get(f"kernel: {mutant.name}", "")
    reaching = [call for call in ASKED.calls if call.lines & changed]
    return sorted(reaching, key=lambda call: (call.name != hint, call.seconds))


def _first_that_notices(asked: Iterable[Question | Call]) -> str:
    """The name of the first that answers otherwise, or raises, or does not end."""
    for one in asked:
        try:
            with _patience():
                noticed = one.noticed()
        except Exception:  # noqa: BLE001 (a mutant may raise anything)
            return one.name
        if noticed:
            return one.name
    return ""


@contextmanager
def _patience() -> Iterator[None]:
    """Raises TimeoutError once the process has computed for too long; how busy the machine is does not matter."""

    def ring(_signal: int, _frame: Any) -> None:
        raise TimeoutError

    signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


class Session:
    """Runs the mutants where pytest would run the tests that it collected."""

    def __init__(self, wanted: list[Mutant]) -> None:
        self.wanted = wanted
        self.counts: dict[str, int] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        """Lets Hypothesis stop at the first failure: that there is one is enough."""
        from hypothesis import HealthCheck, Phase, settings

        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("mutants", settings(), phases=phases, suppress_health_check=list(HealthCheck))
        settings.load_profile("mutants")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Runs the mutants."""
        if session.testsfailed:
            raise session.Interrupted("a file of tests cannot be read")
        self.run([Test(item) for item in session.items])
        return True

    def run(self, tests: list[Test]) -> None:
        """Prints a line for each mutant."""
        begun = time.monotonic()
        ASKED.hints = store.killers()
        record(tests, kernel_only=KERNEL_ONLY)
        sys.stderr.write(
            f"{len(self.wanted)} mutants against {len(ASKED.questions) - len(tests)} worlds of the real "
            f"controller, {len(tests)} tests and {len(ASKED.calls)} calls of the kernel, "
            f"known after {time.monotonic() - begun:.0f} s\n"
        )
        noticed: dict[str, str] = {}
        for outcome in in_workers(fate, self.wanted, in_order=False):
            self.counts[outcome.verdict] = self.counts.get(outcome.verdict, 0) + 1
            _print(outcome)
            noticed |= {outcome.mutant.name: outcome.killer, f"kernel: {outcome.mutant.name}": outcome.by_kernel}
            if not KERNEL_ONLY:
                store.keep_killers({name: killer for name, killer in noticed.items() if killer})
        counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(self.counts.items()))
        sys.stdout.write(f"{counts}; {time.monotonic() - begun:.0f} s\n")


def _print(outcome: Fate) -> None:
    why = outcome.mutant.equivalent if outcome.verdict == "equivalent" else outcome.killer
    kernel = outcome.by_kernel or outcome.mutant.edge or ("" if outcome.reached else "not called")
    sys.stdout.write(
        f"{outcome.verdict:<14} {outcome.mutant.name:<100} {why}; kernel: {kernel}; {outcome.seconds:.1f} s\n"
    )
    sys.stdout.flush()


def main() -> int:
    """Prints a line for each mutant as it ends; 1 if one that matters survives."""
    texts = [text for text in sys.argv[1:] if text != "--kernel"]
    wanted = [mutant for mutant in MUTANTS if any(text in mutant.name for text in texts or [""])]
    # What is not noticed takes longest, for it is asked about by all: at the end.
    session = Session(sorted(wanted, key=lambda mutant: bool(mutant.equivalent or mutant.edge)))
    code = 0
    if KERNEL_ONLY:
        session.run([])
    else:
        options = ["-s", "-p", "no:terminal", "-p", "no:cacheprovider", "-o", "addopts=", "--import-mode=importlib"]
        code = pytest.main([*options, *UNIT_TESTS], plugins=[session])
    return int(code) or (0 if session.counts.keys() <= {"killed", "equivalent", "edge"} else 1)


if __name__ == "__main__":
    sys.exit(main())
