"""The reconciles of a replay as the columns that a compiled one brings: numbers, and texts as far as it has them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hpaaudit.model.audit import ReplayedReconcile
from hpaaudit.model.fleet_columns import Columns, Decided, Numbers, Words
from hpaaudit.results import reconcile_rows, sql

UNTOLD = {"replay_id", "error", "invalid_text"}
"""What a compiled replay does not tell."""


def decided(reconciles: Iterable[ReplayedReconcile], size: int) -> Iterator[Decided]:
    """The reconciles as columns, slice by slice of that many; each slice has words of its own."""
    existing = [done for done in reconciles if not done.decision.gone]
    for start in range(0, len(existing), size):
        identities = [(done, reconcile_rows.identity("", done)) for done in existing[start : start + size]]
        yield Decided(
            reconciles=_columns("reconciles", [reconcile_rows.reconcile(*item) for item in identities]),
            proposals=_columns(
                "metric_proposals", [row for item in identities for row in reconcile_rows.metric_proposals(*item)]
            ),
            writes=_columns(
                "predicted_writes", [row for item in identities for row in reconcile_rows.predicted_writes(*item)]
            ),
        )


def _columns(table: str, rows: Sequence[Mapping[str, Any]]) -> Columns:
    """A column for each that the table declares and any row has."""
    declared = re.findall(r"^    (\w+) (\w+)", sql.folder("schema")[table], re.MULTILINE)
    columns = {name for row in rows for name in row} - UNTOLD
    return {name: _column(kind, [row.get(name) for row in rows]) for name, kind in declared if name in columns}


def _column(kind: str, values: Sequence[Any]) -> Numbers | Words:
    if kind == "varchar":
        words = sorted({value for value in values if value is not None}, reverse=True)
        codes = [-1 if value is None else words.index(value) for value in values]
        return Words(np.array(codes, np.int32), tuple(map(str, words)))
    missing = np.array([value is None for value in values])
    dtype = {"double": np.float64, "boolean": np.bool_}.get(kind, np.int64)
    return Numbers(np.array([value or 0 for value in values], dtype), missing if missing.any() else None)
