"""Narrows a slice to some namespaces. An HPA reads and changes only what is in its own."""

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

import numpy as np

from hpaaudit.engine.fleet.input.ids import Array
from hpaaudit.model.fleet_columns import Columns, Numbers, Slice, Words, numbers, words

_OF_READS = ("samples", "metric_values")
"""Tables whose rows belong to the read with their `seq`."""

_WHOLE = ("reconciles",)
"""Tables that are kept whole: the number of a reconcile counts those of all namespaces."""


EVERY: Container[str] = ()
"""No narrowing: all namespaces."""


@dataclass(frozen=True, slots=True)
class Share:
    """One of several parts of all namespaces, about equally large: the hash of a namespace says which one it is in."""

    number: int
    of: int

    def __contains__(self, namespace: object) -> bool:
        return crc32(str(namespace).encode()) % self.of == self.number


def shares(of: int) -> Iterator[Container[str]]:
    """All namespaces in so many parts."""
    return iter([EVERY]) if of == 1 else (Share(number, of) for number in range(of))


def narrowed(part: Slice, namespaces: Container[str]) -> Slice:
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


def _is_in(column: Words, namespaces: Container[str]) -> Array:
    """Where a column names one of the namespaces, or none."""
    wanted = [word in namespaces or not word for word in column.words]
    return np.array([*wanted, True], bool)[column.codes]


def _of_reads(part: Slice, columns: Columns, namespaces: Container[str]) -> Array:
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
    chosen = column.codes[rows]
    used = np.flatnonzero(np.bincount(chosen[chosen >= 0], minlength=len(column.words)))
    codes = np.full(len(column.words) + 1, -1, np.int32)  # the last one is that of -1: no word
    codes[used] = np.arange(len(used))
    return Words(codes[chosen], tuple(column.words[code] for code in used.tolist()))
