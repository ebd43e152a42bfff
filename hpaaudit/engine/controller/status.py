"""The status of an HPA: sets and removes conditions, and compares statuses."""

from collections.abc import Iterable
from dataclasses import replace

from hpaaudit.model.hpa import Condition, HpaStatus, MetricStatus
from hpaaudit.model.units import Micros, Quantity


def with_condition(
    conditions: tuple[Condition, ...], kind: str, status: str, reason: str, message: str, now_us: Micros
) -> tuple[Condition, ...]:
    """The conditions with this one set. Its transition time changes only if its status does.

    A condition that exists keeps its place, a new one is appended. Upstream: `setConditionInList`.
    """
    for index, old in enumerate(conditions):
        if old.type == kind:
            since = old.last_transition_us if old.status == status else now_us
            new = replace(old, status=status, reason=reason, message=message, last_transition_us=since)
            return (*conditions[:index], new, *conditions[index + 1 :])
    new = Condition(type=kind, status=status, reason=reason, message=message, last_transition_us=now_us)
    return (*conditions, new)


def without_condition(conditions: tuple[Condition, ...], kind: str) -> tuple[Condition, ...]:
    """The conditions without those of this type. Upstream: `removeCondition`."""
    return tuple(condition for condition in conditions if condition.type != kind)


def condition_of(conditions: Iterable[Condition], kind: str) -> Condition | None:
    """The condition of this type, None without one."""
    return next((condition for condition in conditions if condition.type == kind), None)


def same_status(status: HpaStatus, other: HpaStatus) -> bool:
    """True if two statuses mean the same: quantities by value, times by instant, None like empty."""
    return (
        status.observed_generation == other.observed_generation
        and status.last_scale_us == other.last_scale_us
        and status.current_replicas == other.current_replicas
        and status.desired_replicas == other.desired_replicas
        and status.conditions == other.conditions
        and status.custom_metrics == other.custom_metrics
        and same_metrics(status, other)
    )


def same_metrics(status: HpaStatus, other: HpaStatus) -> bool:
    """True if two statuses have equal currentMetrics, quantities compared by value."""
    return _metrics(status) == _metrics(other)


def _metrics(status: HpaStatus) -> list[tuple[object, ...]]:
    return [_comparable(metric) for metric in status.current_metrics or ()]


def _comparable(metric: MetricStatus) -> tuple[object, ...]:
    return (
        metric.type,
        metric.name,
        metric.container,
        metric.selector,
        metric.described,
        _value(metric.value),
        _value(metric.average_value),
        metric.average_utilization,
    )


def _value(quantity: Quantity | None) -> int | None:
    return None if quantity is None else quantity.nano
