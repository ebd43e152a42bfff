"""Specs and selectors to terms: everything that an HPA asks for, as numbers."""

from dataclasses import dataclass, replace

from hpaaudit.api import selector as selectors
from hpaaudit.api.requests import RESOURCE_METRICS, requests_of, target_ref
from hpaaudit.engine.behaviours.table import Rules
from hpaaudit.engine.controller.compute_metric import NOBODY
from hpaaudit.engine.controller.limits import limits_of
from hpaaudit.engine.controller.metric_context import tolerances
from hpaaudit.engine.controller.metric_target import (
    AVERAGE,
    EXTERNAL_VALUE,
    NOTHING,
    OBJECT_AVERAGE,
    OBJECT_VALUE,
    UTILIZATION,
    amount_of,
    how_of,
)
from hpaaudit.engine.controller.outcome import has_object_or_external
from hpaaudit.engine.controller.remember import longest_us
from hpaaudit.engine.fleet.columns.codes import (
    BAD_SOURCE,
    FAILED_CONTAINER,
    FAILED_EXTERNAL,
    FAILED_OBJECT,
    FAILED_PODS,
    FAILED_RESOURCE,
    KEPT,
)
from hpaaudit.engine.fleet.input.ids import Ids
from hpaaudit.engine.fleet.input.statuses import Shown, shown_of
from hpaaudit.engine.replay.cluster_state import whole_namespace
from hpaaudit.engine.replay.unseen_memory import edges_us, longest_window_us
from hpaaudit.engine.rules.limit import Policies
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One metric of the terms; `request` and `fallback` are None where there is none.

    rank    of its request among the distinct ones, -1 without;  shown   what its entry of currentMetrics shows
    """

    how: int
    reason: int
    target: int
    cpu: bool
    quantity: int
    request: MetricsRequest | None
    fallback: MetricsRequest | None
    turn: int
    uses: int
    rank: int
    shown: Shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A spec without its selector: what the kernel's `Terms` have of it."""

    hpa: Hpa
    target: TargetRef
    minimum: int
    maximum: int
    rises_at_zero: bool
    behavior: bool
    up_window_us: int
    down_window_us: int
    up_longest_us: int
    down_longest_us: int
    up: Policies
    down: Policies
    tolerance_down: float
    tolerance_up: float
    longest_us: int
    edges: tuple[int, ...]


def spec_of(hpa: Hpa, flags: Flags, rules: Rules) -> Spec:
    """A spec as numbers, under these flags."""
    behavior = hpa.spec.behavior
    down, up = tolerances(hpa, flags, rules)
    limits = limits_of(hpa, 1 if hpa.spec.min_replicas is None else hpa.spec.min_replicas, flags)
    return Spec(
        hpa=hpa,
        target=target_ref(hpa.namespace, hpa.spec.target),
        minimum=limits.minimum,
        maximum=limits.maximum,
        rises_at_zero=has_object_or_external(hpa),
        behavior=limits.behaves,
        up_window_us=limits.up_window_us,
        down_window_us=limits.down_window_us,
        up_longest_us=longest_us(behavior.scale_up if behavior else None),
        down_longest_us=longest_us(behavior.scale_down if behavior else None),
        up=limits.up,
        down=limits.down,
        tolerance_down=down,
        tolerance_up=up,
        longest_us=longest_window_us(behavior, flags),
        edges=tuple(edges_us(behavior, flags)),
    )


def quantity_of(metric: MetricSpec) -> tuple[str, str]:
    """The resource and the container that a metric measures, the container empty where all count."""
    container = metric.container if metric.type == MetricType.CONTAINER_RESOURCE else ""
    return metric.name, container


def asked_of(hpa: Hpa, selector: str, rules: Rules, quantities: Ids[tuple[str, str]]) -> list[Asked]:
    """The metrics of an HPA while its scale has this selector, which is valid."""
    wanted = requests_of(hpa, str(selectors.scale_selector(selector)))
    turns: dict[MetricsRequest, int] = {}
    found = []
    for metric, request in zip(hpa.spec.metrics, wanted, strict=True):
        turn = 0
        if request is not None:
            turn = turns[request] = turns.get(request, -1) + 1
        how = _computable(metric, rules)
        reason = _REASONS.get(MetricType(metric.type), BAD_SOURCE) if metric.type in set(MetricType) else BAD_SOURCE
        if metric.type == MetricType.CONTAINER_RESOURCE and not rules.container_metrics:
            how, reason = NOTHING, KEPT
        resource = how in (UTILIZATION, AVERAGE)
        whole = None
        if request is not None and request.api == RESOURCE_METRICS and request.selector:
            whole = whole_namespace(request)
        found.append(
            Asked(
                how=how,
                reason=reason,
                target=amount_of(metric, how),
                cpu=resource and metric.name == "cpu",
                quantity=quantities.of(quantity_of(metric)) if resource else 0,
                request=request,
                fallback=whole,
                turn=turn,
                uses=0 if request is None else wanted.count(request),
                rank=-1 if request is None else list(turns).index(request),
                shown=_shown(metric, how, rules),
            )
        )
    return found


def _shown(metric: MetricSpec, how: int, rules: Rules) -> Shown:
    """What the entry of currentMetrics shows of a metric that is valid; as `engine.propose`, read back as `api.v1`."""
    valued = how in (OBJECT_VALUE, EXTERNAL_VALUE)
    always = metric.type in (MetricType.OBJECT, MetricType.EXTERNAL) and not rules.reads_v2
    if how == OBJECT_AVERAGE and not rules.object_average_described:
        metric = replace(metric, described=NOBODY)
    return shown_of(metric, value=valued or always, average=not valued, percent=how == UTILIZATION)


def _computable(metric: MetricSpec, rules: Rules) -> int:
    """How a metric is computed, NOTHING as well where its own selector is not valid."""
    try:
        selectors.from_label_selector(metric.selector)
    except selectors.BadSelector:
        return NOTHING
    return how_of(metric, rules)
