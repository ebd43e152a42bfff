"""Allocates what the kernel writes for one batch, and the cursors that it starts from."""

from collections.abc import Mapping

import numpy as np

from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.controller.metric_context import uses_heapster
from hpaaudit.engine.eras.windows import windows_of
from hpaaudit.engine.fleet.columns.batch import NONE, InputBatch, Settings
from hpaaudit.engine.fleet.columns.codes import KEPT, NULL, SEEN
from hpaaudit.engine.fleet.columns.run import Cursors, Decisions, Proposals
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
    return Decisions(**{name: np.full(reconciles, _INITIAL.get(name, NULL), np.int64) for name in Decisions._fields})


def empty_proposals(metrics: int) -> Proposals:
    """Room for the proposals of so many metrics."""
    floats = ("ratio", "adjusted")
    return Proposals(
        **{
            name: np.full(metrics, np.nan) if name in floats else np.full(metrics, NULL, np.int64)
            for name in Proposals._fields
        }
    )


def first_cursors(batch: InputBatch) -> Cursors:
    """The cursors before the first reconcile: each is one row before the first row."""
    pods, series, reads, metrics = batch.pods, batch.series, batch.reads, batch.metrics
    before_read = np.asarray(reads.row_from) - 1
    cursors = Cursors(
        hpa=np.asarray(batch.hpas.row_from) - 1,
        written=np.asarray(batch.hpas.written_from) - 1,
        scale=np.full(len(batch.hpas.row_from), NONE - 1, np.int64),
        own_scale=np.full(len(batch.hpas.row_from), NONE, np.int64),
        read=before_read[metrics.request],
        fallback=before_read[metrics.fallback],
        pod=_before(pods.row_from, batch.selected_pods),
        sample=_before(series.row_from, batch.pod_series),
        unlisted=_before(series.row_from, batch.unlisted_series),
    )
    return Cursors(*(np.ascontiguousarray(column, np.int64) for column in cursors))


def _before(row_from: Array, which: Array) -> Array:
    """One row before each first row. For NONE any number is right."""
    if not len(row_from):
        return np.full(len(which), NONE, np.int64)
    return np.where(which == NONE, NONE, row_from[which] - 1)
