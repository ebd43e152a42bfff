"""Worlds whose controller stops in the middle: what it wrote after that is taken out, and its Lease is added."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from hpaaudit.model.facts import ControllerSeen, EventSeen, Fact, HpaSeen, LeaseSeen, ScaleRead, ScaleWritten, TargetRef
from hpaaudit.model.units import SECOND, Micros
from tests.truth.worlds import VIEWS

RENEWALS_US = 15 * SECOND


def middle_us(facts: Sequence[Fact]) -> Micros:
    """When the controller stops."""
    return Micros((facts[0].at_us + facts[-1].at_us) // 2)


def alive(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The world as it is seen from outside, with the Lease."""
    yield from _with_lease(list(VIEWS["outside"](facts)), None)


def hung(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The process renews its Lease and reconciles nothing."""
    yield from _with_lease(list(_stopped(facts)), None)


def dead(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The process has ended, and no other one takes over."""
    yield from _with_lease(list(_stopped(facts)), middle_us(facts))


def _stopped(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The world without what the controller wrote after the middle. Users still do what they did."""
    at_us = middle_us(facts)
    statuses: dict[str, HpaSeen] = {}
    replicas: dict[TargetRef, int] = {}
    for fact in VIEWS["outside"](facts):
        later = fact.at_us > at_us
        if isinstance(fact, HpaSeen):
            key = f"{fact.namespace}/{fact.name}"
            if later and key in statuses:
                yield replace(fact, status_json=statuses[key].status_json)
                continue
            statuses[key] = fact
        elif isinstance(fact, ScaleRead) and fact.scale is not None:
            if later and fact.target in replicas:
                yield replace(fact, scale=replace(fact.scale, spec_replicas=replicas[fact.target]))
                continue
            replicas[fact.target] = fact.scale.spec_replicas
        elif isinstance(fact, ScaleWritten) and fact.scale is not None:
            replicas[fact.target] = fact.scale.spec_replicas
        elif later and isinstance(fact, ControllerSeen | EventSeen):
            continue
        yield fact


def _with_lease(facts: Sequence[Fact], until_us: Micros | None) -> Iterator[Fact]:
    """The facts, with a renewal of the Lease every 15 s."""
    next_us = facts[0].at_us
    for fact in facts:
        while next_us <= fact.at_us and (until_us is None or next_us <= until_us):
            yield LeaseSeen(
                at_us=next_us, namespace="kube-system", name="kube-controller-manager", holder="node_1",
                acquired_us=facts[0].at_us, renewed_us=next_us, transitions=0,
            )  # fmt: skip
            next_us = Micros(next_us + RENEWALS_US)
        yield fact
