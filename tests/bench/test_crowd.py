"""The crowded cluster of the bench is one that a recorder can follow, and that changes."""

import asyncio
import json

import pytest

from hpaaudit.api import to_facts, workload
from hpaaudit.api.decode import decode_hpa
from hpaaudit.cluster.access.config import ClientConfig
from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.clock import Clock
from hpaaudit.cluster.observe.observer import Observer
from hpaaudit.cluster.scope import Scope
from hpaaudit.model.facts import Fact, Gap, HpaSeen, LeaseSeen, PodGone, PodSeen, ResourceMetricsRead, TargetRef
from hpaaudit.model.units import SECOND, Micros
from tests.bench.crowd import PODS_OF_HPA, Crowd
from tests.bench.gentle import crowd_server, decoding

HPAS, SECONDS = 30, 5


def test_its_objects_are_those_of_kubernetes() -> None:
    crowd = Crowd(HPAS)
    hpa = decode_hpa(to_facts.hpa_seen(Micros(0), json.loads(crowd.hpa(7, 3))))
    target = TargetRef(group="apps", resource="deployments", namespace="team-000", name="app-0007")
    fact = workload.target_seen(Micros(0), target, json.loads(crowd.deployment(7)))
    pod = to_facts.pod_seen(Micros(0), json.loads(crowd.pod(70))).pod
    samples = json.loads(crowd.usage(0))["items"]
    assert (hpa.name, hpa.spec.target.name, fact.scale.selector) == ("app-0007", "app-0007", "app=app-0007")
    assert dict(pod.labels)["app"] == "app-0007"
    assert (pod.phase, pod.ready, pod.deleting_us) == ("Running", "True", None)
    assert pod.name in {sample["metadata"]["name"] for sample in samples}
    assert len({crowd.pod_name(index, 0) for index in range(crowd.pods)}) == HPAS * PODS_OF_HPA


async def followed(url: str, facts: list[Fact]) -> None:
    """Follows it for a few seconds."""
    scope = Scope(namespace="", interval_us=Micros(SECOND))
    async with Client(ClientConfig(source="test", context="crowd", server=url), Clock()) as client:
        observer = Observer(client, scope, facts.append, lambda _: None)
        asyncio.get_running_loop().call_later(SECONDS, observer.stop)
        await observer.run()


@pytest.mark.alone
def test_a_recorder_follows_it_without_a_gap() -> None:
    facts: list[Fact] = []
    with crowd_server(HPAS) as url:
        asyncio.run(followed(url, facts))
    hpas = [fact.name for fact in facts if isinstance(fact, HpaSeen)]
    pods = [fact.pod for fact in facts if isinstance(fact, PodSeen)]
    reads = [fact for fact in facts if isinstance(fact, ResourceMetricsRead)]
    assert len(set(hpas)) == HPAS < len(hpas)
    assert len({pod.name for pod in pods}) > HPAS * PODS_OF_HPA
    assert any(isinstance(fact, PodGone) for fact in facts)
    assert any(isinstance(fact, LeaseSeen) for fact in facts)
    assert {len(read.samples or ()) for read in reads} == {250, 50}
    assert not [fact for fact in facts if isinstance(fact, Gap)]


def test_its_pages_and_its_usage_are_decoded_as_the_recorder_decodes_them() -> None:
    assert [row.what for row in decoding(1, 1)][-1] == "µs, 1 pods and 1 samples"
