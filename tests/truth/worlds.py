"""What was true of a world that the real controller lived in: its decisions, its writes, its settings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hpaaudit.api.flags import is_before_1_12
from hpaaudit.api.times import duration, micros
from hpaaudit.engine.replay.cluster_state import is_controller
from hpaaudit.importers.capture import Reader
from hpaaudit.model.facts import (
    ControllerSeen,
    Fact,
    HpaSeen,
    Reconciled,
    ScaleRead,
    ScaleWritten,
    StatusWritten,
    TargetRef,
)
from hpaaudit.model.flags import OLD_SYNC_PERIOD_US, SYNC_PERIOD_US
from hpaaudit.model.units import SECOND, Micros
from tests.conformance.expected import expected_of

OK = 200
NOT_FOUND = 404
MEMORY_US = 3600 * SECOND
"""No stabilization window is longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What the controller decided in one reconcile, and what became of its writes.

    until_us   when its last write of the scale was answered: after a conflict it tries again
    wanted   the number that it wrote, and the one that its status tells: up to 1.15 one that pods have already is not
             written, whatever the spec says
    read     the replicas of the scale that it read, None if it read none
    refused  the answers to its writes of the scale that were refused;  failed   there is one
    asked    the last number that it asked for, None if it asked for none
    stored   the number that the target had after that write, None if none was stored
    """

    at_us: Micros
    until_us: Micros
    hpa: str
    read: int | None
    wanted: frozenset[int | None]
    refused: frozenset[int]
    asked: int | None
    stored: int | None

    @property
    def failed(self) -> bool:
        """See above."""
        return bool(self.refused)


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
    """What was true of a world; `controllers` says how each process was started."""

    decided: tuple[Decided, ...]
    written: tuple[Written, ...]
    controllers: tuple[ControllerSeen, ...]

    def restarted(self, at_us: int) -> bool:
        """Whether a process took over so shortly before that the memory of the one before might still count."""
        return any(one.at_us <= at_us <= one.at_us + MEMORY_US for one in self.controllers[1:])

    def started_near(self, times: Sequence[int]) -> bool:
        """Whether a process took over within a minute of any of these times."""
        return any(abs(one.at_us - at_us) < 60 * SECOND for one in self.controllers[1:] for at_us in times)

    @property
    def sync_period_us(self) -> int:
        """How often the controller reconciles each HPA."""
        flags = dict(flag for seen in self.controllers for flag in seen.flags)
        own = [duration(text) for name, text in flags.items() if name.endswith("sync-period")]
        is_old = any(is_before_1_12(seen.release) for seen in self.controllers)
        return own[0] if own else OLD_SYNC_PERIOD_US if is_old else SYNC_PERIOD_US

    def until(self, at_us: Micros) -> "Truth":
        """The truth of the same world if its controller stopped at this time."""
        return replace(
            self,
            decided=tuple(one for one in self.decided if one.at_us <= at_us),
            written=tuple(one for one in self.written if one.at_us <= at_us or not one.by_hpa),
        )


def facts_of(capture: Path) -> list[Fact]:
    """Everything that a capture holds."""
    return list(Reader((capture,)).facts())


def truth_of(capture: Path, facts: Sequence[Fact]) -> Truth:
    """The decisions that the real controller told itself, and the writes that were stored."""
    return Truth(
        decided=tuple(_decisions(capture, _last_puts(facts))),
        written=tuple(_writes(facts)),
        controllers=tuple(fact for fact in facts if isinstance(fact, ControllerSeen) and fact.state == "started"),
    )


def _last_puts(facts: Sequence[Fact]) -> dict[tuple[str, Micros], Micros]:
    """When each reconcile, known by its HPA and time, was answered to its last write of the scale."""
    puts: dict[tuple[str, Micros], Micros] = {}
    newest = "", Micros(0)
    for fact in facts:
        if isinstance(fact, Reconciled):
            newest = f"{fact.namespace}/{fact.name}", fact.at_us
        elif isinstance(fact, ScaleWritten) and is_controller(fact.by):
            puts[newest] = fact.at_us
    return puts


def _decisions(capture: Path, last_puts: Mapping[tuple[str, Micros], Micros]) -> Iterator[Decided]:
    for row in expected_of(capture):
        if not row.get("gone"):
            puts = row.get("scale_puts") or ()
            yield Decided(
                at_us=micros(row["at"]),
                until_us=last_puts.get((row["hpa"], micros(row["at"])), micros(row["at"])),
                hpa=row["hpa"],
                wanted=frozenset(
                    {
                        puts[-1]["to"] if puts else row.get("spec_replicas"),
                        (row.get("status") or {}).get("desiredReplicas"),
                    }
                ),
                read=row.get("spec_replicas"),
                refused=frozenset(put["status"] for put in puts) - {OK},
                asked=puts[-1]["to"] if puts else None,
                stored=puts[-1].get("stored", puts[-1]["to"]) if puts and puts[-1]["status"] == OK else None,
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
        elif isinstance(fact, ScaleRead) and fact.status == NOT_FOUND:
            stands.pop(fact.target, None)  # one that is made anew is another one
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
