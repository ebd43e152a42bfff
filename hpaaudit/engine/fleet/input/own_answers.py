"""What Heapster answered to the controllers of 1.1 to 1.5: each answer summed up, with what it says of each pod.

These take their answers in the order in which they come, whatever was asked, so the answers are not kept by request.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from hpaaudit.api import heapster
from hpaaudit.api.requests import heapster_path
from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.controller.heapster_client import last_minute
from hpaaudit.engine.controller.metrics_client import ZERO_TIME_US, sum_of_containers
from hpaaudit.engine.eras.float_calculator import value_of
from hpaaudit.engine.eras.pod_averages import is_status_asked, minute_average, newest_average, total_cpu
from hpaaudit.engine.fleet.columns.batch import ABSENT, MEASURED, NONE, AnsweredPods, OwnAnswers
from hpaaudit.engine.fleet.columns.column_codes import NO_HEAPSTER_METRICS, NOT_ANSWERED
from hpaaudit.engine.fleet.input.heapster_samples import RESOURCE_METRICS, own_rows
from hpaaudit.engine.fleet.input.ids import Array, Ids
from hpaaudit.engine.fleet.input.rows import numbers
from hpaaudit.engine.fleet.input.tables import HeapsterRows
from hpaaudit.engine.fleet.input.unsupported import Unsupported

_OK = range(200, 300)


class _Summed(NamedTuple):
    """The columns of one answer but its number, and its pods: name, state, whole number, number with fractions."""

    is_series: int
    problem: int
    items: int
    measured: int
    measured_us: int
    lacks_cpu: int
    whole: int
    exact: float
    pods: tuple[tuple[int, int, int, float], ...]


def _failed(problem: int, *, is_series: bool) -> _Summed:
    return _Summed(int(is_series), problem, 0, 0, ZERO_TIME_US, 0, 0, 0.0, ())


class AnswerTable:
    """The answers to the controller itself, slice after slice.

    names   of pods: an item of the resource metrics names its pod, while series come in the order of the question
    """

    def __init__(self, behaviours: Behaviours, names: Ids[str]) -> None:
        self._behaviours = behaviours
        self._names = names
        self._seqs: list[int] = []
        self._answers: list[_Summed] = []

    def add(self, table: HeapsterRows) -> None:
        """Takes the answers of one more slice.

        Raises `Unsupported` for an answer that somebody else got, and for one that names a pod twice.
        """
        seqs, statuses = numbers(table.seq), numbers(table.status)
        for row in own_rows(table):
            path, body = table.path.words[table.path.codes[row]], table.body.words[table.body.codes[row]]
            is_series = not (heapster_path(path) or "").startswith(RESOURCE_METRICS)
            status = int(statuses[row])
            self._seqs.append(int(seqs[row]))
            if status not in _OK and is_status_asked(status, self._behaviours):
                self._answers.append(_failed(NOT_ANSWERED, is_series=is_series))
                continue
            try:
                self._answers.append(self._of_series(body) if is_series else self._of_resources(body))
            except heapster.NotJson:
                self._answers.append(_failed(NO_HEAPSTER_METRICS, is_series=is_series))

    def _of_series(self, body: str) -> _Summed:
        """An answer of the model API, with a series for each pod. Raises NotJson."""
        series = heapster.series(body)
        average = (newest_average if self._behaviours.polls else minute_average)(series)
        pods: tuple[tuple[int, int, int, float], ...] = ()
        if self._behaviours.replica_calculator:
            minutes = map(last_minute, series)
            pods = tuple((NONE, ABSENT, 0, 0.0) if at is None else (NONE, MEASURED, 0, value_of(at)) for at in minutes)
        # 1.1 divides its average as a float, and it may be more than an int64 holds.
        whole = 0 if self._behaviours.polls else average.whole
        return _Summed(1, NONE, len(series), average.pods, average.measured_us, 0, whole, average.exact, pods)

    def _of_resources(self, body: str) -> _Summed:
        """An answer of the metrics API, with an item for each pod. Raises NotJson."""
        samples = heapster.resource_samples(body, bare=not self._behaviours.heapster_status_read)
        if not samples and self._behaviours.replica_calculator:
            return _failed(NO_HEAPSTER_METRICS, is_series=False)
        pods = []
        for sample in samples:
            value = sum_of_containers(sample, "cpu")
            pods.append((self._names.of(sample.pod), ABSENT if value is None else MEASURED, value or 0, 0.0))
        pods.sort()
        if len({name for name, _, _, _ in pods}) < len(pods):
            raise Unsupported("an answer of a metric API names a pod twice")
        first_us = samples[0].timestamp_us if samples else None
        total = total_cpu(samples)
        return _Summed(
            is_series=0,
            problem=NONE,
            items=len(samples),
            measured=len(samples),
            measured_us=ZERO_TIME_US if first_us is None else first_us,
            lacks_cpu=int(total is None),
            whole=total or 0,
            exact=0.0,
            pods=tuple(pods),
        )

    def before(self, facts: Array) -> Array:
        """How many answers come before so many facts."""
        return np.searchsorted(np.array(self._seqs, np.int64), facts, "left")

    def drop_before(self, cut: int) -> None:
        """Drops the answers before fact `cut`."""
        first = int(self.before(np.array(cut)))
        del self._seqs[:first], self._answers[:first]

    def columns(self) -> dict[str, Any]:
        """The fields of `InputBatch` that this table has."""
        pods = [pod for answer in self._answers for pod in answer.pods]
        end = np.cumsum([len(answer.pods) for answer in self._answers], dtype=np.int64)
        columns = list(zip(*self._answers, strict=True)) or [()] * len(_Summed._fields)
        by_name = {
            name: np.array(column, np.float64 if name == "exact" else np.int64)
            for name, column in zip(_Summed._fields[:-1], columns[:-1], strict=True)
        }
        return {
            "own_answers": OwnAnswers(**by_name, pod_from=np.append(0, end)[: len(end)], pod_to=end),
            "answered_pods": _pods(pods),
        }


def _pods(rows: Iterable[tuple[int, int, int, float]]) -> AnsweredPods:
    names, states, wholes, exacts = zip(*rows, strict=True) if rows else ((), (), (), ())
    return AnsweredPods(
        name=np.array(names, np.int64),
        state=np.array(states, np.int64),
        whole=np.array(wholes, np.int64),
        exact=np.array(exacts, np.float64),
    )
