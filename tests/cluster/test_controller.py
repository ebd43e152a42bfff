"""The flags of a kube-controller-manager that runs as a pod."""

import pytest

from hpaaudit.cluster.observe.controller_manager import FLAG_PART, _flags, _version
from hpaaudit.model.facts import ControllerSeen
from tests.cluster.cluster import LEASE, Cluster
from tests.cluster.observer_thread import ObserverThread


def test_the_flags_of_a_visible_controller_are_recorded(cluster: Cluster, namespace: str) -> None:
    container = {
        "name": "kube-controller-manager",
        "image": "registry.k8s.io/kube-controller-manager:v1.36.3@sha256:0123456789abcdef",
        "command": [
            "kube-controller-manager",
            "--horizontal-pod-autoscaler-tolerance=0.05",
            "--kubeconfig=/etc/kubernetes/controller-manager.conf",
            "--feature-gates=HPAScaleToZero=true,HPAConfigurableTolerance=false",
        ],
    }
    meta = {"name": "kube-controller-manager-node-1", "labels": {"component": "kube-controller-manager"}}
    pods = "/api/v1/namespaces/kube-system/pods"
    cluster.kube.post(pods, {"metadata": meta, "spec": {"nodeName": "node-1", "containers": [container]}})
    observed = ObserverThread(cluster.dir / "admin.kubeconfig", namespace)
    try:
        fact = observed.until(ControllerSeen)
    finally:
        observed.end()
        cluster.kube.delete(f"{pods}/{meta['name']}", gracePeriodSeconds=0)
    assert (fact.state, fact.release, fact.version) == ("declared", "1.36", "v1.36.3")
    assert fact.flags == (("horizontal-pod-autoscaler-tolerance", "0.05"),)
    assert fact.gates == (("HPAConfigurableTolerance", False), ("HPAScaleToZero", True))


def test_a_new_leader_is_asked_for_its_own_flags(cluster: Cluster, namespace: str) -> None:
    pods = "/api/v1/namespaces/kube-system/pods"
    lease = cluster.kube.get(LEASE)["spec"]["holderIdentity"]
    for node, tolerance in ((lease.rpartition("_")[0], "0.2"), ("node-2", "0.3")):
        command = ["kube-controller-manager", f"--horizontal-pod-autoscaler-tolerance={tolerance}"]
        container = {"name": "kube-controller-manager", "image": "none", "command": command}
        meta = {"name": f"kcm-{tolerance}", "labels": {"component": "kube-controller-manager"}}
        cluster.kube.post(pods, {"metadata": meta, "spec": {"nodeName": node, "containers": [container]}})
    observed = ObserverThread(cluster.dir / "admin.kubeconfig", namespace)
    try:
        first = observed.until(ControllerSeen)
        # It comes back with the Lease of another host, until the real one takes over again.
        cluster.kube.patch(LEASE, {"spec": {"holderIdentity": "node-2_b", "leaseDurationSeconds": 1}})
        second = observed.until(ControllerSeen, lambda fact: fact != first)
    finally:
        observed.end()
        cluster.kube.patch(LEASE, {"spec": {"holderIdentity": lease}})
        for tolerance in ("0.2", "0.3"):
            cluster.kube.delete(f"{pods}/kcm-{tolerance}", gracePeriodSeconds=0)
    assert [dict(started.flags)[f"{FLAG_PART}-tolerance"] for started in (first, second)] == ["0.2", "0.3"]


@pytest.mark.parametrize(
    ("words", "flags"),
    [
        (["kcm", "--a=1", "--b", "2", "--c"], {"a": "1", "b": "2", "c": "true"}),
        (["kcm", "--a", "--b=x=y"], {"a": "true", "b": "x=y"}),
        ([], {}),
    ],
)
def test_flags_are_read_as_go_reads_them(words: list[str], flags: dict[str, str]) -> None:
    assert _flags(words) == flags


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("registry.k8s.io/kube-controller-manager:v1.36.3", "v1.36.3"),
        ("localhost:5000/kube-controller-manager:v1.30.1-eks-1", "v1.30.1-eks-1"),
        ("localhost:5000/kube-controller-manager", ""),
        ("kube-controller-manager:latest", ""),
    ],
)
def test_the_version_is_the_tag_of_the_image(image: str, version: str) -> None:
    assert _version(image) == version
