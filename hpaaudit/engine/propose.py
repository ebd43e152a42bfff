"""One metric to a number of replicas, or to the problem that makes it invalid."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from hpaaudit.api import selector as selectors
from hpaaudit.api.quantity import from_milli
from hpaaudit.engine import calculate, measure
from hpaaudit.engine.calculate import Count
from hpaaudit.engine.measure import Problem, Sample
from hpaaudit.engine.sight import Sight
from hpaaudit.model.decision import MetricProposal, PodBucket
from hpaaudit.model.facts import ResourceMetricsRead, ValuesRead
from hpaaudit.model.hpa import MetricSpec, MetricStatus, MetricType, ObjectRef
from hpaaudit.model.units import Micros, Milli

_NOBODY = ObjectRef(kind="", name="", api_version="")


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
    target = metric.target
    if target is None or (target.average_value is None and target.average_utilization is None):
        text = (
            "invalid resource metric source: neither an average utilization target "
            "nor an average value (usage) target was set"
        )
        return _refused(index, metric, Problem("metric.invalid.bad_spec", text), reason, wrapped)
    samples = _samples(metric, answer, sight)
    count: Count | Problem
    if target.average_value is not None:
        name, what = f"{metric.name} resource", "usage" if sight.rules.usage_named else "utilization"
        count = (
            samples
            if isinstance(samples, Problem)
            else calculate.plain(samples, target.average_value.milli, metric.name, answer.at_us, sight)
        )
    else:
        container = metric.type == MetricType.CONTAINER_RESOURCE and sight.rules.container_metric_name
        source = "container resource" if container else "resource"
        name, what = f"{metric.name} {source} utilization (percentage of request)", "utilization"
        count = (
            samples
            if isinstance(samples, Problem)
            else calculate.utilization(metric, samples, target.average_utilization or 0, answer.at_us, sight)
        )
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
    return _proposed(index, metric, count, name, status, sight)


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
    if metric.target is None or metric.target.average_value is None:
        text = "invalid pods metric source: no average value target was set"
        return _refused(index, metric, Problem("metric.invalid.bad_spec", text), reason, wrapped)
    read = answer.read if isinstance(answer.read, ValuesRead) else None
    samples = measure.pod_values(read, sight.server)
    if isinstance(samples, Problem):
        return _refused(index, metric, samples.under(f"unable to get metric {metric.name}"), reason, wrapped)
    count = calculate.plain(samples, metric.target.average_value.milli, "", answer.at_us, sight)
    if isinstance(count, Problem):
        return _refused(index, metric, count, reason, wrapped)
    status = _status(metric, average=count.current)
    return _proposed(index, metric, count, f"pods metric {metric.name}", status, sight)


def _object(index: int, metric: MetricSpec, answer: Answer, sight: Sight) -> Proposed | Refused:
    """Object obeys `target.type`, unlike the others."""
    reason, wrapped = "FailedGetObjectMetric", "failed to get object metric value"
    try:
        selectors.from_label_selector(metric.selector)
    except selectors.BadSelector as error:
        return _refused(index, metric, Problem("metric.invalid.bad_spec", sight.rules.told(error)), reason, wrapped)
    target, described = metric.target, metric.described
    read = answer.read if isinstance(answer.read, ValuesRead) else None
    usage = measure.object_value(read, sight.server)
    if isinstance(usage, Problem):
        kind, name = (described.kind, described.name) if described else ("", "")
        text = f"unable to get metric {metric.name}: {kind} on {sight.namespace} {name}/{usage.text}"
        if sight.rules.object_error_in_order:
            text = f"unable to get metric {metric.name} on {kind} {sight.namespace}/{name}: {usage.text}"
        usage = Problem(usage.code, text)
    by_value = target is not None and (target.type == "Value" or not sight.rules.object_average)
    if target is not None and by_value and target.value is not None:
        count = (
            usage if isinstance(usage, Problem) else calculate.value(usage, target.value.milli, sight, external=False)
        )
        if isinstance(count, Problem):
            return _refused(index, metric, count, reason, wrapped)
        status = _status(metric, value=count.current)
        kind = described.kind if described else ""
        return _proposed(index, metric, count, f"{kind} metric {metric.name}", status, sight)
    if target is not None and target.type == "AverageValue" and target.average_value is not None:
        if isinstance(usage, Problem):
            inner = f"failed to get {metric.name} object metric"
            return _refused(index, metric, usage, reason, wrapped, inner)
        tolerant = sight.rules.object_average_tolerance
        count = calculate.per_pod(usage, target.average_value.milli, sight, clamped=False, tolerant=tolerant)
        status = _status(metric, average=count.current)
        if not sight.rules.object_average_described:
            status = replace(status, described=_NOBODY)
        return _proposed(index, metric, count, _external_name(metric, sight), status, sight)
    text = "invalid object metric source: neither a value target nor an average value target was set"
    return _refused(index, metric, Problem("metric.invalid.bad_spec", text), reason, wrapped)


def _external(index: int, metric: MetricSpec, answer: Answer, sight: Sight) -> Proposed | Refused:
    """External: an average value comes before a value, whatever `type` says."""
    reason = "FailedGetExternalMetric"
    wrapped = f"failed to get {metric.name} external metric value" if sight.rules.outer_prefix else ""
    target = metric.target
    average = target is not None and target.average_value is not None
    if target is None or (target.average_value is None and target.value is None):
        text = "invalid external metric source: neither a value target nor an average value target was set"
        return _refused(index, metric, Problem("metric.invalid.bad_spec", text), reason, wrapped)
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
    if target.average_value is not None:
        clamped = sight.rules.external_average_clamped
        total = measure.total_per_pod(values, clamped=clamped)
        count = calculate.per_pod(total, target.average_value.milli, sight, clamped=clamped)
        status = _status(metric, average=count.current)
        return _proposed(index, metric, count, _external_name(metric, sight), status, sight)
    total = measure.total_value(values, clamped=sight.rules.value_clamped)
    valued = calculate.value(total, target.value.milli if target.value else Milli(0), sight, external=True)
    if isinstance(valued, Problem):
        return _refused(index, metric, valued, reason, wrapped, inner)
    status = _status(metric, value=valued.current)
    return _proposed(index, metric, valued, _external_name(metric, sight), status, sight)


def _external_name(metric: MetricSpec, sight: Sight) -> str:
    """Object metrics with an average value are called external as well: upstream's slip."""
    return (
        f"external metric {metric.name}({selectors.go_print(metric.selector, typed=sight.rules.requirements_printed)})"
    )


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


def _target(metric: MetricSpec) -> tuple[str, int | None]:
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


def _proposed(index: int, metric: MetricSpec, count: Count, name: str, status: MetricStatus, sight: Sight) -> Proposed:
    target_type, target = _target(metric)
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
        ready_pods=len(groups.ready) if groups else None,
        unready_pods=len(groups.unready) if groups else None,
        missing_pods=len(groups.missing) if groups else None,
        ignored_pods=len(groups.ignored) if groups else None,
        is_winner=False,
        pods=_buckets(count, sight) if sight.keep_pods else (),
    )
    return Proposed(replicas=count.replicas, name=name, status=status, view=view)


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
    target_type, target = _target(metric)
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
        ready_pods=None,
        unready_pods=None,
        missing_pods=None,
        ignored_pods=None,
        is_winner=False,
        pods=(),
    )
    return Refused(reason=reason, text=problem.text, error=error, view=view)
