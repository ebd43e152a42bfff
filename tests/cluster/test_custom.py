"""What an observer sees of custom resources: targets with a scale, and KEDA's ScaledObjects."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from hpaaudit.model.facts import (
    EventSeen,
    Gap,
    HpaSeen,
    PodSeen,
    ResourceMetricsRead,
    RolloutSeen,
    ScaledObjectGone,
    ScaledObjectSeen,
    ScaleRead,
    TargetSeen,
)
from hpaaudit.model.units import SECOND
from tests.cluster.cluster import Cluster
from tests.cluster.definitions import SCALE, defined, put_status
from tests.cluster.manifests import cpu, hpa
from tests.cluster.observer_thread import ObserverThread

Observe = Callable[..., ObserverThread]
Create = Callable[..., None]


@pytest.fixture(scope="module")
def definition(cluster: Cluster) -> Iterator[str]:
    """The path of an API whose Gadgets keep their scale in a place of their own."""
    with defined(cluster, "example.org", "Gadget", scale=SCALE) as base:
        yield base


@pytest.fixture
def gadgets(cluster: Cluster, namespace: str, definition: str) -> str:
    """The path of the namespace's Gadgets, one of them with an HPA."""
    path = f"{definition}/namespaces/{namespace}/gadgets"
    spec = {"size": {"replicas": 2}, "template": {"metadata": {"labels": {"app": "custom"}}}}
    gadget = {"apiVersion": "example.org/v1", "kind": "Gadget", "metadata": {"name": "custom"}, "spec": spec}
    cluster.kube.post(path, gadget)
    put_status(cluster, f"{path}/custom", {"running": 1, "selector": "app=custom"})
    wanted = hpa("custom", cpu(50), low=2)
    wanted["spec"]["scaleTargetRef"] |= {"apiVersion": "example.org/v1", "kind": "Gadget"}
    cluster.kube.post(f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers", wanted)
    return path


def test_a_custom_target_is_watched_along_the_paths_of_its_definition(
    cluster: Cluster, gadgets: str, observe: Observe
) -> None:
    observed = observe()
    fact = observed.until(TargetSeen)
    assert (fact.scale.spec_replicas, fact.scale.status_replicas, fact.scale.selector) == (2, 1, "app=custom")
    assert (fact.kind, fact.generation) == ("Gadget", 1)
    assert fact.template_hash
    cluster.client("alice", "kubectl/v1.36.3").patch(f"{gadgets}/custom/scale", {"spec": {"replicas": 3}})
    scaled = observed.until(TargetSeen, lambda fact: fact.scale.spec_replicas == 3)
    assert (scaled.manager, scaled.operation, scaled.subresource) == ("kubectl", "Update", "scale")
    assert scaled.generation == 2
    about = {"kind": "Gadget", "namespace": gadgets.split("/")[5], "name": "custom"}
    event = {"metadata": {"name": "custom.1"}, "involvedObject": about, "reason": "Grown", "type": "Normal"}
    cluster.kube.post(f"/api/v1/namespaces/{about['namespace']}/events", event)
    observed.until(EventSeen, lambda event: event.reason == "Grown")
    # Its selector is known, so its metrics are read.
    observed.until(ResourceMetricsRead)
    observed.end()
    assert not observed.of(ScaleRead)
    assert not observed.notes


def test_a_custom_target_that_does_not_say_its_replicas_is_read_and_the_error_is_kept(
    cluster: Cluster, gadgets: str, observe: Observe
) -> None:
    cluster.kube.patch(f"{gadgets}/custom", {"spec": {"size": None}})
    observed = observe()
    failed = observed.until(ScaleRead)
    assert (failed.status, failed.path, failed.scale) == (500, f"{gadgets}/custom/scale", None)
    assert 'the spec replicas field ".spec.size.replicas" does not exist' in failed.error
    cluster.kube.patch(f"{gadgets}/custom", {"spec": {"size": {"replicas": 4}}})
    observed.until(TargetSeen, lambda fact: fact.scale.spec_replicas == 4)
    reads = len(observed.of(ScaleRead))
    observed.until(ResourceMetricsRead)
    assert len(observed.of(ScaleRead)) <= reads + 1


def test_a_custom_target_whose_definition_may_not_be_read_is_read_by_get(
    cluster: Cluster, namespace: str, gadgets: str, observe: Observe
) -> None:
    rules = [
        {"apiGroups": ["autoscaling"], "resources": ["horizontalpodautoscalers"], "verbs": ["list", "watch"]},
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["list", "watch"]},
        {"apiGroups": ["example.org"], "resources": ["gadgets/scale"], "verbs": ["get"]},
    ]
    cluster.allow("reader", namespace, rules)
    observed = observe(cluster.dir / "reader.kubeconfig")
    read = observed.until(ScaleRead, lambda read: read.scale is not None)
    assert read.path == f"{gadgets}/custom/scale"
    assert read.scale
    assert (read.scale.spec_replicas, read.scale.selector) == (2, "app=custom")
    observed.until(ScaleRead, lambda later: later.at_us > read.at_us + SECOND)
    observed.end()
    assert not observed.of(TargetSeen)
    gaps = [gap for gap in observed.of(Gap) if "/gadgets" in gap.prefix and gap.until_us > read.at_us]
    assert {(gap.prefix, gap.cause) for gap in gaps} == {
        (f"{gadgets}#writers", "no definition that may be read says where Gadget keeps its replicas")
    }


def test_of_a_custom_target_that_may_not_be_watched_only_the_writers_are_hidden(
    cluster: Cluster, namespace: str, gadgets: str, observe: Observe
) -> None:
    rules = [
        {"apiGroups": ["autoscaling"], "resources": ["horizontalpodautoscalers"], "verbs": ["list", "watch"]},
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["list", "watch"]},
        {"apiGroups": ["example.org"], "resources": ["gadgets/scale"], "verbs": ["get"]},
    ]
    cluster.allow("reader", namespace, rules)
    rbac, name = "/apis/rbac.authorization.k8s.io/v1", f"reader-{namespace}"
    rule = {"apiGroups": ["apiextensions.k8s.io"], "resources": ["customresourcedefinitions"], "verbs": ["get"]}
    cluster.kube.post(f"{rbac}/clusterroles", {"metadata": {"name": name}, "rules": [rule]})
    subject = {"kind": "User", "name": "reader", "apiGroup": "rbac.authorization.k8s.io"}
    role = {"kind": "ClusterRole", "name": name, "apiGroup": "rbac.authorization.k8s.io"}
    cluster.kube.post(
        f"{rbac}/clusterrolebindings", {"metadata": {"name": name}, "subjects": [subject], "roleRef": role}
    )
    try:
        observed = observe(cluster.dir / "reader.kubeconfig")
        first = observed.until(ScaleRead, lambda read: read.scale is not None)
        observed.until(ScaleRead, lambda read: read.at_us > first.at_us + SECOND)
        observed.end()
    finally:
        cluster.kube.delete(f"{rbac}/clusterrolebindings/{name}")
        cluster.kube.delete(f"{rbac}/clusterroles/{name}")
    assert [note for note in observed.notes if note.startswith("cannot follow gadgets, so their scales are read in ")]
    gaps = [gap for gap in observed.of(Gap) if "/gadgets" in gap.prefix and gap.until_us > first.at_us]
    assert {gap.prefix for gap in gaps} == {f"{gadgets}#writers"}


def test_a_rollout_is_seen_from_its_begin_to_its_end(
    cluster: Cluster, namespace: str, create: Create, observe: Observe
) -> None:
    create("checkout")
    observed = observe()
    observed.until(PodSeen, lambda fact: fact.pod.ready == "True")
    first = observed.until(TargetSeen, lambda fact: fact.template_hash == "revision 1")
    template = {"metadata": {"annotations": {"release": "2"}}}
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/checkout"
    cluster.kube.patch(path, {"spec": {"template": template}})
    begun = observed.until(RolloutSeen, lambda fact: fact.rolling and fact.revision == "revision 2")
    ended = observed.until(RolloutSeen, lambda fact: not fact.rolling and fact.revision == "revision 2")
    observed.end()
    assert (begun.max_surge, begun.max_unavailable) == ("25%", "25%")
    assert begun.at_us < ended.at_us
    assert begun.target == first.target


SCALED: dict[str, Any] = {
    "apiVersion": "keda.sh/v1alpha1",
    "kind": "ScaledObject",
    "metadata": {"name": "orders", "annotations": {"autoscaling.keda.sh/paused-replicas": "0", "team": "shop"}},
    "spec": {
        "scaleTargetRef": {"name": "orders"},
        "minReplicaCount": 0,
        "maxReplicaCount": 20,
        "fallback": {"failureThreshold": 3, "replicas": 6},
        "triggers": [
            {"type": "rabbitmq", "name": "q", "metadata": {"host": "amqp://user:hunter2@rabbit", "queueName": "orders"}}
        ],
    },
}


def test_scaled_objects_are_followed_where_keda_is_there(cluster: Cluster, namespace: str, observe: Observe) -> None:
    with defined(cluster, "keda.sh", "ScaledObject", version="v1alpha1") as base:
        path = f"{base}/namespaces/{namespace}/scaledobjects"
        cluster.kube.post(path, SCALED)
        observed = observe()
        fact = observed.until(ScaledObjectSeen)
        assert (fact.target_kind, fact.target_name, fact.hpa_name) == ("Deployment", "orders", "")
        assert (fact.min_replicas, fact.max_replicas, fact.idle_replicas, fact.fallback_replicas) == (0, 20, None, 6)
        assert json.loads(fact.triggers_json) == [{"name": "q", "type": "rabbitmq"}]
        assert json.loads(fact.annotations_json) == {"autoscaling.keda.sh/paused-replicas": "0"}
        conditions = [{"type": "Active", "status": "True"}, {"type": "Fallback", "status": "False"}]
        put_status(cluster, f"{path}/orders", {"hpaName": "keda-hpa-orders", "conditions": conditions})
        active = observed.until(ScaledObjectSeen, lambda fact: fact.active == "True")
        assert (active.hpa_name, active.fallback, active.paused) == ("keda-hpa-orders", "False", "")
        put_status(cluster, f"{path}/orders", {"lastActiveTime": "2026-03-02T14:05:00Z"})
        cluster.kube.delete(f"{path}/orders")
        gone = observed.until(ScaledObjectGone)
        assert (gone.name, gone.uid) == ("orders", fact.uid)
        observed.end()
        # A time that its operator writes every few seconds is nothing new.
        assert len(observed.of(ScaledObjectSeen)) == 2


def test_without_keda_nothing_is_said_of_it(observe: Observe, create: Create) -> None:
    create("checkout")
    observed = observe()
    observed.until(HpaSeen)
    observed.until(ResourceMetricsRead)
    observed.end()
    assert not observed.notes
