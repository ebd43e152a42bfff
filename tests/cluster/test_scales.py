"""Scales that are polled because they cannot be watched: what that hides, and what it does not."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from hpaaudit.model.facts import Gap, ScaleRead, TargetSeen
from hpaaudit.model.units import SECOND
from tests.cluster.cluster import Cluster
from tests.cluster.observer_thread import ObserverThread

Create = Callable[..., None]
Observe = Callable[..., ObserverThread]
HPAS = {"apiGroups": ["autoscaling"], "resources": ["horizontalpodautoscalers"], "verbs": ["list", "watch"]}
SCALES = {"apiGroups": ["apps"], "resources": ["deployments/scale"], "verbs": ["get"]}


def hidden(facts: list[Any]) -> list[Gap]:
    """The gaps of Deployments."""
    return [fact for fact in facts if isinstance(fact, Gap) and "/deployments" in fact.prefix]


def test_where_the_scale_is_read_only_its_writers_are_hidden(
    cluster: Cluster, namespace: str, create: Create, observe: Observe
) -> None:
    create("checkout")
    cluster.allow("reader", namespace, [HPAS, SCALES])
    observed = observe(cluster.dir / "reader.kubeconfig")
    first = observed.until(ScaleRead, lambda fact: fact.status == 200)
    observed.until(ScaleRead, lambda fact: fact.at_us > first.at_us + SECOND)
    gaps = hidden(observed.end())
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    assert {gap.prefix for gap in gaps if gap.at_us >= first.at_us} == {f"{path}#writers"}
    assert {gap.prefix for gap in gaps if gap.until_us <= first.at_us} <= {path}
    assert all(before.until_us <= after.at_us for before, after in pairwise(gaps))
    assert {gap.cause for gap in gaps} == {gaps[0].cause}
    assert "cannot list resource" in gaps[0].cause


def test_a_scale_that_may_not_be_read_either_is_hidden_itself(
    cluster: Cluster, namespace: str, create: Create, observe: Observe
) -> None:
    create("checkout")
    create("search")
    # Of two, one may be read: the path is that of both.
    cluster.allow("reader", namespace, [HPAS, {**SCALES, "resourceNames": ["checkout"]}])
    observed = observe(cluster.dir / "reader.kubeconfig")
    observed.until(ScaleRead, lambda fact: fact.status == 200)
    refused = observed.until(ScaleRead, lambda fact: fact.status == 403)
    observed.until(ScaleRead, lambda fact: fact.at_us > refused.at_us + SECOND)
    gaps = [gap for gap in hidden(observed.end()) if gap.until_us > refused.at_us + SECOND // 2]
    assert {gap.prefix.rpartition("/")[2].partition("?")[0] for gap in gaps} == {"deployments"}


def test_a_watch_that_is_withdrawn_is_followed_by_reads_of_the_scale(
    cluster: Cluster, namespace: str, create: Create, observe: Observe
) -> None:
    """Who may list and not watch is told so after the first list."""
    create("checkout")
    listed = {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["list"]}
    cluster.allow("reader", namespace, [HPAS, SCALES, listed])
    observed = observe(cluster.dir / "reader.kubeconfig")
    observed.until(TargetSeen)
    first = observed.until(ScaleRead, lambda fact: fact.status == 200)
    observed.until(ScaleRead, lambda fact: fact.at_us > first.at_us + SECOND)
    gaps = hidden(observed.end())
    assert gaps[-1].prefix.endswith("/deployments#writers")
    assert gaps[-1].until_us - first.at_us >= SECOND
    assert [line.partition(" in ")[0] for line in observed.notes if "deployments" in line] == [
        "cannot follow deployments, so their scales are read"
    ]
