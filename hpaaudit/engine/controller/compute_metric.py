"""One metric to a proposal, or to the problem that makes it invalid: upstream's `computeReplicasForMetric`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from hpaaudit.api import selector as selectors
from hpaaudit.api.quantity import from_milli
from hpaaudit.engine.controller import heapster_client
from hpaaudit.engine.controller import metrics_client as client
from hpaaudit.engine.controller import replica_calculator as calculator
from hpaaudit.engine.controller.metric_context import MetricContext
from hpaaudit.engine.controller.metric_target import (
    AVERAGE,
    EXTERNAL_AVERAGE,
    NOTHING,
    OBJECT_AVERAGE,
    OBJECT_VALUE,
    amount_of,
    how_of,
    name_of,
)
from hpaaudit.engine.controller.metrics_client import Problem, Sample
from hpaaudit.engine.controller.replica_calculator import CalculatedReplicas
from hpaaudit.model.decision import MetricProposal, PodBucket
from hpaaudit.model.facts import ResourceMetricsRead, ValuesRead
from hpaaudit.model.hpa import MetricSpec, MetricStatus, MetricType, ObjectRef
from hpaaudit.model.units import Micros, Milli

NO_OBJECT = ObjectRef(kind="", name="", api_version="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer that one metric read, and when."""

    read: ResourceMetricsRead | ValuesRead | None
    at_us: Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidMetric:
    """A valid metric: its proposal, its name in messages, its entry of `currentMetrics`.

    alike         as in `CalculatedReplicas`
    measured_us   the time in its answer: that of the first item, Go's zero time without one (asked until 1.11)
    """

    replicas: int
    alike: int
    name: str
    status: MetricStatus
    view: MetricProposal
    measured_us: Micros = client.ZERO_TIME_US


@dataclass(frozen=True, slots=True, kw_only=True)
class InvalidMetric:
    """An invalid metric: reason and text of its event and condition, and the error as it is returned."""

    reason: str
    text: str
    error: str
    view: MetricProposal


def compute_replicas_for_metric(  # noqa: PLR0911 (one return for each metric type)
    index: int, metric: MetricSpec, answer: Answer, context: MetricContext
) -> ValidMetric | InvalidMetric:
    """One entry of `spec.metrics`, computed. Upstream: `computeReplicasForMetric`."""
    match metric.type:
        case MetricType.RESOURCE:
            return _resource(index, metric, answer, context, "FailedGetResourceMetric", f"{metric.name} resource")
        case MetricType.CONTAINER_RESOURCE if (
            context.behaviours.container_resource_metrics and not context.behaviours.container_metrics
        ):
            # Upstream posts no event for it, and sets a condition without a type.
            text = "ContainerResource metric type is not supported: disabled by the feature gate"
            return _invalid(index, metric, Problem("metric.invalid.bad_spec", text), "", "")
        case MetricType.CONTAINER_RESOURCE if context.behaviours.container_resource_metrics:
            return _resource(
                index, metric, answer, context, "FailedGetContainerResourceMetric", f"{metric.container} container"
            )
        case MetricType.PODS:
            return _pods(index, metric, answer, context)
        case MetricType.OBJECT:
            return _object(index, metric, answer, context)
        case MetricType.EXTERNAL if context.behaviours.external_metrics:
            return _external(index, metric, answer, context)
    text = f'unknown metric source type "{metric.type}"'
    problem = Problem("metric.invalid.bad_spec", text)
    return _invalid(index, metric, problem, "InvalidMetricSourceType", "")


def _measured(read: ResourceMetricsRead | ValuesRead | None) -> Micros:
    """The time of the first item of an answer. Upstream: `metrics.Items[0].Timestamp.Time`."""
    items = None if read is None else read.samples if isinstance(read, ResourceMetricsRead) else read.values
    at_us = items[0].timestamp_us if items else None
    return client.ZERO_TIME_US if at_us is None else at_us


def _resource(
    index: int, metric: MetricSpec, answer: Answer, context: MetricContext, reason: str, wrap: str
) -> ValidMetric | InvalidMetric:
    """A Resource or ContainerResource metric. An average value comes before a utilization, whatever `type` is."""
    wrapped = f"failed to get {wrap} metric value" if context.behaviours.outer_prefix else ""
    how = how_of(metric, context.behaviours)
    if how == NOTHING:
        text = (
            "invalid resource metric source: neither an average utilization target "
            "nor an average value (usage) target was set"
        )
        if context.behaviours.forbidden_windows:
            text = "invalid resource metric source: neither a utilization target nor a value target was set"
            wrapped = ""
        return _invalid(index, metric, Problem("metric.invalid.bad_spec", text), reason, wrapped)
    samples, measured_us = _samples(metric, answer, context)
    calculated: CalculatedReplicas | Problem
    amount = amount_of(metric, how)
    what = "usage" if how == AVERAGE and context.behaviours.usage_named else "utilization"
    if isinstance(samples, Problem):
        calculated = samples
    elif how == AVERAGE:
        calculated = calculator.plain_metric_replicas(samples, Milli(amount), metric.name, answer.at_us, context)
    else:
        calculated = calculator.resource_replicas(metric, samples, amount, answer.at_us, context)
    if isinstance(calculated, Problem):
        what = f"failed to get {metric.name} {what}"
        if context.behaviours.prefixed_resource_error:
            return _invalid(index, metric, calculated.under(what), reason, wrapped)
        return _invalid(index, metric, calculated, reason, what)
    status = _status(
        metric,
        average=calculated.current,
        utilization=calculated.utilization,
        binary=context.behaviours.binary_memory and metric.name == "memory",
    )
    return replace(_valid(index, metric, how, calculated, status, context), measured_us=measured_us)


def _samples(
    metric: MetricSpec, answer: Answer, context: MetricContext
) -> tuple[Mapping[str, Sample] | Problem, Micros]:
    """The samples of a resource, and when they were measured.

    Of an answer for a whole namespace only those of the selected pods count.
    """
    unfetched = f"unable to get metrics for resource {metric.name}"
    if context.uses_heapster and context.reads is not None:
        answered = context.reads.heapster(context.resources_question)
        samples = heapster_client.pod_resource(
            answered, metric.name, context.server, "failed to get pod resource metrics"
        )
        return (samples.under(unfetched), client.ZERO_TIME_US) if isinstance(samples, Problem) else samples
    read = answer.read if isinstance(answer.read, ResourceMetricsRead) else None
    everything = read is not None and read.request.selector == "" and context.scale.selector != ""
    result = client.pod_resource(
        read,
        metric.name,
        metric.container,
        context.names if everything else None,
        context.server,
        context.behaviours,
    )
    return (result.under(unfetched) if isinstance(result, Problem) else result), _measured(read)


def _pods(index: int, metric: MetricSpec, answer: Answer, context: MetricContext) -> ValidMetric | InvalidMetric:
    reason, wrapped = "FailedGetPodsMetric", "failed to get pods metric value"
    try:
        selectors.from_label_selector(metric.selector)
    except selectors.BadSelector as error:
        return _invalid(
            index, metric, Problem("metric.invalid.bad_spec", context.behaviours.selector_error(error)), reason, wrapped
        )
    if not context.behaviours.pods_error_named:
        wrapped = "failed to get object metric value"
    how = how_of(metric, context.behaviours)
    if how == NOTHING:
        text = "invalid pods metric source: no average value target was set"
        return _invalid(index, metric, Problem("metric.invalid.bad_spec", text), reason, wrapped)
    read = answer.read if isinstance(answer.read, ValuesRead) else None
    samples: Mapping[str, Sample] | Problem
    if context.uses_heapster:
        samples, measured_us = _heapster_values(metric.name, context)
    else:
        samples = client.pod_values(read, context.server, named=context.behaviours.metric_apis_named)
        measured_us = _measured(read)
    if isinstance(samples, Problem):
        return _invalid(index, metric, samples.under(f"unable to get metric {metric.name}"), reason, wrapped)
    calculated = calculator.plain_metric_replicas(samples, Milli(amount_of(metric, how)), "", answer.at_us, context)
    if isinstance(calculated, Problem):
        return _invalid(index, metric, calculated, reason, wrapped)
    status = _status(metric, average=calculated.current)
    return replace(_valid(index, metric, how, calculated, status, context), measured_us=measured_us)


def _heapster_values(name: str, context: MetricContext) -> tuple[Mapping[str, Sample] | Problem, Micros]:
    """The values of a metric of pods from Heapster, which is asked pod by pod: so the pods are listed first."""
    listed = context.with_listed_pods("failed to get pod list while fetching metrics")
    if isinstance(listed, Problem) or context.reads is None:
        return (listed if isinstance(listed, Problem) else {}), client.ZERO_TIME_US
    answer = context.reads.heapster(listed.values_question(name)) if listed.pods else None
    series = heapster_client.pod_series(answer, listed.pods, context.server, "failed to get pod metrics")
    return (series, client.ZERO_TIME_US) if isinstance(series, Problem) else heapster_client.milli_values(series)


def _object(index: int, metric: MetricSpec, answer: Answer, context: MetricContext) -> ValidMetric | InvalidMetric:
    """An Object metric. Unlike the others it obeys `target.type`."""
    reason, wrapped = "FailedGetObjectMetric", "failed to get object metric value"
    try:
        selectors.from_label_selector(metric.selector)
    except selectors.BadSelector as error:
        return _invalid(
            index, metric, Problem("metric.invalid.bad_spec", context.behaviours.selector_error(error)), reason, wrapped
        )
    described, how = metric.described, how_of(metric, context.behaviours)
    read = answer.read if isinstance(answer.read, ValuesRead) else None
    usage: Milli | Problem
    if context.uses_heapster:
        usage = Problem("metric.invalid.not_registered", "object metrics are not yet supported")
    else:
        usage = client.object_value(read, context.server, named=context.behaviours.metric_apis_named)
    if isinstance(usage, Problem):
        kind, name = (described.kind, described.name) if described else ("", "")
        text = f"unable to get metric {metric.name}: {kind} on {context.namespace} {name}/{usage.text}"
        if context.behaviours.object_error_in_order:
            text = f"unable to get metric {metric.name} on {kind} {context.namespace}/{name}: {usage.text}"
        usage = Problem(usage.code, text)
    if how == NOTHING:
        text = "invalid object metric source: neither a value target nor an average value target was set"
        return _invalid(index, metric, Problem("metric.invalid.bad_spec", text), reason, wrapped)
    if isinstance(usage, Problem):
        inner = f"failed to get {metric.name} object metric" if how == OBJECT_AVERAGE else ""
        return _invalid(index, metric, usage, reason, wrapped, inner)
    amount = Milli(amount_of(metric, how))
    if how == OBJECT_VALUE:
        valued = calculator.usage_ratio_replicas(usage, amount, context, is_external=False)
        if isinstance(valued, Problem):
            return _invalid(index, metric, valued, reason, wrapped)
        status = _status(metric, value=valued.current)
        return replace(_valid(index, metric, how, valued, status, context), measured_us=_measured(read))
    calculated = calculator.per_pod_replicas(usage, amount, context, is_external=False)
    status = _status(metric, average=calculated.current)
    if not context.behaviours.object_average_described:
        status = replace(status, described=NO_OBJECT)
    return _valid(index, metric, how, calculated, status, context)


def _external(index: int, metric: MetricSpec, answer: Answer, context: MetricContext) -> ValidMetric | InvalidMetric:
    """An External metric. An average value comes before a value, whatever `type` is."""
    reason = "FailedGetExternalMetric"
    wrapped = f"failed to get {metric.name} external metric value" if context.behaviours.outer_prefix else ""
    how = how_of(metric, context.behaviours)
    if how == NOTHING:
        text = "invalid external metric source: neither a value target nor an average value target was set"
        return _invalid(index, metric, Problem("metric.invalid.bad_spec", text), reason, wrapped)
    average = how == EXTERNAL_AVERAGE
    inner = (
        f"failed to get {metric.name} external metric" if average else f"failed to get external metric {metric.name}"
    )
    try:
        selectors.from_label_selector(metric.selector)
    except selectors.BadSelector as error:
        return _invalid(
            index,
            metric,
            Problem("metric.invalid.bad_spec", context.behaviours.selector_error(error)),
            reason,
            wrapped,
            inner,
        )
    read = answer.read if isinstance(answer.read, ValuesRead) else None
    values: tuple[Milli, ...] | Problem
    if context.uses_heapster:
        values = Problem("metric.invalid.not_registered", "external metrics aren't supported")
    else:
        values = client.series_values(read, context.server)
    if isinstance(values, Problem):
        printed = selectors.go_print(metric.selector, typed=context.behaviours.requirements_printed)
        where = f"unable to get external metric {context.namespace}/{metric.name}/{printed}"
        return _invalid(index, metric, values.under(where), reason, wrapped, inner)
    amount = Milli(amount_of(metric, how))
    if average:
        clamped = context.behaviours.external_average_clamped
        calculated = calculator.per_pod_replicas(
            client.total_per_pod(values, clamped=clamped), amount, context, is_external=True
        )
        status = _status(metric, average=calculated.current)
        return replace(_valid(index, metric, how, calculated, status, context), measured_us=_measured(read))
    total = client.total_value(values, clamped=context.behaviours.value_clamped)
    valued = calculator.usage_ratio_replicas(total, amount, context, is_external=True)
    if isinstance(valued, Problem):
        return _invalid(index, metric, valued, reason, wrapped, inner)
    status = _status(metric, value=valued.current)
    return replace(_valid(index, metric, how, valued, status, context), measured_us=_measured(read))


def _status(
    metric: MetricSpec,
    *,
    value: Milli | None = None,
    average: Milli | None = None,
    utilization: int | None = None,
    binary: bool = False,
) -> MetricStatus:
    """The entry of `status.currentMetrics`. Memory is published in powers of 1024 (1.34, #132351)."""
    return MetricStatus(
        type=metric.type,
        name=metric.name,
        container=metric.container,
        selector=metric.selector,
        described=metric.described,
        value=None if value is None else from_milli(value),
        average_value=None if average is None else from_milli(average, binary=binary),
        average_utilization=utilization,
    )


def target_of(metric: MetricSpec) -> tuple[str, int | None]:
    """The target that counts: its type, and its amount in milli or percent."""
    target = metric.target
    if target is None:
        return "", None
    by_type = metric.type == MetricType.OBJECT and target.type == "Value"
    if target.average_value is not None and not by_type:
        return "AverageValue", target.average_value.milli
    if target.average_utilization is not None:
        return "Utilization", target.average_utilization
    return "Value", None if target.value is None else target.value.milli


def _valid(
    index: int,
    metric: MetricSpec,
    how: int,
    calculated: CalculatedReplicas,
    status: MetricStatus,
    context: MetricContext,
) -> ValidMetric:
    target_type, target = target_of(metric)
    groups = calculated.groups
    view = MetricProposal(
        metric_idx=index,
        metric_type=metric.type,
        metric_name=metric.name,
        target_type=target_type,
        target=target,
        current_milli=calculated.current,
        current_utilization=calculated.utilization,
        ratio=calculated.ratio,
        ratio_adjusted=calculated.adjusted,
        tolerance=context.up if calculated.ratio > 1.0 else context.down,
        proposal=calculated.replicas,
        valid=True,
        invalid_code="",
        invalid_text="",
        adjust_code=calculated.adjust_code,
        inside_tolerance=calculated.inside,
        ready_pods=len(groups.ready) if groups else None,
        unready_pods=len(groups.unready) if groups else None,
        missing_pods=len(groups.missing) if groups else None,
        ignored_pods=len(groups.ignored) if groups else None,
        is_winner=False,
        pods=_buckets(calculated, context) if context.keep_pods else (),
    )
    return ValidMetric(
        replicas=calculated.replicas,
        alike=calculated.alike,
        name=name_of(metric, how, context.behaviours),
        status=status,
        view=view,
    )


class OldView(NamedTuple):
    """What is known of a metric that was computed without the replica calculator, or with floats (1.1 to 1.5)."""

    kind: str
    name: str
    target_type: str
    target: int
    ratio: float
    replicas: int
    inside: bool
    utilization: int | None = None


def old_view(view: OldView) -> MetricProposal:
    """The proposal of such a metric."""
    return MetricProposal(
        metric_idx=0,
        metric_type=view.kind,
        metric_name=view.name,
        target_type=view.target_type,
        target=view.target,
        current_milli=None,
        current_utilization=view.utilization,
        ratio=view.ratio,
        ratio_adjusted=None,
        tolerance=None,
        proposal=view.replicas,
        valid=True,
        invalid_code="",
        invalid_text="",
        adjust_code="adjust.none",
        inside_tolerance=view.inside,
        ready_pods=None,
        unready_pods=None,
        missing_pods=None,
        ignored_pods=None,
        is_winner=False,
        pods=(),
    )


def _buckets(calculated: CalculatedReplicas, context: MetricContext) -> tuple[PodBucket, ...]:
    if calculated.groups is None:
        return ()
    bucket = {
        name: kind
        for kind, names in (
            ("ready", calculated.groups.ready),
            ("unready", calculated.groups.unready),
            ("missing", calculated.groups.missing),
            ("ignored", calculated.groups.ignored),
        )
        for name in names
    }
    samples, requests = calculated.samples or {}, calculated.requests or {}
    return tuple(
        PodBucket(
            pod=pod.name,
            uid=pod.uid,
            bucket=bucket[pod.name],
            why_code=calculated.groups.why[pod.name],
            value=samples[pod.name].value if pod.name in samples else None,
            request=requests.get(pod.name),
        )
        for pod in context.pods
        if pod.name in bucket  # up to 1.11 each metric lists the pods anew
    )


def _invalid(
    index: int, metric: MetricSpec, problem: Problem, reason: str, wrapped: str, inner: str = ""
) -> InvalidMetric:
    """An invalid metric. The returned error gets the prefixes `inner` and `wrapped`, its event does not."""
    error = problem.text
    for prefix in (inner, wrapped):
        error = f"{prefix}: {error}" if prefix else error
    view = invalid_view(index, metric.type, metric.name, target_of(metric), problem)
    return InvalidMetric(reason=reason, text=problem.text, error=error, view=view)


def invalid_view(index: int, kind: str, name: str, target: tuple[str, int | None], problem: Problem) -> MetricProposal:
    """What is known of a metric that has no proposal. `target` is its type and its amount."""
    return MetricProposal(
        metric_idx=index,
        metric_type=kind,
        metric_name=name,
        target_type=target[0],
        target=target[1],
        current_milli=None,
        current_utilization=None,
        ratio=None,
        ratio_adjusted=None,
        tolerance=None,
        proposal=None,
        valid=False,
        invalid_code=problem.code,
        invalid_text=problem.text,
        adjust_code="",
        inside_tolerance=False,
        ready_pods=None,
        unready_pods=None,
        missing_pods=None,
        ignored_pods=None,
        is_winner=False,
        pods=(),
    )
