"""The requests that a reconcile makes: paths to meanings and back, escaped as Go escapes them."""

import pytest

from hpaaudit.api import requests
from hpaaudit.model.facts import TargetRef
from hpaaudit.model.hpa import Hpa, ObjectRef
from hpaaudit.model.metrics import MetricsRequest
from tests.engine.scenes import Metric, container, cpu, external, hpa_of, memory, of_object, per_pod

PODS = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods"
CUSTOM = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop"
EXTERNAL = "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop"
QUEUE = {
    "matchLabels": {"queue": "orders"},
    "matchExpressions": [{"key": "zone", "operator": "In", "values": ["b", "a"]}],
}

PATHS: list[tuple[str, Metric, str]] = [
    ("cpu", cpu(50), f"{PODS}?labelSelector=app%3Dweb"),
    ("memory", memory(50), f"{PODS}?labelSelector=app%3Dweb"),
    ("a container", container("app", 50), f"{PODS}?labelSelector=app%3Dweb"),
    ("every pod", per_pod(1), f"{CUSTOM}/pods/%2A/qps?labelSelector=app%3Dweb"),
    ("every pod, selected", per_pod(1, selector=QUEUE),
        f"{CUSTOM}/pods/%2A/qps?labelSelector=app%3Dweb&metricLabelSelector=queue%3Dorders%2Czone+in+%28a%2Cb%29"),
    ("an object", of_object(value=1), f"{CUSTOM}/ingresses.networking.k8s.io/main-route/rps"),
    ("an object, selected", of_object(value=1, selector=QUEUE),
        f"{CUSTOM}/ingresses.networking.k8s.io/main-route/rps?metricLabelSelector=queue%3Dorders%2Czone+in+%28a%2Cb%29"),
    ("external", external(value=1), f"{EXTERNAL}/queue"),
    ("external, selected", external(value=1, selector=QUEUE),
        f"{EXTERNAL}/queue?labelSelector=queue%3Dorders%2Czone+in+%28a%2Cb%29"),
    ("external, an empty selector", external(value=1, selector={}), f"{EXTERNAL}/queue"),
]  # fmt: skip


def _hpa(metric: Metric) -> Hpa:
    return hpa_of(metric)


@pytest.mark.parametrize(("metric", "path"), [row[1:] for row in PATHS], ids=[row[0] for row in PATHS])
def test_a_metric_is_asked_for_at(metric: Metric, path: str) -> None:
    (request,) = requests.requests_of(_hpa(metric), "app=web")
    assert request is not None
    version = "v1beta2" if request.api == requests.CUSTOM_METRICS else "v1beta1"
    assert requests.path_of(request, version) == path


@pytest.mark.parametrize(("metric", "path"), [row[1:] for row in PATHS], ids=[row[0] for row in PATHS])
def test_a_path_means_the_request_that_made_it(metric: Metric, path: str) -> None:
    assert requests.metrics_request(path) == requests.requests_of(_hpa(metric), "app=web")[0]


def test_spelling_version_and_order_do_not_matter() -> None:
    one = requests.metrics_request(
        "/apis/custom.metrics.k8s.io/v1beta1/namespaces/shop/pods/*/qps?metricLabelSelector=b%3D1,a=2&labelSelector=app==web"
    )
    other = requests.metrics_request(
        f"{CUSTOM}/pods/%2A/qps?labelSelector=app%3D%3Dweb&metricLabelSelector=a%3D2%2Cb%3D1"
    )
    assert one == other
    assert one == MetricsRequest(
        api="custom.metrics.k8s.io", namespace="shop", resource="pods", object="*", metric="qps",
        selector="app==web", metric_selector="a=2,b=1",
    )  # fmt: skip


def test_the_namespace_itself_has_a_path_of_its_own() -> None:
    metric = of_object(value=1)
    source = {
        **metric.written["object"],
        "describedObject": {"kind": "Namespace", "name": "ignored", "apiVersion": "v1"},
    }
    named = Metric(written={"type": "Object", "object": source}, values=())
    (request,) = requests.requests_of(_hpa(named), "app=web")
    assert request is not None
    assert requests.path_of(request, "v1beta2") == f"{CUSTOM}/metrics/rps"
    assert requests.metrics_request(f"{CUSTOM}/metrics/rps") == request


def test_a_selector_that_cannot_be_printed_makes_no_request() -> None:
    assert requests.requests_of(_hpa(external(value=1, selector={"matchLabels": {"path": "/"}})), "app=web") == (None,)


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/namespaces/shop/pods",
        "/apis/metrics.k8s.io/v1beta1",
        "/apis/metrics.k8s.io/v1beta1/nodes",
        "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/pods",
        "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop",
        "/version",
    ],
)
def test_other_paths_ask_for_no_metric(path: str) -> None:
    assert requests.metrics_request(path) is None


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/apis/apps/v1/namespaces/shop/deployments/web/scale", ("apps", "deployments", "shop", "web")),
        ("/api/v1/namespaces/shop/replicationcontrollers/web/scale", ("", "replicationcontrollers", "shop", "web")),
        ("/apis/example.com/v1/namespaces/shop/widgets/a%20b/scale", ("example.com", "widgets", "shop", "a b")),
        ("/apis/apps/v1/namespaces/shop/deployments/web", None),
        ("/apis/apps/v1/namespaces/shop/deployments/web/status", None),
    ],
)
def test_a_path_names_whose_scale_it_is(path: str, target: tuple[str, str, str, str] | None) -> None:
    named = requests.scale_target(path)
    if target is None:
        assert named is None
        return
    group, resource, namespace, name = target
    assert named == TargetRef(group=group, resource=resource, namespace=namespace, name=name)


@pytest.mark.parametrize(
    ("kind", "version", "group", "resource"),
    [
        ("Deployment", "apps/v1", "apps", "deployments"),
        ("Deployment", "apps/v1beta2", "apps", "deployments"),
        ("StatefulSet", "apps/v1", "apps", "statefulsets"),
        ("ReplicationController", "v1", "", "replicationcontrollers"),
        ("Proxy", "example.com/v1", "example.com", "proxies"),
        ("Gateway", "example.com/v1", "example.com", "gateways"),
        ("Ingress", "networking.k8s.io/v1", "networking.k8s.io", "ingresses"),
        ("Batch", "example.com/v1", "example.com", "batches"),
        ("Endpoints", "v1", "", "endpoints"),
    ],
)
def test_of_a_target_only_group_and_kind_matter(kind: str, version: str, group: str, resource: str) -> None:
    named = requests.target_ref("shop", ObjectRef(kind=kind, name="web", api_version=version))
    assert named == TargetRef(group=group, resource=resource, namespace="shop", name="web")


def test_the_scale_of_a_target_lies_below_it() -> None:
    apps = TargetRef(group="apps", resource="deployments", namespace="shop", name="web")
    core = TargetRef(group="", resource="replicationcontrollers", namespace="shop", name="web")
    assert requests.scale_path(apps, "v1") == "/apis/apps/v1/namespaces/shop/deployments/web/scale"
    assert requests.scale_path(core, "v1") == "/api/v1/namespaces/shop/replicationcontrollers/web/scale"
