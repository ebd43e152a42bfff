"""Which Events are recorded: those of HPAs, of their targets, and of the ReplicaSets and pods of these."""

from collections.abc import Callable
from typing import Any

import pytest

from hpaaudit.cluster.stores.events import name_base, owner_bases
from hpaaudit.model.facts import EventSeen
from tests.cluster.cluster import Cluster
from tests.cluster.observer_thread import ObserverThread

LONG = "a" * 60
HASH = "7d9c6b8f5d"


@pytest.mark.parametrize(
    ("kind", "name", "maker", "whose"),
    [
        ("ReplicaSet", f"web-{HASH}", "web", True),
        ("ReplicaSet", f"web-api-{HASH}", "web-api", True),
        ("ReplicaSet", f"web-api-{HASH}", "web", False),
        ("ReplicaSet", "web", "web", False),
        ("ReplicaSet", f"{LONG}-{HASH}", LONG, True),
        ("Pod", f"web-{HASH}-x2x7p", "web", True),
        ("Pod", f"web-{HASH}-x2x7p", f"web-{HASH}", True),
        ("Pod", "db-0", "db", True),
        ("Pod", f"web-api-{HASH}-x2x7p", "web", False),
        ("Pod", f"website-{HASH}-x2x7p", "web", False),
        ("Pod", "web", "web", False),
        # A Deployment of 50 letters: its ReplicaSet's name is cut in the hash.
        ("Pod", f"{'a' * 50}-{HASH[:7]}x2x7p", "a" * 50, True),
        ("Pod", f"{LONG[:58]}x2x7p", LONG, True),
    ],
)
def test_what_a_workload_made_is_known_by_its_name(kind: str, name: str, maker: str, whose: bool) -> None:
    assert (name_base(maker) in owner_bases(kind, name)) is whose


def test_events_of_replica_sets_and_pods_are_kept_but_for_what_the_pods_show(
    cluster: Cluster, namespace: str, create: Callable[..., None], observe: Callable[..., ObserverThread]
) -> None:
    create("checkout")

    def post(kind: str, name: str, reason: str) -> None:
        about = {"kind": kind, "namespace": namespace, "name": name}
        fields: dict[str, Any] = {"metadata": {"generateName": "e"}, "involvedObject": about, "reason": reason}
        cluster.kube.post(f"/api/v1/namespaces/{namespace}/events", fields | {"type": "Warning"})

    post("ReplicaSet", f"checkout-{HASH}", "FailedCreate")
    observed = observe()
    observed.until(EventSeen, lambda event: event.reason == "FailedCreate")
    post("Pod", f"checkout-{HASH}-x2x7p", "Pulled")
    post("Pod", f"other-{HASH}-x2x7p", "Evicted")
    post("Pod", f"checkout-{HASH}-x2x7p", "FailedScheduling")
    post("ReplicaSet", f"checkout-{HASH}", "SuccessfulCreate")
    post("Pod", f"checkout-{HASH}-x2x7p", "Killing")
    observed.until(EventSeen, lambda event: event.reason == "Killing")
    observed.end()
    recorded = [(event.kind, event.reason) for event in observed.of(EventSeen) if event.kind in {"ReplicaSet", "Pod"}]
    assert recorded == [("ReplicaSet", "FailedCreate"), ("Pod", "FailedScheduling"), ("Pod", "Killing")]
    assert not observed.notes
