"""Turns Heapster's answers to the controllers up to 1.11 into answers and samples of resource metrics."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hpaaudit.api import heapster
from hpaaudit.api.requests import canonical_selector, heapster_path, split
from hpaaudit.engine.controller.metrics_client import ZERO_TIME_US, sum_of_containers
from hpaaudit.engine.fleet.columns.batch import ABSENT, MEASURED, NONE
from hpaaudit.engine.fleet.columns.column_codes import NO_HEAPSTER_METRICS, NOT_ANSWERED
from hpaaudit.engine.fleet.input.ids import Ids
from hpaaudit.engine.fleet.input.rows import Rows, numbers
from hpaaudit.engine.fleet.input.scales import by_controller
from hpaaudit.engine.fleet.input.tables import HeapsterRows
from hpaaudit.engine.fleet.input.unsupported import Unsupported
from hpaaudit.model.metrics import MetricsRequest, PodSample

HEAPSTER = "heapster"
"""In place of the group of a metrics API."""

_OK = range(200, 300)
RESOURCE_METRICS = "/apis/metrics/"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeapsterAnswer:
    """One answer; `problem` is NONE where it has samples."""

    seq: int
    at_us: int
    request: MetricsRequest
    problem: int
    samples: tuple[PodSample, ...]


def heapster_request(namespace: str, selector: str) -> MetricsRequest:
    """The request for the resource metrics of the pods that a selector matches."""
    return MetricsRequest(
        api=HEAPSTER,
        namespace=namespace,
        resource="pods",
        object="",
        metric="",
        selector=selector,
        metric_selector="",
    )


def heapster_answers(table: HeapsterRows) -> list[HeapsterAnswer]:
    """The answers to the controller itself, in their order. Those of the model API are left out.

    Raises `Unsupported` for an answer that somebody else got.
    """
    seqs, times, statuses = numbers(table.seq), numbers(table.at_us), numbers(table.status)
    answers = []
    for row in own_rows(table):
        asked = heapster_path(table.path.words[table.path.codes[row]]) or ""
        if asked.startswith(RESOURCE_METRICS):
            problem, samples = _samples(int(statuses[row]), table.body.words[table.body.codes[row]])
            selector = canonical_selector(split(asked)[1].get("labelSelector", ""))
            answers.append(
                HeapsterAnswer(
                    seq=int(seqs[row]),
                    at_us=int(times[row]),
                    request=heapster_request(table.namespace.words[table.namespace.codes[row]], selector),
                    problem=problem,
                    samples=samples,
                )
            )
    return answers


def own_rows(table: HeapsterRows) -> list[int]:
    """The rows of a table, in the order of their facts.

    Raises `Unsupported` for an answer that somebody else than the controller got.
    """
    seqs = numbers(table.seq)
    if not by_controller(table.by).all():
        raise Unsupported("Heapster answered somebody else than the controller")
    rows: list[int] = np.argsort(seqs, kind="stable").tolist()
    return rows


def _samples(status: int, body: str) -> tuple[int, tuple[PodSample, ...]]:
    """The problem of an answer, NONE without one, and its samples; as `controller.heapster_client`."""
    if status not in _OK:
        return NOT_ANSWERED, ()
    try:
        samples = heapster.resource_samples(body, bare=False)
    except heapster.NotJson:
        return NO_HEAPSTER_METRICS, ()
    return (NONE if samples else NO_HEAPSTER_METRICS), samples


def sample_rows(
    answers: Sequence[HeapsterAnswer], streams: Sequence[int], names: Ids[str], quantities: Sequence[tuple[str, str]]
) -> Rows:
    """The samples of answers: a row for each pod of each answer, and one where a pod is no longer in it.

    streams   the stream of each answer
    """
    before: dict[int, set[str]] = {}
    rows: list[tuple[int, ...]] = []
    for answer, stream in zip(answers, streams, strict=True):
        if answer.problem != NONE:
            continue
        pods = {sample.pod for sample in answer.samples}
        gone = sorted(before.get(stream, set()) - pods)
        rows += [(stream, names.of(pod), answer.seq, 1, 0, 0, *((0, ABSENT) * len(quantities))) for pod in gone]
        before[stream] = pods
        rows += [_row(answer.seq, stream, names.of(sample.pod), sample, quantities) for sample in answer.samples]
    own = [f"{column}{number}" for number in range(len(quantities)) for column in ("value", "state")]
    columns = ("stream", "pod", "seq", "gone", "at_us", "window_us", *own)
    values = np.array(sorted(rows), np.int64).reshape(-1, len(columns)).T
    return dict(zip(columns, values, strict=True))


def _row(seq: int, stream: int, pod: int, sample: PodSample, quantities: Sequence[tuple[str, str]]) -> tuple[int, ...]:
    at_us = ZERO_TIME_US if sample.timestamp_us is None else sample.timestamp_us
    measured: list[int] = []
    for resource, _ in quantities:
        value = sum_of_containers(sample, resource)
        measured += (0, ABSENT) if value is None else (value, MEASURED)
    return (stream, pod, seq, 0, at_us, sample.window_us, *measured)
