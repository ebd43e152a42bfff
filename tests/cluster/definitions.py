"""Creates CustomResourceDefinitions for a test, and deletes them after it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.cluster.cluster import Cluster

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
SCALE = {"specReplicasPath": ".spec.size.replicas", "statusReplicasPath": ".status.running",
         "labelSelectorPath": ".status.selector"}  # fmt: skip
"""Paths that nothing but the definition tells."""


@contextmanager
def defined(
    cluster: Cluster, group: str, kind: str, *, version: str = "v1", scale: dict[str, str] | None = None
) -> Iterator[str]:
    """The path of a kind's API while the cluster knows it; any field is allowed, and there is a status."""
    plural = f"{kind.lower()}s"
    served = {
        "name": version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
        "subresources": {"status": {}, **({"scale": scale} if scale else {})},
    }
    names = {"plural": plural, "singular": kind.lower(), "kind": kind}
    spec = {"group": group, "scope": "Namespaced", "names": names, "versions": [served]}
    # Groups of Kubernetes' own ask for it.
    approved = {"api-approved.kubernetes.io": "unapproved, for a test"}
    cluster.kube.post(CRDS, {"metadata": {"name": f"{plural}.{group}", "annotations": approved}, "spec": spec})

    def is_served() -> bool:
        conditions = cluster.kube.get(f"{CRDS}/{plural}.{group}").get("status", {}).get("conditions") or []
        listed = cluster.kube.raw("GET", f"/apis/{group}/{version}/{plural}")[0] == 200
        is_discovered = group in {one["name"] for one in cluster.kube.get("/apis")["groups"]}
        return (
            is_discovered and listed and any(c["type"] == "Established" and c["status"] == "True" for c in conditions)
        )

    def is_forgotten() -> bool:
        is_discovered = group in {one["name"] for one in cluster.kube.get("/apis")["groups"]}
        return not is_discovered and cluster.kube.raw("GET", f"{CRDS}/{plural}.{group}")[0] == 404

    try:
        cluster.wait("kube-apiserver", is_served, 30)
        yield f"/apis/{group}/{version}"
    finally:
        cluster.kube.delete(f"{CRDS}/{plural}.{group}")
        cluster.wait("kube-apiserver", is_forgotten, 30)


def put_status(cluster: Cluster, path: str, status: dict[str, Any]) -> None:
    """Writes the status of a custom resource."""
    cluster.kube.patch(f"{path}/status", {"status": status})
