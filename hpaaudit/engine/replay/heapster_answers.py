"""Heapster's answers as the metrics APIs would have given them, for a release that does not ask Heapster."""

from collections.abc import Iterable, Sequence

from hpaaudit.api import heapster
from hpaaudit.api.requests import CUSTOM_METRICS, RESOURCE_METRICS
from hpaaudit.engine.controller.observed_heapster import RESOURCES, question_of
from hpaaudit.model.facts import HeapsterRead, ResourceMetricsRead, ValuesRead
from hpaaudit.model.metrics import ContainerUsage, MetricsRequest, MetricValue, PodSample
from hpaaudit.model.units import SECOND, Micros, Milli

_CPU = "cpu-usage"
_CUSTOM = "custom/"
_OK = range(200, 300)

MODEL_WINDOW_US = Micros(60 * SECOND)
"""The model API does not say over which time a point is an average: Heapster's resolution is a minute."""


def as_metrics_read(
    request: MetricsRequest, answers: Iterable[HeapsterRead]
) -> ResourceMetricsRead | ValuesRead | None:
    """What a metrics API would have answered to this request; None if Heapster was not asked for the same.

    answers   what the controller got of Heapster in this reconcile

    The same pods were measured at the same times; only the way to ask is another. The model API has one number a pod
    and no containers.
    """
    for answer in answers:
        metric, _, pods = question_of(answer)
        if request.api == RESOURCE_METRICS and metric in (RESOURCES, _CPU):
            return ResourceMetricsRead(
                at_us=answer.at_us,
                took_us=answer.took_us,
                request=request,
                path=answer.path,
                status=answer.status,
                error=answer.error,
                by=answer.by,
                samples=_samples(answer, metric, pods),
            )
        if request.api == CUSTOM_METRICS and request.object == "*" and metric == _CUSTOM + request.metric:
            return ValuesRead(
                at_us=answer.at_us,
                took_us=answer.took_us,
                request=request,
                path=answer.path,
                status=answer.status,
                error=answer.error,
                by=answer.by,
                values=_values(answer, pods),
            )
    return None


def _samples(answer: HeapsterRead, metric: str, pods: tuple[str, ...]) -> tuple[PodSample, ...] | None:
    """The usage of each pod, None if the answer has none."""
    if answer.status not in _OK:
        return None
    try:
        if metric == RESOURCES:
            return heapster.resource_samples(answer.body, bare=answer.body.startswith("["))
        newest = _newest(answer, pods)
    except heapster.NotJson:
        return None
    return tuple(
        PodSample(
            pod=pod,
            timestamp_us=point.at_us,
            window_us=MODEL_WINDOW_US,
            containers=(ContainerUsage(name="", usage=(("cpu", Milli(point.value)),)),),
        )
        for pod, point in newest
    )


def _values(answer: HeapsterRead, pods: tuple[str, ...]) -> tuple[MetricValue, ...] | None:
    """The value of each pod, None if the answer has none."""
    if answer.status not in _OK:
        return None
    try:
        newest = _newest(answer, pods)
    except heapster.NotJson:
        return None
    return tuple(
        MetricValue(
            object=pod,
            timestamp_us=point.at_us,
            window_us=None,
            value=Milli(1000 * point.value if point.exact is None else round(1000 * point.exact)),
        )
        for pod, point in newest
    )


def _newest(answer: HeapsterRead, pods: tuple[str, ...]) -> Sequence[tuple[str, heapster.Point]]:
    """Each pod of the question with its newest point. A pod without a point is left out. Raises NotJson."""
    pairs = zip(pods, heapster.series(answer.body), strict=False)
    return [(pod, max(points, key=lambda point: point.at_us)) for pod, points in pairs if points]
