"""One metric to a number of replicas, or to the problem that makes it invalid."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from hpaaudit.api import selector as selectors
from hpaaudit.api.quantity import from_milli
from hpaaudit.engine.controller import metrics_client as measure
from hpaaudit.engine.controller import replica_calculator as calculate
from hpaaudit.engine.controller.metric_context import Sight
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
from hpaaudit.engine.controller.replica_calculator import Count
from hpaaudit.model.decision import MetricProposal, PodBucket
from hpaaudit.model.facts import ResourceMetricsRead, ValuesRead
from hpaaudit.model.hpa import MetricSpec, MetricStatus, MetricType, ObjectRef
from hpaaudit.model.units import Micros, Milli

NOBODY = ObjectRef(kind="", name="", api_version="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one metric saw, and when."""

    read: ResourceMetricsRead | ValuesRead | None
    at_us: Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """A valid metric: its proposal, its name in messages, what status says of it."""

    replicas: int
    name: str
    status: MetricStatus
    view: MetricProposal


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """An invalid metric: reason and text of its event and condition, the error on its way up."""

    reason: str
    text: str
    error: str
    view: MetricProposal


def propose(index: int, metric: MetricSpec, answer: Answer, sight: Sight) -> Proposed | Refused:
    """One entry of `spec.metrics`, as `computeReplicasForMetric`, 1.36."""
    match metric.type:
        case MetricType.RESOURCE:
            return _resource(index, metric, answer, sight, "FailedGetResourceMetric", f"{metric.name} resource")
        case MetricType.CONTAINER_RESOURCE if not sight.rules.container_metrics:
            # Upstream says so to nobody: no event, and a condition without a name.
            text = "ContainerResource metric type is not supported: disabled by the feature gate"
            return _refused(index, metric, Problem("metric.invalid.bad_spec", text), "", "")
        case MetricType.CONTAINER_RESOURCE:
            return _resource(
                index, metric, answer, sight, "FailedGetContainerResourceMetric", f"{metric.container} container"
            )
        case MetricType.PODS:
            return _pods(index, metric, answer, sight)
        case MetricType.OBJECT:
            return _object(index, metric, answer, sight)
        case MetricType.EXTERNAL:
            return _external(index, metric, answer, sight)
    text = f'unknown metric source type "{metric.type}"'
    problem = Problem("metric.invalid.bad_spec", text)
    return _refused(index, metric, problem, "InvalidMetricSourceType", "")


def _resource(
    index: int, metric: MetricSpec, answer: Answer, sight: Sight, reason: str, wrap: str
) -> Proposed | Refused:
    """Resource and ContainerResource: an average value comes before a utilization, whatever `type` says."""
    wrapped = f"failed to get {wrap} metric value" if sight.rules.outer_prefix else ""
    how = how_of(metric, sight.rules)
    if how == NOTHING:
        text = (
            "invalid resource metric source: neither an average utilization target "
            "nor an average value (usage) target was set"
        )
        return _refused(index, metric, Problem("metric.invalid.bad_spec", text), reason, wrapped)
    samples = _samples(metric, answer, sight)
    count: Count | Problem
    amount = amount_of(metric, how)
    what = "usage" if how == AVERAGE and sight.rules.usage_named else "utilization"
    if isinstance(samples, Problem):
        count = samples
    elif how == AVERAGE:
        count = calculate.plain(samples, Milli(amount), metric.name, answer.at_us, sight)
    else:
        count = calculate.utilization(metric, samples, amount, answer.at_us, sight)
    if isinstance(count, Problem):
        what = f"failed to get {metric.name} {what}"
        if sight.rules.prefixed_resource_error:
            return _refused(index, metric, count.under(what), reason, wrapped)
        return _refused(index, metric, count, reason, what)
    status = _status(
        metric,
        average=count.current,
        utilization=count.utilization,
        binary=sight.rules.binary_memory and metric.name == "memory",
    )
    return _proposed(index, metric, how, count, status, sight)


def _samples(metric: MetricSpec, answer: Answer, sight: Sight) -> Mapping[str, Sample] | Problem:
    """The samples of a resource; of a whole namespace's answer only those of the selected pods."""
    read = answer.read if isinstance(answer.read, ResourceMetricsRead) else None
    everything = read is not None and read.request.selector == "" and sight.scale.selector != ""
    found = measure.pod_resource(
        read,
        metric.name,
        metric.container,
        sight.names if everything else None,
        sight.server,
        lenient=sight.rules.missing_container_is_missing_pod,
    )
    return found.under(f"unable to get metrics for resource {metric.name}") if isinstance(found, Problem) else found


def _pods(index: int, metric: MetricSpec, answer: Answer, sight: Sight) -> Proposed | Refused:
    reason, wrapped = "FailedGetPodsMetric", "failed to get pods metric value"
    try:
        selectors.from_label_selector(metric.selector)
    except selectors.BadSelector as error:
        return _refused(index, metric, Problem("metric.invalid.bad_spec", sight.rules.told(error)), reason, wrapped)
    if not sight.rules.pods_error_named:
        wrapped = "failed to get object metric value"
    how = how_of(metric, sight.rules)
    if how == NOTHING:
        text = "invalid pods metric source: no average value target was set"
        return _refused(index, metric, Problem("metric.invalid.bad_spec", text), reason, wrapped)
    read = answer.read if isinstance(answer.read, ValuesRead) else None
    samples = measure.pod_values(read, sight.server)
    if isinstance(samples, Problem):
        return _refused(index, metric, samples.under(f"unable to get metric {metric.name}"), reason, wrapped)
    count = calculate.plain(samples, Milli(amount_of(metric, how)), "", answer.at_us, sight)
    if isinstance(count, Problem):
        return _refused(index, metric, count, reason, wrapped)
    status = _status(metric, average=count.current)
    return _proposed(index, metric, how, count, status, sight)


def _object(index: int, metric: MetricSpec, answer: Answer, sight: Sight) -> Proposed | Refused:
    """Object obeys `target.type`, unlike the others."""
    reason, wrapped = "FailedGetObjectMetric", "failed to get object metric value"
    try:
        selectors.from_label_selector(metric.selector)
    except selectors.BadSelector as error:
        return _refused(index, metric, Problem("metric.invalid.bad_spec", sight.rules.told(error)), reason, wrapped)
    described, how = metric.described, how_of(metric, sight.rules)
    read = answer.read if isinstance(answer.read, ValuesRead) else None
    usage = measure.object_value(read, sight.server)
    if isinstance(usage, Problem):
        kind, name = (described.kind, described.name) if described else ("", "")
        text = f"unable to get metric {metric.name}: {kind} on {sight.namespace} {name}/{usage.text}"
        if sight.rules.object_error_in_order:
            text = f"unable to get metric {metric.name} on {kind} {sight.namespace}/{name}: {usage.text}"
        usage = Problem(usage.code, text)
    if how == NOTHING:
        text = "invalid object metric source: neither a value target nor an average value target was set"
        return _refused(index, metric, Problem("metric.invalid.bad_spec", text), reason, wrapped)
    if isinstance(usage, Problem):
        inner = f"failed to get {metric.name} object metric" if how == OBJECT_AVERAGE else ""
        return _refused(index, metric, usage, reason, wrapped, inner)
    amount = Milli(amount_of(metric, how))
    if how == OBJECT_VALUE:
        valued = calculate.value(usage, amount, sight, external=False)
        if isinstance(valued, Problem):
            return _refused(index, metric, valued, reason, wrapped)
        return _proposed(index, metric, how, valued, _status(metric, value=valued.current), sight)
    count = calculate.per_pod(usage, amount, sight, external=False)
    status = _status(metric, average=count.current)
    if not sight.rules.object_average_described:
        status = replace(status, described=NOBODY)
    return _proposed(index, metric, how, count, status, sight)


def _external(index: int, metric: MetricSpec, answer: Answer, sight: Sight) -> Proposed | Refused:
    """External: an average value comes before a value, whatever `type` says."""
    reason = "FailedGetExternalMetric"
    wrapped = f"failed to get {metric.name} external metric value" if sight.rules.outer_prefix else ""
    how = how_of(metric, sight.rules)
    if how == NOTHING:
        text = "invalid external metric source: neither a value target nor an average value target was set"
        return _refused(index, metric, Problem("metric.invalid.bad_spec", text), reason, wrapped)
    average = how == EXTERNAL_AVERAGE
    inner = (
        f"failed to get {metric.name} external metric" if average else f"failed to get external metric {metric.name}"
    )
    try:
        selectors.from_label_selector(metric.selector)
    except selectors.BadSelector as error:
        return _refused(
            index, metric, Problem("metric.invalid.bad_spec", sight.rules.told(error)), reason, wrapped, inner
        )
    read = answer.read if isinstance(answer.read, ValuesRead) else None
    values = measure.series_values(read, sight.server)
    if isinstance(values, Problem):
        printed = selectors.go_print(metric.selector, typed=sight.rules.requirements_printed)
        where = f"unable to get external metric {sight.namespace}/{metric.name}/{printed}"
        return _refused(index, metric, values.under(where), reason, wrapped, inner)
    amount = Milli(amount_of(metric, how))
    if average:
        clamped = sight.rules.external_average_clamped
        count = calculate.per_pod(measure.total_per_pod(values, clamped=clamped), amount, sight, external=True)
        return _proposed(index, metric, how, count, _status(metric, average=count.current), sight)
    total = measure.total_value(values, clamped=sight.rules.value_clamped)
    valued = calculate.value(total, amount, sight, external=True)
    if isinstance(valued, Problem):
        return _refused(index, metric, valued, reason, wrapped, inner)
    return _proposed(index, metric, how, valued, _status(metric, value=valued.current), sight)


def _status(
    metric: MetricSpec,
    *,
    value: Milli | None = None,
    average: Milli | None = None,
    utilization: int | None = None,
    binary: bool = False,
) -> MetricStatus:
    """The entry of `status.currentMetrics`; memory is published in powers of 1024 (1.34)."""
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
    """Which target counted, in milli or percent."""
    target = metric.target
    if target is None:
        return "", None
    by_type = metric.type == MetricType.OBJECT and target.type == "Value"
    if target.average_value is not None and not by_type:
        return "AverageValue", target.average_value.milli
    if target.average_utilization is not None:
        return "Utilization", target.average_utilization
    return "Value", None if target.value is None else target.value.milli


def _proposed(index: int, metric: MetricSpec, how: int, count: Count, status: MetricStatus, sight: Sight) -> Proposed:
    target_type, target = target_of(metric)
    groups = count.groups
    view = MetricProposal(
        metric_idx=index,
        metric_type=metric.type,
        metric_name=metric.name,
        target_type=target_type,
        target=target,
        current_milli=count.current,
        current_utilization=count.utilization,
        ratio=count.ratio,
        ratio_adjusted=count.adjusted,
        tolerance=sight.up if count.ratio > 1.0 else sight.down,
        proposal=count.replicas,
        valid=True,
        invalid_code="",
        invalid_text="",
        adjust_code=count.adjust_code,
        inside_tolerance=count.inside,
        ready_pods=len(groups.ready) if groups else None,
        unready_pods=len(groups.unready) if groups else None,
        missing_pods=len(groups.missing) if groups else None,
        ignored_pods=len(groups.ignored) if groups else None,
        is_winner=False,
        pods=_buckets(count, sight) if sight.keep_pods else (),
    )
    return Proposed(replicas=count.replicas, name=name_of(metric, how, sight.rules), status=status, view=view)


def _buckets(count: Count, sight: Sight) -> tuple[PodBucket, ...]:
    if count.groups is None:
        return ()
    bucket = {
        name: kind
        for kind, names in (
            ("ready", count.groups.ready),
            ("unready", count.groups.unready),
            ("missing", count.groups.missing),
            ("ignored", count.groups.ignored),
        )
        for name in names
    }
    samples, asked = count.samples or {}, count.requests or {}
    return tuple(
        PodBucket(
            pod=pod.name,
            uid=pod.uid,
            bucket=bucket[pod.name],
            why_code=count.groups.why[pod.name],
            value=samples[pod.name].value if pod.name in samples else None,
            request=asked.get(pod.name),
        )
        for pod in sight.pods
    )


def _refused(index: int, metric: MetricSpec, problem: Problem, reason: str, wrapped: str, inner: str = "") -> Refused:
    """`inner` and `wrapped` are the prefixes that the error gets on its way up, and its event does not."""
    target_type, target = target_of(metric)
    error = problem.text
    for prefix in (inner, wrapped):
        error = f"{prefix}: {error}" if prefix else error
    view = MetricProposal(
        metric_idx=index,
        metric_type=metric.type,
        metric_name=metric.name,
        target_type=target_type,
        target=target,
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
    return Refused(reason=reason, text=problem.text, error=error, view=view)
