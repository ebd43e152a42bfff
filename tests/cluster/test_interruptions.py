"""A connection that breaks while an observer watches: it goes on, and records when it saw nothing."""

from collections.abc import Callable, Iterator

import pytest

from hpaaudit.cluster.stores.pods import PodVersion
from hpaaudit.model.facts import Gap, HpaSeen, PodGone, PodSeen, ResourceMetricsRead, TargetSeen
from tests.cluster.cluster import Cluster
from tests.cluster.conftest import start
from tests.cluster.observer_thread import ObserverThread

Observe = Callable[..., ObserverThread]
Create = Callable[..., None]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster of this file's own: after a restart its controllers need a while to find back."""
    yield from start(tmp_path_factory)


def test_an_api_server_that_restarts_is_a_gap_and_is_followed_again(
    cluster: Cluster, namespace: str, create: Create, observe: Observe
) -> None:
    create("checkout")
    observed = observe()
    observed.until(ResourceMetricsRead, lambda read: bool(read.samples))
    cluster.restart_apiserver(down_seconds=2)
    gap = observed.until(Gap, lambda gap: gap.prefix.endswith("/horizontalpodautoscalers"))
    failed = observed.until(ResourceMetricsRead, lambda read: read.status == 0)
    fact_count = len(observed.facts)
    cluster.state["pods"][f"{namespace}/app=checkout"]["cpu"] = 190
    observed.until(TargetSeen, lambda fact: fact.scale.spec_replicas == 4, after=fact_count)
    observed.until(HpaSeen, after=fact_count)
    assert gap.until_us - gap.at_us >= 1_000_000
    assert gap.cause
    assert failed.error
    assert failed.samples is None


def test_what_went_while_nobody_looked_is_gone_after_the_new_list(
    cluster: Cluster, namespace: str, create: Create, observe: Observe
) -> None:
    create("checkout")
    observed = observe()
    observed.until(PodSeen, lambda fact: fact.pod.ready == "True")
    assert observed.observer
    [watch] = [reflector for reflector in observed.observer.watches.reflectors if reflector.resource == "pods"]
    # As if another pod had been seen before, and all of that were long past when the connection breaks.
    observed.observer.pods.versions[namespace, "ghost"] = PodVersion("ghost", 0, 0, 0)
    watch.progress.resource_version = "1"
    cluster.compact()
    cluster.restart_apiserver()
    gone = observed.until(PodGone)
    assert (gone.name, gone.uid) == ("ghost", "ghost")
