"""When each HPA was reconciled, from what is evidence of it, and what became of each reconcile's writes.

Evidence in this order: a line that says so, else a status write or an Event. Between two evidenced
instants that are g apart stand round(g / sync period) - 1 evenly spaced ones, on the grid.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from hpaaudit.api.decode import decode_spec
from hpaaudit.api.requests import target_ref
from hpaaudit.engine.world import is_controller
from hpaaudit.model.audit import Instant
from hpaaudit.model.facts import (
    ControllerSeen,
    Ended,
    EventSeen,
    Fact,
    HpaGone,
    HpaSeen,
    Reconciled,
    ScaleWritten,
    StatusWritten,
    TargetRef,
    VersionRead,
)
from hpaaudit.model.observation import WriteOutcome
from hpaaudit.model.units import SECOND, Micros

COMPONENT = "horizontal-pod-autoscaler"
_SERVER = re.compile(r'(?:Get|Put) \\?"(https?://[^/"\\]+)/')
_MERGE_US = SECOND
"""Two pieces of evidence closer than this are of one reconcile."""


@dataclass(slots=True)
class Planned:
    """One reconcile to replay: after how many facts it stands, and how its writes were answered."""

    key: str
    index: int
    instant: Instant
    scale_writes: list[WriteOutcome] = field(default_factory=list)
    status_write: WriteOutcome | None = None


@dataclass(slots=True)
class Plan:
    """The reconciles of a recording in order, and what its first reading taught.

    exact        every reconcile is evidenced by a line of its own
    api_server   as the controller's own error texts name it, empty if none does
    """

    passes: list[Planned]
    exact: bool
    controllers: list[ControllerSeen]
    version: str
    api_server: str
    first_us: Micros
    last_us: Micros


@dataclass(slots=True)
class _Life:
    """What is known of one HPA while the facts go by."""

    first_index: int
    first_us: Micros
    target: TargetRef
    status_json: str
    evidence: list[tuple[int, Micros, str]] = field(default_factory=list)
    end: tuple[int, Micros] | None = None


@dataclass(slots=True)
class _Reading:
    """The state of the first reading."""

    lines: list[Planned] = field(default_factory=list)
    newest: dict[str, Planned] = field(default_factory=dict)
    lives: dict[str, list[_Life]] = field(default_factory=dict)
    times: list[Micros] = field(default_factory=list)


def plan(facts: Iterable[Fact], period_us: Micros | None) -> Plan:
    """Reads all facts once and lays out the reconciles.

    period_us   the sync period where it is known; else it is inferred from the evidence
    """
    reading = _Reading()
    found = Plan([], exact=False, controllers=[], version="", api_server="", first_us=Micros(0), last_us=Micros(0))
    for index, fact in enumerate(facts):
        if index == 0:
            found.first_us = fact.at_us
        found.last_us = max(found.last_us, fact.at_us)
        reading.times.append(fact.at_us)
        match fact:
            case Reconciled():
                key = f"{fact.namespace}/{fact.name}"
                instant = Instant(began_us=fact.began_us, at_us=fact.at_us, source="reconcile", uncertainty_us=Micros(0))
                planned = Planned(key=key, index=index, instant=instant)
                reading.lines.append(planned)
                reading.newest[key] = planned
            case ControllerSeen():
                found.controllers.append(fact)
            case VersionRead(version=version) if version and not found.version:
                found.version = version
            case HpaSeen():
                _hpa_seen(reading, index, fact)
                found.api_server = found.api_server or _server_in(fact.status_json)
            case HpaGone():
                for life in reading.lives.get(f"{fact.namespace}/{fact.name}", ())[-1:]:
                    life.end = (index, fact.at_us)
            case EventSeen() if fact.component == COMPONENT:
                _event_seen(reading, index, fact)
                found.api_server = found.api_server or _server_in(fact.message)
            case ScaleWritten() if is_controller(fact.by):
                _scale_written(reading, fact)
            case StatusWritten() if is_controller(fact.by):
                _status_written(reading, fact)
            case Ended():
                pass
    found.exact = bool(reading.lines)
    found.passes = reading.lines if found.exact else _derived(reading, found, period_us)
    return found


def _server_in(text: str) -> str:
    match = _SERVER.search(text)
    return match[1] if match else ""


def _hpa_seen(reading: _Reading, index: int, fact: HpaSeen) -> None:
    key = f"{fact.namespace}/{fact.name}"
    lives = reading.lives.setdefault(key, [])
    target = target_ref(fact.namespace, decode_spec(fact.spec_json).target)
    if not lives or lives[-1].end is not None:
        lives.append(_Life(first_index=index, first_us=fact.at_us, target=target, status_json=fact.status_json))
        return
    life = lives[-1]
    if fact.status_json != life.status_json:
        life.evidence.append((index, fact.at_us, "status_write"))
    life.status_json, life.target = fact.status_json, target


def _event_seen(reading: _Reading, index: int, fact: EventSeen) -> None:
    lives = reading.lives.get(f"{fact.object_namespace}/{fact.object_name}")
    if lives and lives[-1].end is None and fact.last_us is not None and fact.at_us - fact.last_us < 2 * SECOND:
        lives[-1].evidence.append((index, fact.at_us, "event"))


def _scale_written(reading: _Reading, fact: ScaleWritten) -> None:
    """The write belongs to the last reconcile of an HPA with that target."""
    for planned in reversed(reading.lines):
        lives = reading.lives.get(planned.key)
        if lives and lives[-1].target == fact.target:
            outcome = WriteOutcome(at_us=fact.at_us, path=fact.path, status=fact.status, error=fact.error)
            planned.scale_writes.append(outcome)
            return


def _status_written(reading: _Reading, fact: StatusWritten) -> None:
    planned = reading.newest.get(f"{fact.namespace}/{fact.name}")
    if planned is not None:
        outcome = WriteOutcome(at_us=fact.at_us, path=fact.path, status=fact.status, error=fact.error)
        planned.status_write = outcome


# --- without lines -----------------------------------------------------------------------------------------


def _derived(reading: _Reading, found: Plan, period_us: Micros | None) -> list[Planned]:
    raise NotImplementedError
