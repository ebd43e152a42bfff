"""Narrows a slice to some namespaces. An HPA reads and changes only what is in its own."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np

from hpaaudit.engine.fleet.input.ids import Array
from hpaaudit.model.fleet_columns import Columns, Numbers, Slice, Words, numbers, words

_OF_READS = ("samples", "metric_values")
"""Tables whose rows belong to the read with their `seq`."""

_WHOLE = ("reconciles",)
"""Tables that are kept whole: the number of a reconcile counts those of all namespaces."""


def narrowed(part: Slice, namespaces: Collection[str]) -> Slice:
    """The slice with what is in these namespaces, and what is in none; without any, all of it."""
    if not namespaces:
        return part
    tables = {}
    for table, columns in part.tables.items():
        if table in _WHOLE:
            tables[table] = columns
        elif table in _OF_READS:
            tables[table] = _chosen(columns, _of_reads(part, columns, namespaces))
        elif "namespace" in columns:
            tables[table] = _chosen(columns, _is_in(words(columns, "namespace"), namespaces))
        else:
            tables[table] = columns
    return replace(part, tables={table: columns for table, columns in tables.items() if columns})


def _is_in(column: Words, namespaces: Collection[str]) -> Array:
    """Where a column names one of the namespaces, or none."""
    wanted = [word in namespaces or not word for word in column.words]
    return np.array([*wanted, True], bool)[column.codes]


def _of_reads(part: Slice, columns: Columns, namespaces: Collection[str]) -> Array:
    """Where a sample or value belongs to a read of one of the namespaces."""
    wanted = np.zeros(part.facts, bool)
    reads = part.tables.get("reads")
    if reads is not None:
        is_in = _is_in(words(reads, "namespace"), namespaces)
        wanted[numbers(reads, "seq").values[is_in] - part.first_seq] = True
    which: Array = wanted[numbers(columns, "seq").values - part.first_seq]
    return which


def _chosen(columns: Columns, which: Array) -> Columns:
    """These rows of a table; no column if there are none."""
    rows = np.flatnonzero(which)
    return {name: _rows_of(column, rows) for name, column in columns.items()} if len(rows) else {}


def _rows_of(column: Numbers | Words, rows: Array) -> Any:
    """These rows of a column. Words that occur in none of them are left out."""
    if isinstance(column, Numbers):
        return Numbers(column.values[rows], None if column.missing is None else column.missing[rows])
    used, codes = np.unique(column.codes[rows], return_inverse=True)
    missing = int(bool(len(used)) and used[0] < 0)
    return Words((codes - missing).astype(np.int32), tuple(column.words[code] for code in used[missing:].tolist()))
