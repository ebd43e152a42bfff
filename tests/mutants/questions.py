"""What the object engine is asked about a mutant: tests, and the decisions of the real controller."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from _pytest.runner import runtestprotocol

from tests.conformance.decisions import differences, facts_of
from tests.conformance.expected import captures, expected_of, name_of, releases
from tests.mutants.lines import Lines, running_lines

FOUND = Path(__file__).parents[1] / "oracle" / "found"
EVERYTHING: Lines = -1
"""All lines: a test of unknown reach is asked about every mutant."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What a question was seen to run, without a mutant.

    lines   those of rules that ran;  seconds   how long it took
    """

    lines: Lines
    seconds: float


@dataclass(frozen=True, slots=True)
class World:
    """The decisions of one capture."""

    capture: Path

    @property
    def name(self) -> str:
        """Its folder and scenario."""
        return f"{self.capture.parent.name}/{name_of(self.capture)}"

    def noticed(self) -> str:
        """The first decision of the real controller that is not ours, empty if there is none."""
        return next(differences(facts_of(self.capture), expected_of(self.capture)), "")


@dataclass(frozen=True, slots=True)
class Test:
    """One test of the rules."""

    item: pytest.Item

    @property
    def name(self) -> str:
        """Its id."""
        return self.item.nodeid

    @property
    def stem(self) -> str:
        """The name of its file, without its ending."""
        return self.item.path.stem

    def noticed(self) -> str:
        """Says so if the test fails."""
        failed = [report for report in runtestprotocol(self.item, log=False) if report.failed]
        return "fails" if failed else ""


Question = World | Test


def worlds() -> list[World]:
    """Every capture that we hold."""
    found = sorted(FOUND.glob("*.capture.jsonl.gz"))
    return [World(capture) for capture in [*found, *(path for release in releases() for path in captures(release))]]


def reach(question: Question) -> Reach:
    """What a question runs. Its answer must be that nothing is wrong, for nothing is changed yet."""
    begun = time.perf_counter()
    with running_lines() as running:
        noticed = question.noticed()
    if noticed:
        raise RuntimeError(f"no mutant is here, and yet {question.name} says: {noticed}")
    return Reach(running.lines, time.perf_counter() - begun)


def in_order(questions: Sequence[Question], reaches: dict[str, Reach], changed: Lines, is_own: Callable[[str], bool],
             hint: str) -> list[Question]:  # fmt: skip
    """The questions that run a line of a mutant: what noticed it last time, its own tests, then the quick ones."""
    reaching = [question for question in questions if reaches[question.name].lines & changed]

    def place(question: Question) -> tuple[bool, bool, float]:
        own = isinstance(question, Test) and is_own(question.stem)
        return question.name != hint, not own, reaches[question.name].seconds

    return sorted(reaching, key=place)
