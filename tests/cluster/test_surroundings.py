"""What an observer records of quotas, limits, nodes, VPAs and admission."""

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from hpaaudit.model.facts import SurroundingSeen
from tests.cluster.cluster import Cluster
from tests.cluster.definitions import defined, put_status
from tests.cluster.observer_thread import ObserverThread

Observe = Callable[..., ObserverThread]
HOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"


def states_of(observed: ObserverThread, resource: str, *, gone: bool = False) -> list[dict[str, Any]]:
    """The states of the kind that were told until one comes, the newest last."""
    observed.until(SurroundingSeen, lambda fact: (fact.resource, fact.gone) == (resource, gone))
    return [json.loads(fact.state_json) for fact in observed.of(SurroundingSeen) if fact.resource == resource]


def test_a_quota_is_followed_and_only_what_changes_is_told(cluster: Cluster, namespace: str, observe: Observe) -> None:
    path = f"/api/v1/namespaces/{namespace}/resourcequotas"
    quota = {"metadata": {"name": "team"}, "spec": {"hard": {"count/configmaps": "5"}}}
    cluster.kube.post(path, quota)
    limits = {"limits": [{"type": "Container", "defaultRequest": {"cpu": "100m"}}]}
    cluster.kube.post(f"/api/v1/namespaces/{namespace}/limitranges", {"metadata": {"name": "team"}, "spec": limits})
    observed = observe()
    assert states_of(observed, "resourcequotas")[0]["hard"] == {"count/configmaps": "5"}
    assert states_of(observed, "limitranges")[0]["limits"][0]["defaultRequest"] == {"cpu": "100m"}
    cluster.kube.patch(f"{path}/team", {"metadata": {"annotations": {"note": "nothing of this is kept"}}})
    cluster.kube.patch(f"{path}/team", {"spec": {"hard": {"count/configmaps": "6"}}})
    observed.until(SurroundingSeen, lambda fact: '"6"' in fact.state_json)
    cluster.kube.delete(f"{path}/team")
    states = states_of(observed, "resourcequotas", gone=True)
    observed.end()
    assert states[-1] == {}
    assert all(earlier != later for earlier, later in pairwise(states))
    assert "nothing of this" not in repr(observed.facts)


def test_nodes_and_admission_are_followed_by_who_looks_at_the_whole_cluster(
    cluster: Cluster, namespace: str, observe: Observe
) -> None:
    scales = {
        "apiGroups": ["apps"],
        "apiVersions": ["v1"],
        "operations": ["UPDATE"],
        "resources": ["deployments/scale"],
    }
    hook = {
        "name": "scales.example.com", "rules": [scales], "sideEffects": "None", "admissionReviewVersions": ["v1"],
        "failurePolicy": "Ignore", "clientConfig": {"url": "https://127.0.0.1:1/"},
        "namespaceSelector": {"matchLabels": {"nobody": "has-this"}},
    }  # fmt: skip
    cluster.kube.post("/api/v1/nodes", {"metadata": {"name": namespace}, "spec": {"unschedulable": True}})
    cluster.kube.post(HOOKS, {"metadata": {"name": namespace}, "webhooks": [hook]})
    try:
        observed = observe(everywhere=True)
        assert states_of(observed, "nodes")[0]["unschedulable"] is True
        (webhook,) = states_of(observed, "mutatingwebhookconfigurations")[0]["webhooks"]
        assert (webhook["name"], webhook["failurePolicy"]) == ("scales.example.com", "Ignore")
        assert webhook["rules"][0]["resources"] == ["deployments/scale"]
    finally:
        cluster.kube.delete(f"{HOOKS}/{namespace}")
        cluster.kube.delete(f"/api/v1/nodes/{namespace}")
    states_of(observed, "nodes", gone=True)
    observed.end()


def test_a_vpa_is_followed_where_the_cluster_knows_them(cluster: Cluster, namespace: str, observe: Observe) -> None:
    with defined(cluster, "autoscaling.k8s.io", "VerticalPodAutoscaler") as base:
        path = f"{base}/namespaces/{namespace}/verticalpodautoscalers"
        spec = {"targetRef": {"kind": "Deployment", "name": "web"}, "updatePolicy": {"updateMode": "Initial"}}
        vpa = {"apiVersion": "autoscaling.k8s.io/v1", "kind": "VerticalPodAutoscaler", "metadata": {"name": "web"}}
        cluster.kube.post(path, {**vpa, "spec": spec})
        observed = observe()
        (first,) = states_of(observed, "verticalpodautoscalers")
        assert first == {"targetRef": spec["targetRef"], "updateMode": "Initial"}
        target = {"containerName": "app", "target": {"cpu": "250m"}}
        put_status(cluster, f"{path}/web", {"recommendation": {"containerRecommendations": [target]}})
        observed.until(SurroundingSeen, lambda fact: '"recommended":{"app":{"cpu":"250m"}}' in fact.state_json)
        observed.end()
