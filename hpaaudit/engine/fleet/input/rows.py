"""Tables as arrays of numbers, by column name: join them, choose rows, sort, and find the rows of a key."""

from collections.abc import Mapping, Sequence

import numpy as np

from hpaaudit.engine.fleet.input.ids import Array
from hpaaudit.model.fleet_columns import Numbers

Rows = dict[str, Array]


def joined(parts: Sequence[Rows]) -> Rows:
    """Several tables with the same columns as one."""
    if len(parts) == 1:
        return parts[0]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def chosen(rows: Rows, which: Array) -> Rows:
    """The rows with these numbers, or where a mask is true."""
    return {name: column[which] for name, column in rows.items()}


def in_order(rows: Rows, *names: str) -> Rows:
    """The rows sorted by columns, the first one first; equal ones keep their order."""
    return chosen(rows, np.lexsort([rows[name] for name in reversed(names)]))


def runs(keys: Array, count: int) -> tuple[Array, Array]:
    """Where the rows of each of `count` keys begin and end, in a column sorted by key."""
    numbers = np.arange(count)
    return np.searchsorted(keys, numbers, "left"), np.searchsorted(keys, numbers, "right")


def needed_after(rows: Rows, key: str, cut: int) -> Rows:
    """The rows that are needed after fact `cut`: later ones, and the last one before of each key.

    rows   sorted by key and `seq`
    """
    seq, keys = rows["seq"], rows[key]
    if not len(seq):
        return rows
    last = np.ones(len(seq), bool)
    last[:-1] = (keys[1:] != keys[:-1]) | (seq[1:] >= cut)
    return chosen(rows, (seq >= cut) | last)


def numbers(column: Numbers, missing: int = 0) -> Array:
    """The values of a column, with this one where it is NULL."""
    if column.missing is None:
        return column.values.astype(np.int64, copy=False)
    return np.where(column.missing, missing, column.values)


def present(column: Numbers) -> Array:
    """Where a column of numbers is not NULL."""
    if column.missing is None:
        return np.ones(len(column.values), bool)
    return ~column.missing


def empty(names: Mapping[str, object] | Sequence[str]) -> Rows:
    """A table without rows."""
    return {name: np.empty(0, np.int64) for name in names}
