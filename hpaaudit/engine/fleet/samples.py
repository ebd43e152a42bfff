"""Rows of `samples` and `metric_values` to series: what each pod of each stream measured, fact by fact."""

import json
from collections.abc import Sequence

import numpy as np

from hpaaudit.engine.fleet.ids import Array, Ids, of_words
from hpaaudit.engine.fleet.rows import Rows, chosen, joined, numbers, present, words
from hpaaudit.engine.fleet.tape import ABSENT, MEASURED, NO_CONTAINER
from hpaaudit.engine.measure import DEFAULT_WINDOW_US, ZERO_TIME_US
from hpaaudit.model.columns import Columns

MILLI = 1000


def of_samples(
    table: Columns, streams: Array, first_seq: int, names: Ids[str], quantities: Sequence[tuple[str, str]]
) -> Rows:
    """The series of resource metrics: a pod of a stream stands together, in the order of `seq`.

    streams   the stream of every fact of the slice that is a read, -1 else
    """
    seq = numbers(table, "seq")
    rows: Rows = {
        "seq": seq,
        "stream": streams[seq - first_seq],
        "pod": of_words(names, words(table, "pod")),
        "gone": numbers(table, "gone").astype(np.int64),
        "at_us": numbers(table, "timestamp_us", int(ZERO_TIME_US)),
        "window_us": numbers(table, "window_us"),
    }
    container = numbers(table, "container_idx", -1)
    for number, (resource, named) in enumerate(quantities):
        value, state = _measured(table, resource, named, container, rows["gone"])
        rows[f"value{number}"], rows[f"state{number}"] = value, state
    return _series(rows, container, len(quantities))


def _measured(table: Columns, resource: str, named: str, container: Array, gone: Array) -> tuple[Array, Array]:
    """A quantity of each row's container, and whether it has it."""
    value, has = _usage(table, resource)
    state = np.where(has, MEASURED, ABSENT)
    state[container < 0] = ABSENT
    if named:
        mine = words(table, "container")
        code = mine.words.index(named) if named in mine.words else -2
        state = np.where(mine.codes == code, state, NO_CONTAINER)
    state[gone != 0] = ABSENT
    return np.where(state == MEASURED, value, 0), state


def _usage(table: Columns, resource: str) -> tuple[Array, Array]:
    """How much each row used of a resource, in milli, and whether it says so."""
    if resource == "cpu":
        value, has = numbers(table, "cpu_milli"), present(table, "cpu_milli")
    elif resource == "memory":
        value, has = numbers(table, "memory_bytes") * MILLI, present(table, "memory_bytes")
    else:
        value, has = np.zeros(len(numbers(table, "seq")), np.int64), np.zeros(len(numbers(table, "seq")), bool)
    whole = words(table, "usage_json")
    if whole.words:
        found = [_pairs(text).get(resource) for text in whole.words]
        amount = np.array([0 if one is None else one for one in found] + [0], np.int64)[whole.codes]
        given = np.array([one is not None for one in found] + [False])[whole.codes]
        told = whole.codes >= 0
        value, has = np.where(told, amount, value), np.where(told, given, has)
    return value, has


def _pairs(text: str) -> dict[str, int]:
    return dict(json.loads(text))


def _series(rows: Rows, container: Array, quantities: int) -> Rows:
    """The rows of each pod of each stream together, one for each answer.

    Files stand so already but where a pod has several containers, came back, or is in several streams.
    """
    pod, stream, seq = rows["pod"], rows["stream"], rows["seq"]
    if len(seq) < 2:  # noqa: PLR2004 (a row alone is in order)
        return rows
    other = pod[1:] != pod[:-1]
    bad = ~other & ((stream[1:] != stream[:-1]) | (seq[1:] <= seq[:-1]))
    if not bad.any():
        return rows
    group = np.zeros(len(seq), np.int64)
    np.cumsum(other, out=group[1:])
    mend = np.isin(group, group[1:][bad])
    mended = chosen(rows, mend)
    order = np.lexsort([container[mend], mended["seq"], mended["pod"], mended["stream"]])
    return joined([chosen(rows, ~mend), _by_pod(chosen(mended, order), quantities)])


def _by_pod(rows: Rows, quantities: int) -> Rows:
    """One row per pod and answer: its containers together."""
    seq, pod, stream = rows["seq"], rows["pod"], rows["stream"]
    first = np.ones(len(seq), bool)
    first[1:] = (seq[1:] != seq[:-1]) | (pod[1:] != pod[:-1]) | (stream[1:] != stream[:-1])
    if first.all():
        return rows
    starts = np.flatnonzero(first)
    found = chosen(rows, starts)
    for number in range(quantities):
        value, state = rows[f"value{number}"], rows[f"state{number}"]
        lacks = np.maximum.reduceat((state == ABSENT).astype(np.int64), starts)
        foreign = np.minimum.reduceat(state, starts) == NO_CONTAINER
        found[f"value{number}"] = np.add.reduceat(value, starts)
        found[f"state{number}"] = np.where(foreign, NO_CONTAINER, np.where(lacks != 0, ABSENT, MEASURED))
    return found


def of_values(table: Columns, streams: Array, first_seq: int, names: Ids[str], quantities: int) -> Rows:
    """The series of a custom metric of pods, likewise; the first quantity is the value."""
    seq = numbers(table, "seq")
    rows: Rows = {
        "seq": seq,
        "stream": streams[seq - first_seq],
        "pod": of_words(names, words(table, "object")),
        "gone": numbers(table, "gone").astype(np.int64),
        "at_us": numbers(table, "timestamp_us", int(ZERO_TIME_US)),
        "window_us": numbers(table, "window_us", int(DEFAULT_WINDOW_US)),
    }
    for number in range(quantities):
        mine = number == 0
        rows[f"value{number}"] = numbers(table, "value_milli") if mine else np.zeros(len(seq), np.int64)
        rows[f"state{number}"] = np.full(len(seq), MEASURED if mine else ABSENT, np.int64)
    return _series(rows, np.zeros(len(seq), np.int64), quantities)


def kept_series(rows: Rows, cut: int) -> Rows:
    """What is still needed of series: rows from `cut` on, and of each the last before unless it was gone then."""
    seq = rows["seq"]
    if not len(seq):
        return rows
    last = np.ones(len(seq), bool)
    other = (rows["pod"][1:] != rows["pod"][:-1]) | (rows["stream"][1:] != rows["stream"][:-1])
    last[:-1] = other | (seq[1:] >= cut)
    return chosen(rows, (seq >= cut) | (last & (rows["gone"] == 0)))
