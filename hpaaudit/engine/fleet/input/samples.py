"""Rows of `samples` and `metric_values` to series: what each pod of each stream measured, fact by fact."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hpaaudit.engine.controller.metrics_client import DEFAULT_WINDOW_US, ZERO_TIME_US
from hpaaudit.engine.fleet.columns.tables import ABSENT, MEASURED, NO_CONTAINER
from hpaaudit.engine.fleet.input.ids import Array, Ids, of_words
from hpaaudit.engine.fleet.input.rows import Rows, chosen, numbers
from hpaaudit.engine.fleet.input.tables import SampleRows, ValueRows
from hpaaudit.model.columns import Numbers

MILLI = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Series and the rows that they are cut from.

    rows       `seq`, `gone`, `at_us`, `window_us`, and of each quantity `value0`, `state0`, …; what stands
               together is in the order of `seq`
    row_from, row_to, stream, pod   of each series
    """

    rows: Rows
    row_from: Array
    row_to: Array
    stream: Array
    pod: Array


def of_samples(
    table: SampleRows, streams: Array, first_seq: int, names: Ids[str], quantities: Sequence[tuple[str, str]]
) -> list[Part]:
    """The series of resource metrics.

    streams   the stream of every fact of the slice that is a read, -1 else
    """
    rows: Rows = {
        "seq": numbers(table.seq),
        "gone": _truths(table.gone),
        "at_us": numbers(table.timestamp_us, int(ZERO_TIME_US)),
        "window_us": numbers(table.window_us),
    }
    container = numbers(table.container_idx, -1)
    for number, (resource, named) in enumerate(quantities):
        rows[f"value{number}"], rows[f"state{number}"] = _measured(table, resource, named)
    pod = of_words(names, table.pod)
    return _parts(rows, streams[rows["seq"] - first_seq], pod, container, len(quantities))


def _truths(column: Numbers) -> Array:
    """A column of truths, a byte each."""
    return column.values.view(np.uint8)


def _measured(table: SampleRows, resource: str, named: str) -> tuple[Array, Array]:
    """A quantity of each row's container, and whether it has it; zero where it has not."""
    value, state = _usage(table, resource)
    if named:
        mine = table.container
        other = mine.codes != (mine.words.index(named) if named in mine.words else -2)
        value, state = np.where(other, 0, value), np.where(other, np.uint8(NO_CONTAINER), state)
    return value, state


def _usage(table: SampleRows, resource: str) -> tuple[Array, Array]:
    """How much each row used of a resource, in milli, and whether it says so."""
    column, scale = {"cpu": (table.cpu_milli, 1), "memory": (table.memory_bytes, MILLI)}.get(resource, (None, 0))
    if column is not None:
        value = column.values if scale == 1 else column.values * scale
        state = np.zeros(len(value), np.uint8) if column.missing is None else column.missing.view(np.uint8)
    else:
        value, state = _nothing(len(numbers(table.seq)))
    whole = table.usage_json
    if whole.words:
        found = [_pairs(text).get(resource) for text in whole.words]
        amount = np.array([0 if one is None else one for one in found] + [0], np.int64)[whole.codes]
        lacks = np.array([one is None for one in found] + [True], np.uint8)[whole.codes]
        told = whole.codes >= 0
        value, state = np.where(told, amount, value), np.where(told, lacks, state)
    return value, state


def _nothing(count: int) -> tuple[Array, Array]:
    return np.zeros(count, np.int64), np.full(count, ABSENT, np.uint8)


def _pairs(text: str) -> dict[str, int]:
    return dict(json.loads(text))


def _parts(rows: Rows, stream: Array, pod: Array, container: Array, quantities: int) -> list[Part]:
    """The rows of each pod of each stream, one for each answer.

    Files stand so already but where a pod has several containers, came back, or is in several streams: these are
    put in order apart.
    """
    seq = rows["seq"]
    if not len(seq):
        return []
    other = pod[1:] != pod[:-1]
    begins = np.append(0, np.flatnonzero(other) + 1)
    ends = np.append(begins[1:], len(seq))
    bad = np.flatnonzero(~other & ((stream[1:] != stream[:-1]) | (seq[1:] <= seq[:-1])))
    if not len(bad):
        return [_part(rows, begins, ends, stream, pod)]
    mend = np.unique(np.searchsorted(begins, bad, "right") - 1)
    places = np.concatenate([np.arange(begins[number], ends[number]) for number in mend])
    order = places[np.lexsort([container[places], seq[places], pod[places], stream[places]])]
    mended = _by_pod({**chosen(rows, order), "pod": pod[order], "stream": stream[order]}, quantities)
    sound = np.delete(np.arange(len(begins)), mend)
    return [_part(rows, begins[sound], ends[sound], stream, pod), part_of(mended)]


def _part(rows: Rows, begins: Array, ends: Array, stream: Array, pod: Array) -> Part:
    return Part(rows=rows, row_from=begins, row_to=ends, stream=stream[begins], pod=pod[begins])


def part_of(rows: Rows) -> Part:
    """Series of rows that stand in order, each with its `stream` and `pod`."""
    pod, stream = rows["pod"], rows["stream"]
    other = (pod[1:] != pod[:-1]) | (stream[1:] != stream[:-1])
    begins = np.append(0, np.flatnonzero(other) + 1) if len(pod) else np.empty(0, np.int64)
    columns = {name: column for name, column in rows.items() if name not in ("pod", "stream")}
    return _part(columns, begins, np.append(begins[1:], len(pod))[: len(begins)], stream, pod)


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
        lacks = np.maximum.reduceat((state == ABSENT).astype(np.uint8), starts)
        foreign = np.minimum.reduceat(state, starts) == NO_CONTAINER
        found[f"value{number}"] = np.add.reduceat(value, starts)
        state = np.where(foreign, NO_CONTAINER, np.where(lacks != 0, ABSENT, MEASURED))
        found[f"state{number}"] = state.astype(np.uint8)
    return found


def of_values(table: ValueRows, streams: Array, first_seq: int, names: Ids[str], quantities: int) -> list[Part]:
    """The series of custom metrics of pods, likewise; the first quantity is the value."""
    seq = numbers(table.seq)
    rows: Rows = {
        "seq": seq,
        "gone": _truths(table.gone),
        "at_us": numbers(table.timestamp_us, int(ZERO_TIME_US)),
        "window_us": numbers(table.window_us, int(DEFAULT_WINDOW_US)),
    }
    for number in range(quantities):
        rows[f"value{number}"], rows[f"state{number}"] = _nothing(len(seq))
    rows["value0"], rows["state0"] = numbers(table.value_milli), np.zeros(len(seq), np.uint8)
    pod = of_words(names, table.object)
    # Several metrics may have an object of one name: then streams differ, and it is put in order.
    return _parts(rows, streams[seq - first_seq], pod, np.zeros(len(seq), np.int64), quantities)


def kept_part(part: Part, cut: int, needed: Array) -> Part:
    """What is still needed of series of some streams: rows from `cut` on, and of each the last before.

    The last before is not, where the pod was gone then.
    """
    mine = needed[part.stream]
    begins, ends = part.row_from[mine], part.row_to[mine]
    counts = ends - begins
    place = np.repeat(begins - (np.cumsum(counts) - counts), counts) + np.arange(int(counts.sum()))
    seq, series = part.rows["seq"][place], np.repeat(np.arange(len(begins)), counts)
    last = np.ones(len(seq), bool)
    last[:-1] = (series[1:] != series[:-1]) | (seq[1:] >= cut)
    keep = (seq >= cut) | (last & (part.rows["gone"][place] == 0))
    place, series = place[keep], series[keep]
    rows = chosen(part.rows, place)
    return part_of({**rows, "pod": part.pod[mine][series], "stream": part.stream[mine][series]})
