"""Replays a recording: each reconcile reads what was recorded, and memory follows what was published."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from hpaaudit.api.decode import decode_status
from hpaaudit.api.flags import is_before_1_12
from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.controller.limits import as_known
from hpaaudit.engine.eras.annotation_specs import labels_of
from hpaaudit.engine.eras.reconcile import reconcile
from hpaaudit.engine.replay.candidate_inputs import CandidateInputs
from hpaaudit.engine.replay.cluster_state import ClusterState, Writes, is_controller
from hpaaudit.engine.replay.hpa_history import never_reconciled
from hpaaudit.engine.replay.memory_correction import corrected, recommendation_in
from hpaaudit.engine.replay.plan import Plan, PlannedReconcile
from hpaaudit.engine.replay.reconcile_times import EVENT, SOURCES
from hpaaudit.engine.replay.status_fit import fits_inputs, fits_memory
from hpaaudit.engine.replay.unseen_memory import (
    event_counts,
    extreme,
    has_near_age,
    hidden_hpa,
    hides_reconciles,
    recommendation_counts,
    shifted,
)
from hpaaudit.engine.rules.candidates import (
    AFTER_INPUTS,
    DONE,
    FAILED_READS,
    FIRST,
    INPUTS,
    LAST,
    MISSING,
    NO_BAND,
    SHIFTED_MEMORY,
    UNKNOWN,
    Band,
    Candidate,
    Options,
    next_candidate,
    proven_band,
    proves,
    widened,
)
from hpaaudit.engine.rules.published_status import RECOMMENDATION_ADJUSTED, RECOMMENDATION_PUBLISHED, has_conditions
from hpaaudit.model.audit import ReplayedReconcile
from hpaaudit.model.decision import Decision
from hpaaudit.model.facts import ControllerSeen, Fact, Gap, HpaGone, HpaSeen, LeaseSeen, StatusWritten
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Hpa, HpaStatus
from hpaaudit.model.memory import EMPTY, Memory
from hpaaudit.model.observation import Observation
from hpaaudit.model.resource_version import version_number
from hpaaudit.model.units import Micros

_UNKNOWN = Memory(recommendations=())
"""The memory of a process that ran before the recording began: nothing is known of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcileInput:
    """What a decision was made from: `reconcile` makes the same one from it again."""

    observation: Observation
    memory: Memory
    flags: Flags


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """The candidate that a reconcile probably read, and the range of what it may have decided.

    before, memory   the memory before and after the reconcile
    """

    observation: Observation
    before: Memory
    decision: Decision
    memory: Memory
    band: Band
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryLoss:
    """When the controller forgets, where that is not as the recording says: tried for what is not explained.

    at_us      just before the first reconcile from then on: a restart that nobody recorded
    by_lease   a new holder of the Lease is a new process; False: the Lease is that of another program
    """

    at_us: Micros | None = None
    by_lease: bool = True


class Process:
    """The controller process of a recording: the cluster, its flags, and what it remembers of every HPA.

    asked_for   None: the band of every reconcile is asked for. Else of some reconciles it is asked whether they may
                have decided a number, and that is faster: once inputs are proven no others are tried, and no other
                memory where these give the number, or none is asked for
    """

    def __init__(
        self,
        plan: Plan,
        flags: Flags,
        flags_of: Callable[[ControllerSeen], Flags],
        *,
        keep_pods: bool,
        asked_for: Mapping[int, int | None] | None = None,
        loss: MemoryLoss | None = None,
    ) -> None:
        self.cluster = ClusterState(unmatched=plan.unmatched)
        self.plan = plan
        self.flags = flags
        self.flags_of = flags_of
        self.keep_pods = keep_pods
        self.asked_for = asked_for
        self.loss = loss or MemoryLoss()
        self.is_lost = False
        self.epoch_id = 0
        self.memories: dict[str, Memory] = {}
        self.previous: dict[str, int] = {}
        self.unseen_us: dict[str, Micros] = {}
        self.may_be_new: set[str] = set()
        self.written: dict[str, int] = {}
        self.started = False
        self.holder = ""
        self.last_input: ReconcileInput | None = None

    def apply(self, fact: Fact) -> None:  # noqa: C901 (one case for each kind of fact)
        """Applies one more fact. A new process forgets everything."""
        if isinstance(fact, HpaSeen) and f"{fact.namespace}/{fact.name}" in self.plan.unsupported:
            return
        self.cluster.apply(fact)
        match fact:
            case ControllerSeen(state="started"):
                self.flags = self.flags_of(fact)
                self._forget()
            case ControllerSeen(state="declared"):
                self.flags = self.flags_of(fact)
            case LeaseSeen(holder=holder) if holder and fact not in self.plan.passing_leases:
                if self.holder and holder != self.holder and self.loss.by_lease:
                    self._forget()
                self.holder = holder
            case StatusWritten() if is_controller(fact.by):
                if (version := version_number(fact.resource_version)) is not None:
                    self.written[f"{fact.namespace}/{fact.name}"] = version
            case HpaSeen():
                self._hpa_seen(fact)
            case Gap() if not self.plan.exact:
                # What happened in the gap is as unknown as what was before the recording.
                key = hidden_hpa(fact)
                keys = self.memories if key is None else self.memories.keys() & {key}
                hidden = [key for key in keys if hides_reconciles(fact, self.plan.periods.of(key))]
                self.unseen_us |= dict.fromkeys(hidden, fact.until_us)
                self.may_be_new.update(hidden)
            case HpaGone():
                # The selector is forgotten at once, everything else only at the next reconcile.
                key = f"{fact.namespace}/{fact.name}"
                self.memories[key] = replace(self.memories.get(key, EMPTY), selector=None)
            case _:
                pass

    def _hpa_seen(self, fact: HpaSeen) -> None:
        key = f"{fact.namespace}/{fact.name}"
        if key in self.memories:
            if self.memories[key].cached is not None:
                self.memories[key] = replace(self.memories[key], cached=None)  # the cache has the new object
            return
        # Only a process that was seen to start, or an HPA that was never reconciled, has no past.
        if self.started or self.plan.exact or never_reconciled(fact.status_json, fact.annotations_json):
            self.memories[key] = EMPTY
        else:
            self.memories[key] = _UNKNOWN
            self.unseen_us[key] = fact.at_us
            self.may_be_new.add(key)

    def _forget(self) -> None:
        self.epoch_id += 1
        self.started = True
        self.memories = dict.fromkeys(self.cluster.hpas, EMPTY)
        self.previous.clear()
        self.written.clear()
        self.unseen_us.clear()
        self.may_be_new.clear()

    def reconcile(self, planned: PlannedReconcile, number: int) -> ReplayedReconcile:
        """Decides one reconcile."""
        key, instant = planned.key, planned.instant
        if not self.is_lost and self.loss.at_us is not None and instant.at_us >= self.loss.at_us:
            self.is_lost = True
            self.memories = {name: replace(EMPTY, selector=old.selector) for name, old in self.memories.items()}
            self.unseen_us.clear()
        if key in self.unseen_us and key in self.may_be_new:
            # The first reconcile of a process remembers the replicas that it found: no earlier one may have.
            self.unseen_us[key] = instant.at_us
        self.may_be_new.discard(key)
        before = self.memories.get(key, EMPTY)
        self.cluster.asks_heapster = is_before_1_12(self.flags.release)
        observation = self.cluster.observe(
            key,
            instant=instant,
            since=self.previous.get(key, 0),
            rivals=self._rivals(key),
            writes=Writes(
                tuple(planned.scale_writes),
                tuple(planned.scale_rereads),
                planned.status_write,
                self.written.get(key, 0),
            ),
            by_kind=not behaviours_of(self.flags).scale_client,
        )
        if observation.hpa is None:
            self.written.pop(key, None)
        else:
            observation = replace(observation, hpa=as_known(observation.hpa, self.flags))
        choice = self._choose(observation, before, planned, number)
        self.last_input = ReconcileInput(observation=choice.observation, memory=choice.before, flags=self.flags)
        after = choice.memory
        if planned.published is not None and choice.observation.hpa is not None:
            published = decode_status(planned.published)
            shown, is_assumed = recommendation_in(published.conditions), choice.evidence == "assumed"
            # Its own status was refused, was hidden by a gap or came late, and that of an earlier one stands.
            is_of_earlier = planned.no_status or instant.source == SOURCES[EVENT]
            is_unwritten = is_of_earlier and shown == RECOMMENDATION_PUBLISHED and is_assumed
            if not is_unwritten:
                after = corrected(before, after, choice.decision, choice.observation.hpa, published)
            if is_assumed and (is_unwritten or shown == RECOMMENDATION_ADJUSTED):
                # What it recommended is only guessed, so the memory is as unknown as at the start.
                self.unseen_us[key] = instant.at_us
        self.memories[key] = after
        self.previous[key] = self.cluster.applied
        return ReplayedReconcile(
            reconcile_id=number,
            instant=instant,
            epoch_id=self.epoch_id,
            decision=choice.decision,
            memory=after,
            band_lo=_or_none(choice.band.lowest),
            band_hi=_or_none(choice.band.highest),
            evidence=choice.evidence,
            missing_input=MISSING[choice.band.missing],
            metric_labels=labels_of(observation.hpa, behaviours_of(self.flags)) if observation.hpa is not None else (),
        )

    def _choose(self, observation: Observation, before: Memory, planned: PlannedReconcile, number: int) -> _Choice:
        """The candidate that the published status proves, else the newest inputs."""
        if planned.published is None:
            decision, after = self._decide(observation, before)
            band = widened(NO_BAND, INPUTS, fits=False, desired=_number(decision))
            return _Choice(
                observation=observation, before=before, decision=decision, memory=after, band=band, evidence="seen"
            )
        published, behaviours = decode_status(planned.published), behaviours_of(self.flags)
        inputs = CandidateInputs(
            self.cluster,
            observation,
            planned.earlier,
            Micros(self.plan.periods.of(planned.key) + planned.instant.uncertainty_us),
            by_kind=not behaviours.scale_client,
        )
        options = self._options(inputs, observation, before)
        # Before 1.6 a failure leaves the status as the reconcile found it.
        status_before = observation.hpa.status if observation.hpa and behaviours.metrics_annotation else None
        chosen, remembered, best, candidate, band = observation, before, None, FIRST, NO_BAND
        while candidate.kind != DONE:
            candidate_observation, memory = chosen, before
            if candidate.kind == INPUTS:
                candidate_observation = inputs.of(candidate)
            elif candidate.kind == FAILED_READS:
                candidate_observation = inputs.unread(candidate.nth, published)
            elif observation.hpa is not None:
                memory = self._other_memory(candidate, before, observation.hpa, published)
            decided = self._decide(candidate_observation, memory)
            if candidate.kind in (INPUTS, FAILED_READS):
                conditional = has_conditions(behaviours)
                fits = fits_inputs(decided[0], published, conditional=conditional, before=status_before)
            else:
                fits = fits_memory(decided[0], published)
            fits = fits and not planned.no_status
            if best is None or proves(band, candidate.kind, fits):
                chosen, remembered, best = candidate_observation, memory, decided
            band = _begun(band, candidate.kind, decided[0], published, fits=fits)
            band = widened(band, candidate.kind, fits, _number(decided[0]))
            if band.is_proven and candidate.kind == INPUTS:
                candidate = self._after_proof(candidate, number, decided[0])
            candidate = next_candidate(candidate, inputs.answers(candidate), options, band.is_proven)
        if best is None:
            raise AssertionError("the newest inputs are always tried")
        evidence = "proven" if band.is_proven else "assumed"
        return _Choice(
            observation=chosen, before=remembered, decision=best[0], memory=best[1], band=band, evidence=evidence
        )

    def _after_proof(self, candidate: Candidate, number: int, decision: Decision) -> Candidate:
        """The last candidate that needs no trial once inputs are proven."""
        if self.asked_for is None:
            return candidate
        is_answered = number not in self.asked_for or decision.desired == self.asked_for[number]
        return LAST if is_answered else AFTER_INPUTS

    def _options(self, inputs: CandidateInputs, observation: Observation, before: Memory) -> Options:
        """Which candidates the reconcile has."""
        key = f"{observation.namespace}/{observation.name}"
        hpa, now_us, period_us = observation.hpa, observation.decided_us, self.plan.periods.of(key)
        since_us = self.unseen_us.get(key)
        unseen = (hpa, since_us) if hpa is not None and since_us is not None else None
        return Options(
            earlier_scale=inputs.earlier_scale is not None,
            earlier_pods=inputs.earlier_pods is not None,
            failed_reads=inputs.failed_reads,
            recommendations=unseen is not None and recommendation_counts(*unseen, self.flags, now_us),
            events=unseen is not None and event_counts(*unseen, now_us),
            shifts=hpa is not None and has_near_age(before, hpa, self.flags, now_us, period_us),
        )

    def _other_memory(self, candidate: Candidate, before: Memory, hpa: Hpa, published: HpaStatus) -> Memory:
        """The memory of a candidate: with an extreme of unknown memory, or made earlier or later."""
        key = f"{hpa.namespace}/{hpa.name}"
        if candidate.kind == SHIFTED_MEMORY:
            return shifted(before, candidate.nth, self.plan.periods.of(key))
        since_us = self.unseen_us[key]
        return extreme(before, candidate.nth, hpa.spec.max_replicas, published.desired_replicas, since_us)

    def _decide(self, observation: Observation, memory: Memory) -> tuple[Decision, Memory]:
        return reconcile(observation, memory, self.flags, keep_pods=self.keep_pods)

    def _rivals(self, key: str) -> tuple[tuple[str, str], ...]:
        namespace = key.split("/", 1)[0] + "/"
        return tuple(
            (other, memory.selector)
            for other, memory in self.memories.items()
            if memory.selector is not None and other != key and other.startswith(namespace)
        )


def _begun(band: Band, kind: int, decision: Decision, published: HpaStatus, *, fits: bool) -> Band:
    """The band so far; a new one where this candidate is the first whose inputs give the published status."""
    return proven_band(fits_memory(decision, published)) if proves(band, kind, fits) else band


def _number(decision: Decision) -> int:
    return UNKNOWN if decision.desired is None else decision.desired


def _or_none(number: int) -> int | None:
    return None if number == UNKNOWN else number


def replay(facts: Iterable[Fact], plan: Plan, process: Process, hpas: Collection[str]) -> Iterator[ReplayedReconcile]:
    """The replayed reconciles of a plan, in order; only those of `hpas`, if any are named.

    All are replayed even then, because HPAs of a namespace may select the same pods.
    """
    horizon_us = 0 if plan.exact else 2 * plan.periods.longest_us
    ahead: deque[Fact] = deque()
    coming = iter(facts)
    applied = 0
    for number, planned in enumerate(plan.reconciles, 1):
        while applied < planned.index:
            _read_ahead(coming, ahead, process, until=1)
            process.apply(ahead.popleft())
            applied += 1
        while horizon_us and (not ahead or ahead[-1].at_us <= planned.instant.at_us + horizon_us):
            if not _read_ahead(coming, ahead, process, until=len(ahead) + 1):
                break
        replayed = process.reconcile(planned, number)
        if not hpas or planned.key in hpas:
            yield replayed


def _read_ahead(coming: Iterator[Fact], ahead: deque[Fact], process: Process, *, until: int) -> bool:
    """Fills the queue of later facts that are not applied yet. False if there were not enough."""
    while len(ahead) < until:
        fact = next(coming, None)
        if fact is None:
            return False
        process.cluster.announce(fact)
        ahead.append(fact)
    return True
