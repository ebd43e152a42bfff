"""The target of a metric: how the metric is computed, against which amount, and what messages call it."""

from hpaaudit.api import selector as selectors
from hpaaudit.engine.behaviours.in_force import Behaviours
from hpaaudit.model.hpa import MetricSpec, MetricType

NOTHING = 0
UTILIZATION = 1
AVERAGE = 2
POD_VALUES = 3
OBJECT_VALUE = 4
OBJECT_AVERAGE = 5
EXTERNAL_VALUE = 6
EXTERNAL_AVERAGE = 7

# Of 1.1 to 1.5: CPU, a metric of the annotation, an annotation that cannot be read, and one without metrics.
CPU_OF_REQUESTS = 8
CUSTOM_AVERAGE = 9
BAD_ANNOTATION = 10
EMPTY_ANNOTATION = 11


def how_of(metric: MetricSpec, behaviours: Behaviours) -> int:  # noqa: PLR0911 (one return for each kind of target)
    """How a metric is computed, NOTHING if its target does not say.

    For Resource, ContainerResource and External an average value comes first, whatever `type` is. Object obeys `type`.
    """
    target = metric.target
    if target is None:
        return NOTHING
    match metric.type:
        case MetricType.RESOURCE | MetricType.CONTAINER_RESOURCE if target.average_value is not None:
            return AVERAGE
        case MetricType.RESOURCE | MetricType.CONTAINER_RESOURCE if target.average_utilization is not None:
            return UTILIZATION
        case MetricType.PODS if target.average_value is not None:
            return POD_VALUES
        case MetricType.OBJECT if target.value is not None and (
            target.type == "Value" or not behaviours.object_average
        ):
            return OBJECT_VALUE
        case MetricType.OBJECT if target.type == "AverageValue" and target.average_value is not None:
            return OBJECT_AVERAGE
        case MetricType.EXTERNAL if target.average_value is not None:
            return EXTERNAL_AVERAGE
        case MetricType.EXTERNAL if target.value is not None:
            return EXTERNAL_VALUE
    return NOTHING


def amount_of(metric: MetricSpec, how: int) -> int:
    """The target in milli, or in percent of the requests."""
    target = metric.target
    if target is None or how == NOTHING:
        return 0
    if how == UTILIZATION:
        return target.average_utilization or 0
    quantity = target.value if how in (OBJECT_VALUE, EXTERNAL_VALUE) else target.average_value
    return 0 if quantity is None else int(quantity.milli)


def name_of(metric: MetricSpec, how: int, behaviours: Behaviours) -> str:
    """What messages call a metric. An Object metric with an average is called external, which is upstream's mistake."""
    if how == AVERAGE:
        return f"{metric.name} resource"
    if how == UTILIZATION:
        container = metric.type == MetricType.CONTAINER_RESOURCE and behaviours.container_metric_name
        source = "container resource" if container else "resource"
        return f"{metric.name} {source} utilization (percentage of request)"
    if how == POD_VALUES:
        return f"pods metric {metric.name}"
    if how == OBJECT_VALUE:
        return f"{metric.described.kind if metric.described else ''} metric {metric.name}"
    printed = selectors.go_print(metric.selector, typed=behaviours.requirements_printed)
    return f"external metric {metric.name}({printed})"
