"""Room for what the kernel decides of one slice, and where its walk begins."""

from collections.abc import Mapping

import numpy as np

from hpaaudit.engine.behaviours.table import Rules
from hpaaudit.engine.fleet.columns.codes import KEPT, NULL, SEEN
from hpaaudit.engine.fleet.columns.tables import NONE, Cursors, Made, Proposed, Release, Tape
from hpaaudit.engine.fleet.input.ids import Array
from hpaaudit.engine.rules.candidates import NOTHING_MISSING
from hpaaudit.model.flags import Flags

_BEGINS: Mapping[str, int] = {
    "state": NONE,
    "terms": NONE,
    "scale": NONE,
    "able": KEPT,
    "active": KEPT,
    "limited": KEPT,
    "why_scaled": 0,
    "winner": NONE,
    "asked": 0,
    "evidence": SEEN,
    "missing": NOTHING_MISSING,
}
"""What stands in a column before the kernel writes there; in all others NULL."""


def release_of(flags: Flags, rules: Rules) -> Release:
    """The behaviours and flags of one process, as the kernel asks them."""
    return Release(
        rules,
        flags.downscale_stabilization_us,
        flags.cpu_initialization_period_us,
        flags.initial_readiness_delay_us,
    )


def made_of(passes: int) -> Made:
    """Room for so many passes."""
    return Made(**{name: np.full(passes, _BEGINS.get(name, NULL), np.int64) for name in Made._fields})


def proposed_of(metrics: int) -> Proposed:
    """Room for so many metrics."""
    floats = ("ratio", "adjusted")
    return Proposed(
        **{
            name: np.full(metrics, np.nan) if name in floats else np.full(metrics, NULL, np.int64)
            for name in Proposed._fields
        }
    )


def cursors_of(tape: Tape) -> Cursors:
    """Where a walk begins: before the first row of everything."""
    pods, series, reads, metrics = tape.pods, tape.series, tape.reads, tape.metrics
    before_read = np.asarray(reads.row_from) - 1
    cursors = Cursors(
        hpa=np.asarray(tape.hpas.row_from) - 1,
        written=np.asarray(tape.hpas.written_from) - 1,
        scale=np.full(len(tape.hpas.row_from), NONE - 1, np.int64),
        own_scale=np.full(len(tape.hpas.row_from), NONE, np.int64),
        read=before_read[metrics.request],
        fallback=before_read[metrics.fallback],
        pod=_before(pods.row_from, tape.roster),
        sample=_before(series.row_from, tape.lookups),
        stray=_before(series.row_from, tape.strays),
    )
    return Cursors(*(np.ascontiguousarray(column, np.int64) for column in cursors))


def _before(row_from: Array, which: Array) -> Array:
    """The row before the first of each, anything where there is none."""
    if not len(row_from):
        return np.full(len(which), NONE, np.int64)
    return np.where(which == NONE, NONE, row_from[which] - 1)
