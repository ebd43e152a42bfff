"""What Heapster answered, read by a release that asks the metrics APIs."""

import json
from typing import Any

import pytest

from hpaaudit.api.requests import CUSTOM_METRICS, EXTERNAL_METRICS, RESOURCE_METRICS
from hpaaudit.engine.replay.heapster_answers import MODEL_WINDOW_US, as_metrics_read
from hpaaudit.model.facts import HeapsterRead, ResourceMetricsRead, ValuesRead
from hpaaudit.model.metrics import MetricsRequest
from hpaaudit.model.units import Micros

PROXY = "/api/v1/proxy/namespaces/kube-system/services/http:heapster:"
LISTED = f"{PROXY}/apis/metrics/v1alpha1/namespaces/shop/pods?labelSelector=app%3Dweb"
MODEL = f"{PROXY}/api/v1/model/namespaces/shop/pod-list/web-1,web-2/metrics/"
CPU, QPS = f"{MODEL}cpu-usage?start=2026-03-02T14%3A00%3A00Z", f"{MODEL}custom/qps?start=2026-03-02T14%3A00%3A00Z"
AT_2_US = 1_772_460_120_000_000
PODS = [
    {
        "metadata": {"name": "web-1", "namespace": "shop"},
        "timestamp": "2026-03-02T14:02:00Z",
        "window": "30s",
        "containers": [{"name": "app", "usage": {"cpu": "120m"}}],
    }
]


def request(api: str = RESOURCE_METRICS, metric: str = "", *, name: str = "") -> MetricsRequest:
    return MetricsRequest(
        api=api, namespace="shop", resource="pods", object=name, metric=metric, selector="app=web", metric_selector=""
    )


def answer(path: str, body: Any, status: int = 200, error: str = "") -> HeapsterRead:
    text = body if isinstance(body, str) else json.dumps(body)
    return HeapsterRead(
        at_us=Micros(AT_2_US + 5), took_us=Micros(3), namespace="shop", path=path, status=status, error=error, by="c",
        body=text,
    )  # fmt: skip


def point(minute: int, value: int, **more: float) -> dict[str, Any]:
    return {"timestamp": f"2026-03-02T14:{minute:02}:00Z", "value": value, **more}


@pytest.mark.parametrize("body", [{"items": PODS}, PODS], ids=["a list since 1.4", "an array in 1.3"])
def test_the_metrics_api_of_heapster_answers_as_that_of_today(body: Any) -> None:
    read = as_metrics_read(request(), [answer(LISTED, body)])
    assert isinstance(read, ResourceMetricsRead)
    assert read.samples is not None
    (sample,) = read.samples
    assert (sample.pod, sample.timestamp_us, sample.window_us) == ("web-1", AT_2_US, 30_000_000)
    assert sample.containers[0].usage == (("cpu", 120),)
    assert (read.at_us, read.took_us, read.status, read.by) == (AT_2_US + 5, 3, 200, "c")


def test_of_a_series_the_newest_point_counts_and_a_pod_without_one_has_no_sample() -> None:
    body = {"items": [{"metrics": [point(1, 90), point(2, 120), point(0, 70)]}, {"metrics": []}]}
    read = as_metrics_read(request(), [answer(CPU, body)])
    assert isinstance(read, ResourceMetricsRead)
    assert read.samples is not None
    (sample,) = read.samples
    assert (sample.pod, sample.timestamp_us, sample.window_us) == ("web-1", AT_2_US, MODEL_WINDOW_US)
    assert sample.containers[0].usage == (("cpu", 120),)


def test_a_custom_metric_is_a_value_of_each_pod_and_fractions_are_kept() -> None:
    body = {"items": [{"metrics": [point(2, 12)]}, {"metrics": [point(2, 7, floatValue=7.25)]}]}
    reads = [answer(CPU, {"items": []}), answer(QPS, body)]
    read = as_metrics_read(request(CUSTOM_METRICS, "qps", name="*"), reads)
    assert isinstance(read, ValuesRead)
    assert read.values is not None
    assert [(value.object, value.value) for value in read.values] == [("web-1", 12_000), ("web-2", 7_250)]


@pytest.mark.parametrize(
    ("read", "asked"),
    [
        (answer(LISTED, "no", 503, "the server is out"), request()),
        (answer(CPU, "no", 503, "the server is out"), request()),
        (answer(CPU, "tru!"), request()),
        (answer(LISTED, "no JSON"), request()),
        (answer(QPS, "no", 0, "refused"), request(CUSTOM_METRICS, "qps", name="*")),
        (answer(QPS, ""), request(CUSTOM_METRICS, "qps", name="*")),
    ],
)
def test_what_failed_has_no_samples(read: HeapsterRead, asked: MetricsRequest) -> None:
    failed = as_metrics_read(asked, [read])
    assert failed is not None
    assert (failed.samples if isinstance(failed, ResourceMetricsRead) else failed.values) is None
    assert (failed.status, failed.error) == (read.status, read.error)


@pytest.mark.parametrize(
    "asked",
    [
        request(CUSTOM_METRICS, "other", name="*"),
        request(CUSTOM_METRICS, "qps", name="front"),
        request(EXTERNAL_METRICS, "qps"),
    ],
)
def test_what_heapster_was_not_asked_is_unknown(asked: MetricsRequest) -> None:
    assert as_metrics_read(asked, [answer(CPU, {"items": []}), answer(QPS, {"items": []})]) is None
    assert as_metrics_read(request(), [answer(QPS, {"items": []})]) is None
