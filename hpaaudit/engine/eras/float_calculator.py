"""The replica calculator of 1.5 for custom metrics, which computes with floats where later ones use milli.

Upstream: `replica_calculator.go`, `GetMetricReplicas`. Pods are grouped and filled in as by `controller/group_pods` and
`rules/replica_calculator`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from hpaaudit.engine.controller.heapster_client import LastMinute, added, last_minute, pod_series
from hpaaudit.engine.controller.metric_context import MetricContext
from hpaaudit.engine.controller.metrics_client import ZERO_TIME_US, Problem
from hpaaudit.engine.rules.go_numbers import divide_float, divide_int
from hpaaudit.engine.rules.pod_average import FloatTally, float_replicas
from hpaaudit.model.units import Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatProposal:
    """What a custom metric proposes: replicas, its average, the ratio, and when the oldest sample was made."""

    replicas: int
    average: float
    ratio: float
    measured_us: Micros


def custom_replicas(name: str, target: float, context: MetricContext) -> FloatProposal | Problem:
    """The replicas for an average of a custom metric of Heapster."""
    samples = _samples(name, context)
    if isinstance(samples, Problem):
        return samples.under(f"unable to get metric  custom/{name}")
    values, measured_us = samples
    listed = context.with_listed_pods("unable to get pods while calculating replica count")
    if isinstance(listed, Problem):
        return listed
    if not listed.pods:
        return Problem("metric.invalid.no_pods", "no pods returned by selector while calculating replica count")
    unready = [pod.name for pod in listed.pods if pod.phase != "Running" or pod.ready != "True"]
    counted = {pod: value for pod, value in values.items() if pod not in unready}
    missing = [pod.name for pod in listed.pods if pod.name not in unready and pod.name not in counted]
    if not counted:
        return Problem("metric.invalid.no_ready_metrics", "did not recieve metrics for any ready pods")
    tally = FloatTally(
        ready=len(listed.pods) - len(unready),
        unready=len(unready),
        missing=len(missing),
        counted=len(counted),
        usage=_in_order(counted),
        filled=_in_order({**counted, **dict.fromkeys(missing, target)}),
    )
    average = float_replicas(tally, target, context.current, context.tolerance)
    return FloatProposal(
        replicas=average.replicas, average=average.average, ratio=average.ratio, measured_us=measured_us
    )


def _in_order(values: Mapping[str, float]) -> float:
    """The sum of values in the order of the names. Upstream adds in the order of a map."""
    return added([values[pod] for pod in sorted(values)])


def _samples(name: str, context: MetricContext) -> tuple[Mapping[str, float], Micros] | Problem:
    """The value of each pod, and when the oldest newest sample was made. Upstream: `GetRawMetric`."""
    listed = context.with_listed_pods("failed to get pod list while fetching metrics")
    if isinstance(listed, Problem):
        return listed
    question = listed.values_question(f"custom/{name}")
    answer = None if context.reads is None or not listed.pods else context.reads.heapster(question)
    series = pod_series(answer, listed.pods, context.server, "failed to get heapster service")
    if isinstance(series, Problem):
        return series
    values: dict[str, float] = {}
    times: list[Micros] = []
    for pod, points in series.items():
        minute = last_minute(points)
        if minute is None:
            continue
        times.append(minute.at_us)
        values[pod] = value_of(minute)
    return values, min(times, default=ZERO_TIME_US)


def value_of(minute: LastMinute) -> float:
    """The value of a pod in its last minute."""
    if minute.exact is None:
        return float(divide_int(minute.total, minute.count))
    return divide_float(minute.exact_total, float(len(minute.exact)))
