"""What people call each metric of an HPA: its name, and what tells it from others of that name."""

from collections import Counter
from collections.abc import Sequence

from hpaaudit.api.selector import BadSelector, from_label_selector, go_print
from hpaaudit.model.hpa import LabelSelector, MetricSpec, MetricType


def metric_labels(metrics: Sequence[MetricSpec]) -> tuple[str, ...]:
    """The label of each entry of `spec.metrics`; no two are the same.

    A resource of a container names the container: `cpu of app`. Others say more than their name only where another one
    has it too: `queue{name=orders}`, `requests of Ingress main`, and last its place in the spec: `queue (metric 2)`.
    """
    labels = [_of_container(metric) for metric in metrics]
    labels = _where_repeated(labels, [_with_source(metric) for metric in metrics])
    while len(set(labels)) < len(labels):
        labels = _where_repeated(labels, [f"{label} (metric {place})" for place, label in enumerate(labels, 1)])
    return tuple(labels)


def _where_repeated(labels: Sequence[str], longer: Sequence[str]) -> list[str]:
    counts = Counter(labels)
    return [more if counts[label] > 1 else label for label, more in zip(labels, longer, strict=True)]


def _of_container(metric: MetricSpec) -> str:
    return f"{metric.name} of {metric.container}" if metric.type == MetricType.CONTAINER_RESOURCE else metric.name


def _with_source(metric: MetricSpec) -> str:
    """The name with the object and the selector from which its values come."""
    of_object = f" of {metric.described.kind} {metric.described.name}" if metric.described is not None else ""
    selector = _text_of(metric.selector)
    return _of_container(metric) + (f"{{{selector}}}" if selector else "") + of_object


def _text_of(selector: LabelSelector | None) -> str:
    try:
        return str(from_label_selector(selector)) if selector is not None else ""
    except BadSelector:
        return go_print(selector)
