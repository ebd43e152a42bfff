"""What Heapster answered somebody else, as the controller would have got it."""

import json
from typing import Any

import pytest

from hpaaudit.engine.controller.observed_heapster import RESOURCES, Question, observed
from hpaaudit.model.facts import HeapsterRead
from hpaaudit.model.units import Micros

PROXY = "/api/v1/namespaces/kube-system/services/http:heapster:/proxy"
NOW_US = Micros(1_772_460_600_000_000)  # 2026-03-02T14:10:00Z


def read(path: str, body: Any, status: int = 200) -> HeapsterRead:
    text = body if isinstance(body, str) else json.dumps(body)
    return HeapsterRead(
        at_us=NOW_US, took_us=Micros(0), namespace="shop", path=PROXY + path, status=status, error="", by="", body=text
    )


def points(*times: str) -> dict[str, Any]:
    return {"metrics": [{"timestamp": f"2026-03-02T14:{time}Z", "value": 7} for time in times]}


def model(pods: str, items: list[Any], metric: str = "cpu-usage") -> HeapsterRead:
    return read(f"/api/v1/model/namespaces/shop/pod-list/{pods}/metrics/{metric}?start=x", {"items": items})


def usage(selector: str, *pods: str) -> HeapsterRead:
    items = [{"metadata": {"name": pod}} for pod in pods]
    return read(f"/apis/metrics/v1alpha1/namespaces/shop/pods{selector}", {"items": items})


def asked(metric: str = "cpu-usage", pods: str = "a b") -> Question:
    return Question(metric=metric, pods=pods.split(), selector="app=web")


def answered(*answers: HeapsterRead, question: Question) -> Any:
    found = observed(answers, question, NOW_US)
    return None if found is None else json.loads(found.body)["items"]


def test_series_are_in_the_order_of_the_controllers_pods_and_not_older_than_it_asks_for() -> None:
    answer = model("b,c,a", [points("04:30", "09:00"), points("09:01"), points("04:59", "05:00", "09:02")])
    first, second = answered(answer, question=asked())
    assert [point["timestamp"][14:19] for point in first["metrics"]] == ["05:00", "09:02"]
    assert [point["timestamp"][14:19] for point in second["metrics"]] == ["09:00"]


def test_of_several_answers_that_of_most_of_the_pods_counts_the_newest_among_equals() -> None:
    newest, older, whole = (
        model("a", [points("09:00")]),
        model("a", [points("08:00")]),
        model("a,b", [points("07:00"), points("07:00")]),
    )
    assert answered(newest, older, question=asked())[0]["metrics"][0]["timestamp"].endswith("09:00Z")
    assert answered(newest, older, whole, question=asked())[0]["metrics"][0]["timestamp"].endswith("07:00Z")
    assert answered(model("c", [points("09:00")]), question=asked()) is None
    assert answered(model("a,b", [points("09:00")], "custom/qps"), question=asked()) is None


@pytest.mark.parametrize(
    ("selector", "pods"),
    [("?labelSelector=app%3Dweb", ["a", "z"]), ("", ["a"]), ("?labelSelector=app%3Dapi", None)],
)
def test_usage_is_that_of_the_selector_or_of_the_namespace_without_others(
    selector: str, pods: list[str] | None
) -> None:
    items = answered(usage(selector, "a", "z"), question=asked(RESOURCES))
    assert (None if items is None else [item["metadata"]["name"] for item in items]) == pods


def test_a_failed_answer_counts_as_it_came() -> None:
    failed = read("/api/v1/model/namespaces/shop/pod-list/a,b/metrics/cpu-usage", "no endpoints", 503)
    assert observed([failed], asked(), NOW_US) is failed


@pytest.mark.parametrize(("pods", "metric"), [("a%2Cb", "custom/qps"), ("a,b", "custom%2Fqps")])
def test_names_in_a_path_may_be_escaped(pods: str, metric: str) -> None:
    answer = model(pods, [points("09:00"), points("09:01")], metric)
    assert len(answered(answer, question=asked("custom/qps"))) == 2


def test_only_the_usage_of_pods_answers_the_question_for_it() -> None:
    other = read("/api/v1/nodes", {"items": [{"metadata": {"name": "a"}}]})
    assert answered(other, model("a,b", [points("09:00")]), question=asked(RESOURCES)) is None
