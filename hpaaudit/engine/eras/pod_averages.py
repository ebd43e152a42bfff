"""The average of a metric over all pods, as 1.1 to 1.4 computed it. If one pod has no sample, there is no average.

Upstream: `metrics/metrics_client.go`, `HeapsterMetricsClient`. What differs between the releases is asked of
`Behaviours`; since 1.5 the replica calculator fills missing pods in (#33593).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hpaaudit.api import heapster
from hpaaudit.api.client_errors import Server
from hpaaudit.api.requests import canonical_selector
from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.controller.heapster_client import last_minute, request_failure
from hpaaudit.engine.controller.metrics_client import ZERO_TIME_US, Problem
from hpaaudit.engine.controller.observed_heapster import RESOURCES, Question
from hpaaudit.engine.controller.own_reads import OwnReads
from hpaaudit.engine.rules import pod_average as rules
from hpaaudit.engine.rules.go_numbers import divide_int, to_int64, wrap64
from hpaaudit.model.facts import HeapsterRead
from hpaaudit.model.metrics import PodSample
from hpaaudit.model.target import Pod
from hpaaudit.model.units import Micros

_UNSEEN = Problem("metric.invalid.unseen", "no answer of Heapster that it can have read was recorded")
_NO_REQUEST = Problem("metric.invalid.missing_request", "some pods do not have request for cpu")
_NOT_RUNNING = Problem("metric.invalid.no_pods", "no running pods")
_PHASES = {"Pending": rules.PENDING, "Running": rules.RUNNING}

CPU_USAGE = "cpu-usage"
"""The cpu in Heapster's model API."""


class Panic(Exception):
    """The controller divides by zero here. The reconcile ends, and only this text in its log shows why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Average:
    """An average over pods: the number, over how many pods, and when the oldest of its samples was made.

    value   percent of the requests, or the value of a custom metric
    """

    value: float
    pods: int
    measured_us: Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesAverage:
    """The average of an answer with a series for each pod.

    whole, exact   in whole numbers and with fractions;  pods   how many of them have a point
    measured_us    when the oldest of the newest points was made
    """

    whole: int
    exact: float
    pods: int
    measured_us: Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class AveragesContext:
    """What the metrics of one reconcile share.

    watched   the pods to take where no list was recorded;  selector   the scale's
    """

    reads: OwnReads
    watched: tuple[Pod, ...]
    selector: str
    namespace: str
    server: Server
    behaviours: Behaviours


def cpu_utilization(context: AveragesContext) -> Average | Problem:
    """The cpu usage in percent of the requests. Raises Panic. Upstream: `GetCPUUtilization`."""
    failed = "failed to get CPU consumption and request"
    listed = context.reads.pods(context.watched)
    if isinstance(listed, Problem):
        return listed.under("failed to get pod list").under(failed)
    pods = _collected(listed, context.behaviours, is_cpu=True)
    if not pods and listed:
        return _NOT_RUNNING.under(failed)
    requested = _requested(pods)
    if requested is None:
        return _NO_REQUEST.under(failed)
    request = rules.average_request(requested, len(pods), len(listed), context.behaviours)
    used = _used_cpu(pods, context)
    if isinstance(used, Problem):
        return used.under(failed)
    consumption, measured_us = used
    if context.behaviours.polls:
        percent = rules.polled_percent(float(consumption), request)
    elif request == 0:
        raise Panic("runtime error: integer divide by zero")
    else:
        percent = rules.percent_of_request(consumption, request)
    return Average(value=percent, pods=len(pods), measured_us=measured_us)


def _collected(listed: Sequence[Pod], behaviours: Behaviours, *, is_cpu: bool) -> list[Pod]:
    """The pods that must have a sample."""
    return [pod for pod in listed if rules.is_collected(phase_of(pod.phase), is_cpu, behaviours)]


def phase_of(phase: str) -> int:
    """The phase of a pod as a code."""
    return _PHASES.get(phase, rules.OTHER_PHASE)


def _requested(pods: Sequence[Pod]) -> int | None:
    """The sum of the containers' requests, None if one container has no request or the sum is zero."""
    total = 0
    for pod in pods:
        for container in pod.containers:
            request = dict(container.requests).get("cpu")
            if request is None:
                return None
            total = wrap64(total + request)
    return total or None


def _used_cpu(pods: Sequence[Pod], context: AveragesContext) -> tuple[int, Micros] | Problem:
    """The average use of the pods in milli, and when it was measured."""
    if context.behaviours.cpu_from_metrics_api:
        return _from_metrics_api(pods, context)
    series = _series(CPU_USAGE, [pod.name for pod in pods], context)
    if isinstance(series, Problem):
        return series
    if context.behaviours.polls:
        average = _newest_average(series, len(pods))
    else:
        average = _minute_average(series, [pod.name for pod in pods], context)
    return average if isinstance(average, Problem) else (average.whole, average.measured_us)


def _body(read: HeapsterRead | None, context: AveragesContext) -> str | Problem:
    """The text of an answer."""
    if read is None:
        return _UNSEEN
    failure = request_failure(read, context.server)
    if failure is not None and is_status_asked(read.status, context.behaviours):
        return failure.under("failed to get pods metrics")
    return read.body


def is_status_asked(status: int, behaviours: Behaviours) -> bool:
    """True if the HTTP status of an answer counts, 0 where there was none. Up to 1.3 the controller ignores it."""
    return behaviours.heapster_status_read or not status


def _series(
    metric: str, pods: Sequence[str], context: AveragesContext
) -> tuple[tuple[heapster.Point, ...], ...] | Problem:
    question = Question(metric=metric, pods=pods, selector=context.selector)
    body = _body(context.reads.heapster(question), context)
    if isinstance(body, Problem):
        return body
    try:
        return heapster.series(body)
    except heapster.NotJson as error:
        return Problem("metric.invalid.no_metrics", f"failed to unmarshall heapster response: {error}")


def _newest_average(series: Sequence[Sequence[heapster.Point]], pods: int) -> SeriesAverage | Problem:
    """The average of each pod's newest value. Upstream: `calculateSumFromLatestSample` (1.1)."""
    newest = newest_average(series)
    return newest if newest.pods == pods else _obtained(newest.pods, pods, "")


def _minute_average(
    series: Sequence[Sequence[heapster.Point]], names: Sequence[str], context: AveragesContext
) -> SeriesAverage | Problem:
    """The average over pods of each pod's last minute. Upstream: `averageFunction` (1.2 to 1.4)."""
    average = minute_average(series)
    if average.pods != len(names):
        empty = [name for name, points in zip(names, series, strict=False) if not points]
        return _obtained(average.pods, len(names), _hint(empty, context))
    return average


def newest_average(series: Sequence[Sequence[heapster.Point]]) -> SeriesAverage:
    """The average of each pod's newest value. Upstream: `calculateSumFromLatestSample` (1.1)."""
    minutes = [minute for minute in map(last_minute, series) if minute is not None]
    whole = sum(minute.newest_value for minute in minutes) % 2**64 // max(len(minutes), 1)
    oldest_us = min((minute.at_us for minute in minutes), default=ZERO_TIME_US)
    return SeriesAverage(whole=whole, exact=float(whole), pods=len(minutes), measured_us=oldest_us)


def minute_average(series: Sequence[Sequence[heapster.Point]]) -> SeriesAverage:
    """The average of each pod's last minute; of nothing it is 0."""
    whole, exact, count = 0, 0.0, 0
    oldest_us: Micros | None = None
    for minute in map(last_minute, series):
        if minute is None:
            continue
        oldest_us = minute.at_us if oldest_us is None else min(oldest_us, minute.at_us)
        if minute.exact is None:
            average = divide_int(minute.total, minute.count)
            whole, exact = wrap64(whole + average), exact + float(average)
        else:
            fraction = minute.exact_total / len(minute.exact)
            whole, exact = wrap64(whole + to_int64(fraction)), exact + fraction
        count += 1
    if not count:
        return SeriesAverage(whole=0, exact=0.0, pods=0, measured_us=ZERO_TIME_US)
    return SeriesAverage(
        whole=divide_int(whole, count),
        exact=exact / float(count),
        pods=count,
        measured_us=ZERO_TIME_US if oldest_us is None else oldest_us,
    )


def _obtained(count: int, pods: int, hint: str) -> Problem:
    return Problem("metric.invalid.no_metrics", f"metrics obtained for {count}/{pods} of pods{hint}")


def _hint(missing: Sequence[str], context: AveragesContext) -> str:
    """The hint at a pod without a sample (since 1.4). Of several we name the first, upstream any."""
    if not missing or not context.behaviours.heapster_status_read:
        return ""
    return f" (sample missing pod: {context.namespace}/{missing[0]})"


def _from_metrics_api(pods: Sequence[Pod], context: AveragesContext) -> tuple[int, Micros] | Problem:
    """The average use of the pods by Heapster's metrics API (1.3, 1.4). Upstream: `getCpuUtilizationForPods`."""
    selected_pods = [pod.name for pod in context.watched]
    question = Question(metric=RESOURCES, pods=selected_pods, selector=canonical_selector(context.selector))
    body = _body(context.reads.heapster(question), context)
    if isinstance(body, Problem):
        return body
    try:
        samples = heapster.resource_samples(body, bare=not context.behaviours.heapster_status_read)
    except heapster.NotJson as error:
        return Problem("metric.invalid.no_metrics", f"failed to unmarshall heapster response: {error}")
    names = [pod.name for pod in pods]
    if len(samples) != len(names):
        sampled = {sample.pod for sample in samples}
        missing = [name for name in names if name not in sampled]
        return _obtained(len(samples), len(names), _hint(missing, context))
    for sample in samples:
        where = f"{context.namespace}/{sample.pod}"
        if sample.pod not in names:
            return Problem("metric.invalid.no_metrics", f"not expected metrics for pod {where}")
        for container in sample.containers:
            if "cpu" not in dict(container.usage):
                return Problem("metric.invalid.no_metrics", f"no cpu for container {container.name} in pod {where}")
    first_us = samples[0].timestamp_us
    return divide_int(total_cpu(samples) or 0, len(samples)), ZERO_TIME_US if first_us is None else first_us


def total_cpu(samples: Sequence[PodSample]) -> int | None:
    """The usage of all containers, None if one has none of cpu. A pod without containers counts as 0 (1.3, 1.4)."""
    total = 0
    for sample in samples:
        for container in sample.containers:
            used = dict(container.usage).get("cpu")
            if used is None:
                return None
            total = wrap64(total + used)
    return total


def custom_average(name: str, context: AveragesContext) -> Average | Problem:
    """The average of a custom metric. Upstream: `GetCustomMetric` (1.2 to 1.4)."""
    listed = context.reads.pods(context.watched)
    if isinstance(listed, Problem):
        return listed.under("failed to get pod list")
    names = [pod.name for pod in _collected(listed, context.behaviours, is_cpu=False)]
    if not names and listed:
        return _NOT_RUNNING
    series = _series(f"custom/{name}", names, context)
    if isinstance(series, Problem):
        return series
    average = _minute_average(series, names, context)
    if isinstance(average, Problem):
        return average
    return Average(value=average.exact, pods=len(names), measured_us=average.measured_us)
