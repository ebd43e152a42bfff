"""What people call each metric of an HPA says which one it is."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.api.metric_labels import metric_labels
from hpaaudit.model.hpa import LabelSelector, MetricSpec, MetricType, ObjectRef, Requirement


def metric(
    name: str, kind: str = MetricType.EXTERNAL, container: str = "", of: str = "", queue: str = ""
) -> MetricSpec:
    described = ObjectRef(kind="Ingress", name=of, api_version="v1") if of else None
    selector = LabelSelector(match_labels=(("name", queue),), match_expressions=()) if queue else None
    return MetricSpec(type=kind, name=name, container=container, selector=selector, described=described, target=None)


CPU = metric("cpu", MetricType.RESOURCE)
APP, PROXY = (metric("cpu", MetricType.CONTAINER_RESOURCE, container) for container in ("app", "proxy"))
ORDERS, MAILS = metric("queue", queue="orders"), metric("queue", queue="mails")
MAIN, SIDE = (metric("requests", MetricType.OBJECT, of=name) for name in ("main", "side"))


@pytest.mark.parametrize(
    ("metrics", "labels"),
    [
        ([CPU, metric("memory", MetricType.RESOURCE)], ("cpu", "memory")),
        ([APP], ("cpu of app",)),
        ([CPU, APP, PROXY], ("cpu", "cpu of app", "cpu of proxy")),
        ([ORDERS, CPU], ("queue", "cpu")),
        ([ORDERS, MAILS], ("queue{name=orders}", "queue{name=mails}")),
        ([MAIN, SIDE], ("requests of Ingress main", "requests of Ingress side")),
        ([ORDERS, metric("queue")], ("queue{name=orders}", "queue")),
        ([ORDERS, CPU, ORDERS], ("queue{name=orders} (metric 1)", "cpu", "queue{name=orders} (metric 3)")),
        ([CPU, CPU], ("cpu (metric 1)", "cpu (metric 2)")),
        ([], ()),
    ],
)
def test_a_metric_is_called_by_its_name_and_by_what_tells_it_from_others(
    metrics: list[MetricSpec], labels: tuple[str, ...]
) -> None:
    assert metric_labels(metrics) == labels


def test_a_selector_that_kubernetes_refuses_has_a_text_too() -> None:
    expressions = (Requirement(key="name", operator="Near", values=("orders",)),)
    odd = replace(metric("queue"), selector=LabelSelector(match_labels=(), match_expressions=expressions))
    first, second = metric_labels([odd, ORDERS])
    assert first.startswith("queue{")
    assert "Operator:Near" in first
    assert second == "queue{name=orders}"


NAMES = st.sampled_from(["cpu", "queue", "queue (metric 1)", "queue (metric 2)", "cpu of app", "queue{name=orders}"])
METRICS = st.lists(st.one_of(st.sampled_from([CPU, APP, PROXY, ORDERS, MAILS, MAIN]), NAMES.map(metric)), max_size=6)


@given(METRICS)
def test_no_two_metrics_of_an_hpa_are_called_the_same(metrics: list[MetricSpec]) -> None:
    labels = metric_labels(metrics)
    assert len(set(labels)) == len(labels) == len(metrics)
    assert all(label.startswith(one.name) for label, one in zip(labels, metrics, strict=True))
