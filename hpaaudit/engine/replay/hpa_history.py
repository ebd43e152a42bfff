"""The history of each HPA in a recording: since when it was seen, its statuses, and all evidence of its reconciles."""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from hpaaudit.api.decode import READ, V1, V2BETA1, decode_spec, decode_status
from hpaaudit.api.requests import target_ref
from hpaaudit.engine.api_bounds import misfit, scale_misfit
from hpaaudit.engine.behaviours.gates import gates_of_stored
from hpaaudit.engine.replay.reconcile_times import (
    EVENT,
    EVENT_LATE_US,
    GRID,
    NOWHERE,
    SCALE_WRITE,
    STATUS_WRITE,
    Evidence,
    Processes,
    merged,
    reconcile_times,
    while_running,
)
from hpaaudit.engine.replay.watched_times import Seen, watched_times
from hpaaudit.model.facts import EventSeen, HpaGone, HpaSeen, TargetRef, TargetSeen
from hpaaudit.model.hpa import HpaSpec, HpaStatus, MetricSpec, MetricType
from hpaaudit.model.target import Scale
from hpaaudit.model.units import SECOND, Micros

COMPONENT = "horizontal-pod-autoscaler"
CONTROLLER_MANAGER = "kube-controller-manager"
STATUS_REFUSED = "FailedUpdateStatus"
"""The reason of the Event of a reconcile whose status was not written: the one that stands is of an earlier one."""
_NEWBORN_US = 2 * SECOND

_CONDITIONS_OF_V1 = '"autoscaling.alpha.kubernetes.io/conditions"'
_LONGEST_EMPTY = 200
"""A status in which nothing has a value is no longer than so many characters."""


@dataclass(slots=True)
class HpaHistory:
    """What was seen of one HPA, from the first time to its deletion.

    first, end   how many facts come before the first one that shows it, and before its deletion
    newborn      it was created while it was watched;  next_us   when another HPA of its name was first seen
    statuses     how many facts come before each of its statuses;  shown   the facts that show these, if they were kept
    states       every state of it that was seen
    refused      how many facts come before each Event that tells that a status of it was not written
    """

    key: str
    first: int
    first_us: Micros
    newborn: bool
    target: TargetRef
    newest: HpaSeen
    evidence: list[Evidence] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    shown: list[HpaSeen] = field(default_factory=list)
    states: list[Seen] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    end: int | None = None
    end_us: Micros | None = None
    next_us: Micros | None = None

    def status_writes(self) -> list[int]:
        """When its status was written, in order."""
        return sorted(trace.at_us for trace in self.evidence if trace.source == STATUS_WRITE)

    def reconcile_times(
        self, last_us: int, period_us: int, processes: Processes, *, on_watch: bool = False
    ) -> list[Evidence]:
        """Its reconciles; `last_us` is the end of the recording.

        on_watch   it was reconciled at each change as well (1.2 to 1.5)
        """
        starts = processes.starts
        end_us = last_us if self.end_us is None else self.end_us
        evidence = merged(self.evidence, period_us)
        if on_watch:
            times = watched_times(self.states, evidence, end_us, period_us, newborn=self.newborn, starts=starts)
        else:
            times = reconcile_times(evidence, self.first_us, end_us, period_us, newborn=self.newborn, starts=starts)
            times += self._after_its_end(times, period_us)
        return while_running(times, processes)

    def _after_its_end(self, times: Sequence[Evidence], period_us: int) -> Iterator[Evidence]:
        """The reconcile that finds the HPA deleted, if another of its name came only after that.

        It decides nothing, and there the controller forgets what it recommended. Upstream: `reconcileKey`.
        """
        if self.end_us is None or self.next_us is None or not times:
            return
        last_us = times[-1].at_us
        at_us = last_us + period_us * max(1, -(-(self.end_us - last_us) // period_us))
        if at_us < self.next_us:
            yield Evidence(at_us, NOWHERE, GRID)


class HpaHistories:
    """The histories of all HPAs. A name has several if an HPA was created again.

    Each fact comes with the number of facts before it.

    unsupported   HPAs that cannot be replayed, each with the reason;  metrics   every metric of some spec
    gates         feature gates that the API server must have on;  api_versions   in which it served the HPAs
    """

    def __init__(self) -> None:
        self.of: dict[str, list[HpaHistory]] = {}
        self.unsupported: dict[str, str] = {}
        self.metrics: set[MetricSpec] = set()
        self.gates: set[str] = set()
        self.api_versions: set[str] = set()
        self._scaled_by: dict[TargetRef, set[str]] = {}
        self._replicas: dict[TargetRef, int] = {}
        self._targets: dict[TargetRef, str] = {}

    def hpa(self, index: int, fact: HpaSeen) -> None:
        """Adds a fact that shows an HPA. A changed status is evidence of a reconcile."""
        history = self.history_of(index, fact)
        if history is None:
            return
        is_first = not history.statuses
        is_other = not is_first and _status(fact) != _status(history.newest)
        if is_first or replace(fact, at_us=history.newest.at_us) != history.newest:
            history.states.append(Seen(fact.at_us, index, is_other))
        if is_other:
            history.evidence.append(Evidence(fact.at_us, index, STATUS_WRITE))
        if is_other or is_first:
            history.statuses.append(index)
            history.shown.append(fact)
        history.newest = fact

    def history_of(self, index: int, fact: HpaSeen) -> HpaHistory | None:
        """The history that a fact belongs to, with the spec as it is now; None if the HPA cannot be replayed."""
        key = f"{fact.namespace}/{fact.name}"
        problem = unsupported(fact)
        if problem:
            self.unsupported.setdefault(key, problem)
            return None
        spec = decode_spec(fact.api_version, fact.spec_json, fact.annotations_json)
        self.metrics.update(spec.metrics)
        self.gates.update(gates_of_stored(spec))
        self.api_versions.add(fact.api_version)
        target = target_ref(fact.namespace, spec.target)
        self._scaled_by.setdefault(target, set()).add(key)
        histories = self.of.setdefault(key, [])
        if not histories or histories[-1].end_us is not None:
            # An HPA that is older than the first fact that shows it existed before the recording.
            newborn = fact.created_us is not None and fact.at_us - fact.created_us < _NEWBORN_US
            for former in histories[-1:]:
                former.next_us = fact.at_us
            histories.append(
                HpaHistory(key=key, first=index, first_us=fact.at_us, newborn=newborn, target=target, newest=fact)
            )
        histories[-1].target = target
        return histories[-1]

    def gone(self, index: int, fact: HpaGone) -> None:
        """Adds the deletion of an HPA."""
        for history in self.of.get(f"{fact.namespace}/{fact.name}", ())[-1:]:
            history.end, history.end_us = index, fact.at_us

    def event(self, index: int, fact: EventSeen) -> None:
        """Adds an Event of the controller, which is evidence of a reconcile."""
        histories = self.of.get(f"{fact.object_namespace}/{fact.object_name}")
        # The list at the start of a watch has old Events, of reconciles before the recording.
        fresh = fact.last_us is not None and fact.at_us - fact.last_us < EVENT_LATE_US
        if histories and histories[-1].end_us is None and fresh:
            histories[-1].evidence.append(Evidence(fact.at_us, index, EVENT))
            if fact.reason == STATUS_REFUSED:
                histories[-1].refused.append(index)

    def scaled(self, index: int, fact: TargetSeen) -> None:
        """Adds a write of a scale by the controller: evidence of a reconcile of each HPA that scales the target."""
        before = self._replicas.get(fact.target)
        self._replicas[fact.target] = fact.scale.spec_replicas
        by_hpa = fact.manager.endswith(CONTROLLER_MANAGER) and fact.subresource == "scale"
        if before is None or before == fact.scale.spec_replicas or not by_hpa:
            return
        for key in self._scaled_by.get(fact.target, ()):
            history = self.of[key][-1]
            if history.target == fact.target and history.end_us is None:
                history.evidence.append(Evidence(fact.at_us, index, SCALE_WRITE))

    def scale(self, target: TargetRef, scale: Scale | None) -> None:
        """Adds a scale. Only HPAs that scale an impossible one are left out."""
        problems = (self._targets.get(target, ""), scale_misfit(scale))
        self._targets[target] = min(filter(None, problems), default="")

    def leave_out(self) -> None:
        """Adds to `unsupported` the HPAs that scale what cannot be scaled, after all facts."""
        odd = {target: problem for target, problem in self._targets.items() if problem}
        if not odd:
            return
        alike: dict[tuple[str, str, str], set[TargetRef]] = {}
        for target in self._targets:
            alike.setdefault((target.group, target.namespace, target.name), set()).add(target)
        for scaled_target, keys in self._scaled_by.items():
            # A kind may be served under another plural than the regular one, as in `cluster_state`.
            same = (
                {scaled_target}
                if scaled_target in self._targets
                else alike.get((scaled_target.group, scaled_target.namespace, scaled_target.name), set())
            )
            problem = next((odd[target] for target in sorted(same, key=repr) if target in odd), "")
            if problem:
                self.unsupported.update(dict.fromkeys(keys - self.unsupported.keys(), f"of its target {problem}"))

    def all(self) -> list[HpaHistory]:
        """All histories, HPA by HPA in the order in which they were seen first."""
        return [history for histories in self.of.values() for history in histories]

    def keys(self) -> Collection[str]:
        """Every HPA that was seen."""
        return {*self.of, *self.unsupported}


def never_reconciled(status_json: str, annotations_json: str) -> bool:
    """True if no controller has reconciled an HPA of this status yet: nothing in it has a value."""
    if len(status_json) > _LONGEST_EMPTY or _CONDITIONS_OF_V1 in annotations_json:
        return False
    try:
        status = json.loads(status_json)
    except (ValueError, RecursionError):
        return False
    return isinstance(status, dict) and not any(status.values())


def _status(fact: HpaSeen) -> object:
    """What differs between two statuses. In v1 a part of it is in annotations, which others may write as well."""
    return decode_status(fact) if fact.api_version == V1 else fact.status_json


# By its text: as values true equals 1.
@lru_cache(maxsize=4096)
def _spec_problem(version: str, spec_json: str, annotations_json: str) -> str:
    return misfit(decode_spec(version, spec_json, annotations_json), HpaSpec, "spec")


def unreadable(fact: HpaSeen) -> str:
    """The part of this HPA that no API server can have served, so that it cannot be read; empty if there is none."""
    try:
        problem = _spec_problem(fact.api_version, fact.spec_json, fact.annotations_json)
        return problem or misfit(decode_status(fact), HpaStatus, "status")
    except ValueError as error:
        return f"it cannot be read ({error})"
    except (TypeError, AttributeError, KeyError, RecursionError):
        return "it cannot be read (its spec or status has another shape than the API's)"


def unsupported(fact: HpaSeen) -> str:
    """Why this HPA cannot be replayed, empty if it can."""
    if fact.api_version not in READ:
        return f"it was served as {fact.api_version}; this engine reads {' and '.join(READ)}"
    problem = unreadable(fact)
    if problem:
        return problem
    # API servers of 1.20 to 1.23 lose it between v2beta2 and v2beta1; in a spec that was accepted it is never empty.
    if fact.api_version == V2BETA1 and any(
        metric.type == MetricType.CONTAINER_RESOURCE and not metric.container
        for metric in decode_spec(fact.api_version, fact.spec_json, fact.annotations_json).metrics
    ):
        return f"{V2BETA1} does not say whose {MetricType.CONTAINER_RESOURCE} it means: the container is left out there"
    return ""
