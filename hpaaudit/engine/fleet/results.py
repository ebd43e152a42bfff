"""Turns what the kernel wrote for a slice into the columns of `reconciles`, `metric_proposals` and writes."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from hpaaudit.api.metric_labels import metric_labels
from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.controller.compute_metric import target_of
from hpaaudit.engine.controller.metric_target import CPU_OF_REQUESTS, CUSTOM_AVERAGE, UTILIZATION, name_of
from hpaaudit.engine.controller.normalize import SCALE_REASONS
from hpaaudit.engine.eras.annotation_metrics import CPU_UTILIZATION, custom_name
from hpaaudit.engine.fleet.batch.builder import BatchBuilder, PreparedSlice
from hpaaudit.engine.fleet.columns.batch import NONE
from hpaaudit.engine.fleet.columns.column_codes import (
    EVIDENCE,
    KEPT,
    NULL,
    PROBLEMS,
    RESCALED,
    UPDATE_FAILED,
)
from hpaaudit.engine.fleet.columns.kernel_state import Decisions, Proposals
from hpaaudit.engine.fleet.input.hpa_states import HpaTable
from hpaaudit.engine.fleet.input.ids import Array
from hpaaudit.engine.fleet.input.rows import Rows
from hpaaudit.engine.replay.reconcile_times import GRID, SOURCES
from hpaaudit.engine.rules.candidates import MISSING
from hpaaudit.engine.rules.normalize import METRIC_ABOVE
from hpaaudit.engine.rules.published_status import has_conditions
from hpaaudit.engine.rules.reason_codes import CODES
from hpaaudit.engine.rules.replica_calculator import ADJUST_CODES
from hpaaudit.model.fleet_columns import Columns, Decided, Numbers, Words
from hpaaudit.model.hpa import MetricSpec
from hpaaudit.model.identity import object_key
from hpaaudit.model.units import SECOND

AT_SOURCES = (*SOURCES, "reconcile")
_ACTIONS = ("hold", "scale_up", "scale_down")
_OK = 200
_DENSE = 4

Relation = dict[str, Numbers | Words]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcileFilter:
    """Which reconciles get a row: those of these HPAs, as `namespace/name` (none: of all)."""

    keys: Collection[str] = ()

    def wanted(self, reconciles: Rows, hpas: HpaTable) -> Array:
        """Where a reconcile gets a row."""
        wanted = np.ones(len(reconciles["hpa"]), bool)
        if self.keys:
            wanted &= np.array(["/".join(key) in self.keys for key in hpas.keys.named], bool)[reconciles["hpa"]]
        return wanted


def results_of(
    prepared: PreparedSlice,
    decisions: Decisions,
    proposals: Proposals,
    builder: BatchBuilder,
    wanted: ReconcileFilter,
) -> Decided:
    """The results of a slice. A reconcile of an HPA that is gone has no row."""
    rows = np.flatnonzero((np.asarray(decisions.hpa_state) != NONE) & wanted.wanted(prepared.reconciles, builder.hpas))
    results = _Results(prepared, decisions, rows)
    identity = results.identity(builder.hpas)
    return Decided(
        reconciles={**identity, **results.reconciles(builder.behaviours)},
        proposals=results.metric_proposals(proposals, identity),
        writes=results.writes(identity),
    )


@dataclass(frozen=True, slots=True)
class _Results:
    """A slice, what was decided in it, and the rows of the reconciles that get a row."""

    prepared: PreparedSlice
    decisions: Decisions
    rows: Array

    def identity(self, hpas: HpaTable) -> Relation:
        """The columns that every relation of a reconcile starts with."""
        reconciles = self.prepared.reconciles
        hpa, uid = reconciles["hpa"][self.rows], self.prepared.hpa_states["uid"][self.decisions.hpa_state[self.rows]]
        distinct, number = _distinct_pairs(hpa, uid)
        names = [hpas.keys.named[key] for key, _ in distinct]
        uids = [object_key(hpas.uids.named[code], *name) for (_, code), name in zip(distinct, names, strict=True)]
        codes = number.astype(np.int32)
        return {
            "hpa_uid": Words(codes, tuple(uids)),
            "namespace": Words(codes, tuple(namespace for namespace, _ in names)),
            "name": Words(codes, tuple(name for _, name in names)),
            "reconcile_id": Numbers(reconciles["number"][self.rows]),
            "ts": Numbers(reconciles["at_us"][self.rows]),
        }

    def reconciles(self, behaviours: Behaviours) -> Relation:
        """The columns of `reconciles`."""
        batch, decisions, rows = self.prepared.batch, self.decisions, self.rows
        scale, desired = decisions.scale[rows], decisions.desired[rows]
        has_scale = scale != NONE
        spec_replicas = _nullable(_values(batch.scales.spec_replicas, scale, has_scale))
        status_replicas = _nullable(_values(batch.scales.status_replicas, scale, has_scale))
        current = spec_replicas if behaviours.spec_replicas_are_current else status_replicas
        minimum, maximum = self._bounds()
        source = self.prepared.reconciles["source"][rows]
        return {
            "began_at": Numbers(self.prepared.reconciles["began_us"][rows]),
            "at_source": Words(source.astype(np.int32), AT_SOURCES),
            "uncertainty_s": Numbers(
                np.where(source == GRID, np.asarray(batch.reconciles.period_us)[rows] // 2 / SECOND, 0.0)
            ),
            "epoch_id": Numbers(np.asarray(batch.reconciles.epoch)[rows]),
            "spec_replicas": spec_replicas,
            "status_replicas": status_replicas,
            "min_replicas": minimum,
            "max_replicas": maximum,
            "raw_desired": _nullable(decisions.raw_desired[rows]),
            "stabilized": _nullable(decisions.stabilized[rows]),
            "rate_limited": _nullable(decisions.rate_limited[rows]),
            "unheld": _nullable(decisions.unheld[rows]),
            "desired": _nullable(desired),
            "status_desired": _nullable(decisions.status_desired[rows]),
            "action": _action(spec_replicas, current, desired),
            "reason_code": Words(decisions.reason[rows].astype(np.int32), CODES),
            "scale_reason": self._scale_reason(behaviours),
            "winner_idx": _nullable(np.where(decisions.winner[rows] == NONE, NULL, decisions.winner[rows])),
            **self._condition("able", behaviours),
            **self._condition("active", behaviours),
            **self._condition("limited", behaviours),
            "band_lo": _nullable(decisions.band_lo[rows]),
            "band_hi": _nullable(decisions.band_hi[rows]),
            "evidence": Words(decisions.evidence[rows].astype(np.int32), EVIDENCE),
            "missing_input": Words(decisions.missing_input[rows].astype(np.int32), MISSING),
        }

    def _bounds(self) -> tuple[Numbers, Numbers]:
        """The minReplicas and maxReplicas that the specs have."""
        specs = [spec.hpa.spec for spec in self.prepared.specs.specs]
        minimum = np.array([NULL if spec.min_replicas is None else spec.min_replicas for spec in specs], np.int64)
        maximum = np.array([spec.max_replicas for spec in specs], np.int64)
        row = self.decisions.spec[self.rows]
        return _nullable(minimum[row]), _nullable(maximum[row])

    def _scale_reason(self, behaviours: Behaviours) -> Words:
        """Why the scale was written, with the name of the winning metric."""
        decisions, rows, specs = self.decisions, self.rows, self.prepared.specs
        metric = np.where(decisions.winner[rows] == NONE, 0, decisions.winner[rows])
        metric = metric + np.asarray(self.prepared.batch.specs.metric_from)[decisions.spec[rows]]
        reason = decisions.scale_reason[rows]
        distinct, number = _distinct_pairs(reason, np.where(reason == METRIC_ABOVE, metric, 0))
        texts = []
        for code, winner in distinct:
            name = ""
            if code == METRIC_ABOVE:
                name = _name_of(specs.metric_specs[winner], specs.metrics[winner].how, behaviours)
            texts.append(SCALE_REASONS[code].format(name=name))
        return Words(number.astype(np.int32), tuple(texts))

    def _condition(self, name: str, behaviours: Behaviours) -> Relation:
        """Status and reason of a condition: as the reconcile set it, else as it was."""
        batch, words = self.prepared.batch, self.prepared.condition_words
        status = np.asarray(batch.hpas.status)[self.decisions.hpa_state[self.rows]]
        old, new = np.asarray(getattr(batch.statuses, name))[status], getattr(self.decisions, name)[self.rows]
        code = np.where((new == KEPT) | (not has_conditions(behaviours)), old, new).astype(np.int32)
        return {
            f"{name}_status": Words(code, tuple(status for status, _, _ in words)),
            f"{name}_reason": Words(code, tuple(reason for _, reason, _ in words)),
        }

    def metric_proposals(self, proposals: Proposals, identity: Columns) -> Relation:
        """The columns of `metric_proposals`."""
        batch, decisions, specs = self.prepared.batch, self.decisions, self.prepared.specs
        count = decisions.metrics[self.rows]
        row = np.repeat(np.arange(len(self.rows)), count)
        index = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
        proposal = np.asarray(batch.reconciles.proposal_at)[self.rows][row] + index
        spec = decisions.spec[self.rows][row]
        metric = np.asarray(batch.specs.metric_from)[spec] + index
        targets = [target_of(metric_spec) for metric_spec in specs.metric_specs]
        labels = [label for one in specs.specs for label in metric_labels(one.hpa.spec.metrics)]
        how = np.array([resolved.how for resolved in specs.metrics], np.int64)[metric]
        target = np.array([NULL if amount is None else amount for _, amount in targets], np.int64)[metric]
        problem, ratio = proposals.problem[proposal], proposals.ratio[proposal]
        is_valid = problem == NONE
        # Up to 1.5 nobody told what a metric was compared with.
        is_told = is_valid & (how < CPU_OF_REQUESTS)
        up, down = np.asarray(batch.specs.tolerance_up)[spec], np.asarray(batch.specs.tolerance_down)[spec]
        adjust = np.where(is_valid, proposals.adjust[proposal] + 1, 0)
        codes = metric.astype(np.int32)
        return {
            **{name: _rows_of(column, row) for name, column in identity.items()},
            "metric_idx": Numbers(index),
            "metric_type": Words(codes, tuple(str(metric_spec.type) for metric_spec in specs.metric_specs)),
            "metric_name": Words(codes, tuple(metric_spec.name for metric_spec in specs.metric_specs)),
            "metric_label": Words(codes, tuple(labels)),
            "target_type": Words(codes, tuple(kind for kind, _ in targets)),
            "target": _nullable(target),
            "current_milli": Numbers(np.where(is_told, proposals.current[proposal], 0), ~is_told),
            "current_utilization": Numbers(
                proposals.percent[proposal], ~(is_valid & np.isin(how, (UTILIZATION, CPU_OF_REQUESTS)))
            ),
            # Nothing divided by nothing is no ratio: a total of 0 averaged over no pods.
            "ratio": Numbers(np.where(is_valid, ratio, 0.0), ~is_valid | np.isnan(ratio)),
            "ratio_adjusted": Numbers(
                np.where(adjust > 1, proposals.adjusted[proposal], 0.0),
                (adjust <= 1) | np.isnan(proposals.adjusted[proposal]),
            ),
            "tolerance": Numbers(np.where(ratio > 1.0, up, down), ~is_told),
            "proposal": Numbers(np.where(is_valid, proposals.replicas[proposal], 0), ~is_valid),
            "valid": Numbers(is_valid),
            "invalid_code": Words(np.where(is_valid, 0, problem + 1).astype(np.int32), ("", *PROBLEMS)),
            "adjust_code": Words(adjust.astype(np.int32), ("", *ADJUST_CODES)),
            **{
                f"{name}_pods": _pod_counts(getattr(proposals, name)[proposal], is_valid)
                for name in ("ready", "unready", "missing", "ignored")
            },
            "is_winner": Numbers(decisions.winner[self.rows][row] == index),
        }

    def writes(self, identity: Columns) -> Relation:
        """A row for each write of the scale. Without a recorded answer there is one write, and it is accepted."""
        able = self.decisions.able[self.rows]
        rows: list[int] = []
        seqs: list[int] = []
        statuses: list[int] = []
        for row in np.flatnonzero((able == RESCALED) | (able == UPDATE_FAILED)).tolist():
            attempts = self.prepared.attempts.get(int(self.rows[row]))
            answers = [attempt.status for attempt in attempts] if attempts else [_OK]
            rows += [row] * len(answers)
            seqs += range(len(answers))
            statuses += answers
        which = np.array(rows, np.int64)
        return {
            **{name: _rows_of(column, which) for name, column in identity.items()},
            "seq": Numbers(np.array(seqs, np.int64)),
            "to_replicas": Numbers(self.decisions.desired[self.rows][which]),
            "http_status": Numbers(np.array(statuses, np.int64)),
        }


def _name_of(metric: MetricSpec, how: int, behaviours: Behaviours) -> str:
    """What messages call a metric."""
    if how == CPU_OF_REQUESTS:
        return CPU_UTILIZATION
    return custom_name(metric.name) if how == CUSTOM_AVERAGE else name_of(metric, how, behaviours)


def _action(spec_replicas: Numbers, current: Numbers, desired: Array) -> Words:
    """`scale_change` of the rules for columns."""
    is_written = (desired != NULL) & (desired != current.values)
    if spec_replicas.missing is not None:
        is_written &= ~spec_replicas.missing
    code = np.where(desired > spec_replicas.values, 1, np.where(desired < spec_replicas.values, 2, 0))
    return Words(np.where(is_written, code, 0).astype(np.int32), _ACTIONS)


def _pod_counts(counts: Array, is_valid: Array) -> Numbers:
    """Counts of pods; a metric without pods has none."""
    return Numbers(counts, ~is_valid | (counts == NONE))


def _nullable(values: Array) -> Numbers:
    """Numbers, NULL where the code is that of no number."""
    missing = values == NULL
    return Numbers(np.where(missing, 0, values), missing) if missing.any() else Numbers(values)


def _values(column: Array, rows: Array, has_row: Array) -> Array:
    """The values of some rows, NULL without a row."""
    values = np.asarray(column)
    return np.where(has_row, values[rows], NULL) if len(values) else np.full(len(rows), NULL)


def _rows_of(column: Numbers | Words, rows: Array) -> Numbers | Words:
    if isinstance(column, Words):
        return Words(column.codes[rows], column.words)
    return Numbers(column.values[rows], None if column.missing is None else column.missing[rows])


def _distinct_pairs(first: Array, second: Array) -> tuple[list[tuple[int, int]], Array]:
    """The distinct pairs of two columns of small numbers, and the number of the pair of each row."""
    width = int(second.max(initial=0)) + 1
    key = first * width + second
    size = int(key.max(initial=0)) + 1
    if size > _DENSE * len(key) + _DENSE:
        distinct, numbers = np.unique(key, return_inverse=True)
    else:
        # There are few possible pairs: to mark those that occur is faster than to sort.
        occurs = np.zeros(size, bool)
        occurs[key] = True
        distinct = np.flatnonzero(occurs)
        numbers = (np.cumsum(occurs) - 1)[key]
    return [divmod(int(pair), width) for pair in distinct], numbers
