"""A recorder of a real cluster is killed and started again: it continues, and the replay shows a gap."""

import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hpaaudit.flows.inspect import inspect
from hpaaudit.flows.query import open_source
from hpaaudit.flows.verify import verify
from hpaaudit.model.facts import Fact, Gap, HpaGone, HpaSeen, PodGone, PodSeen, TargetGone, TargetSeen
from hpaaudit.recording.reading.recording import open_recording
from tests.cluster.cluster import Cluster
from tests.cluster.recorder import Recorder

Create = Callable[..., None]
PATIENCE = 40


def facts_in(folder: Path) -> list[Fact]:
    """What is known so far of a recording that grows."""
    return list(open_recording(folder).facts()) if (folder / "recording.json").exists() else []


def until(folder: Path, true: Callable[[list[Fact]], bool]) -> list[Fact]:
    """Waits until it is so in a recording that grows."""
    end = time.monotonic() + PATIENCE
    while not true(facts := facts_in(folder)):
        assert time.monotonic() < end, facts
        time.sleep(0.2)
    return facts


def names(facts: list[Fact], kind: type[Fact]) -> set[str]:
    """Which objects some facts are about."""
    of_kind = [fact for fact in facts if isinstance(fact, kind)]
    return {fact.target.name if isinstance(fact, TargetSeen | TargetGone) else fact.name for fact in of_kind}  # type: ignore[union-attr]


@pytest.fixture
def resumed(cluster: Cluster, namespace: str, create: Create, tmp_path: Path) -> tuple[list[Fact], list[Fact], Path]:
    """Records two HPAs, kills, takes one away with Deployment and pods, records again; what was known, all, where."""
    create("stays")
    create("goes")
    into, options = tmp_path / "recording", ("-n", namespace, "--interval", "500ms")
    kubeconfig = cluster.dir / "admin.kubeconfig"
    recorder = Recorder(into, kubeconfig, *options)

    def pods(facts: list[Fact]) -> set[str]:
        return {fact.pod.name.split("-")[0] for fact in facts if isinstance(fact, PodSeen) and fact.pod.ready == "True"}

    before = until(into, lambda facts: pods(facts) == {"stays", "goes"})
    recorder.end(signal.SIGKILL)
    before = facts_in(into)
    for path in (f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers/goes",):
        cluster.kube.delete(path)
    cluster.kube.delete(f"/apis/apps/v1/namespaces/{namespace}/deployments/goes?propagationPolicy=Background")
    gone = f"/api/v1/namespaces/{namespace}/pods?labelSelector=app%3Dgoes"
    end = time.monotonic() + PATIENCE
    while cluster.kube.get(gone)["items"] and time.monotonic() < end:
        time.sleep(0.2)
    recorder = Recorder(into, kubeconfig, *options)
    until(into, lambda facts: "goes" in names(facts[len(before) :], HpaGone))
    time.sleep(3)
    code, output = recorder.end()
    assert code == 0
    assert f"continuing in {into}: the recorder died, and was started again" in output
    return before, facts_in(into), into


def test_a_recording_goes_on_after_a_kill_and_replays_with_a_gap(resumed: tuple[list[Fact], list[Fact], Path]) -> None:
    before, facts, into = resumed
    assert facts[: len(before)] == before
    after = facts[len(before) :]
    assert isinstance(after[0], Gap)
    assert (after[0].at_us, after[0].prefix) == (max(fact.at_us for fact in before), "*")
    # What vanished meanwhile is told to be gone, what stands still is not told again.
    assert names(after, HpaGone) == {"goes"}
    assert names(after, TargetGone) <= {"goes"}
    assert {name.split("-")[0] for name in names(after, PodGone)} == {"goes"}
    pods_before = [fact.pod for fact in before if isinstance(fact, PodSeen)]
    assert not [fact for fact in after if isinstance(fact, PodSeen) and fact.pod in pods_before]
    versions = {fact.resource_version for fact in before if isinstance(fact, HpaSeen)}
    assert not [fact for fact in after if isinstance(fact, HpaSeen) and fact.resource_version in versions]
    assert verify(into).damages == ()
    assert inspect(into).complete
    with open_source(into) as results:
        (gap,) = results.sql(
            "select stream, prefix, cause, epoch_us(gap_from), epoch_us(gap_to) from coverage_gaps"
        ).fetchall()
        assert gap == ("everything", "*", after[0].cause, after[0].at_us, after[0].until_us)
        wrong = "select name, class, count(*) from reconciles where verdict = 'divergent' group by all"
        assert results.sql(wrong).fetchall() == []
        lives = "select name, count(*) from hpas group by name order by name"
        assert results.sql(lives).fetchall() == [("goes", 1), ("stays", 1)]
