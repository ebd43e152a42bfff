"""Plans the reconciles of a recording: reads its facts once, before they are replayed."""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from hpaaudit.api.flags import is_before_1_12, short_name
from hpaaudit.api.lease_holders import passing_states
from hpaaudit.api.times import duration
from hpaaudit.engine.behaviours.release import behaviours_of, known_release
from hpaaudit.engine.replay.cluster_state import LAG_US, is_controller
from hpaaudit.engine.replay.hpa_history import COMPONENT, HpaHistories, HpaHistory
from hpaaudit.engine.replay.reconcile_times import GRID, NOWHERE, SOURCES, STATUS_WRITE, Processes
from hpaaudit.engine.replay.renewals import Renewals
from hpaaudit.engine.replay.sync_period import SyncPeriods, sync_periods, times_between
from hpaaudit.engine.replay.unseen_status import SEEN_AGAIN_US, gaps_of, without_own_status
from hpaaudit.errors import UnknownRelease
from hpaaudit.model.audit import ReconcileTime
from hpaaudit.model.facts import (
    ControllerSeen,
    EventSeen,
    Fact,
    Gap,
    HpaGone,
    HpaSeen,
    LeaseSeen,
    Reconciled,
    ResourceMetricsRead,
    ScaleRead,
    ScaleWritten,
    StatusWritten,
    TargetRef,
    TargetSeen,
    ValuesRead,
    VersionRead,
)
from hpaaudit.model.flags import OLD_SYNC_PERIOD_US, SYNC_PERIOD_US, Flags
from hpaaudit.model.hpa import MetricSpec
from hpaaudit.model.observation import WriteOutcome
from hpaaudit.model.units import SECOND, Micros

RENEWALS_SEEN = 50_000
"""The answers among so many facts at the beginning show how often samples are renewed."""
RELISTED_LATE_US = SECOND

# autoscaling/v1 keeps conditions as JSON in an annotation: there a quote has several backslashes.
_SERVER = re.compile(r'(?:Get|Put) \\*"(https?://[^/"\\]+)/')
_UNMATCHED = re.compile(r'no matches for kind \\*"([^"\\]+)\\*" in group \\*"([^"\\]*)\\*"')
_OK = range(200, 300)
_AFTER_ALL = 2**63 - 1
"""More facts than any recording has."""


@dataclass(slots=True)
class PlannedReconcile:
    """One reconcile to replay.

    index       how many facts stand before it;  earlier   how many of them a lagging cache has
    scale_rereads   what the controller read of the scale after each failed write
    published   the HPA as it was after it; None if every reconcile has a line, for then the status tells nothing more
    no_status   nobody saw a status of its own, which was refused or hidden: `published` is of an earlier reconcile
    """

    key: str
    index: int
    instant: ReconcileTime
    scale_writes: list[WriteOutcome] = field(default_factory=list)
    scale_rereads: list[ScaleRead] = field(default_factory=list)
    status_write: WriteOutcome | None = None
    published: HpaSeen | None = None
    no_status: bool = False
    earlier: int = 0


@dataclass(slots=True)
class Plan:
    """The reconciles of a recording in order, and what else the first reading of its facts says.

    exact        every reconcile has a line of its own
    api_server   as the controller's error texts name it, empty if none does
    unmatched    kinds, with their groups, of which these texts say that nobody serves them
    keys         every HPA that was seen;  unsupported   those that cannot be replayed, each with the reason
    metrics      every metric of some spec
    periods      the sync period, and that of each HPA that has its own
    lease        the last state of the controller's Lease that somebody held, None if none was seen
    passing_leases   its states whose holder gave it back: that was no controller process
    gates        feature gates that the API server must have on, as the specs show
    api_versions in which the API server served the HPAs
    """

    reconciles: list[PlannedReconcile]
    exact: bool
    controllers: list[ControllerSeen]
    version: str
    api_server: str
    unmatched: frozenset[tuple[str, str]]
    keys: tuple[str, ...]
    unsupported: dict[str, str]
    metrics: frozenset[MetricSpec]
    periods: SyncPeriods
    lease: LeaseSeen | None = None
    passing_leases: frozenset[LeaseSeen] = frozenset()
    gates: frozenset[str] = frozenset()
    api_versions: frozenset[str] = frozenset()


class Reading:
    """Reads the facts in turn: evidence of the controller, of its reconciles and of every HPA."""

    def __init__(self) -> None:
        self.lines: list[PlannedReconcile] = []
        self.newest: dict[str, PlannedReconcile] = {}
        self.refused: dict[TargetRef, PlannedReconcile] = {}
        self.histories = HpaHistories()
        self.times = array("q")
        self.controllers: list[ControllerSeen] = []
        self.version = ""
        self.api_server = ""
        self.unmatched: set[tuple[str, str]] = set()
        self.renewals = Renewals()
        self.leases: list[LeaseSeen] = []
        self.gaps: list[Gap] = []
        self._processes: tuple[int, Processes] | None = None

    @property
    def processes(self) -> Processes:
        """When controller processes took over and stopped."""
        read = len(self.controllers) + len(self.leases)
        if self._processes is None or self._processes[0] != read:
            started = [fact.at_us for fact in self.controllers if fact.state == "started"]
            stopped = [fact.at_us for fact in self.controllers if fact.state == "stopped"]
            self._processes = read, Processes(starts=sorted([*started, *self._taken_over()]), stops=stopped)
        return self._processes[1]

    def _taken_over(self) -> Iterator[Micros]:
        """When the Lease changed hands. An empty holder: the process has ended, and the next one starts later."""
        passing = passing_states(self.leases)
        for earlier, later in pairwise(lease for lease in self.leases if lease not in passing):
            if earlier.holder != later.holder:
                yield later.at_us

    def read(self, index: int, fact: Fact) -> None:
        """Reads one more fact; `index` facts stand before it."""
        self.times.append(max(fact.at_us, self.times[-1]) if self.times else fact.at_us)
        match fact:
            case HpaSeen():
                self.histories.hpa(index, fact)
            case _:
                pass
        self.learn(index, fact)

    def learn(self, index: int, fact: Fact) -> None:  # noqa: C901, PLR0912 (one case for each kind of fact)
        """Reads everything of a fact except its time and the HPA that it shows."""
        match fact:
            case Reconciled():
                key = f"{fact.namespace}/{fact.name}"
                instant = ReconcileTime(
                    began_us=fact.began_us, at_us=fact.at_us, source="reconcile", uncertainty_us=Micros(0)
                )
                planned = PlannedReconcile(key=key, index=index, instant=instant)
                self.lines.append(planned)
                self.newest[key] = planned
            case ControllerSeen():
                self.controllers.append(fact)
            case LeaseSeen():
                self.leases.append(fact)
            case VersionRead(version=version):
                self.version = self.version or version
            case Gap():
                self.gaps.append(fact)
            case HpaSeen():
                self.read_text(fact.status_json)
                self.read_text(fact.annotations_json)
            case ResourceMetricsRead() | ValuesRead():
                if index < RENEWALS_SEEN:
                    self.renewals.read(fact)
            case HpaGone():
                self.histories.gone(index, fact)
            case EventSeen(component=component) if component == COMPONENT:
                self.histories.event(index, fact)
                self.read_text(fact.message)
            case TargetSeen():
                self.histories.scale(fact.target, fact.scale)
                self.histories.scaled(index, fact)
            case ScaleRead():
                self.histories.scale(fact.target, fact.scale)
                if fact.target in self.refused and is_controller(fact.by):
                    self.refused.pop(fact.target).scale_rereads.append(fact)
            case ScaleWritten():
                self.histories.scale(fact.target, fact.scale)
                if is_controller(fact.by):
                    self._scale_write(fact)
            case StatusWritten() if is_controller(fact.by):
                written = self.newest.get(f"{fact.namespace}/{fact.name}")
                if written is not None:
                    written.status_write = _outcome(fact)
            case _:
                pass

    def read_text(self, text: str) -> None:
        """Reads a text of the controller: the API server and the unknown kinds that it names."""
        self.api_server = self.api_server or _server_in(text)
        if "no matches for kind" in text:
            self.unmatched.update(_UNMATCHED.findall(text))

    def _scale_write(self, fact: ScaleWritten) -> None:
        """Adds a write to the last reconcile of an HPA with that target."""
        for planned in reversed(self.lines):
            histories = self.histories.of.get(planned.key)
            if histories and _same_but_group(histories[-1].target, fact.target):
                planned.scale_writes.append(_outcome(fact))
                if fact.status not in _OK:
                    self.refused[fact.target] = planned
                return

    def periods(self, given_us: Micros | None) -> SyncPeriods:
        """The sync period that the user gave, else the recorded one, else what the times of status writes show."""
        recorded = (flag for controller in self.controllers for flag in controller.flags)
        texts = [text for name, text in recorded if short_name(name) == "sync-period"]
        if given_us is None and texts:
            given_us = duration(texts[0])
        unsure = [(start_us, start_us) for start_us in self.processes.starts]
        for gap in self.gaps:
            unsure += [(gap.at_us, gap.at_us), (gap.until_us, Micros(gap.until_us + SEEN_AGAIN_US))]
        default_us = OLD_SYNC_PERIOD_US if is_before_1_12(self.release) else SYNC_PERIOD_US
        times: dict[str, list[int]] = {}
        renewals: dict[str, list[int]] = {}
        # Where an HPA is reconciled again as soon as its status was written, the times between statuses say nothing.
        for history in () if _reconciles_on_watch(self.release) else self.histories.all():
            times.setdefault(history.key, []).extend(times_between(history.status_writes(), unsure))
            renewals.setdefault(history.key, []).extend(self.renewals.times(history.newest))
        return sync_periods(times, given_us, default_us, renewals)

    @property
    def release(self) -> str:
        """The release that the recording names, empty if it names none."""
        releases = [*(seen.version or seen.release for seen in self.controllers[:1]), self.version]
        return next(filter(None, releases), "")

    def plan(self, reconciles: list[PlannedReconcile], periods: SyncPeriods, *, exact: bool) -> Plan:
        """The plan with these reconciles."""
        self.histories.leave_out()
        unsupported = self.histories.unsupported
        return Plan(
            reconciles=[planned for planned in reconciles if planned.key not in unsupported],
            exact=exact,
            controllers=self.controllers,
            version=self.version,
            api_server=self.api_server,
            unmatched=frozenset(self.unmatched),
            keys=tuple({*self.histories.keys(), *(planned.key for planned in reconciles)}),
            unsupported=unsupported,
            metrics=frozenset(self.histories.metrics),
            periods=periods,
            # Who gives it up leaves it with a duration of 1 s (`leaderelection.go`, `release`).
            lease=next((lease for lease in reversed(self.leases) if lease.holder), None),
            passing_leases=passing_states(self.leases),
            gates=frozenset(self.histories.gates),
            api_versions=frozenset(self.histories.api_versions),
        )


def plan(facts: Iterable[Fact], period_us: Micros | None, *, exact: bool = False) -> Plan:
    """Reads all facts once and plans the reconciles.

    exact       every reconcile has a line of its own, even if the facts given here leave the lines out
    period_us   the sync period where the user gave it; else it is a recorded flag, or inferred from the evidence
    """
    reading = Reading()
    for index, fact in enumerate(facts):
        reading.read(index, fact)
    periods = reading.periods(period_us)
    reconciles = reading.lines if exact else reading.lines or _inferred(reading, periods)
    return reading.plan(reconciles, periods, exact=exact or bool(reading.lines))


def _same_but_group(target: TargetRef, other: TargetRef) -> bool:
    """True if two targets differ in their group at most: up to 1.8 the controller did not look at it."""
    return replace(target, group="") == replace(other, group="")


def _reconciles_on_watch(release: str) -> bool:
    """True for the releases 1.2 to 1.5, in which each change of an HPA makes a reconcile, also a status write."""
    try:
        return bool(release) and behaviours_of(Flags(release=known_release(release))).metrics_annotation
    except UnknownRelease:
        return False


def _relisted_late_us(release: str) -> int:
    """How long after its sync period a controller lists the HPAs again, which is when it reconciles them: 1 s in 1.2.

    Its resync ends the watch, and the next list starts a second later. Upstream: `Reflector.ListAndWatch`.
    """
    return RELISTED_LATE_US if release.lstrip("v").startswith("1.2.") or release == "1.2" else 0


def _server_in(text: str) -> str:
    match = _SERVER.search(text)
    return match[1] if match else ""


def _outcome(fact: ScaleWritten | StatusWritten) -> WriteOutcome:
    return WriteOutcome(at_us=fact.at_us, path=fact.path, status=fact.status, error=fact.error)


def _inferred(reading: Reading, periods: SyncPeriods) -> list[PlannedReconcile]:
    """The reconciles of HPAs without lines."""
    times = reading.times
    last_us = times[-1] if times else 0
    planned_reconciles: list[PlannedReconcile] = []
    on_watch, late_us = _reconciles_on_watch(reading.release), _relisted_late_us(reading.release)
    for history in reading.histories.all():
        own, period_us = [], Micros(periods.of(history.key) + late_us)
        reconciles = history.reconcile_times(last_us, period_us, reading.processes, on_watch=on_watch)
        for at_us, index, source in reconciles:
            facts_before = bisect_right(times, at_us) if index == NOWHERE else index
            earlier = min(facts_before, bisect_right(times, at_us - LAG_US))
            own.append(
                PlannedReconcile(
                    key=history.key, index=facts_before, instant=_instant(at_us, source, period_us), earlier=earlier
                )
            )
        _publish(own, history)
        for place in without_own_status(reconciles, gaps_of(history.key, reading.gaps, period_us)):
            own[place].no_status = True
        planned_reconciles += own
    return sorted(planned_reconciles, key=lambda planned: (planned.index, planned.instant.at_us, planned.key))


def _instant(at_us: int, source: int, period_us: int) -> ReconcileTime:
    uncertainty_us = period_us // 2 if source == GRID else 0
    return ReconcileTime(
        began_us=Micros(at_us), at_us=Micros(at_us), source=SOURCES[source], uncertainty_us=Micros(uncertainty_us)
    )


def _publish(own: Sequence[PlannedReconcile], history: HpaHistory) -> None:
    """Sets the status that stood after each reconcile, before the next one could change it."""
    for number, planned in enumerate(own, 1):
        until = own[number].index if number < len(own) else _AFTER_ALL
        facts_before = bisect_left(history.statuses, until)
        planned.published = history.shown[facts_before - 1] if facts_before else None
        is_told = bisect_left(history.refused, planned.index) < bisect_left(history.refused, until)
        planned.no_status = is_told and planned.instant.source != SOURCES[STATUS_WRITE]
