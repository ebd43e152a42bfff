"""Learns once what each question runs and what the kernel writes, while no rule is changed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from tests.mutants import kernel_calls, store
from tests.mutants.kernel_calls import Call, calls_of
from tests.mutants.kernel_worlds import Group, groups
from tests.mutants.lines import FOLLOWED
from tests.mutants.questions import EVERYTHING, Question, Reach, Test, reach, worlds
from tests.mutants.workers import in_workers, silence

TESTS = Path(__file__).parents[1]
WORLDS_AT_ONCE = 40
UNRECORDED = "test_behaviours"
"""Its tests run nearly all rules in nearly all worlds. To follow them takes longer than to ask them, as the last."""


@dataclass(slots=True)
class Asked:
    """What the forked workers share with their parent.

    questions   for the object engine;  reaches   what each of them runs
    calls       of the kernel;  rules   those that are compiled into it;  hints   what noticed each mutant last time
    """

    questions: list[Question] = field(default_factory=list)
    reaches: dict[str, Reach] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    rules: set[tuple[str, str]] = field(default_factory=set)
    hints: dict[str, str] = field(default_factory=dict)


ASKED = Asked()


def record(tests: Sequence[Test], *, kernel_only: bool) -> None:
    """Fills ASKED; what is known for the files as they are is read."""
    ASKED.hints = store.killers()
    _record_kernel()
    if not kernel_only:
        _record_worlds()
        _record_tests(tests)


def _record_kernel() -> None:
    files = [*_program(), *_decisions(), *(TESTS / "fleet").rglob("*.py"), *_own("lines", "kernel_calls")]
    same = store.key_of(files, FOLLOWED)
    keys = {group: store.key_of((), (same, group)) for group in groups()}
    known = {group: store.read(_kernel(group), key) for group, key in keys.items()}
    unknown = [group for group in known if known[group] is None]
    for group, calls in zip(unknown, in_workers(calls_of, unknown), strict=True):
        store.keep(_kernel(group), keys[group], calls)
        known[group] = calls
    ASKED.calls = [call for calls in known.values() for call in calls]
    ASKED.rules = next(in_workers(_rules, [0]))


def _kernel(group: Group) -> str:
    return f"kernel {group.name} {group.asked_as}".strip()


def _record_worlds() -> None:
    ASKED.questions += worlds()
    numbers = range(len(ASKED.questions))
    parts = [numbers[first : first + WORLDS_AT_ONCE] for first in numbers[::WORLDS_AT_ONCE]]
    files = [*_program(), *_decisions(), *(TESTS / "oracle" / "found").iterdir(), *_own("lines", "questions")]
    ASKED.reaches |= _reaches("worlds", files, parts)


def _record_tests(tests: Sequence[Test]) -> None:
    """Each test in a process of its own: what another one left in a fixture or a cache, it makes by itself."""
    for path, group in groupby(tests, key=lambda test: test.item.path):
        first = len(ASKED.questions)
        of_file = list(group)
        ASKED.questions += of_file
        if path.stem == UNRECORDED:
            ASKED.reaches |= {test.name: Reach(EVERYTHING, float("inf")) for test in of_file}
        else:
            parts = [range(number, number + 1) for number in range(first, len(ASKED.questions))]
            files = [path, *_program(), *_helpers(), *_own("lines", "questions")]
            ASKED.reaches |= _reaches(path.stem, files, parts)


def _reaches(name: str, files: Sequence[Path], parts: Sequence[Sequence[int]]) -> dict[str, Reach]:
    """What the questions of these numbers run, by their names."""
    key = store.key_of(files, FOLLOWED)
    known: dict[str, Reach] | None = store.read(name, key)
    if known is None:
        known = {question: seen for part in in_workers(_reach, parts) for question, seen in part}
        store.keep(name, key, known)
    return known


def _reach(numbers: Sequence[int]) -> list[tuple[str, Reach]]:
    with silence():
        return [(question.name, reach(question)) for question in (ASKED.questions[number] for number in numbers)]


def _rules(_: int) -> set[tuple[str, str]]:
    return kernel_calls.reached()


def _program() -> list[Path]:
    return list((TESTS.parent / "hpaaudit").rglob("*.py"))


def _decisions() -> list[Path]:
    folder = TESTS / "conformance"
    return [path for path in folder.rglob("*.*") if path.suffix in (".py", ".gz", ".jsonl")]


def _helpers() -> list[Path]:
    """What tests of the engine may import from other tests."""
    folders = ("", "engine", "conformance", "oracle", "simulation", "api")
    helpers = [path for folder in folders for path in (TESTS / folder).glob("*.py")]
    return [path for path in helpers if not path.name.startswith("test_")]


def _own(*names: str) -> list[Path]:
    return [TESTS / "mutants" / f"{name}.py" for name in names]
