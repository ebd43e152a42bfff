"""Builds the input batch of each slice of a recording, and keeps what later reconciles may read."""

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpaaudit.api.flags import is_before_1_12
from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.controller.metric_context import uses_heapster
from hpaaudit.engine.controller.write_scale import MAX_ATTEMPTS
from hpaaudit.engine.eras.annotation_specs import asks_by_annotation
from hpaaudit.engine.eras.polling import as_map
from hpaaudit.engine.fleet.batch.records import packed
from hpaaudit.engine.fleet.batch.resolved_specs import ResolvedSpec, ResolvedSpecTable
from hpaaudit.engine.fleet.columns.batch import NONE, HpaStates, InputBatch, Ranges, Reconciles, StatusWrites
from hpaaudit.engine.fleet.columns.column_codes import NO_STATUS, NULL
from hpaaudit.engine.fleet.input.heapster_samples import heapster_answers
from hpaaudit.engine.fleet.input.hpa_states import HpaTable
from hpaaudit.engine.fleet.input.ids import Array, Ids
from hpaaudit.engine.fleet.input.legacy_reads import OwnReads
from hpaaudit.engine.fleet.input.metric_answers import MetricAnswers
from hpaaudit.engine.fleet.input.own_answers import AnswerTable
from hpaaudit.engine.fleet.input.pod_states import PodTable, PodTexts, SelectedPods
from hpaaudit.engine.fleet.input.rows import Rows, joined, numbers, runs
from hpaaudit.engine.fleet.input.scales import ScaleTable, by_controller
from hpaaudit.engine.fleet.input.specs import CPU_OF_PODS, ResolvedMetric, quantity_of, resolved_metrics
from hpaaudit.engine.fleet.input.tables import Tables, tables_of
from hpaaudit.engine.fleet.input.unsupported import Unsupported
from hpaaudit.engine.fleet.reconciles.inferred import InferredReconciles
from hpaaudit.engine.fleet.reconciles.schedule import Attempt, Schedule, is_accepted
from hpaaudit.engine.replay.reconcile_times import EVENT, GRID
from hpaaudit.engine.rules.reason_codes import SELECTOR_INVALID, SELECTOR_MISSING
from hpaaudit.model.facts import LeaseSeen
from hpaaudit.model.flags import Flags
from hpaaudit.model.fleet_columns import Slice
from hpaaudit.model.hpa import Hpa, MetricSpec, MetricType
from hpaaudit.model.resource_version import version_number

MOST_METRICS = 62
"""So many requests fit the bits of one int64."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedSlice:
    """One slice as a batch, ready to be decided once the slice before it is.

    hpa_states   the rows of HPAs that `batch.hpas` was made of
    reconciles   the reconciles in the order of the batch, with the columns of `reconciles.schedule`
    attempts     the answers to their writes of the scale, by row
    specs        what each row of `batch.specs` and `batch.metrics` describes
    proposals    how many rows of proposals the reconciles need at most
    unseen_us    of new HPAs: until when what happened to them was not seen
    condition_words   status, reason and failure of conditions, by the codes of the batch
    """

    batch: InputBatch
    hpa_states: Rows
    reconciles: Rows
    attempts: Mapping[int, list[Attempt]]
    specs: ResolvedSpecTable
    proposals: int
    unseen_us: Mapping[int, int]
    condition_words: Sequence[tuple[str, str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetOptions:
    """How a fleet is decided.

    quantities   every resource, with its container, that some metric measures
    skipped      HPAs, as `namespace/name`, that are left out
    inferred     the reconciles, if they have no lines
    is_searched  `skipped` names every HPA that cannot be replayed
    passing_leases   as in `Plan`
    namespaces   only the HPAs of these are decided, from slices that `input.namespaces` narrowed to them; none: all
    """

    flags: Flags
    behaviours: Behaviours
    quantities: Ids[tuple[str, str]]
    skipped: Collection[str] = ()
    inferred: InferredReconciles | None = None
    is_searched: bool = False
    namespaces: Container[str] = ()
    passing_leases: Collection[LeaseSeen] = ()


class BatchBuilder:
    """Makes a batch of each slice of a recording, and keeps what the reconciles of later slices may read.

    Raises `Unreadable` for an HPA that cannot be replayed and was not skipped, and `Unsupported` where the recording
    holds what the kernel does not decide.
    """

    def __init__(self, options: FleetOptions, texts: PodTexts) -> None:
        behaviours, quantities = options.behaviours, options.quantities
        self.behaviours = behaviours
        self.hpas = HpaTable(options.flags, behaviours, options.skipped)
        self._quantities = quantities
        names: Ids[str] = Ids()
        self._by_annotation = asks_by_annotation(behaviours)
        if self._by_annotation:
            if options.inferred is not None:
                raise Unsupported("Kubernetes 1.5 and older are compiled only where every reconcile has a line")
            quantities.of(CPU_OF_PODS)
        self._own_answers = AnswerTable(behaviours, names)
        self._pods = PodTable(behaviours, quantities, names, texts)
        self._scales = ScaleTable(behaviours, is_searched=options.is_searched)
        self._answers = MetricAnswers(behaviours, quantities, names)
        self._own_reads = OwnReads(behaviours)
        self._uses_heapster = uses_heapster(options.flags, behaviours) and not self._by_annotation
        self._asks_heapster = is_before_1_12(options.flags.release)
        self._schedule = Schedule(self.hpas.keys, options.skipped, options.namespaces, options.passing_leases)
        self._has_lines = options.inferred is None
        if options.inferred is not None:
            self._schedule.plan(options.inferred.rows(self.hpas.keys))
        self._resolved: dict[tuple[int, int], list[ResolvedMetric]] = {}
        self._written: list[tuple[int, int, int]] = []

    def prepare(self, slice_: Slice, *, is_last: bool) -> PreparedSlice:
        """Takes one more slice, and makes a batch of the reconciles that can be decided now."""
        tables = tables_of(slice_)
        unseen_us = self._take(tables, slice_)
        reconciles = self._schedule.take(slice_.first_seq + slice_.facts, slice_.last_us, is_last=is_last)
        read_ranges, reads = self._answers.reads()
        series, series_stream, series_pod = self._answers.series()
        specs = ResolvedSpecTable(
            self._answers, self.hpas.statuses.keys, (read_ranges, reads), series_stream, series_pod
        )
        hpas = self._hpa_states(self._resolve_specs(specs))
        self._require_supported()
        attempts, most_metrics = self._attempts(reconciles), self._most_metrics()
        statuses, current_metrics = self.hpas.statuses.columns()
        batch = InputBatch(
            quantities=len(self._quantities),
            **specs.columns(),
            **self._pods.columns(),
            series=series,
            read_ranges=read_ranges,
            reads=reads,
            pod_lists=self._own_reads.pod_lists(),
            **self._own_answers.columns(),
            **self._scales.columns(),
            **hpas,
            statuses=statuses,
            current_metrics=current_metrics,
            reconcile_ranges=Ranges(*runs(reconciles["hpa"], len(self.hpas.keys))),
            reconciles=self._reconcile_columns(reconciles, attempts, most_metrics),
        )
        prepared = PreparedSlice(
            batch=packed(batch),
            hpa_states=self.hpas.rows,
            reconciles=reconciles,
            attempts=attempts,
            specs=specs,
            proposals=int(most_metrics[reconciles["hpa"]].sum()),
            unseen_us=unseen_us,
            condition_words=tuple(self.hpas.statuses.condition_words.named),
        )
        self._drop(reconciles, slice_.first_seq)
        return prepared

    def _take(self, tables: Tables, slice_: Slice) -> dict[int, int]:
        """Takes the tables of one more slice; returns until when what happened to new HPAs was not seen."""
        self._pods.add(tables.pods)
        self._scales.add(tables)
        self._own_reads.add(tables)
        self._answers.add(tables, slice_.first_seq, slice_.facts)
        if tables.heapster_reads is not None and self._by_annotation:
            self._own_answers.add(tables.heapster_reads)
        if tables.heapster_reads is not None and self._uses_heapster:
            answers = heapster_answers(tables.heapster_reads)
            for answer in answers:
                self._own_reads.require_own_pods(answer.seq, answer.request.namespace, answer.request.selector)
            self._answers.add_heapster(answers)
        if tables.heapster_reads is not None and not self._asks_heapster:
            raise Unsupported("what Heapster answered counts for a release that does not ask it")
        if self._answers.repeats:
            raise Unsupported("an answer of a metric API names a pod twice")
        if not self._has_lines and _own_acts(tables):
            raise Unsupported("only some of what the controller itself did was recorded")
        self._schedule.add(tables, self._scales)
        unseen_us = self.hpas.add(tables.hpas, self._schedule.starts, has_lines=self._has_lines)
        self._take_status_writes(tables)
        return unseen_us

    def _require_supported(self) -> None:
        """Raises `Unsupported` if a status, a spec or an answer is one that the kernel does not decide."""
        if self._own_reads.has_lists and self._answers.has_whole_namespaces:
            raise Unsupported("the controller listed pods, and the metrics were read for a whole namespace")
        if self._uses_heapster:
            self._require_no_values_of_pods()
        if self._has_lines:
            return
        if self.hpas.statuses.lacks_value and not self.behaviours.reads_v2:
            raise Unsupported("a metric was published as no controller of this release does")
        if self._most_metrics().max(initial=0) > MOST_METRICS:
            raise Unsupported("an HPA has more metrics than a number has bits")

    def _require_no_values_of_pods(self) -> None:
        """Raises `Unsupported` for a Pods metric: Heapster answers with series, whose last minute is averaged."""
        if any(metric.type == MetricType.PODS for spec in self.hpas.specs for metric in spec.hpa.spec.metrics):
            raise Unsupported("Heapster was asked for a metric of pods")

    def _drop(self, reconciles: Rows, first_seq: int) -> None:
        """Drops what no reconcile after these can read. What came after the last one of each HPA can still be read.

        first_seq   the first fact of the slice: the first reconcile of an HPA that waits may read all of it
        """
        last = np.ones(len(reconciles["hpa"]), bool)
        last[:-1] = reconciles["hpa"][1:] != reconciles["hpa"][:-1]
        cut = int(reconciles["facts"][last].min()) if len(last) else 0
        waiting = self._schedule.waiting
        if len(waiting["hpa"]):
            earliest = self._schedule.first_read(first_seq) if self._has_lines else int(waiting["lagging_facts"].min())
            cut = min(cut, earliest)
        self.hpas.drop_before(cut)
        self._pods.drop_before(cut)
        self._scales.drop_before(cut)
        self._answers.drop_before(cut)
        self._own_answers.drop_before(int(self._own_reads.since(np.array([cut]))[0]))

    def _resolve_specs(self, table: ResolvedSpecTable) -> dict[int, int]:
        """Adds every spec with every selector of its target; returns the first row of each spec."""
        first_rows: dict[int, int] = {}
        owners: dict[int, int] = {}
        selectors = self._scales.selectors_of()
        for hpa, specs in enumerate(self.hpas.specs_of()):
            namespace = self.hpas.keys.named[hpa][0]
            for number in specs:
                spec = self.hpas.specs[number]
                row = NONE
                for selector in selectors.get(self._scales.target(spec.target), [NONE]):
                    text = "" if selector == NONE else self._scales.selectors.named[selector]
                    metrics = self._resolved_metrics(number, spec.hpa, selector, text)
                    pods = self._selected_pods(namespace, text)
                    if self.behaviours.ambiguous_selector:
                        _require_one_hpa(owners, pods, hpa)
                    problem = (
                        SELECTOR_MISSING if not text else NONE if self._scales.is_valid(text) else SELECTOR_INVALID
                    )
                    row = table.add(ResolvedSpec(spec, selector, problem, metrics, pods), next_selector=row)
                first_rows[number] = row
        return first_rows

    def _selected_pods(self, namespace: str, text: str) -> SelectedPods:
        """The pods that a selector of a scale matches. One that cannot be used matches none, in 1.1 every pod."""
        if self.behaviours.polls:
            return self._pods.selected(namespace, as_map(text), empty_selects_all=True)
        return self._pods.selected(namespace, text if self._scales.is_valid(text) else "")

    def _resolved_metrics(self, number: int, hpa: Hpa, selector: int, text: str) -> list[ResolvedMetric]:
        """The metrics of a spec with a selector, which is resolved once."""
        if (number, selector) not in self._resolved:
            valid = text if self._scales.is_valid(text) else ""
            self._resolved[number, selector] = resolved_metrics(
                hpa, valid, self.behaviours, self._quantities, uses_heapster=self._uses_heapster
            )
        return self._resolved[number, selector]

    def _hpa_states(self, first_rows: Mapping[int, int]) -> dict[str, Any]:
        """The fields of `InputBatch` that HPAs and writes of their statuses have."""
        rows, hpas = self.hpas.rows, len(self.hpas.keys)
        first_row = np.full(len(self.hpas.specs) + 1, NONE, np.int64)
        first_row[list(first_rows)] = list(first_rows.values())
        targets = np.array([self._scales.target(spec.target) for spec in self.hpas.specs] + [NONE], np.int64)
        written = np.array(sorted(self._written), np.int64).reshape(-1, 3)
        states = HpaStates(
            seq=rows["seq"],
            spec=first_row[rows["spec"]],
            target=targets[rows["spec"]],
            status=rows["status"],
            version=rows["version"],
        )
        return {
            "hpa_ranges": Ranges(*runs(rows["hpa"], hpas)),
            "hpas": states,
            "write_ranges": Ranges(*runs(written[:, 0], hpas)),
            "status_writes": StatusWrites(written[:, 1], written[:, 2]),
        }

    def _take_status_writes(self, tables: Tables) -> None:
        """Keeps the resource versions that the controller's own status writes gave the HPAs."""
        table = tables.status_writes
        if not self.behaviours.stale_cache_skips or table is None:
            return
        namespace, name, version = table.namespace, table.name, table.resource_version
        seqs, own = numbers(table.seq).tolist(), by_controller(table.by)
        for index, seq in enumerate(seqs):
            text = version.words[version.codes[index]]
            if own[index] and (written := version_number(text)) is not None:
                key = (namespace.words[namespace.codes[index]], name.words[name.codes[index]])
                self._written.append((self.hpas.keys.of(key), seq, written))

    def _attempts(self, reconciles: Rows) -> dict[int, list[Attempt]]:
        """The answers to the writes of the scale, by row of the reconcile."""
        if not self._has_lines:
            return {}
        both = joined([reconciles, self._schedule.waiting])
        most = MAX_ATTEMPTS if self.behaviours.conflict_retry else 1
        return self._schedule.attempts(both, self._targets_at(both), len(reconciles["hpa"]), most)

    def _targets_at(self, reconciles: Rows) -> Array:
        """The target that the HPA of each reconcile had then."""
        rows = self.hpas.rows
        targets = np.array([self._scales.target(spec.target) for spec in self.hpas.specs] + [NONE], np.int64)
        if not len(rows["hpa"]):
            return np.full(len(reconciles["hpa"]), NONE)
        row, is_there = self._hpa_rows_at(reconciles["hpa"], reconciles["facts"])
        return np.where(is_there, targets[rows["spec"][row]], NONE)

    def _hpa_rows_at(self, hpa: Array, facts: Array) -> tuple[Array, Array]:
        """The last row of each HPA among so many facts, and whether there is one."""
        rows = self.hpas.rows
        row = np.searchsorted(_sort_key(rows["hpa"], rows["seq"]), _sort_key(hpa, facts), "left") - 1
        return row, (row >= 0) & (rows["hpa"][row] == hpa)

    def _reconcile_columns(
        self, reconciles: Rows, attempts: Mapping[int, list[Attempt]], most_metrics: Array
    ) -> Reconciles:
        """The reconciles as the kernel reads them."""
        epoch, epoch_facts = self._schedule.epochs(reconciles["facts"])
        own_since = self._own_reads.since(reconciles["facts"])
        written = np.full(len(reconciles["hpa"]), NONE, np.int64)
        written_us = np.zeros(len(reconciles["hpa"]), np.int64)
        for row, answers in attempts.items():
            written[row], written_us[row] = is_accepted(answers[-1]), answers[-1].at_us
        most = most_metrics[reconciles["hpa"]]
        half_period_us = np.where(reconciles["source"] == GRID, reconciles["period_us"] // 2, 0)
        is_unseen = (reconciles["gap_facts"] != NONE) & (reconciles["gap_facts"] >= epoch_facts)
        return Reconciles(
            facts=reconciles["facts"],
            lagging_facts=reconciles["lagging_facts"],
            at_us=reconciles["at_us"],
            published=self._published(reconciles),
            unwritten=np.where(reconciles["no_status"] == 1, NO_STATUS, reconciles["source"] == EVENT),
            period_us=reconciles["period_us"],
            reach_us=reconciles["period_us"] + half_period_us,
            unseen_us=np.where(is_unseen, reconciles["unseen_us"], NULL),
            epoch=epoch,
            epoch_facts=epoch_facts,
            written=written,
            written_us=written_us,
            proposal_at=np.cumsum(most) - most,
            own_since=own_since,
            list_from=self._own_reads.lists_before(own_since),
            list_to=self._own_reads.lists_before(reconciles["facts"]),
            answer_from=self._own_answers.before(own_since),
            answer_to=self._own_answers.before(reconciles["facts"]),
        )

    def _published(self, reconciles: Rows) -> Array:
        """The status after each reconcile, NONE if the reconcile has a line."""
        rows, until = self.hpas.rows, reconciles["status_until"]
        if self._has_lines or not len(rows["hpa"]):
            return np.full(len(until), NONE, np.int64)
        row, is_there = self._hpa_rows_at(reconciles["hpa"], until)
        return np.where(is_there & (until != NONE), rows["status"][row], NONE)

    def _most_metrics(self) -> Array:
        """How many metrics each HPA has at most."""
        count = [len(spec.hpa.spec.metrics) for spec in self.hpas.specs]
        most = [max((count[number] for number in specs), default=0) for specs in self.hpas.specs_of()]
        return np.array(most, np.int64)


def _own_acts(tables: Tables) -> bool:
    """True if the slice holds something that the controller itself did."""
    acts = (tables.reads, tables.scale_writes, tables.status_writes)
    return any(by_controller(table.by).any() for table in acts if table is not None)


def _sort_key(hpa: Array, seq: Array) -> Array:
    """HPA and fact in one number, in the order of both."""
    return (hpa << 40) | seq


def _require_one_hpa(owners: dict[int, int], pods: SelectedPods, hpa: int) -> None:
    """Raises `Unsupported` if two HPAs select one pod: which is refused depends on what is remembered of both."""
    for pod in pods.histories.tolist():
        if owners.setdefault(pod, hpa) != hpa:
            raise Unsupported("several HPAs select the same pods")


def quantities_of(metrics: Iterable[MetricSpec]) -> Ids[tuple[str, str]]:
    """Every resource, with its container, that some metric measures; at least one."""
    quantities: Ids[tuple[str, str]] = Ids()
    of_resources = (MetricType.RESOURCE, MetricType.CONTAINER_RESOURCE)
    for quantity in sorted({quantity_of(metric) for metric in metrics if metric.type in of_resources}):
        quantities.of(quantity)
    if not len(quantities):
        quantities.of(("cpu", ""))
    return quantities
