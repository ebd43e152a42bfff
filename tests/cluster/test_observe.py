"""What an observer sees of a real cluster."""

import json
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from hpaaudit.api.decode import decode_hpa
from hpaaudit.model.facts import (
    ApiServiceSeen,
    Ended,
    EventSeen,
    Gap,
    HpaGone,
    HpaSeen,
    LeaseSeen,
    PodGone,
    PodSeen,
    ResourceMetricsRead,
    TargetGone,
    TargetSeen,
    ValuesRead,
    VersionRead,
)
from hpaaudit.model.hpa import ScalingPolicy
from tests.cluster.capture import CONTROLLER, lines
from tests.cluster.cluster import API_SERVICES, Cluster
from tests.cluster.manifests import cpu, deployment, external, hpa, of_service, per_pod
from tests.cluster.observer_thread import ObserverThread

Observe = Callable[..., ObserverThread]
Create = Callable[..., None]
CUSTOM = ("/apis/custom.metrics.k8s.io/", "/apis/external.metrics.k8s.io/")


def test_a_scale_up_is_seen_with_all_that_made_it(
    cluster: Cluster, namespace: str, create: Create, observe: Observe
) -> None:
    create("checkout")
    observed = observe()
    observed.until(ResourceMetricsRead, lambda read: bool(read.samples))
    cluster.state["pods"][f"{namespace}/app=checkout"]["cpu"] = 190
    scaled = observed.until(TargetSeen, lambda fact: fact.scale.spec_replicas == 4)
    observed.until(
        EventSeen, lambda event: event.reason == "SuccessfulRescale" and event.message.startswith("New size: 4")
    )
    observed.until(EventSeen, lambda event: event.kind == "Deployment" and event.reason == "ScalingReplicaSet")
    observed.until(HpaSeen, lambda fact: '"desiredReplicas":4' in fact.status_json)
    observed.until(TargetSeen, lambda fact: fact.scale.status_replicas == 4)
    observed.until(PodSeen, lambda _: len(ready_pods(observed)) == 4)
    facts = observed.end()
    assert (scaled.manager, scaled.subresource) == ("kube-controller-manager", "scale")
    assert scaled.scale.selector == "app=checkout"
    assert isinstance(facts[-1], Ended)
    assert [fact.at_us for fact in facts] == sorted(fact.at_us for fact in facts)
    assert not observed.notes


def ready_pods(observed: ObserverThread) -> set[str]:
    """Names of the pods that were ever seen ready."""
    return {fact.pod.name for fact in observed.of(PodSeen) if fact.pod.ready == "True"}


def test_version_clock_lease_and_api_services_are_seen(observe: Observe) -> None:
    observed = observe()
    lease = observed.until(LeaseSeen)
    observed.until(ApiServiceSeen, lambda _: len(observed.of(ApiServiceSeen)) == 4)
    observed.end()
    [version] = observed.of(VersionRead)
    assert version.version == "v1.36.3"
    # The same machine: a Date header is cut to whole seconds, so its offset is known to half of one.
    assert version.clock_offset_us is not None
    assert abs(version.clock_offset_us) <= 1_000_000
    assert lease.name == "kube-controller-manager"
    assert lease.holder
    assert {fact.name: fact.available for fact in observed.of(ApiServiceSeen)} == {
        "v1beta1.metrics.k8s.io": "True",
        "v1beta1.custom.metrics.k8s.io": "True",
        "v1beta2.custom.metrics.k8s.io": "True",
        "v1beta1.external.metrics.k8s.io": "True",
    }


def test_an_api_service_that_comes_and_goes_is_seen_at_once(cluster: Cluster, observe: Observe) -> None:
    observed = observe()
    observed.until(ApiServiceSeen)
    name = "v1beta3.custom.metrics.k8s.io"
    service = {"namespace": "default", "name": "nobody", "port": 443}
    cluster.register("custom.metrics.k8s.io", "v1beta3", service)
    try:
        fact = observed.until(ApiServiceSeen, lambda fact: fact.name == name and fact.available == "False")
    finally:
        cluster.kube.delete(f"{API_SERVICES}/{name}")
    assert (fact.service, fact.reason) == ("default/nobody", "ServiceNotFound")
    gone = observed.until(ApiServiceSeen, lambda fact: fact.name == name and fact.reason == "Deleted")
    assert (gone.available, gone.service) == ("", "")


def test_where_only_v1_is_served_the_annotations_tell_the_rest(
    create: Create, observe: Observe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hpaaudit.cluster.client.discovery.AUTOSCALING", ("v1",))
    policies = [{"type": "Pods", "value": 1, "periodSeconds": 60}]
    create("checkout", cpu(50), per_pod("http_requests", "10"), behavior={"scaleDown": {"policies": policies}})
    observed = observe()
    fact = observed.until(HpaSeen, lambda fact: "current-metrics" in fact.annotations_json)
    observed.until(ValuesRead)
    observed.end()
    decoded = decode_hpa(fact)
    assert fact.api_version == "autoscaling/v1"
    assert {metric.type for metric in decoded.spec.metrics} == {"Resource", "Pods"}
    assert decoded.spec.behavior
    assert decoded.spec.behavior.scale_down.policies == (ScalingPolicy(type="Pods", value=1, period_seconds=60),)
    assert decoded.status.current_metrics
    assert "AbleToScale" in {condition.type for condition in decoded.status.conditions}


def test_custom_and_external_metrics_are_read_by_the_very_urls_of_the_controller_and_once(
    cluster: Cluster, namespace: str, create: Create, observe: Observe
) -> None:
    cluster.state["pods"] |= {f"{namespace}/app={name}": {"http_requests": 8} for name in ("search", "mirror")}
    cluster.state["external"][f"{namespace}/queue_depth"] = [{"labels": {"queue": "orders"}, "value": "5"}]
    cluster.state["objects"][f"{namespace}/services/front/hits"] = "10"
    create("search", per_pod("http_requests", "10"), external("queue_depth", {"queue": "orders"}, "10"))
    create("mirror", external("queue_depth", {"queue": "orders"}, "20"), of_service("front", "hits", "20"))
    observed = observe(interval_seconds=1)
    for metric in ("http_requests", "queue_depth", "hits"):
        observed.until(
            ValuesRead, lambda read, metric=metric: read.request.metric == metric and reads_of(observed, metric) >= 3
        )
    observed.end()
    captured = [line for line in map(by_and_path, read_lines(cluster)) if namespace in line[1]]
    asked = Counter(path for by, path in captured if by == "admin" and path.startswith(CUSTOM))
    assert set(asked) == {path for by, path in captured if by == CONTROLLER and path.startswith(CUSTOM)}
    assert len(asked) == 3
    assert asked == Counter(read.path for read in observed.of(ValuesRead))
    for path in asked:
        instants = [read.at_us - read.took_us for read in observed.of(ValuesRead) if read.path == path]
        # The first read comes at once, the second at the path's own place in the interval.
        assert all(after - before > 500_000 for before, after in pairwise(instants[1:]))


def reads_of(observed: ObserverThread, metric: str) -> int:
    """How often a metric was read."""
    return sum(read.request.metric == metric for read in observed.of(ValuesRead))


def read_lines(cluster: Cluster) -> list[dict[str, Any]]:
    """What the world answered, whoever asked."""
    return [json.loads(line) for line in (cluster.dir / "seen.jsonl").read_text().splitlines()]


def by_and_path(line: dict[str, Any]) -> tuple[str, str]:
    """Who asked for what."""
    return line.get("by", ""), line.get("get", "")


def test_one_list_serves_all_resource_metrics_of_a_namespace(namespace: str, create: Create, observe: Observe) -> None:
    create("one")
    create("two")
    observed = observe()
    observed.until(ResourceMetricsRead, lambda read: len(read.samples or ()) == 2)
    observed.end()
    assert {read.path for read in observed.of(ResourceMetricsRead)} == {
        f"/apis/metrics.k8s.io/v1beta1/namespaces/{namespace}/pods"
    }


def test_a_metrics_api_that_fails_is_recorded_as_failed_reads(
    cluster: Cluster, create: Create, observe: Observe
) -> None:
    create("checkout")
    observed = observe()
    observed.until(ResourceMetricsRead, lambda read: bool(read.samples))
    cluster.state["faults"]["metrics.k8s.io"] = {"status": 503, "message": "told to fail"}
    failed = observed.until(ResourceMetricsRead, lambda read: read.status == 503)
    assert (failed.samples, failed.error) == (None, "told to fail")
    cluster.state["faults"] = {}
    observed.until(ResourceMetricsRead, lambda read: bool(read.samples), after=len(observed.facts))
    assert not observed.of(Gap)


def test_a_scale_by_hand_is_recorded_with_its_manager(
    cluster: Cluster, namespace: str, create: Create, observe: Observe
) -> None:
    create("checkout")
    observed = observe()
    observed.until(TargetSeen)
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/checkout/scale"
    cluster.client("alice", "kubectl/v1.36.3").patch(path, {"spec": {"replicas": 3}})
    written = observed.until(TargetSeen, lambda fact: fact.scale.spec_replicas == 3)
    assert (written.manager, written.operation, written.subresource) == ("kubectl", "Update", "scale")


def test_hpas_that_come_and_go_are_followed(cluster: Cluster, namespace: str, create: Create, observe: Observe) -> None:
    observed = observe()
    create("late")
    observed.until(ResourceMetricsRead, lambda read: bool(read.samples))
    observed.until(PodSeen)
    cluster.kube.delete(f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers/late")
    gone = observed.until(HpaGone)
    cluster.kube.delete(f"/apis/apps/v1/namespaces/{namespace}/deployments/late")
    observed.until(PodGone)
    assert gone.name == "late"
    observed.end()
    assert not observed.observer or not observed.observer.targets.paths()
    # Nobody scales it any more, so nobody asks what becomes of it.
    assert not observed.of(TargetGone)


def test_only_pods_of_a_target_are_kept(cluster: Cluster, namespace: str, create: Create, observe: Observe) -> None:
    cluster.kube.post(f"/apis/apps/v1/namespaces/{namespace}/deployments", deployment("bystander"))
    create("checkout")
    observed = observe()
    observed.until(PodSeen, lambda fact: fact.pod.ready == "True")
    observed.end()
    assert {dict(fact.pod.labels)["app"] for fact in observed.of(PodSeen)} == {"checkout"}


def test_a_selector_chooses_hpas_by_label(cluster: Cluster, namespace: str, create: Create, observe: Observe) -> None:
    create("plain")
    labelled = hpa("plain", cpu(50))
    labelled["metadata"] = {"name": "labelled", "labels": {"team": "shop"}}
    cluster.kube.post(f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers", labelled)
    observed = observe(selector="team=shop")
    observed.until(ResourceMetricsRead)
    observed.end()
    assert {fact.name for fact in observed.of(HpaSeen)} == {"labelled"}


def test_an_hpa_of_an_unknown_kind_is_noted_and_kept(cluster: Cluster, namespace: str, observe: Observe) -> None:
    wanted = hpa("lost", cpu(50))
    wanted["spec"]["scaleTargetRef"] |= {"apiVersion": "example.net/v1", "kind": "Widget"}
    cluster.kube.post(f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers", wanted)
    observed = observe()
    observed.until(HpaSeen, lambda fact: fact.name == "lost")
    observed.until(ApiServiceSeen)
    observed.end()
    [note] = observed.notes
    assert f"{namespace}/lost scales a Widget, which example.net/v1 does not serve" in note


def test_the_capture_has_one_reconcile_for_every_scale_read(cluster: Cluster, create: Create, observe: Observe) -> None:
    create("checkout")
    observed = observe()
    observed.until(HpaSeen, lambda fact: "currentMetrics" in fact.status_json)
    captured = lines(cluster.dir)
    reads = [line for line in captured if line.get("get", "").endswith("/checkout/scale")]
    reconciles = [line for line in captured if "reconcile" in line]
    assert len(reads) >= 2
    # The newest reconcile may not have come to its end yet.
    assert len(reads) - len([line for line in reconciles if line["reconcile"].endswith("/checkout")]) in (0, 1)
