"""What somebody may have seen of a world that the real controller lived in, and what was true of it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hpaaudit.api.times import micros
from hpaaudit.engine.replay.cluster_state import is_controller
from hpaaudit.importers.capture import Reader
from hpaaudit.model.facts import (
    ControllerSeen,
    EventSeen,
    Fact,
    HpaSeen,
    PodGone,
    PodSeen,
    Reconciled,
    ResourceMetricsRead,
    ScaleWritten,
    StatusWritten,
    TargetRef,
    ValuesRead,
)
from hpaaudit.model.units import Micros
from tests.conformance.expected import expected_of
from tests.fleet.outside import begun, published

View = Callable[[Sequence[Fact]], Iterator[Fact]]


def _whole(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The capture itself: each reconcile has a line, each write its writer."""
    yield from facts


def _outside(facts: Sequence[Fact]) -> Iterator[Fact]:
    """What a recorder sees: no line of a reconcile, no write of the controller."""
    return (fact for fact in published(facts) if not isinstance(fact, Reconciled))


def _without(*kinds: type) -> View:
    def view(facts: Sequence[Fact]) -> Iterator[Fact]:
        return (fact for fact in _outside(facts) if not isinstance(fact, kinds))

    return view


def _no_sync_period(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The same to a recorder that cannot read the controller's sync period."""
    for fact in _outside(facts):
        if isinstance(fact, ControllerSeen):
            yield replace(fact, flags=tuple(flag for flag in fact.flags if "sync-period" not in flag[0]))
        else:
            yield fact


def _begun(facts: Sequence[Fact]) -> Iterator[Fact]:
    """The same to a recorder that starts when a third of it is over."""
    return (fact for fact in begun(facts, len(facts) // 3) if not isinstance(fact, Reconciled))


VIEWS: dict[str, View] = {
    "whole": _whole,
    "outside": _outside,
    "from the middle": _begun,
    "no sync period": _no_sync_period,
    "no writers": _without(ScaleWritten, EventSeen),
    "no pods": _without(PodSeen, PodGone),
    "no metrics": _without(ResourceMetricsRead, ValuesRead),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What the controller decided in one reconcile, and whether its status was stored.

    wanted   the number that it wrote, and the one that its status tells: up to 1.15 one that pods have already is not
             written, whatever the spec says
    """

    at_us: Micros
    hpa: str
    wanted: frozenset[int | None]
    status_stored: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A write that changed the replicas of a target, and who made it: an HPA (`shop/web`), or a user."""

    at_us: Micros
    target: TargetRef
    replicas: int
    writer: str
    by_hpa: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What was true of a world; `targets` are what each HPA scales, by kind and name."""

    decided: tuple[Decided, ...]
    written: tuple[Written, ...]


def facts_of(capture: Path) -> list[Fact]:
    """Everything that a capture holds."""
    return list(Reader((capture,)).facts())


def truth_of(capture: Path, facts: Sequence[Fact]) -> Truth:
    """The decisions that the real controller told itself, and the writes that were stored."""
    return Truth(decided=tuple(_decisions(capture)), written=tuple(_writes(facts)))


def _decisions(capture: Path) -> Iterator[Decided]:
    for row in expected_of(capture):
        if not row.get("gone"):
            puts = row.get("scale_puts") or ()
            yield Decided(
                at_us=micros(row["at"]),
                hpa=row["hpa"],
                wanted=frozenset(
                    {
                        puts[-1]["to"] if puts else row.get("spec_replicas"),
                        (row.get("status") or {}).get("desiredReplicas"),
                    }
                ),
                status_stored=row.get("status_put") == 200,
            )


def _writes(facts: Sequence[Fact]) -> Iterator[Written]:
    """The writes of the controller stand after the line of their reconcile, before the next one."""
    hpa = ""
    stands: dict[TargetRef, int] = {}
    for fact in facts:
        if isinstance(fact, Reconciled):
            hpa = f"{fact.namespace}/{fact.name}"
        elif isinstance(fact, HpaSeen | StatusWritten):
            continue
        elif isinstance(fact, ScaleWritten) and fact.scale is not None:
            before, now = stands.get(fact.target), fact.scale.spec_replicas
            stands[fact.target] = now
            if before != now:
                by_hpa = is_controller(fact.by)
                yield Written(
                    at_us=fact.at_us,
                    target=fact.target,
                    replicas=now,
                    writer=hpa if by_hpa else fact.by or fact.manager,
                    by_hpa=by_hpa,
                )
