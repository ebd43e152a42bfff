"""Turns HPA specs into numbers, and resolves their metrics with the selector of the target."""

from dataclasses import dataclass, replace

from hpaaudit.api import selector as selectors
from hpaaudit.api.requests import RESOURCE_METRICS, requests_of, target_by_kind, target_ref
from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.engine.controller.compute_metric import NO_OBJECT
from hpaaudit.engine.controller.limits import as_known, limits_of
from hpaaudit.engine.controller.metric_context import tolerances
from hpaaudit.engine.controller.metric_target import (
    AVERAGE,
    CPU_OF_REQUESTS,
    EXTERNAL_VALUE,
    NOTHING,
    OBJECT_AVERAGE,
    OBJECT_VALUE,
    UTILIZATION,
    amount_of,
    how_of,
)
from hpaaudit.engine.controller.reconcile_state import has_object_or_external
from hpaaudit.engine.controller.remember import longest_us
from hpaaudit.engine.eras.annotation_specs import (
    AskedMetric,
    asked_metrics,
    asks_by_annotation,
    with_asked_metrics,
)
from hpaaudit.engine.fleet.columns.column_codes import (
    BAD_SOURCE,
    FAILED_CONTAINER,
    FAILED_EXTERNAL,
    FAILED_OBJECT,
    FAILED_PODS,
    FAILED_RESOURCE,
    KEPT,
)
from hpaaudit.engine.fleet.input.heapster_samples import heapster_request
from hpaaudit.engine.fleet.input.ids import Ids
from hpaaudit.engine.fleet.input.statuses import StatusKey, status_key_of
from hpaaudit.engine.replay.cluster_state import whole_namespace
from hpaaudit.engine.replay.unseen_memory import expiry_ages_us, longest_window_us
from hpaaudit.engine.rules.limit import Policies
from hpaaudit.engine.rules.stabilize import Windows
from hpaaudit.model.facts import TargetRef
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Hpa, MetricSpec, MetricType
from hpaaudit.model.metrics import MetricsRequest

_REASONS = {
    MetricType.RESOURCE: FAILED_RESOURCE,
    MetricType.CONTAINER_RESOURCE: FAILED_CONTAINER,
    MetricType.PODS: FAILED_PODS,
    MetricType.OBJECT: FAILED_OBJECT,
    MetricType.EXTERNAL: FAILED_EXTERNAL,
}

CPU_OF_PODS = ("cpu", "")
"""The quantity that 1.1 to 1.5 measure: the cpu of all containers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedMetric:
    """A metric whose requests are known, because the target's selector is.

    fallback       the request for the whole namespace, which serves it before the first answer of its own
    turn, uses     of the `uses` metrics of the spec that make the same request it is number `turn`
    request_rank   number of its request among the distinct ones, -1 without a request
    status_key     what its entry of currentMetrics shows besides the numbers
    """

    how: int
    reason: int
    target: int
    is_cpu: bool
    quantity: int
    request: MetricsRequest | None
    fallback: MetricsRequest | None
    turn: int
    uses: int
    request_rank: int
    status_key: StatusKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A spec as numbers, as far as they do not depend on the selector of the target."""

    hpa: Hpa
    target: TargetRef
    minimum: int
    has_minimum: bool
    maximum: int
    rises_from_zero: bool
    has_behavior: bool
    windows: Windows
    up_longest_us: int
    down_longest_us: int
    up: Policies
    down: Policies
    tolerance_down: float
    tolerance_up: float
    longest_window_us: int
    expiry_ages_us: tuple[int, ...]


def spec_of(hpa: Hpa, flags: Flags, behaviours: Behaviours) -> Spec:
    """A spec as numbers, for a controller with these flags."""
    if asks_by_annotation(behaviours):
        hpa = with_asked_metrics(hpa, behaviours)
    hpa = as_known(hpa, flags)
    behavior = hpa.spec.behavior
    down, up = tolerances(hpa, flags, behaviours)
    limits = limits_of(hpa, 1 if hpa.spec.min_replicas is None else hpa.spec.min_replicas, flags)
    return Spec(
        hpa=hpa,
        target=(target_ref if behaviours.scale_client else target_by_kind)(hpa.namespace, hpa.spec.target),
        minimum=limits.minimum,
        has_minimum=hpa.spec.min_replicas is not None,
        maximum=limits.maximum,
        rises_from_zero=has_object_or_external(hpa),
        has_behavior=limits.has_behavior,
        windows=limits.windows,
        up_longest_us=longest_us(behavior.scale_up if behavior else None),
        down_longest_us=longest_us(behavior.scale_down if behavior else None),
        up=limits.up,
        down=limits.down,
        tolerance_down=down,
        tolerance_up=up,
        longest_window_us=longest_window_us(behavior, flags),
        expiry_ages_us=tuple(expiry_ages_us(behavior, flags)),
    )


def quantity_of(metric: MetricSpec) -> tuple[str, str]:
    """The resource and the container that a metric measures; without a container, all of them together."""
    container = metric.container if metric.type == MetricType.CONTAINER_RESOURCE else ""
    return metric.name, container


def resolved_metrics(
    hpa: Hpa, selector: str, behaviours: Behaviours, quantities: Ids[tuple[str, str]], *, uses_heapster: bool = False
) -> list[ResolvedMetric]:
    """The metrics of an HPA whose scale has this selector, which is valid."""
    if asks_by_annotation(behaviours):
        return [_asked(asked, quantities) for asked in asked_metrics(hpa, behaviours)]
    read = selectors.scale_selector if behaviours.scale_client else selectors.parse
    requests = requests_of(hpa, str(read(selector)))
    if uses_heapster:
        asked = zip(hpa.spec.metrics, requests, strict=True)
        requests = tuple(_of_heapster(metric, request, behaviours) for metric, request in asked)
    turns: dict[MetricsRequest, int] = {}
    resolved = []
    for metric, request in zip(hpa.spec.metrics, requests, strict=True):
        turn = 0
        if request is not None:
            turn = turns[request] = turns.get(request, -1) + 1
        how = _computable(metric, behaviours)
        reason = _REASONS.get(MetricType(metric.type), BAD_SOURCE) if metric.type in set(MetricType) else BAD_SOURCE
        if (metric.type == MetricType.EXTERNAL and not behaviours.external_metrics) or (
            metric.type == MetricType.CONTAINER_RESOURCE and not behaviours.container_resource_metrics
        ):
            how, reason = NOTHING, BAD_SOURCE
        elif metric.type == MetricType.CONTAINER_RESOURCE and not behaviours.container_metrics:
            how, reason = NOTHING, KEPT
        resource = how in (UTILIZATION, AVERAGE)
        whole = None
        if request is not None and request.api == RESOURCE_METRICS and request.selector:
            whole = whole_namespace(request)
        resolved.append(
            ResolvedMetric(
                how=how,
                reason=reason,
                target=amount_of(metric, how),
                is_cpu=resource and metric.name == "cpu",
                quantity=quantities.of(quantity_of(metric)) if resource else 0,
                request=request,
                fallback=whole,
                turn=turn,
                uses=0 if request is None else requests.count(request),
                request_rank=-1 if request is None else list(turns).index(request),
                status_key=_status_key(metric, how, behaviours),
            )
        )
    return resolved


def _asked(asked: AskedMetric, quantities: Ids[tuple[str, str]]) -> ResolvedMetric:
    """A metric of 1.1 to 1.5. What answers it is not found by its request."""
    return ResolvedMetric(
        how=asked.how,
        reason=KEPT,
        target=asked.target,
        is_cpu=asked.how == CPU_OF_REQUESTS,
        quantity=quantities.of(CPU_OF_PODS),
        request=None,
        fallback=None,
        turn=0,
        uses=0,
        request_rank=-1,
        status_key=status_key_of(asked.metric, value=False, average=False, percent=False),
    )


def _of_heapster(metric: MetricSpec, request: MetricsRequest | None, behaviours: Behaviours) -> MetricsRequest | None:
    """The request to Heapster for a resource metric. For a target that says nothing the controller makes none."""
    if request is None or request.api != RESOURCE_METRICS:
        return request
    if _computable(metric, behaviours) == NOTHING:
        return None
    return heapster_request(request.namespace, request.selector)


def _status_key(metric: MetricSpec, how: int, behaviours: Behaviours) -> StatusKey:
    """What the entry of currentMetrics shows of a valid metric besides its numbers.

    As `controller.compute_metric` makes it and, before 1.23, `api.v1` reads it back.
    """
    valued = how in (OBJECT_VALUE, EXTERNAL_VALUE)
    always = metric.type in (MetricType.OBJECT, MetricType.EXTERNAL) and not behaviours.reads_v2
    if how == OBJECT_AVERAGE and not behaviours.object_average_described:
        metric = replace(metric, described=NO_OBJECT)
    return status_key_of(metric, value=valued or always, average=not valued, percent=how == UTILIZATION)


def _computable(metric: MetricSpec, behaviours: Behaviours) -> int:
    """How a metric is computed, NOTHING also if its own selector is not valid."""
    try:
        selectors.from_label_selector(metric.selector)
    except selectors.BadSelector:
        return NOTHING
    return how_of(metric, behaviours)
