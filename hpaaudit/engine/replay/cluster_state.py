"""The state of the cluster, fact by fact, and what a reconcile at some time reads of it."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hpaaudit.api.decode import decode_hpa
from hpaaudit.api.requests import RESOURCE_METRICS, group_of, requests_of, target_by_kind, target_ref
from hpaaudit.api.selector import BadSelector, Selector, parse, scale_selector
from hpaaudit.engine.controller.observed_heapster import question_of
from hpaaudit.engine.replay.heapster_answers import as_metrics_read
from hpaaudit.model.audit import ReconcileTime
from hpaaudit.model.facts import (
    Fact,
    HeapsterRead,
    HpaGone,
    HpaSeen,
    PodGone,
    PodSeen,
    PodsListed,
    ResourceMetricsRead,
    ScaleRead,
    ScaleWritten,
    TargetGone,
    TargetRef,
    TargetSeen,
    ValuesRead,
)
from hpaaudit.model.hpa import Hpa, ObjectRef
from hpaaudit.model.metrics import MetricsRequest
from hpaaudit.model.observation import Observation, PodListRead, WriteOutcome
from hpaaudit.model.target import Pod, Scale
from hpaaudit.model.units import SECOND, Micros

MetricsRead = ResourceMetricsRead | ValuesRead
HeapsterQuestion = tuple[str, str, tuple[str, ...]]

HEAPSTER_QUESTIONS = 256
"""So many distinct questions of a namespace are kept: a new pod makes a new question."""


LAG_US = SECOND
"""How far the controller's cache may lag behind ours."""


@dataclass(frozen=True, slots=True)
class _Replaced:
    """A pod or a scale that a fact replaced, None if there was none; `fact_number` is the number of that fact."""

    at_us: Micros
    fact_number: int
    pod: tuple[str, str, Pod | None] | None
    scale: tuple[TargetRef, ScaleRead | None] | None


class Writes(NamedTuple):
    """The answers to the writes of one reconcile.

    scale_rereads    what it read of the scale after each failed write
    version_before   the resource version that the controller's own last status write gave the HPA, 0 without one
    """

    scale_writes: tuple[WriteOutcome, ...] = ()
    scale_rereads: tuple[ScaleRead, ...] = ()
    status_write: WriteOutcome | None = None
    version_before: int = 0


@dataclass(slots=True)
class ClusterState:
    """The state of everything that the HPA controller reads.

    HPAs and pods keep their last state while a read of them fails. Of scales and metrics the newest answer counts, a
    failed one too.

    own_…       answers to the controller itself, each with the number of facts up to it: many facts may have one time
    upcoming    later answers that are not applied yet
    own_reads   lists of pods and answers of Heapster that the controller got since it last read a scale (to 1.11)
    asks_heapster   the controller may ask Heapster itself (to 1.11). For a later one what Heapster answered counts as
                    an answer of the metrics APIs
    heapster    what others got of Heapster, by namespace and question, the newest last
    unmatched   kinds, with their groups, that the controller called unknown. A target of such a kind is unknown until
                somebody reads its scale
    """

    unmatched: frozenset[tuple[str, str]] = frozenset()
    asks_heapster: bool = True
    applied: int = 0
    hpas: dict[str, HpaSeen] = field(default_factory=dict)
    pods: dict[str, dict[str, Pod]] = field(default_factory=dict)
    scales: dict[TargetRef, ScaleRead] = field(default_factory=dict)
    own_scales: dict[TargetRef, tuple[int, ScaleRead]] = field(default_factory=dict)
    metrics: dict[MetricsRequest, MetricsRead] = field(default_factory=dict)
    own_metrics: dict[MetricsRequest, deque[tuple[int, MetricsRead]]] = field(default_factory=dict)
    upcoming: dict[MetricsRequest, deque[MetricsRead]] = field(default_factory=dict)
    own_reads: list[PodListRead | HeapsterRead] = field(default_factory=list)
    heapster: dict[str, dict[HeapsterQuestion, HeapsterRead]] = field(default_factory=dict)
    _tuples: dict[str, tuple[Pod, ...]] = field(default_factory=dict)
    _changes: deque[_Replaced] = field(default_factory=deque)

    def apply(self, fact: Fact) -> None:  # noqa: C901, PLR0912 (one case for each kind of fact)
        """Applies one more fact."""
        self.applied += 1
        match fact:
            case HpaSeen():
                self.hpas[f"{fact.namespace}/{fact.name}"] = fact
            case HpaGone():
                self.hpas.pop(f"{fact.namespace}/{fact.name}", None)
            case PodSeen(pod=pod):
                self._pod(fact.at_us, pod.namespace, pod.name, pod)
            case PodGone():
                self._pod(fact.at_us, fact.namespace, fact.name, None)
            case ScaleRead():
                self._scale(fact)
                if is_controller(fact.by):
                    self.own_scales[fact.target] = (self.applied, fact)
                    self.own_reads.clear()  # every reconcile reads its scale first
            case ScaleWritten(scale=Scale() as scale):
                self._scale(_as_read(fact, scale))
            case TargetSeen():
                self._scale(_as_read(fact, fact.scale))
            case TargetGone():
                self._scale(_absent(fact))
            case ResourceMetricsRead() | ValuesRead():
                self.metrics[fact.request] = fact
                waiting = self.upcoming.get(fact.request)
                if waiting:
                    waiting.popleft()
                if is_controller(fact.by):
                    self.own_metrics.setdefault(fact.request, deque(maxlen=16)).append((self.applied, fact))

            case PodsListed() if is_controller(fact.by):
                self.own_reads.append(PodListRead(read=fact, pods=self.pods_of(fact.namespace)))
            case HeapsterRead() if is_controller(fact.by):
                self.own_reads.append(fact)
            case HeapsterRead():
                self._heapster_answered(fact)

    def _heapster_answered(self, fact: HeapsterRead) -> None:
        """Keeps the newest answer to each question that somebody else asked Heapster."""
        answers = self.heapster.setdefault(fact.namespace, {})
        question = question_of(fact)
        answers.pop(question, None)
        answers[question] = fact
        while len(answers) > HEAPSTER_QUESTIONS:
            del answers[next(iter(answers))]

    def announce(self, fact: Fact) -> None:
        """Notes a later fact: a reconcile whose time is uncertain may have read the next answer."""
        if isinstance(fact, ResourceMetricsRead | ValuesRead):
            self.upcoming.setdefault(fact.request, deque()).append(fact)

    def _pod(self, at_us: Micros, namespace: str, name: str, pod: Pod | None) -> None:
        here = self.pods.setdefault(namespace, {})
        self._add_change(_Replaced(at_us, self.applied, (namespace, name, here.get(name)), None))
        if pod is None:
            here.pop(name, None)
        else:
            here[name] = pod
        self._tuples.pop(namespace, None)

    def _scale(self, read: ScaleRead) -> None:
        self._add_change(_Replaced(read.at_us, self.applied, None, (read.target, self.scales.get(read.target))))
        self.scales[read.target] = read

    def _add_change(self, change: _Replaced) -> None:
        self._changes.append(change)
        while self._changes and self._changes[0].at_us < change.at_us - 2 * LAG_US:
            self._changes.popleft()

    def earlier_pods(self, namespace: str, facts: int) -> tuple[Pod, ...] | None:
        """The pods of a namespace after so many facts; None if nothing changed since."""
        undone: dict[str, Pod] | None = None
        for change in reversed(self._changes):
            if change.fact_number <= facts:
                break
            if change.pod is not None and change.pod[0] == namespace:
                undone = dict(self.pods.get(namespace, {})) if undone is None else undone
                _, name, before = change.pod
                if before is None:
                    undone.pop(name, None)
                else:
                    undone[name] = before
        return None if undone is None else tuple(undone.values())

    def earlier_scale(self, target: TargetRef, facts: int) -> ScaleRead | None:
        """The scale after so many facts, the first that is known if none was then; None if it did not change since."""
        earlier = None
        for change in reversed(self._changes):
            if change.fact_number <= facts:
                break
            if change.scale is not None and change.scale[0] == target:
                earlier = change.scale[1] or earlier
        return earlier

    def hpa(self, key: str) -> Hpa | None:
        """An HPA as the controller's cache holds it."""
        fact = self.hpas.get(key)
        return None if fact is None else decode_hpa(fact)

    def pods_of(self, namespace: str) -> tuple[Pod, ...]:
        """All pods of a namespace."""
        pods = self._tuples.get(namespace)
        if pods is None:
            pods = self._tuples[namespace] = tuple(self.pods.get(namespace, {}).values())
        return pods

    def observe(
        self,
        key: str,
        *,
        instant: ReconcileTime,
        since: int,
        rivals: tuple[tuple[str, str], ...],
        writes: Writes,
        by_kind: bool = False,
    ) -> Observation:
        """What a reconcile of an HPA reads.

        by_kind   the controller found a target by its kind alone (to 1.8)
        since   how many facts the previous reconcile of the HPA knew: later answers to the controller are this one's
        """
        namespace, name = key.split("/", 1)
        at_us = instant.at_us
        hpa = self.hpa(key)
        reads: tuple[ScaleRead, ...] = ()
        metrics: tuple[MetricsRead | None, ...] = ()
        times: tuple[Micros, ...] = ()
        scale_us = at_us
        own_reads: tuple[PodListRead | HeapsterRead, ...] = ()
        target_error = "" if hpa is None or by_kind else self._target_error(namespace, hpa.spec.target)
        if hpa is not None and not target_error:
            target = self.target_of(hpa, by_kind=by_kind)
            own = self.own_scales.get(target)
            newest = self.scales.get(target)
            if own is not None and own[0] > since:
                reads, scale_us = (own[1],), own[1].at_us
            elif newest is not None:
                reads = (newest,)
            if reads and own is not None and reads[0] is own[1]:
                own_reads = tuple(self.own_reads)
            if reads and reads[0].scale is not None:
                selector = reads[0].scale.selector
                read_selector = parse if by_kind else scale_selector
                answers = () if self.asks_heapster else own_reads
                metrics, times = self._metrics(hpa, selector, since, at_us, read_selector, answers)
        return Observation(
            at_us=at_us,
            began_us=instant.began_us,
            namespace=namespace,
            name=name,
            hpa=hpa,
            target_error=target_error,
            # Without a first read nothing was written, so what was read later is not this scale.
            scale_reads=(*reads, *writes.scale_rereads) if reads else (),
            scale_us=scale_us,
            pods=self.pods_of(namespace),
            metrics=metrics,
            metric_us=times,
            rivals=rivals,
            decided_us=at_us,
            scale_writes=writes.scale_writes,
            status_write=writes.status_write,
            written_version=writes.version_before,
            own_reads=own_reads,
            heapster=tuple(reversed(self.heapster.get(namespace, {}).values())) if self.asks_heapster else (),
        )

    def _target_error(self, namespace: str, target: ObjectRef) -> str:
        """Why the target's kind cannot be mapped to a resource, in the words of the RESTMapper; empty if it can."""
        group = group_of(target.api_version)
        regular = target_ref(namespace, target)
        if (target.kind, group) not in self.unmatched or regular in self.scales or regular in self.own_scales:
            return ""
        return f'no matches for kind "{target.kind}" in group "{group}"'

    def target_of(self, hpa: Hpa, *, by_kind: bool) -> TargetRef:
        """The target of an HPA; `by_kind`: as the controllers up to 1.8 found it."""
        if by_kind:
            return target_by_kind(hpa.namespace, hpa.spec.target)
        return self.served(target_ref(hpa.namespace, hpa.spec.target))

    def served(self, target: TargetRef) -> TargetRef:
        """The target under the plural that it is really served as, if that is not the regular one."""
        if target in self.scales or target in self.own_scales:
            return target
        same = [
            read_target
            for read_target in (*self.scales, *self.own_scales)
            if (read_target.group, read_target.namespace, read_target.name)
            == (target.group, target.namespace, target.name)
        ]
        return same[0] if len(set(same)) == 1 else target

    def _metrics(
        self,
        hpa: Hpa,
        selector: str,
        since: int,
        at_us: Micros,
        read_selector: Callable[[str], Selector],
        own_reads: Sequence[PodListRead | HeapsterRead],
    ) -> tuple[tuple[MetricsRead | None, ...], tuple[Micros, ...]]:
        """The answer that each metric reads. Of several metrics with one request the n-th reads the n-th answer.

        own_reads   where no metrics API was read, what Heapster answered in this reconcile counts
        """
        try:
            canonical = str(read_selector(selector))
        except BadSelector:
            return (), ()
        wanted = requests_of(hpa, canonical)
        uses = {request: wanted.count(request) for request in wanted if request is not None}
        turn: dict[MetricsRequest, int] = {}
        reads: list[MetricsRead | None] = []
        times: list[Micros] = []
        for request in wanted:
            read, own = None, False
            if request is not None:
                n = turn[request] = turn.get(request, -1) + 1
                read, own = self._answer(request, n, uses[request], since)
                if read is None:
                    read = as_metrics_read(request, (each for each in own_reads if isinstance(each, HeapsterRead)))
            reads.append(read)
            times.append(read.at_us if read is not None and own else at_us)
        return tuple(reads), tuple(times)

    def _answer(self, request: MetricsRequest, turn: int, uses: int, since: int) -> tuple[MetricsRead | None, bool]:
        """The answer to the n-th of `uses` equal requests, and whether it went to the controller itself."""
        mine = [read for fact_number, read in self.own_metrics.get(request, ()) if fact_number > since][-uses:]
        if mine:
            return mine[min(turn, len(mine) - 1)], True
        newest = self.metrics.get(request)
        if newest is None and request.api == RESOURCE_METRICS:
            newest = self.metrics.get(whole_namespace(request))
        return newest, False


def whole_namespace(request: MetricsRequest) -> MetricsRequest:
    """The list of a namespace, which serves every selector in it."""
    return MetricsRequest(
        api=request.api,
        namespace=request.namespace,
        resource=request.resource,
        object="",
        metric="",
        selector="",
        metric_selector="",
    )


def is_controller(user: str) -> bool:
    """True if a user who read or wrote a scale, a metric or an HPA's status is the HPA controller.

    It has a service account of its own where kube-controller-manager runs with `--use-service-account-credentials`.
    Whoever may make service accounts can call one alike in another namespace, and is not the controller.
    `sql/macros/writer_class.sql` says the same of writes to a scale; a test holds both together.
    """
    return user in ("system:serviceaccount:kube-system:horizontal-pod-autoscaler", "system:kube-controller-manager")


def _as_read(fact: TargetSeen | ScaleWritten, scale: Scale) -> ScaleRead:
    """A watched workload, or the answer to a write, as the scale subresource would show it."""
    return ScaleRead(
        at_us=fact.at_us,
        took_us=Micros(0),
        target=fact.target,
        path="",
        status=200,
        error="",
        by="",
        scale=scale,
        resource_version=fact.resource_version,
    )


def _absent(fact: TargetGone) -> ScaleRead:
    """A deleted workload, in the API server's own words for a scale that does not exist."""
    kind = f"{fact.target.resource}.{fact.target.group}" if fact.target.group else fact.target.resource
    return ScaleRead(
        at_us=fact.at_us,
        took_us=Micros(0),
        target=fact.target,
        path="",
        status=404,
        error=f'{kind} "{fact.target.name}" not found',
        by="",
        scale=None,
        resource_version="",
    )
