"""Joins what was done with what hpaaudit said: which incidents were told of, and which words nothing was done for."""

from collections.abc import Sequence
from dataclasses import dataclass

from hpaaudit.model.units import SECOND
from tests.cluster.week.controller import OUTAGES
from tests.cluster.week.kinds import FALLS_BACK, KINDS
from tests.cluster.week.played import EVERYWHERE, Done, Label
from tests.cluster.week.said import Statement

BEFORE_US = 2 * SECOND
"""A finding begins with the last reconcile before what it is about."""
AFTER_US = 6 * SECOND
"""The recorder sees a change, and the controller acts on it, so much later on a busy machine."""
WORDS = {**{name: kind.word for name, kind in KINDS.items()}, **{name: one.word for name, one in OUTAGES.items()}}
"""The word that is expected of each kind."""
REASONS = frozenset(word for word in WORDS.values() if word.startswith(("gate.", "policy.", "metric.")))
"""Those that are said of every reconcile; the other words are classes, findings, effects and marks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """The incidents and the statements, each with its judgement."""

    labels: list[tuple[Label, tuple[str, ...]]]
    """With the HPAs of which the expected word was not said; empty where all is told."""
    statements: list[tuple[Statement, str]]
    """With the kind of incident that it tells of; empty where nothing of that kind was done."""


def true_words(kind: str) -> frozenset[str]:
    """All words that are true of an incident of this kind."""
    if kind in OUTAGES:
        return OUTAGES[kind].also | {WORDS[kind]}
    return KINDS[kind].also | (FALLS_BACK if KINDS[kind].moves else frozenset()) | {WORDS[kind]}


def join(done: Done, said: Sequence[Statement]) -> Joined:
    """Every label with what was said at its HPAs in its time, and every statement with what was done.

    What is said of the time before the workloads stood is left out: nothing was written down of it.
    """
    said = [one for one in said if one.last_us >= done.begun_us]
    judged = []
    for label in done.labels:
        missing = [hpa for hpa in label.hpas if not any(_tells(one, label, hpa) for one in said)]
        judged.append((label, tuple(missing)))
    played = [label for label in done.labels if not label.problem]
    return Joined(labels=judged, statements=[(one, _kind_of(one, played, done.begun_us)) for one in said])


def _tells(statement: Statement, label: Label, hpa: str) -> bool:
    """Whether it says the expected word of this HPA while the incident lasts."""
    return (
        statement.hpa in (hpa, EVERYWHERE)
        and statement.word == WORDS[label.kind]
        and statement.first_us <= label.ended_us + AFTER_US
        and statement.last_us >= label.begun_us - BEFORE_US
    )


def _kind_of(statement: Statement, labels: Sequence[Label], begun_us: int) -> str:
    """The kind that it tells of. What spans several incidents begins in one and ends in one, each of such a kind."""
    fits = [
        label
        for label in labels
        if statement.word in true_words(label.kind)
        and (label.hits_all or statement.hpa in label.hpas or statement.hpa == EVERYWHERE)
    ]
    last = [label for label in fits if _covers(label, statement.last_us)]
    first = [label for label in fits if _covers(label, statement.first_us)] if statement.first_us > begun_us else last
    if not first or not last:
        return ""
    # Of two that were at work, the one whose own word it is.
    own = [label for label in first if WORDS[label.kind] == statement.word]
    return (own or first)[0].kind


def _covers(label: Label, at_us: int) -> bool:
    return label.begun_us - BEFORE_US <= at_us <= label.ended_us + AFTER_US
