"""Turns answers of the metric APIs into values, or into the problem to report: upstream's `metrics/client.go`."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from hpaaudit.api.client_errors import Server
from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.rules import replica_calculator as calculator
from hpaaudit.engine.rules.go_numbers import MAX_INT64, wrap64
from hpaaudit.model.facts import ResourceMetricsRead, ValuesRead
from hpaaudit.model.metrics import PodSample
from hpaaudit.model.units import SECOND, Micros, Milli

ZERO_TIME_US = Micros(-62135596800 * SECOND)
"""Go's zero time. A sample without a timestamp is older than everything."""

DEFAULT_WINDOW_US = Micros(60 * SECOND)
"""The window of a custom metric without one (`metricServerDefaultMetricWindow`)."""

_CODE_OF_STATUS = {
    401: "metric.invalid.forbidden",
    403: "metric.invalid.forbidden",
    404: "metric.invalid.not_registered",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a metric has no proposal: our code, and the controller's own words."""

    code: str
    text: str

    def under(self, prefix: str) -> "Problem":
        """The same problem with a prefix, as upstream wraps errors when it returns them."""
        return Problem(self.code, f"{prefix}: {self.text}")


@dataclass(frozen=True, slots=True)
class Sample:
    """One pod's value of one metric."""

    value: Milli
    at_us: Micros
    window_us: Micros


def pod_resource(
    read: ResourceMetricsRead | None,
    resource: str,
    container: str,
    pods: Collection[str] | None,
    server: Server,
    behaviours: Behaviours,
) -> Mapping[str, Sample] | Problem:
    """The values of one resource by pod, of one container or of all of them together.

    pods      the names that count, if the answer is for a whole namespace; None: all

    A pod without the container has no sample (1.33, #127193); before, it made the metric invalid.

    A pod of which any container lacks the resource has no sample. Upstream: `GetResourceMetric`.
    """
    if read is None:
        return _unseen("resource")
    if read.samples is None:
        return _failed(read, server).under(
            f"unable to fetch metrics from {'resource metrics ' if behaviours.metric_apis_named else ''}API"
        )
    listed = read.samples if pods is None else [sample for sample in read.samples if sample.pod in pods]
    if not listed:
        source = "resource metrics API" if behaviours.metric_apis_named else "heapster"
        return Problem("metric.invalid.no_metrics", f"no metrics returned from {source}")
    samples: dict[str, Sample] = {}
    for item in listed:
        if (
            container
            and not behaviours.missing_container_is_missing_pod
            and not any(own.name == container for own in item.containers)
        ):
            pod = f"{read.request.namespace}/{item.pod}"
            text = f"failed to get container metrics: container {container} not present in metrics for pod {pod}"
            return Problem("metric.invalid.container_missing", text)
        value = _container_value(item, resource, container) if container else sum_of_containers(item, resource)
        if value is not None:
            at_us = ZERO_TIME_US if item.timestamp_us is None else item.timestamp_us
            samples[item.pod] = Sample(value, at_us, item.window_us)
    return samples


def sum_of_containers(item: PodSample, resource: str) -> Milli | None:
    """The usage of a pod, None if any container lacks the resource or there is no container."""
    if not item.containers:
        return None
    total = 0
    for container in item.containers:
        used = dict(container.usage).get(resource)
        if used is None:
            return None
        total = wrap64(total + used)
    return Milli(total)


def _container_value(item: PodSample, resource: str, name: str) -> Milli | None:
    for container in item.containers:
        if container.name == name:
            return dict(container.usage).get(resource)
    return None


def pod_values(read: ValuesRead | None, server: Server, *, named: bool) -> Mapping[str, Sample] | Problem:
    """The values of a custom metric by pod. Of two for one pod the later one counts. Upstream: `GetRawMetric`."""
    if read is None:
        return _unseen("custom")
    if read.values is None:
        return _failed(read, server).under(_custom(named=named))
    if not read.values:
        return Problem("metric.invalid.no_metrics", "no metrics returned from custom metrics API")
    return {
        item.object: Sample(
            item.value,
            ZERO_TIME_US if item.timestamp_us is None else item.timestamp_us,
            DEFAULT_WINDOW_US if item.window_us is None else item.window_us,
        )
        for item in read.values
    }


def _custom(*, named: bool) -> str:
    return f"unable to fetch metrics from {'custom metrics ' if named else ''}API"


def object_value(read: ValuesRead | None, server: Server, *, named: bool) -> Milli | Problem:
    """The value of a metric of one object. The answer must have exactly one item. Upstream: `GetObjectMetric`."""
    prefix = _custom(named=named)
    if read is None:
        return _unseen("custom")
    if read.values is None:
        return _failed(read, server).under(prefix)
    if len(read.values) != 1:
        text = f"the custom metrics API server returned {len(read.values)} results when we asked for exactly one"
        return Problem("metric.invalid.no_metrics", text).under(prefix)
    return read.values[0].value


def series_values(read: ValuesRead | None, server: Server) -> tuple[Milli, ...] | Problem:
    """The values of all series of an external metric. Upstream: `GetExternalMetric`."""
    if read is None:
        return _unseen("external")
    if read.values is None:
        return _failed(read, server).under("unable to fetch metrics from external metrics API")
    if not read.values:
        return Problem("metric.invalid.empty_external", "no metrics returned from external metrics API")
    return tuple(item.value for item in read.values)


def total_per_pod(values: tuple[Milli, ...], *, clamped: bool) -> Milli:
    """The sum for an average target. A negative sum is taken for an overflow, and ends it (1.34, #127050).

    Upstream: `replica_calculator.go`, `GetExternalPerPodMetricReplicas`.
    """
    total = 0
    for value in values:
        total = wrap64(total + value)
        if clamped and total < 0:
            return Milli(MAX_INT64)
    return Milli(total)


def total_value(values: tuple[Milli, ...], *, clamped: bool) -> Milli:
    """The sum for a value target. Above int64 it is the largest int64 (1.35, #126979).

    Upstream: `replica_calculator.go`, `GetExternalMetricReplicas`.
    """
    total = 0
    for value in values:
        if clamped and calculator.overflows(total, value):
            return Milli(MAX_INT64)
        total = wrap64(total + value)
    return Milli(total)


def _unseen(api: str) -> Problem:
    return Problem("metric.invalid.unseen", f"no answer of the {api} metrics API that it can have read was recorded")


def _failed(read: ResourceMetricsRead | ValuesRead, server: Server) -> Problem:
    code = _CODE_OF_STATUS.get(read.status, "metric.invalid.api_unavailable")
    return Problem(code, read.error if read.status else server.without_answer("Get", read.path, read.error))
