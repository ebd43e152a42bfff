"""Allocates what the kernel writes for one batch, and the cursors that it starts from."""

from collections.abc import Mapping

import numpy as np

from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.controller.metric_context import uses_heapster
from hpaaudit.engine.eras.windows import windows_of
from hpaaudit.engine.fleet.batch.records import FLOATS, filled
from hpaaudit.engine.fleet.columns.batch import NONE, InputBatch, Settings
from hpaaudit.engine.fleet.columns.column_codes import KEPT, NULL, SEEN
from hpaaudit.engine.fleet.columns.kernel_state import Cursors, Decisions, Proposals
from hpaaudit.engine.fleet.input.ids import Array
from hpaaudit.engine.rules.candidates import NOTHING_MISSING
from hpaaudit.engine.rules.normalize import NO_REASON
from hpaaudit.model.flags import Flags

_INITIAL: Mapping[str, int] = {
    "hpa_state": NONE,
    "spec": NONE,
    "scale": NONE,
    "able": KEPT,
    "active": KEPT,
    "limited": KEPT,
    "scale_reason": NO_REASON,
    "winner": NONE,
    "metrics": 0,
    "pod_lists": 0,
    "own_answers": 0,
    "is_other_answer": 0,
    "evidence": SEEN,
    "missing_input": NOTHING_MISSING,
}
"""The initial value of some columns; all others begin with NULL."""


def settings_of(flags: Flags, behaviours: Behaviours) -> Settings:
    """The behaviours and flags of a controller process, as the kernel asks them."""
    return Settings(
        behaviours,
        flags.downscale_stabilization_us,
        flags.cpu_initialization_period_us,
        flags.initial_readiness_delay_us,
        windows_of(flags, behaviours),
        uses_heapster(flags, behaviours),
    )


def empty_decisions(reconciles: int) -> Decisions:
    """Room for the decisions of so many reconciles."""
    decisions: Decisions = filled(Decisions, reconciles, {**dict.fromkeys(Decisions._fields, NULL), **_INITIAL})
    return decisions


def empty_proposals(metrics: int) -> Proposals:
    """Room for the proposals of so many metrics."""
    initial = {name: np.nan if name in FLOATS else NULL for name in Proposals._fields}
    proposals: Proposals = filled(Proposals, metrics, initial)
    return proposals


def first_cursors(batch: InputBatch) -> Cursors:
    """The cursors before the first reconcile: each is one row before the first row."""
    series, metrics, hpas = batch.series, batch.metrics, len(batch.hpa_ranges.row_from)
    before_read = np.asarray(batch.read_ranges.row_from) - 1
    cursors = Cursors(
        hpa=np.asarray(batch.hpa_ranges.row_from) - 1,
        written=np.asarray(batch.write_ranges.row_from) - 1,
        scale=np.full(hpas, NONE - 1, np.int64),
        own_scale=np.full(hpas, NONE, np.int64),
        read=before_read[metrics.request],
        fallback=before_read[metrics.fallback],
        pod=_before(batch.pod_ranges.row_from, batch.selected_pods),
        sample=_before(series.row_from, batch.pod_series),
        unlisted=_before(series.row_from, batch.unlisted_series),
    )
    return Cursors(*(np.ascontiguousarray(column, np.int64) for column in cursors))


def _before(row_from: Array, which: Array) -> Array:
    """One row before each first row. For NONE any number is right."""
    if not len(row_from):
        return np.full(len(which), NONE, np.int64)
    return np.where(which == NONE, NONE, row_from[which] - 1)
