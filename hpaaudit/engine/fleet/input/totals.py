"""What each answer of an Object or External metric sums to."""

import numpy as np

from hpaaudit.engine.controller.metrics_client import total_per_pod, total_value
from hpaaudit.engine.fleet.input.ids import Array
from hpaaudit.engine.fleet.input.rows import Rows
from hpaaudit.model.units import Milli


def totals(rows: Rows, reads: Array, *, average_clamped: bool, value_clamped: bool) -> tuple[Array, Array]:
    """The sums of each read as an average and as a value take them, zero before the first answer.

    rows    of one stream, in the order of `seq`: `seq`, `item`, `place` (-1: it kept its place), `gone`, `value`
    reads   the `seq` of its reads
    """
    if len(rows["seq"]) and (rows["item"] == rows["item"][0]).all() and not rows["gone"].any():
        # One series only: each answer is its last value.
        last = np.searchsorted(rows["seq"], reads, "right") - 1
        values = np.where(last >= 0, rows["value"][last], 0)
        averages = values
        if average_clamped:
            averages = np.array([total_per_pod((Milli(int(value)),), clamped=True) for value in np.unique(values)])
            averages = averages[np.searchsorted(np.unique(values), values)]
        return averages, values
    averages, values = np.zeros(len(reads), np.int64), np.zeros(len(reads), np.int64)
    found: dict[int, Milli] = {}
    begin, end = np.searchsorted(rows["seq"], reads, "left"), np.searchsorted(rows["seq"], reads, "right")
    for number in range(len(reads)):
        if end[number] > begin[number]:
            found = _applied(found, {name: column[begin[number] : end[number]] for name, column in rows.items()})
        items = tuple(found.values())
        averages[number] = total_per_pod(items, clamped=average_clamped)
        values[number] = total_value(items, clamped=value_clamped)
    return averages, values


def _applied(before: dict[int, Milli], rows: Rows) -> dict[int, Milli]:
    """The answer after what one read changed, in the answer's order."""
    values, leaves, placed = dict(before), set(), []
    for item, place, gone, value in zip(
        *(rows[name].tolist() for name in ("item", "place", "gone", "value")), strict=True
    ):
        if gone:
            leaves.add(item)
            continue
        values[item] = Milli(value)
        if place >= 0:
            leaves.add(item)
            placed.append((place, item))
    order = [item for item in before if item not in leaves]
    for place, item in sorted(placed):
        order.insert(place, item)
    return {item: values[item] for item in order}
