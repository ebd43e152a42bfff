"""Kubernetes' JSON to facts: odd objects, incomplete objects, and the fields that are left out."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.api import times, to_facts, workload
from hpaaudit.api.canonical import only_removes
from hpaaudit.model.facts import ResourceMetricsRead, TargetRef, ValuesRead
from hpaaudit.model.target import Scale
from hpaaudit.model.units import SECOND, Micros

AT = Micros(1_772_460_000_000_000)
SCALE = "/apis/apps/v1/namespaces/shop/deployments/web/scale"
USAGE = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods?labelSelector=app%3Dweb"
QPS = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/pods/%2A/qps?labelSelector=app%3Dweb"
QUEUE = "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue"
WEB = TargetRef(group="apps", resource="deployments", namespace="shop", name="web")


def _usage(body: Any, status: int = 200, error: str = "") -> ResourceMetricsRead:
    read = to_facts.metrics_read(AT, Micros(0), USAGE, status, body, error, "")
    assert isinstance(read, ResourceMetricsRead)
    return read


def _values(path: str, body: Any, status: int = 200) -> ValuesRead:
    read = to_facts.metrics_read(AT, Micros(0), path, status, body, "", "")
    assert isinstance(read, ValuesRead)
    return read


# --- objects -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw",
    [
        {"kind": "HorizontalPodAutoscaler", "metadata": {"resourceVersion": "12"}},
        {"kind": "HorizontalPodAutoscaler", "metadata": None},
        {},
    ],
    ids=["a bookmark", "no metadata", "nothing"],
)
def test_an_object_without_a_name_is_refused(raw: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="has no name"):
        to_facts.hpa_seen(AT, raw)
    with pytest.raises(ValueError, match="has no name"):
        to_facts.pod_seen(AT, raw)


def test_an_hpa_keeps_its_documents_in_canonical_form() -> None:
    raw = {"metadata": {"name": "web", "namespace": "shop"}, "spec": {"b": 1, "a": [2]}, "status": None}
    fact = to_facts.hpa_seen(AT, raw)
    assert (fact.spec_json, fact.status_json, fact.api_version) == ('{"a":[2],"b":1}', "{}", "autoscaling/v2")
    assert (fact.generation, fact.created_us, fact.annotations_json) == (0, None, "{}")


def test_an_hpa_keeps_only_the_annotations_that_mean_something() -> None:
    own = "autoscaling.alpha.kubernetes.io/metrics"
    raw = {"metadata": {"name": "web", "annotations": {own: "[]", "team": "a"}}}
    assert to_facts.hpa_seen(AT, raw).annotations_json == f'{{"{own}":"[]"}}'


def test_a_pod_with_nothing_but_a_name() -> None:
    pod = to_facts.pod_seen(AT, {"metadata": {"name": "web-0"}}).pod
    assert (pod.phase, pod.ready, pod.start_us, pod.ready_transition_us, pod.deleting_us) == ("", "", None, None, None)
    assert (pod.containers, pod.init_containers, pod.pod_requests, pod.overhead, pod.labels) == ((), (), None, (), ())


def test_a_pod_with_nulls_where_lists_stand() -> None:
    raw: dict[str, Any] = {
        "metadata": {"name": "web-0", "labels": None, "ownerReferences": None, "deletionTimestamp": None},
        "spec": {"containers": None, "initContainers": None, "overhead": None, "resources": None},
        "status": {"conditions": None, "startTime": None},
    }
    assert to_facts.pod_seen(AT, raw).pod == to_facts.pod_seen(AT, {"metadata": {"name": "web-0"}}).pod


def test_a_pod_is_reduced_to_what_a_reconcile_reads() -> None:
    raw: dict[str, Any] = {
        "metadata": {
            "name": "web-0", "namespace": "shop", "uid": "u", "resourceVersion": "7", "labels": {"b": "2", "a": "1"},
            "deletionTimestamp": "2026-03-02T14:00:01Z", "ownerReferences": [{"kind": "X", "name": "x"},
            {"kind": "ReplicaSet", "name": "web-1", "controller": True}]},
        "spec": {
            "containers": [
                {"name": "app", "resources": {"requests": {"memory": "64Mi", "cpu": "0.25"}}}, {"name": "b"}],
            "initContainers": [{"name": "s", "restartPolicy": "Always", "resources": {"requests": {"cpu": "1500u"}}}],
            "resources": {"requests": {"cpu": 1}}, "overhead": {"cpu": "50m"}},
        "status": {"phase": "Running", "startTime": "2026-03-02T13:00:00Z", "conditions": [
            {"type": "Initialized", "status": "True"},
            {"type": "Ready", "status": "False", "lastTransitionTime": "2026-03-02T13:59:00Z"}]},
    }  # fmt: skip
    pod = to_facts.pod_seen(AT, raw).pod
    assert pod.labels == (("a", "1"), ("b", "2"))
    assert [container.requests for container in pod.containers] == [(("cpu", 250), ("memory", 67_108_864_000)), ()]
    assert [(c.name, c.requests, c.restart_policy) for c in pod.init_containers] == [("s", (("cpu", 2),), "Always")]
    assert (pod.pod_requests, pod.overhead) == ((("cpu", 1000),), (("cpu", 50),))
    assert (pod.phase, pod.ready, pod.owner_kind, pod.owner_name) == ("Running", "False", "ReplicaSet", "web-1")
    assert (pod.deleting_us, pod.start_us) == (AT + 1_000_000, AT - 3_600_000_000)
    assert pod.ready_transition_us == AT - 60_000_000


# --- scales and targets ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "scale"),
    [
        ({}, (0, 0, "")),
        ({"spec": {}, "status": {"replicas": 3, "selector": "app=web"}}, (0, 3, "app=web")),
        ({"spec": {"replicas": 3}, "status": {"selector": "app=web"}}, (3, 0, "app=web")),
        ({"spec": None, "status": None}, (0, 0, "")),
        ({"spec": {"replicas": 1}, "status": {"selector": {"tier": "fe", "app": "web"}}}, (1, 0, "app=web,tier=fe")),
        ({"spec": {"replicas": 1}, "status": {"selector": {"app": "web"}, "targetSelector": "app in (web)"}},
            (1, 0, "app in (web)")),
    ],
    ids=["nothing", "zero asked", "zero running", "null", "a map of labels", "a map and its text"],
)  # fmt: skip
def test_zero_replicas_are_left_out_of_a_scale(raw: dict[str, Any], scale: tuple[int, int, str]) -> None:
    asked, running, selector = scale
    assert to_facts.scale_of(raw) == Scale(spec_replicas=asked, status_replicas=running, selector=selector)


def test_a_workload_without_replicas_asks_for_one() -> None:
    raw = {"metadata": {"name": "web"}, "spec": {"selector": {"matchLabels": {"app": "web"}}}}
    assert workload.target_seen(AT, WEB, raw).scale == Scale(spec_replicas=1, status_replicas=0, selector="app=web")
    zero = {"metadata": {"name": "web"}, "spec": {"replicas": 0, "selector": {"app": "web"}}}
    assert workload.target_seen(AT, WEB, zero).scale == Scale(spec_replicas=0, status_replicas=0, selector="app=web")


def test_who_owns_the_replicas_is_who_wrote_them_last() -> None:
    def entry(manager: str, time: str, fields: dict[str, Any], subresource: str = "") -> dict[str, Any]:
        return {"manager": manager, "operation": "Update", "time": time, "subresource": subresource, "fieldsV1": fields}

    replicas: dict[str, Any] = {"f:spec": {"f:replicas": {}}}
    raw = {
        "metadata": {
            "name": "web",
            "managedFields": [
                entry("helm", "2026-03-02T13:00:00Z", replicas),
                entry("kube-controller-manager", "2026-03-02T14:00:00Z", replicas, "scale"),
                entry("kubectl", "2026-03-02T14:30:00Z", {"f:spec": {"f:template": {}}}),
            ],
        }
    }
    fact = workload.target_seen(AT, WEB, raw)
    assert (fact.manager, fact.subresource, fact.written_us) == ("kube-controller-manager", "scale", AT)


@pytest.mark.parametrize(
    ("entries", "manager"),
    [
        (
            [("helm", "10", {"f:spec": {"f:maxReplicas": {}}}), ("alice", "20", {"f:spec": {"f:minReplicas": {}}})],
            "alice",
        ),
        ([("helm", "10", {"f:spec": {}}), ("kube-controller-manager", "20", {"f:status": {}})], "helm"),
        ([("helm", "10", {"f:spec": {}}), ("alice", "20", {"f:metadata": {"f:labels": {}}})], "helm"),
        ([("helm", "20", {"f:spec": {}}), ("alice", "20", {"f:spec": {}})], ""),
        ([("helm", "20", {"f:spec": {}}), ("helm", "20", {"f:spec": {"f:minReplicas": {}}})], "helm"),
        ([], ""),
    ],
)
def test_who_wrote_a_spec_is_who_changed_something_of_it_last(
    entries: list[tuple[str, str, dict[str, Any]]], manager: str
) -> None:
    """Not who owns maxReplicas: somebody else may have changed the metrics. Two within a second: nobody is named."""
    fields = [
        {"manager": name, "time": f"2026-03-02T14:00:{second}Z", "fieldsV1": owned} for name, second, owned in entries
    ]
    meta = {"name": "web", "managedFields": fields}
    assert to_facts.hpa_seen(AT, {"metadata": meta}).spec_manager == manager


@pytest.mark.parametrize(
    ("before", "after", "removes"),
    [
        ('{"a":{"b":1,"c":2}}', '{"a":{"b":1}}', True),
        ('{"a":{"b":1},"c":2}', '{"a":{"b":1}}', True),
        ('{"a":{"b":1}}', '{"a":{"b":1}}', True),
        ('{"a":{"b":1}}', '{"a":{"b":2}}', False),
        ('{"a":{"b":1}}', '{"a":{"b":1,"c":2}}', False),
        ('{"a":[1,2]}', '{"a":[1]}', False),
    ],
)
def test_a_list_is_changed_as_a_whole_and_a_field_can_be_taken_away(before: str, after: str, removes: bool) -> None:
    """As managedFields see it: who only takes fields away leaves no trace there."""
    assert only_removes(before, after) == removes


def test_the_template_is_known_by_its_revision_or_by_itself() -> None:
    revision = {"metadata": {"name": "web", "annotations": {"deployment.kubernetes.io/revision": "4"}}}
    assert workload.target_seen(AT, WEB, revision).template_hash == "revision 4"
    one, other = ({"metadata": {"name": "web"}, "spec": {"template": {"image": image}}} for image in "ab")
    assert workload.target_seen(AT, WEB, one).template_hash != workload.target_seen(AT, WEB, other).template_hash
    assert workload.target_seen(AT, WEB, {"metadata": {"name": "web"}}).template_hash == ""


# --- answers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [{}, {"items": None}, {"items": []}])
def test_a_list_without_items_is_empty_and_no_failure(body: dict[str, Any]) -> None:
    assert (_usage(body).samples, _usage(body).error) == ((), "")
    assert _values(QPS, body).values == ()


def test_a_sample_without_timestamp_or_window_has_upstreams_zeros() -> None:
    (sample,) = _usage({"items": [{"metadata": {"name": "web-0"}}]}).samples or ()
    assert (sample.timestamp_us, sample.window_us, sample.containers) == (None, 0, ())
    zero = {"metadata": {"name": "web-0"}, "timestamp": "0001-01-01T00:00:00Z", "window": "1m0.5s", "containers": None}
    (sample,) = _usage({"items": [zero]}).samples or ()
    assert (sample.timestamp_us, sample.window_us) == (None, 61_000_000)


def _window_us(timestamp: str | None, window: str) -> int:
    item = {"metadata": {"name": "web-0"}, "timestamp": timestamp, "window": window}
    (sample,) = _usage({"items": [item]}).samples or ()
    return sample.window_us


@pytest.mark.parametrize(
    ("timestamp", "window", "window_us"),
    [
        ("2026-03-02T14:00:00Z", "15.062s", 16_000_000),
        ("2026-03-02T14:00:00.000Z", "14.999999s", 15_000_000),
        ("2026-03-02T14:00:00Z", "15s", 15_000_000),
        ("2026-03-02T14:00:00Z", "0.5s", 1_000_000),
        ("2026-03-02T14:00:00Z", "0s", 0),
        ("2026-03-02T14:00:00Z", "-1.5s", -1_000_000),
        ("2026-03-02T14:00:00.25Z", "15.062s", 15_062_000),
        (None, "15.062s", 16_000_000),
    ],
    ids=["noise", "nearly whole", "whole", "short", "none", "negative", "beside a part of a second", "without a time"],
)
def test_the_window_of_a_sample_is_rounded_up_beside_a_whole_second(
    timestamp: str | None, window: str, window_us: int
) -> None:
    assert _window_us(timestamp, window) == window_us


@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6), st.integers(-2_500_000, 2_500_000))
@settings(deadline=None)
def test_a_rounded_window_says_the_same_of_every_whole_second(sample: int, ready: int, beyond: int) -> None:
    """A sample that is too old by the exact window, for a pod ready since then, is too old by the rounded one."""
    sample_us, ready_us = AT + sample * SECOND, AT + ready * SECOND
    window_us = sample_us - ready_us + beyond
    kept_us = _window_us(times.whole_seconds(Micros(sample_us)), f"{window_us}us")
    assert (sample_us < ready_us + window_us) == (sample_us < ready_us + kept_us)
    assert kept_us % SECOND == 0


@given(st.integers(0, SECOND - 1), st.integers(-(10**6), 10**6), st.integers(-2_500_000, 2_500_000))
@settings(deadline=None)
def test_and_of_every_part_of_a_second(part: int, ready: int, beyond: int) -> None:
    sample_us, ready_us = AT + part, AT + ready * SECOND
    window_us = sample_us - ready_us + beyond
    kept_us = _window_us(times.precise(Micros(sample_us)), f"{window_us}us")
    assert (sample_us < ready_us + window_us) == (sample_us < ready_us + kept_us)


def test_usage_is_rounded_up_container_by_container() -> None:
    containers = [{"name": name, "usage": {"cpu": "1234567n", "memory": "1396Ki"}} for name in ("a", "b")]
    (sample,) = _usage({"items": [{"metadata": {"name": "web-0"}, "containers": containers}]}).samples or ()
    assert [used.usage for used in sample.containers] == [(("cpu", 2), ("memory", 1_429_504_000))] * 2


@pytest.mark.parametrize(
    ("item", "window_us"),
    [({"windowSeconds": 30}, 30_000_000), ({"window": 30}, 30_000_000), ({}, None), ({"windowSeconds": None}, None)],
)
def test_a_custom_metric_names_its_window_in_either_version(item: dict[str, Any], window_us: int | None) -> None:
    (value,) = _values(QPS, {"items": [{"describedObject": {"name": "web-0"}, "value": "1500u"} | item]}).values or ()
    assert (value.object, value.value, value.window_us) == ("web-0", 2, window_us)


def test_a_series_is_known_by_its_labels_and_null_is_zero() -> None:
    (one, other) = (
        _values(QUEUE, {"items": [{"metricLabels": {"b": "2", "a": "1"}, "value": None}, {"value": "3"}]}).values or ()
    )
    assert (one.object, one.value) == ('{"a":"1","b":"2"}', 0)
    assert (other.object, other.value) == ("{}", 3000)


FAILURES = [
    (404, None, "", "the server could not find the requested resource (get pods.metrics.k8s.io)"),
    (403, {"kind": "Status", "message": "pods.metrics.k8s.io is forbidden"}, "", "pods.metrics.k8s.io is forbidden"),
    (503, "no backend\n", "", "the server is currently unable to handle the request (get pods.metrics.k8s.io)"),
    (500, "boom\n", "",
        'an error on the server ("boom") has prevented the request from succeeding (get pods.metrics.k8s.io)'),
    (0, None, "dial tcp: refused", "dial tcp: refused"),
    (503, None, "somebody's own words", "somebody's own words"),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "error", "text"), FAILURES, ids=[row[3][:20] for row in FAILURES])
def test_a_failed_read_is_data_in_the_clients_own_words(status: int, body: Any, error: str, text: str) -> None:
    read = _usage(body, status, error)
    assert (read.samples, read.status, read.error) == (None, status, text)


def test_a_read_of_another_path_is_refused() -> None:
    with pytest.raises(ValueError, match="is not the path of a metric"):
        to_facts.metrics_read(AT, Micros(0), "/api/v1/pods", 200, {}, "", "")
    with pytest.raises(ValueError, match="is not the path of a scale"):
        to_facts.scale_read(AT, Micros(0), "/api/v1/pods", 200, {}, "", "")


def test_a_scale_that_could_not_be_read_is_none() -> None:
    read = to_facts.scale_read(
        AT, Micros(5), SCALE, 404, {"kind": "Status", "message": 'deployments "web" not found'}, "", "x"
    )
    assert (read.scale, read.error, read.target, read.by) == (None, 'deployments "web" not found', WEB, "x")


# --- the rest ----------------------------------------------------------------------------------------------


def test_an_event_of_either_group_says_the_same() -> None:
    core = {
        "metadata": {"name": "e", "namespace": "shop"}, "type": "Normal", "reason": "R", "message": "m", "count": 3,
        "involvedObject": {"kind": "HorizontalPodAutoscaler", "namespace": "shop", "name": "web", "uid": "u"},
        "source": {"component": "horizontal-pod-autoscaler"},
        "firstTimestamp": "2026-03-02T14:00:00Z", "lastTimestamp": "2026-03-02T14:00:30Z",
    }  # fmt: skip
    new = {
        "metadata": {"name": "e", "namespace": "shop"}, "type": "Normal", "reason": "R", "note": "m",
        "regarding": core["involvedObject"], "reportingComponent": "horizontal-pod-autoscaler", "firstTimestamp": None,
        "eventTime": "2026-03-02T14:00:00Z", "series": {"count": 3, "lastObservedTime": "2026-03-02T14:00:30Z"},
    }  # fmt: skip
    assert to_facts.event_seen(AT, core) == to_facts.event_seen(AT, new)


def test_a_lease_and_an_api_service_may_be_bare() -> None:
    lease = to_facts.lease_seen(AT, {"metadata": {"name": "kube-controller-manager"}})
    assert (lease.holder, lease.renewed_us, lease.transitions) == ("", None, 0)
    service = to_facts.api_service_seen(AT, {"metadata": {"name": "v1beta1.metrics.k8s.io"}})
    assert (service.available, service.service) == ("", "")
