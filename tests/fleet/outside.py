"""The real controller's worlds as an outside recorder sees them: no `reconcile` lines, and only a part of the rest."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from hpaaudit.engine.replay.cluster_state import is_controller
from hpaaudit.model.facts import (
    ControllerSeen,
    Fact,
    Gap,
    HeapsterRead,
    HpaGone,
    HpaSeen,
    LeaseSeen,
    PodGone,
    PodSeen,
    PodsListed,
    Reconciled,
    ResourceMetricsRead,
    ScaleRead,
    ScaleWritten,
    StatusWritten,
    TargetGone,
    TargetSeen,
    ValuesRead,
    VersionRead,
)
from hpaaudit.model.units import SECOND, Micros

READS = (ScaleRead, ResourceMetricsRead, ValuesRead, PodsListed, HeapsterRead)
WATCHED = (HpaSeen, PodSeen, TargetSeen, HpaGone, PodGone, TargetGone)


def published(facts: Sequence[Fact]) -> Iterator[Fact]:
    """What anybody could have read at the same instants."""
    for fact in facts:
        if isinstance(fact, Reconciled | StatusWritten | PodsListed):
            continue
        if isinstance(fact, ScaleWritten) and is_controller(fact.by):
            continue
        yield replace(fact, by="") if isinstance(fact, READS) and is_controller(fact.by) else fact


def watched_object(fact: Fact) -> object:
    """The object whose state or end a fact of a watch shows; of other facts the fact itself."""
    if isinstance(fact, PodSeen):
        return PodSeen, fact.pod.namespace, fact.pod.name
    if isinstance(fact, PodGone):
        return PodSeen, fact.namespace, fact.name
    if isinstance(fact, HpaSeen | HpaGone):
        return HpaSeen, fact.namespace, fact.name
    return (TargetSeen, fact.target) if isinstance(fact, TargetSeen | TargetGone) else fact


def late(facts: Sequence[Fact], chance: Random) -> Iterator[Fact]:
    """The same from somewhere in the middle on: what is watched as it stands then, and nothing else from before."""
    seen_facts = list(published(facts))
    cut = chance.randrange(len(seen_facts) // 4, len(seen_facts) // 2 + 1)
    at_us = seen_facts[cut].at_us
    yield from (replace(fact, at_us=at_us) for fact in seen_facts[:cut] if isinstance(fact, WATCHED))
    yield from seen_facts[cut:]


def begun(facts: Sequence[Fact], cut: int) -> Iterator[Fact]:
    """The same from the fact number `cut` on, as a recorder that starts then: the last of each object that is there."""
    seen_facts = list(published(facts))
    there: dict[object, Fact] = {}
    for fact in seen_facts[:cut]:
        if isinstance(fact, PodGone):
            there.pop(watched_object(fact), None)
        elif isinstance(fact, WATCHED):
            there[watched_object(fact)] = fact
        elif isinstance(fact, LeaseSeen | VersionRead):
            there[type(fact)] = fact
        elif isinstance(fact, ControllerSeen):  # nobody saw it start
            there[ControllerSeen] = replace(fact, state="declared")
    at_us = seen_facts[cut].at_us
    gone = HpaGone | TargetGone
    yield from (replace(fact, at_us=at_us) for fact in there.values() if not isinstance(fact, gone))
    yield from seen_facts[cut:]


def thin(facts: Sequence[Fact], chance: Random) -> Iterator[Fact]:
    """The same with a third of the answers missed, and the others some seconds late."""
    facts_seen: list[Fact] = []
    for fact in published(facts):
        if isinstance(fact, ResourceMetricsRead | ValuesRead):
            if chance.random() < 1 / 3:
                continue
            facts_seen.append(replace(fact, at_us=Micros(fact.at_us + chance.randrange(4 * SECOND))))
        else:
            facts_seen.append(fact)
    yield from sorted(facts_seen, key=lambda fact: fact.at_us)


def blind(facts: Sequence[Fact], chance: Random) -> Iterator[Fact]:
    """The same with a time in which nobody looked: what is watched stands as it is after it, and a gap says so."""
    seen_facts = list(published(facts))
    begin = chance.randrange(len(seen_facts) // 3, len(seen_facts) // 2 + 1)
    end_us = Micros(seen_facts[begin].at_us + chance.randrange(10, 240) * SECOND)
    missed = [fact for fact in seen_facts[begin:] if fact.at_us < end_us]
    yield from seen_facts[:begin]
    yield Gap(at_us=seen_facts[begin].at_us, until_us=end_us, prefix="*", cause="nobody looked")
    yield from (replace(fact, at_us=end_us) for fact in missed if isinstance(fact, WATCHED))
    yield from seen_facts[begin + len(missed) :]


def well(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The same to somebody whose own reads of metrics do not fail when the controller's do."""
    for fact in published(facts):
        if not isinstance(fact, ResourceMetricsRead | ValuesRead) or not fact.error:
            yield fact


def ahead(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The same to a recorder whose watch of pods is ahead: what a reconcile did not see yet stands before it."""
    moved: list[Fact] = []
    before, at_us = 0, Micros(0)
    for fact in facts:
        if isinstance(fact, Reconciled):
            before, at_us = len(moved), fact.at_us
        if isinstance(fact, PodSeen | PodGone) and before:
            moved.insert(before, replace(fact, at_us=at_us))
            before += 1
        else:
            moved.append(fact)
    yield from published(moved)
