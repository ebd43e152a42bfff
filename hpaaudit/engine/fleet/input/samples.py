"""Turns the tables `samples` and `metric_values` into series: the samples of each pod in each stream of answers."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hpaaudit.engine.controller.metrics_client import DEFAULT_WINDOW_US, ZERO_TIME_US
from hpaaudit.engine.fleet.columns.batch import ABSENT, MEASURED, NO_CONTAINER
from hpaaudit.engine.fleet.input.ids import Array, Ids, of_words
from hpaaudit.engine.fleet.input.rows import Rows, chosen, numbers
from hpaaudit.engine.fleet.input.tables import SampleRows, ValueRows
from hpaaudit.model.fleet_columns import Numbers

MILLI = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesPart:
    """Some series, and the rows that they are made of.

    rows       `seq`, `gone`, `at_us`, `window_us`, and for each quantity `value0`, `state0` and so on; the rows of a
               series are in the order of `seq`
    row_from, row_to, stream, pod   of each series
    """

    rows: Rows
    row_from: Array
    row_to: Array
    stream: Array
    pod: Array


def resource_series(
    table: SampleRows, streams: Array, first_seq: int, names: Ids[str], quantities: Sequence[tuple[str, str]]
) -> list[SeriesPart]:
    """The series of resource metrics.

    streams   for every fact of the slice: the stream whose answer it is, -1 for other facts
    """
    rows: Rows = {
        "seq": numbers(table.seq),
        "gone": _bytes(table.gone),
        "at_us": numbers(table.timestamp_us, int(ZERO_TIME_US)),
        "window_us": numbers(table.window_us),
    }
    container = numbers(table.container_idx, -1)
    for number, (resource, named) in enumerate(quantities):
        rows[f"value{number}"], rows[f"state{number}"] = _measured(table, resource, named)
    pod = of_words(names, table.pod)
    return _series_parts(rows, streams[rows["seq"] - first_seq], pod, container, len(quantities))


def _bytes(column: Numbers) -> Array:
    """A column of booleans, a byte each."""
    return column.values.view(np.uint8)


def _measured(table: SampleRows, resource: str, named: str) -> tuple[Array, Array]:
    """How much of a quantity each row has, 0 if it has none, and its state: MEASURED, ABSENT or NO_CONTAINER."""
    value, state = _usage(table, resource)
    if named:
        mine = table.container
        other = mine.codes != (mine.words.index(named) if named in mine.words else -2)
        value, state = np.where(other, 0, value), np.where(other, np.uint8(NO_CONTAINER), state)
    return value, state


def _usage(table: SampleRows, resource: str) -> tuple[Array, Array]:
    """How much of a resource each row used, in milli, and its state: MEASURED or ABSENT."""
    column, scale = {"cpu": (table.cpu_milli, 1), "memory": (table.memory_bytes, MILLI)}.get(resource, (None, 0))
    if column is not None:
        value = column.values if scale == 1 else column.values * scale
        state = np.zeros(len(value), np.uint8) if column.missing is None else column.missing.view(np.uint8)
    else:
        value, state = _nothing(len(numbers(table.seq)))
    whole = table.usage_json
    if whole.words:
        grouped = [_pairs(text).get(resource) for text in whole.words]
        amount = np.array([0 if usage is None else usage for usage in grouped] + [0], np.int64)[whole.codes]
        lacks = np.array([usage is None for usage in grouped] + [True], np.uint8)[whole.codes]
        has_usage = whole.codes >= 0
        value, state = np.where(has_usage, amount, value), np.where(has_usage, lacks, state)
    return value, state


def _nothing(count: int) -> tuple[Array, Array]:
    return np.zeros(count, np.int64), np.full(count, ABSENT, np.uint8)


def _pairs(text: str) -> dict[str, int]:
    return dict(json.loads(text))


def _series_parts(rows: Rows, stream: Array, pod: Array, container: Array, quantities: int) -> list[SeriesPart]:
    """The series of each pod in each stream, with one row for each answer.

    A file has its rows in this order already, except of pods that have several containers, came back, or are in several
    streams: only the rows of these are sorted.
    """
    seq = rows["seq"]
    if not len(seq):
        return []
    other = pod[1:] != pod[:-1]
    begins = np.append(0, np.flatnonzero(other) + 1)
    ends = np.append(begins[1:], len(seq))
    bad = np.flatnonzero(~other & ((stream[1:] != stream[:-1]) | (seq[1:] <= seq[:-1])))
    if not len(bad):
        return [_series_part(rows, begins, ends, stream, pod)]
    mixed_pods = np.unique(np.searchsorted(begins, bad, "right") - 1)
    places = np.concatenate([np.arange(begins[number], ends[number]) for number in mixed_pods])
    order = places[np.lexsort([container[places], seq[places], pod[places], stream[places]])]
    regrouped = _by_pod({**chosen(rows, order), "pod": pod[order], "stream": stream[order]}, quantities)
    other_pods = np.delete(np.arange(len(begins)), mixed_pods)
    return [_series_part(rows, begins[other_pods], ends[other_pods], stream, pod), series_of(regrouped)]


def _series_part(rows: Rows, begins: Array, ends: Array, stream: Array, pod: Array) -> SeriesPart:
    return SeriesPart(rows=rows, row_from=begins, row_to=ends, stream=stream[begins], pod=pod[begins])


def series_of(rows: Rows) -> SeriesPart:
    """The series of rows that are sorted by their columns `stream`, `pod` and `seq`."""
    pod, stream = rows["pod"], rows["stream"]
    other = (pod[1:] != pod[:-1]) | (stream[1:] != stream[:-1])
    begins = np.append(0, np.flatnonzero(other) + 1) if len(pod) else np.empty(0, np.int64)
    columns = {name: column for name, column in rows.items() if name not in ("pod", "stream")}
    return _series_part(columns, begins, np.append(begins[1:], len(pod))[: len(begins)], stream, pod)


def _by_pod(rows: Rows, quantities: int) -> Rows:
    """One row for each pod and answer: the sum of its containers."""
    seq, pod, stream = rows["seq"], rows["pod"], rows["stream"]
    first = np.ones(len(seq), bool)
    first[1:] = (seq[1:] != seq[:-1]) | (pod[1:] != pod[:-1]) | (stream[1:] != stream[:-1])
    if first.all():
        return rows
    starts = np.flatnonzero(first)
    grouped = chosen(rows, starts)
    for number in range(quantities):
        value, state = rows[f"value{number}"], rows[f"state{number}"]
        lacks = np.maximum.reduceat((state == ABSENT).astype(np.uint8), starts)
        other_container = np.minimum.reduceat(state, starts) == NO_CONTAINER
        grouped[f"value{number}"] = np.add.reduceat(value, starts)
        state = np.where(other_container, NO_CONTAINER, np.where(lacks != 0, ABSENT, MEASURED))
        grouped[f"state{number}"] = state.astype(np.uint8)
    return grouped


def custom_series(
    table: ValueRows, streams: Array, first_seq: int, names: Ids[str], quantities: int
) -> list[SeriesPart]:
    """The series of custom metrics of pods. Their value is the first quantity."""
    seq = numbers(table.seq)
    rows: Rows = {
        "seq": seq,
        "gone": _bytes(table.gone),
        "at_us": numbers(table.timestamp_us, int(ZERO_TIME_US)),
        "window_us": numbers(table.window_us, int(DEFAULT_WINDOW_US)),
    }
    for number in range(quantities):
        rows[f"value{number}"], rows[f"state{number}"] = _nothing(len(seq))
    rows["value0"], rows["state0"] = numbers(table.value_milli), np.zeros(len(seq), np.uint8)
    pod = of_words(names, table.object)
    # Several metrics may have an object of one name: then the streams differ, and the rows are sorted.
    return _series_parts(rows, streams[seq - first_seq], pod, np.zeros(len(seq), np.int64), quantities)


def series_after(part: SeriesPart, cut: int, needed: Array) -> SeriesPart:
    """The rows that are needed after fact `cut`: later ones, and the last one before of each series.

    needed   the streams that count

    The last one before is not needed if the pod was gone then.
    """
    mine = needed[part.stream]
    begins, ends = part.row_from[mine], part.row_to[mine]
    counts = ends - begins
    row = np.repeat(begins - (np.cumsum(counts) - counts), counts) + np.arange(int(counts.sum()))
    seq, series = part.rows["seq"][row], np.repeat(np.arange(len(begins)), counts)
    last = np.ones(len(seq), bool)
    last[:-1] = (series[1:] != series[:-1]) | (seq[1:] >= cut)
    is_needed = (seq >= cut) | (last & (part.rows["gone"][row] == 0))
    row, series = row[is_needed], series[is_needed]
    rows = chosen(part.rows, row)
    return series_of({**rows, "pod": part.pod[mine][series], "stream": part.stream[mine][series]})
