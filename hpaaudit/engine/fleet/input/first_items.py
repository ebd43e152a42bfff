"""Finds when the first item of each answer was measured: up to 1.11 that is the time of the whole metric."""

import numpy as np

from hpaaudit.engine.controller.metrics_client import ZERO_TIME_US
from hpaaudit.engine.fleet.input.ids import Array, paired
from hpaaudit.engine.fleet.input.rows import Rows, chosen, in_order
from hpaaudit.engine.rules.go_numbers import NONE


def first_times(rows: Rows, reads: Rows) -> Array:
    """The time of the first item of each answer, Go's zero time without one.

    rows    one row for each item that changed with an answer: `stream`, `seq`, `item`, `place` (-1: it kept its place),
            `gone` and `at_us`
    reads   the answers: `stream` and `seq`
    """
    times = np.full(len(reads["seq"]), int(ZERO_TIME_US), np.int64)
    first = _first_items(rows, reads)
    if not len(rows["seq"]):
        return times
    pair = paired(rows["stream"], rows["item"])
    distinct, number = np.unique(pair, return_inverse=True)
    order = np.lexsort([rows["seq"], number])
    begins = np.searchsorted(number[order], np.arange(len(distinct)))
    ends = np.append(begins[1:], len(order))
    seq, at_us = rows["seq"][order], rows["at_us"][order]
    has_first = np.flatnonzero(first != NONE)
    of_read = np.searchsorted(distinct, paired(reads["stream"][has_first], first[has_first]))
    for pair_number in np.unique(of_read).tolist():
        mine = has_first[of_read == pair_number]
        begin, end = begins[pair_number], ends[pair_number]
        last = np.searchsorted(seq[begin:end], reads["seq"][mine], "right") - 1
        times[mine] = at_us[begin:end][last]
    return times


def _first_items(rows: Rows, reads: Rows) -> Array:
    """The first item of each answer, NONE without one. Only items that come, go or move change the order."""
    moves = in_order(chosen(rows, (rows["gone"] != 0) | (rows["place"] >= 0)), "stream", "seq")
    first = np.full(len(reads["seq"]), NONE, np.int64)
    for stream in np.unique(moves["stream"]).tolist():
        own = np.flatnonzero(reads["stream"] == stream)
        seqs, firsts = _orders({name: column[moves["stream"] == stream] for name, column in moves.items()})
        after = np.searchsorted(seqs, reads["seq"][own], "right") - 1
        first[own] = np.where(after >= 0, np.array(firsts, np.int64)[after], NONE)
    return first


def _orders(moves: Rows) -> tuple[list[int], list[int]]:
    """The answers of one stream that changed the order of their items, and the first item of each; as `totals`."""
    seqs: list[int] = []
    firsts: list[int] = []
    order: list[int] = []
    begins = np.flatnonzero(np.diff(moves["seq"], prepend=-1))
    for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(moves["seq"])], strict=True):
        items, places, gone = (moves[name][begin:end].tolist() for name in ("item", "place", "gone"))
        leaves = set(items)
        order = [item for item in order if item not in leaves]
        for place, item in sorted(
            (place, item) for item, place, is_gone in zip(items, places, gone, strict=True) if not is_gone
        ):
            order.insert(place, item)
        seqs.append(int(moves["seq"][begin]))
        firsts.append(order[0] if order else NONE)
    return seqs, firsts
