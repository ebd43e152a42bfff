"""Turns answers of Heapster into values of pods: upstream's `metrics/legacy_metrics_client.go` (1.5 to 1.11)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hpaaudit.api import heapster
from hpaaudit.api.client_errors import Server
from hpaaudit.engine.controller.metrics_client import ZERO_TIME_US, Problem, Sample, sum_of_containers
from hpaaudit.engine.rules.go_numbers import divide_int, to_int64, wrap64
from hpaaudit.model.facts import HeapsterRead
from hpaaudit.model.target import Pod
from hpaaudit.model.units import SECOND, Micros, Milli

_OK = range(200, 300)
MINUTE_US = 60 * SECOND
_UNSEEN = Problem("metric.invalid.unseen", "no answer of Heapster that it can have read was recorded")


def request_failure(read: HeapsterRead, server: Server) -> Problem | None:
    """Why a request failed; None if it was answered well."""
    if read.status in _OK:
        return None
    return Problem(
        "metric.invalid.api_unavailable",
        read.error if read.status else server.without_answer("Get", read.path, read.error),
    )


def pod_resource(
    read: HeapsterRead | None, resource: str, server: Server, failed: str
) -> tuple[Mapping[str, Sample], Micros] | Problem:
    """The values of one resource by pod, and the time of the first. Upstream: `GetResourceMetric`.

    failed   how the error of a request begins
    """
    if read is None:
        return _UNSEEN
    failure = request_failure(read, server)
    if failure is not None:
        return failure.under(failed)
    try:
        listed = heapster.resource_samples(read.body, bare=False)
    except heapster.NotJson as error:
        return Problem("metric.invalid.no_metrics", f"failed to unmarshal heapster response: {error}")
    if not listed:
        return Problem("metric.invalid.no_metrics", "no metrics returned from heapster")
    samples: dict[str, Sample] = {}
    for item in listed:
        value = sum_of_containers(item, resource)
        if value is not None:
            at_us = ZERO_TIME_US if item.timestamp_us is None else item.timestamp_us
            samples[item.pod] = Sample(value, at_us, item.window_us)
    first_us = listed[0].timestamp_us
    return samples, ZERO_TIME_US if first_us is None else first_us


def pod_series(
    read: HeapsterRead | None, pods: Sequence[Pod], server: Server, failed: str
) -> Mapping[str, tuple[heapster.Point, ...]] | Problem:
    """The series of each pod, by the order of the list of pods. Upstream: `GetRawMetric`.

    failed   how the error of a request begins
    """
    if not pods:
        return Problem("metric.invalid.no_pods", "no pods matched the provided selector")
    if read is None:
        return _UNSEEN
    failure = request_failure(read, server)
    if failure is not None:
        return failure.under(failed)
    try:
        series = heapster.series(read.body)
    except heapster.NotJson as error:
        return Problem("metric.invalid.no_metrics", f"failed to unmarshal heapster response: {error}")
    if len(series) != len(pods):
        text = f"requested metrics for {len(pods)} pods, got metrics for {len(series)}"
        return Problem("metric.invalid.no_metrics", text)
    return {pod.name: points for pod, points in zip(pods, series, strict=True)}


@dataclass(frozen=True, slots=True, kw_only=True)
class LastMinute:
    """The points of one pod in the minute before its newest one.

    newest_value   the whole number of the newest point
    total, count   of the whole numbers;  exact   the numbers with fractions, None if the newest point has none
    """

    at_us: Micros
    newest_value: int
    total: int
    count: int
    exact: tuple[float, ...] | None

    @property
    def exact_total(self) -> float:
        """The sum of the numbers with fractions."""
        return added(self.exact or ())


def last_minute(points: Sequence[heapster.Point]) -> LastMinute | None:
    """The last minute of a series, None without points.

    Upstream: `collapseTimeSamples`, and before 1.5 `calculateSumFromTimeSample`.
    """
    if not points:
        return None
    newest = points[0]
    for point in points:
        if newest.at_us < point.at_us:
            newest = point
    recent = [point for point in points if point.at_us + MINUTE_US > newest.at_us]
    total = 0
    for point in recent:
        total = wrap64(total + point.value)
    exact = tuple(point.exact for point in recent if point.exact is not None)
    return LastMinute(
        at_us=newest.at_us,
        newest_value=newest.value,
        total=total,
        count=len(recent),
        exact=None if newest.exact is None else exact,
    )


def milli_values(series: Mapping[str, tuple[heapster.Point, ...]]) -> tuple[Mapping[str, Sample], Micros]:
    """The value of each pod in milli, and the oldest time among the newest points (1.6 to 1.11)."""
    samples: dict[str, Sample] = {}
    for pod, points in series.items():
        minute = last_minute(points)
        if minute is None:
            continue
        if minute.exact is None:
            value = divide_int(wrap64(minute.total * 1000), minute.count)
        else:
            # In Go's order: divided, then made milli, then truncated.
            value = to_int64(minute.exact_total / len(minute.exact) * 1000)
        samples[pod] = Sample(Milli(value), minute.at_us, Micros(MINUTE_US))
    return samples, min((sample.at_us for sample in samples.values()), default=ZERO_TIME_US)


def added(values: Sequence[float]) -> float:
    """The sum from left to right, as Go adds: Python's `sum` of floats compensates since 3.12."""
    total = 0.0
    for value in values:
        total += value
    return total
