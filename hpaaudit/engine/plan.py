"""Lays out the reconciles of a recording: one reading of its facts, before they are replayed."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hpaaudit.api.decode import READ, decode_hpa, decode_status
from hpaaudit.api.flags import short_name
from hpaaudit.api.requests import target_ref
from hpaaudit.api.times import duration
from hpaaudit.engine.instants import Evidence, inferred_period, instants, merged
from hpaaudit.engine.world import is_controller
from hpaaudit.model.audit import Instant
from hpaaudit.model.facts import (
    ControllerSeen,
    EventSeen,
    Fact,
    HpaGone,
    HpaSeen,
    LeaseSeen,
    Reconciled,
    ScaleRead,
    ScaleWritten,
    StatusWritten,
    TargetRef,
    TargetSeen,
    VersionRead,
)
from hpaaudit.model.hpa import MetricSpec, MetricType
from hpaaudit.model.observation import WriteOutcome
from hpaaudit.model.units import SECOND, Micros

COMPONENT = "horizontal-pod-autoscaler"
DEFAULT_PERIOD_US = Micros(15 * SECOND)  # kube-controller-manager's --horizontal-pod-autoscaler-sync-period

_SERVER = re.compile(r'(?:Get|Put) \\?"(https?://[^/"\\]+)/')
_UNMATCHED = re.compile(r'no matches for kind \\?"([^"\\]+)\\?" in group \\?"([^"\\]*)\\?"')
_OK = range(200, 300)
_FRESH_EVENT_US = 2 * SECOND
_CONTROLLER_MANAGER = "kube-controller-manager"


@dataclass(slots=True)
class Planned:
    """One reconcile to replay.

    index       how many facts stand before it
    scale_rereads   what the controller read of the scale after each failed write
    published   the HPA as it stood after it; None where every reconcile has its own line, for then nothing
                needs to be told from its status
    """

    key: str
    index: int
    instant: Instant
    scale_writes: list[WriteOutcome] = field(default_factory=list)
    scale_rereads: list[ScaleRead] = field(default_factory=list)
    status_write: WriteOutcome | None = None
    published: HpaSeen | None = None


@dataclass(slots=True)
class Plan:
    """The reconciles of a recording in order, and what its first reading taught.

    exact        every reconcile is evidenced by a line of its own
    api_server   as the controller's own error texts name it, empty if none does
    unmatched    kinds, with their groups, that those texts say nobody serves
    keys         every HPA that was seen;  unsupported   those that cannot be replayed, with the reason
    metrics      every metric that some spec asked for
    """

    passes: list[Planned]
    exact: bool
    controllers: list[ControllerSeen]
    version: str
    api_server: str
    unmatched: frozenset[tuple[str, str]]
    keys: tuple[str, ...]
    unsupported: dict[str, str]
    metrics: frozenset[MetricSpec]
    period_us: Micros
    period_source: str


@dataclass(slots=True)
class _Life:
    """What is known of one HPA from its first sight to its deletion."""

    key: str
    first_us: Micros
    newborn: bool
    target: TargetRef
    seen: HpaSeen
    evidence: list[Evidence] = field(default_factory=list)
    statuses: list[tuple[int, HpaSeen]] = field(default_factory=list)
    end_us: Micros | None = None


class _Reading:
    """Takes the facts in turn."""

    def __init__(self) -> None:
        self.lines: list[Planned] = []
        self.newest: dict[str, Planned] = {}
        self.refused: dict[TargetRef, Planned] = {}
        self.lives: dict[str, list[_Life]] = {}
        self.scaled_by: dict[TargetRef, set[str]] = {}
        self.times = array("q")
        self.replicas: dict[TargetRef, int] = {}
        self.controllers: list[ControllerSeen] = []
        self.version = ""
        self.api_server = ""
        self.unmatched: set[tuple[str, str]] = set()
        self.unsupported: dict[str, str] = {}
        self.metrics: set[MetricSpec] = set()
        self.starts: list[Micros] = []
        self.holder: str | None = None

    def take(self, index: int, fact: Fact) -> None:
        self.times.append(max(fact.at_us, self.times[-1]) if self.times else fact.at_us)
        match fact:
            case Reconciled():
                key = f"{fact.namespace}/{fact.name}"
                instant = Instant(
                    began_us=fact.began_us, at_us=fact.at_us, source="reconcile", uncertainty_us=Micros(0)
                )
                planned = Planned(key=key, index=index, instant=instant)
                self.lines.append(planned)
                self.newest[key] = planned
            case ControllerSeen():
                self.controllers.append(fact)
                if fact.state == "started":
                    self.starts.append(fact.at_us)
            case LeaseSeen(holder=holder):
                # Nobody holds it: the process has ended, and the next one starts later still.
                if self.holder is not None and holder != self.holder:
                    self.starts.append(fact.at_us)
                self.holder = holder
            case VersionRead(version=version):
                self.version = self.version or version
            case HpaSeen():
                self._hpa(index, fact)
                self._told(fact.status_json)
            case HpaGone():
                for life in self.lives.get(f"{fact.namespace}/{fact.name}", ())[-1:]:
                    life.end_us = fact.at_us
            case EventSeen(component=component) if component == COMPONENT:
                self._event(index, fact)
                self._told(fact.message)
            case TargetSeen():
                self._target(index, fact)
            case ScaleRead() if fact.target in self.refused and is_controller(fact.by):
                self.refused.pop(fact.target).scale_rereads.append(fact)
            case ScaleWritten() if is_controller(fact.by):
                self._scale_write(fact)
            case StatusWritten() if is_controller(fact.by):
                written = self.newest.get(f"{fact.namespace}/{fact.name}")
                if written is not None:
                    written.status_write = _outcome(fact)
            case _:
                pass

    def _told(self, text: str) -> None:
        """What the controller's own words give away of its surroundings."""
        self.api_server = self.api_server or _server_in(text)
        if "no matches for kind" in text:
            self.unmatched.update(_UNMATCHED.findall(text))

    def _hpa(self, index: int, fact: HpaSeen) -> None:
        key = f"{fact.namespace}/{fact.name}"
        problem = unsupported(fact)
        if problem:
            self.unsupported[key] = problem
            return
        spec = decode_hpa(fact).spec
        self.metrics.update(spec.metrics)
        target = target_ref(fact.namespace, spec.target)
        self.scaled_by.setdefault(target, set()).add(key)
        lives = self.lives.setdefault(key, [])
        if not lives or lives[-1].end_us is not None:
            # One that is older than our first sight of it was there before we looked.
            newborn = fact.created_us is not None and fact.at_us - fact.created_us < 2 * SECOND
            lives.append(_Life(key=key, first_us=fact.at_us, newborn=newborn, target=target, seen=fact))
            lives[-1].statuses.append((index, fact))
            return
        life = lives[-1]
        if decode_status(fact) != decode_status(life.seen):
            life.evidence.append(Evidence(index=index, at_us=fact.at_us, source="status_write"))
            life.statuses.append((index, fact))
        life.seen, life.target = fact, target

    def _event(self, index: int, fact: EventSeen) -> None:
        lives = self.lives.get(f"{fact.object_namespace}/{fact.object_name}")
        # The list at the start of a watch brings old events: they tell of reconciles that nobody saw.
        fresh = fact.last_us is not None and fact.at_us - fact.last_us < _FRESH_EVENT_US
        if lives and lives[-1].end_us is None and fresh:
            lives[-1].evidence.append(Evidence(index=index, at_us=fact.at_us, source="event"))

    def _target(self, index: int, fact: TargetSeen) -> None:
        before = self.replicas.get(fact.target)
        self.replicas[fact.target] = fact.scale.spec_replicas
        by_hpa = fact.manager.endswith(_CONTROLLER_MANAGER) and fact.subresource == "scale"
        if before is None or before == fact.scale.spec_replicas or not by_hpa:
            return
        for key in self.scaled_by.get(fact.target, ()):
            life = self.lives[key][-1]
            if life.target == fact.target and life.end_us is None:
                life.evidence.append(Evidence(index=index, at_us=fact.at_us, source="scale_write"))

    def _scale_write(self, fact: ScaleWritten) -> None:
        """The write belongs to the last reconcile of an HPA with that target."""
        for planned in reversed(self.lines):
            lives = self.lives.get(planned.key)
            if lives and lives[-1].target == fact.target:
                planned.scale_writes.append(_outcome(fact))
                if fact.status not in _OK:
                    self.refused[fact.target] = planned
                return


def plan(facts: Iterable[Fact], period_us: Micros | None, *, exact: bool = False) -> Plan:
    """Read all facts once and lay out the reconciles.

    exact       every reconcile has a line of its own, even where the facts given here leave the lines out
    period_us   the sync period where the user gave it; else it is a recorded flag, or inferred from the evidence
    """
    reading = _Reading()
    for index, fact in enumerate(facts):
        reading.take(index, fact)
    lives = [life for found in reading.lives.values() for life in found]
    period_source = "given"
    if period_us is None:
        recorded = (flag for seen in reading.controllers for flag in seen.flags)
        texts = [text for name, text in recorded if short_name(name) == "sync-period"]
        period_us = duration(texts[0]) if texts else None
    if period_us is None:
        period_us = inferred_period([merged(life.evidence, Micros(SECOND // 2)) for life in lives])
        period_source = "default" if period_us is None else "inferred"
    settled = DEFAULT_PERIOD_US if period_us is None else period_us
    passes = reading.lines if exact else reading.lines or _derived(reading, lives, settled)
    return Plan(
        passes=[planned for planned in passes if planned.key not in reading.unsupported],
        exact=exact or bool(reading.lines),
        controllers=reading.controllers,
        version=reading.version,
        api_server=reading.api_server,
        unmatched=frozenset(reading.unmatched),
        keys=tuple({*reading.lives, *reading.unsupported, *(planned.key for planned in passes)}),
        unsupported=reading.unsupported,
        metrics=frozenset(reading.metrics),
        period_us=settled,
        period_source=period_source,
    )


def unsupported(fact: HpaSeen) -> str:
    """Why this HPA cannot be replayed, empty if it can."""
    if fact.api_version not in READ:
        return f"it was served as {fact.api_version}; this engine reads {' and '.join(READ)}"
    try:
        hpa = decode_hpa(fact)
    except (ValueError, TypeError, AttributeError, KeyError) as error:
        return f"it cannot be read ({error})"
    unknown = sorted({metric.type for metric in hpa.spec.metrics} - set(MetricType))
    return f"the engine does not know the metric type {', '.join(unknown)}" if unknown else ""


def _server_in(text: str) -> str:
    match = _SERVER.search(text)
    return match[1] if match else ""


def _outcome(fact: ScaleWritten | StatusWritten) -> WriteOutcome:
    return WriteOutcome(at_us=fact.at_us, path=fact.path, status=fact.status, error=fact.error)


def _derived(reading: _Reading, lives: Sequence[_Life], period_us: Micros) -> list[Planned]:
    """The reconciles of HPAs that no line speaks of."""
    last_us = Micros(reading.times[-1]) if reading.times else Micros(0)
    within_us = Micros(min(SECOND, period_us * 2 // 5))
    found: list[Planned] = []
    for life in lives:
        end_us = last_us if life.end_us is None else life.end_us
        evidence = merged(life.evidence, within_us)
        laid_out = instants(evidence, life.first_us, end_us, period_us, newborn=life.newborn, starts=reading.starts)
        own = [
            Planned(
                key=life.key,
                index=bisect_right(reading.times, instant.at_us) if index is None else index,
                instant=instant,
            )
            for index, instant in laid_out
        ]
        _publish(own, life)
        found += own
    return sorted(found, key=lambda planned: (planned.index, planned.instant.at_us, planned.key))


def _publish(own: Sequence[Planned], life: _Life) -> None:
    """Which status stood after each reconcile, before the next one could change it."""
    indexes = [index for index, _ in life.statuses]
    for number, planned in enumerate(own, 1):
        until = own[number].index if number < len(own) else None
        place = len(indexes) if until is None else bisect_right(indexes, until - 1)
        planned.published = life.statuses[place - 1][1] if place else None
