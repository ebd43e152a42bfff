"""The sum of each answer to an Object or External metric."""

import numpy as np

from hpaaudit.engine.controller.metrics_client import total_per_pod, total_value
from hpaaudit.engine.fleet.input.ids import Array
from hpaaudit.engine.fleet.input.rows import Rows
from hpaaudit.model.units import Milli


def totals(rows: Rows, reads: Array, *, average_clamped: bool, value_clamped: bool) -> tuple[Array, Array]:
    """The sum of each answer for an average target and for a value target, 0 before the first answer.

    rows    the changes of one stream in the order of `seq`: `seq`, `item`, `place` (-1: unchanged), `gone`, `value`
    reads   the `seq` of its answers
    """
    if len(rows["seq"]) and (rows["item"] == rows["item"][0]).all() and not rows["gone"].any():
        # Only one item: each answer is its last value.
        last = np.searchsorted(rows["seq"], reads, "right") - 1
        values = np.where(last >= 0, rows["value"][last], 0)
        averages = values
        if average_clamped:
            averages = np.array([total_per_pod((Milli(int(value)),), clamped=True) for value in np.unique(values)])
            averages = averages[np.searchsorted(np.unique(values), values)]
        return averages, values
    averages, values = np.zeros(len(reads), np.int64), np.zeros(len(reads), np.int64)
    items: dict[int, Milli] = {}
    begin, end = np.searchsorted(rows["seq"], reads, "left"), np.searchsorted(rows["seq"], reads, "right")
    for number in range(len(reads)):
        if end[number] > begin[number]:
            items = _changed(items, {name: column[begin[number] : end[number]] for name, column in rows.items()})
        answer = tuple(items.values())
        averages[number] = total_per_pod(answer, clamped=average_clamped)
        values[number] = total_value(answer, clamped=value_clamped)
    return averages, values


def _changed(before: dict[int, Milli], rows: Rows) -> dict[int, Milli]:
    """The items of an answer after the changes of one read, in the order of the answer."""
    values, leaves, placed = dict(before), set(), []
    for item, position, is_gone, value in zip(
        *(rows[name].tolist() for name in ("item", "place", "gone", "value")), strict=True
    ):
        if is_gone:
            leaves.add(item)
            continue
        values[item] = Milli(value)
        if position >= 0:
            leaves.add(item)
            placed.append((position, item))
    order = [item for item in before if item not in leaves]
    for position, item in sorted(placed):
        order.insert(position, item)
    return {item: values[item] for item in order}
