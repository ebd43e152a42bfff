"""A week in small, shortened: incidents at once on a real cluster are all told, and nothing else is.

The whole week is `python -m tests.cluster.week`, its figures are docs/week.md.
"""

import re
from pathlib import Path
from random import Random

import pytest

from tests.cluster.conftest import require_programs
from tests.cluster.week import figures
from tests.cluster.week.__main__ import replay
from tests.cluster.week.joined import WORDS, Joined, join, true_words
from tests.cluster.week.kinds import KINDS
from tests.cluster.week.page import mistakes
from tests.cluster.week.played import EVERYWHERE, Done, Label, assigned, play, read, workloads
from tests.cluster.week.said import Statement

SEED = 1794
LONG = {
    "new pods never ready",
    "a quota refuses pods",
    "the load flaps",
    "a rollout with surge",
    "all pods are evicted",
}
FEW = {"plain": 5, "alone": 1, "stepwise": 1, "frozen": 1, "mixed": 1, "queue": 1}
SECOND = 1_000_000
PAGE = Path("docs/week.md")


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> tuple[Joined, list[tuple[str, str, int]]]:
    """Eight incidents at once, joined with what is said of them, and the verdicts."""
    require_programs()
    folder = tmp_path_factory.mktemp("week")
    chance = Random(SEED)  # noqa: S311 (a seed makes a week)
    plan = assigned(chance, workloads(FEW), [name for name in KINDS if name not in LONG], 8)
    play(folder, plan, (), chance)
    assert len(read(folder).labels) == 8
    return replay(folder)


@pytest.mark.alone
def test_each_incident_is_told_of_its_hpa_in_its_time(week: tuple[Joined, list[tuple[str, str, int]]]) -> None:
    joined, _ = week
    assert [
        (label.kind, label.problem or missing) for label, missing in joined.labels if label.problem or missing
    ] == []


@pytest.mark.alone
def test_nothing_is_told_that_was_not_done(week: tuple[Joined, list[tuple[str, str, int]]]) -> None:
    joined, counted = week
    assert figures.untrue(joined) == [], list(mistakes(joined))
    assert figures.is_as_good_as_asked(joined, counted)


# The join itself


def label(kind: str, hpa: str = "shop/web", begun: int = 100, ended: int = 120, **more: bool) -> Label:
    return Label(kind=kind, hpas=(hpa,), begun_us=begun * SECOND, ended_us=ended * SECOND, **more)


def said(word: str, hpa: str = "shop/web", first: int = 105, last: int = 110, **more: bool) -> Statement:
    return Statement(hpa=hpa, word=word, first_us=first * SECOND, last_us=last * SECOND, **more)


def judged(labels: list[Label], *statements: Statement) -> tuple[list[str], list[str]]:
    """The kinds that were missed, and the words that were wrong."""
    joined = join(Done(begun_us=90 * SECOND, labels=labels), statements)
    missed = [one.kind for one, missing in joined.labels if missing]
    return missed, [one.word for one in figures.untrue(joined)]


HAND, HELM = "scaled by hand", "Helm sets the replicas"
JOINS: dict[str, tuple[tuple[Statement, ...], tuple[list[str], list[str]]]] = {
    "its word, there and then": ((said(WORDS[HAND]),), ([], [])),
    "nothing": ((), ([HAND], [])),
    "its word, of another HPA": ((said(WORDS[HAND], "shop/api"),), ([HAND], [WORDS[HAND]])),
    "its word, too late": ((said(WORDS[HAND], first=140, last=150),), ([HAND], [WORDS[HAND]])),
    "its word, for longer than it lasted": ((said(WORDS[HAND], last=200),), ([], [WORDS[HAND]])),
    "the word of another kind": ((said(WORDS[HELM]),), ([HAND], [WORDS[HELM]])),
    "what is true of it as well": ((said(WORDS[HAND]), said("blank_reason")), ([], [])),
    "something else": ((said(WORDS[HAND]), said("flapping")), ([], ["flapping"])),
    "something of the time before": ((said(WORDS[HAND]), said("flapping", first=10, last=20)), ([], [])),
}


@pytest.mark.parametrize("case", JOINS)
def test_what_was_said_is_held_to_what_was_done(case: str) -> None:
    statements, expected = JOINS[case]
    assert judged([label(HAND)], *statements) == expected


def test_what_hits_the_controller_is_true_of_every_hpa() -> None:
    hangs = label("the controller hangs", hits_all=True)
    word = WORDS["the controller hangs"]
    assert judged([hangs], said(word), said(word, "bank/api")) == ([], [])
    assert judged([label("the controller starts anew", EVERYWHERE, hits_all=True)], said("restart", "*")) == ([], [])


def test_a_wrong_word_that_is_called_proven_is_never_good_enough() -> None:
    labels = [label(HAND, f"shop/web-{number}") for number in range(100)]
    fine = [said(WORDS[HAND], f"shop/web-{number}") for number in range(100)]
    done, counted = Done(begun_us=0, labels=labels), [("match", "", 1000)]
    assert figures.is_as_good_as_asked(join(done, fine), counted)
    assert not figures.is_as_good_as_asked(join(done, [*fine, said("external_write.gitops", is_proven=True)]), counted)
    assert not figures.is_as_good_as_asked(join(done, fine), [*counted, ("divergent", "unexplained", 3)])
    assert not figures.is_as_good_as_asked(join(done, fine[3:]), counted)


@pytest.mark.parametrize("seed", range(20))
def test_each_kind_is_played_once_before_any_is_played_again(seed: int) -> None:
    pool = workloads({"plain": 10, "alone": 3, "stepwise": 2, "frozen": 2, "mixed": 2, "queue": 2, "wide": 1})
    plan = assigned(Random(seed), pool, list(KINDS), 44)  # noqa: S311 (a seed makes a week)
    played = [name for names in plan.values() for name in names]
    assert (len(played), set(played)) == (44, set(KINDS))
    assert all(len(set(names)) == len(names) for names in plan.values())


def test_the_page_has_every_kind_with_its_word_and_its_figures_agree() -> None:
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if "%" in line]
    by_kind = {row[0]: row for row in rows if row[0] in WORDS}
    assert len(by_kind) >= 20
    for kind, (_, word, done, told, recall, also, *_) in by_kind.items():
        assert word == f"`{WORDS[kind]}`"
        assert recall == f"{int(told) / int(done):.0%}"
        assert set(re.findall(r"`([^`]+)`", also)) <= true_words(kind)
    assert sum(int(row[2]) for row in by_kind.values()) >= 40
