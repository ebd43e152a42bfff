"""What a recorder says of the HPAs live: from a real controller, and within its bounds."""

import asyncio
import signal
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.cluster.access.config import ClientConfig
from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.clock import Clock
from hpaaudit.cluster.observe.metric_changes import averages
from hpaaudit.cluster.observe.observer import Observer
from hpaaudit.cluster.scope import Scope
from hpaaudit.cluster.serve.hpa_metrics import MAX_CONDITIONS, HpaMetrics, hpa_metrics
from hpaaudit.cluster.stores.conditions import OTHER, REASONS, Trouble, troubles
from hpaaudit.cluster.stores.foreign_writes import HPA_CONTROLLER, MAX_TARGETS, ForeignWrites
from hpaaudit.model.facts import ResourceMetricsRead, TargetRef, TargetSeen
from hpaaudit.model.hpa import Condition, Hpa, HpaSpec, ObjectRef
from hpaaudit.model.metrics import ContainerUsage, MetricsRequest, PodSample
from hpaaudit.model.target import Scale
from hpaaudit.model.units import SECOND, Micros, Milli
from tests.cluster import kube
from tests.cluster.cluster import LEASE, Cluster
from tests.cluster.manifests import cpu, external, hpa
from tests.cluster.observer_thread import ObserverThread

Create = Callable[..., None]
Observe = Callable[..., ObserverThread]
NOW = Micros(1_000 * SECOND)


# A real controller


def until(observed: ObserverThread, holds: Callable[[HpaMetrics], bool]) -> HpaMetrics:
    """Waits until the metrics of a running observer are so."""

    async def read(observer: Observer) -> HpaMetrics:
        return hpa_metrics(observer)

    end = time.monotonic() + 60
    while time.monotonic() < end:
        if observed.observer and observed.loop:
            metrics = asyncio.run_coroutine_threadsafe(read(observed.observer), observed.loop).result(30)
            if holds(metrics):
                return metrics
        time.sleep(0.1)
    raise TimeoutError(metrics)


def test_each_trouble_of_a_real_controller_moves_its_metric(
    cluster: Cluster, namespace: str, create: Create, observe: Observe
) -> None:
    one_pod_a_minute = {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]}
    for name in ("top", "slow"):
        cluster.state["pods"][f"{namespace}/app={name}"] = {"cpu": 900}
    create("top", high=2)
    create("slow", behavior={"scaleUp": one_pod_a_minute})
    create("paused", high=1)
    create("lost", external("nothing", {}, "5"))
    create("calm")
    cluster.kube.post(f"/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers", hpa("astray", cpu(50)))
    observed = observe()
    wanted = {
        (namespace, "top", "ScalingLimited", "TooManyReplicas"),
        (namespace, "slow", "ScalingLimited", "ScaleUpLimit"),
        (namespace, "lost", "ScalingActive", "FailedGetExternalMetric"),
        (namespace, "astray", "AbleToScale", "FailedGetScale"),
    }

    def paused(metrics: HpaMetrics) -> bool:
        return any(labels[1] == "paused" for labels in metrics.since)

    # The first metric answers may lack the pods of "paused", so the controller tells of it for a moment.
    metrics = until(
        observed,
        lambda metrics: metrics.since.keys() >= wanted and metrics.metric_changes > 0 and not paused(metrics),
    )
    assert all(abs(time.time() - seconds) < 120 for seconds in metrics.since.values())
    for _, _, *reason in wanted:
        assert metrics.by_reason[tuple(reason)] == 1
    assert (metrics.foreign, metrics.foreign_writes) == ({}, 0)
    assert metrics.status_changes > 0

    # Somebody scales by hand, and the HPA scales back.
    by_hand = kube.Kube(cluster.url, cluster.tokens["alice"], cluster.ca, agent="kubectl/v1.36.3")
    scale = f"/apis/apps/v1/namespaces/{namespace}/deployments/calm/scale"
    by_hand.patch(scale, {"spec": {"replicas": 4}})
    metrics = until(observed, lambda metrics: metrics.foreign_writes > 0)
    (labels,) = metrics.foreign
    assert labels == (namespace, "deployments.apps/calm", "kubectl")
    assert abs(metrics.foreign[labels] - time.time()) < 60
    end = time.monotonic() + 60
    while cluster.kube.get(scale)["spec"]["replicas"] == 4 and time.monotonic() < end:
        time.sleep(0.1)
    assert cluster.kube.get(scale)["spec"]["replicas"] < 4
    # A write that leaves the number as it is, is no write of interest.
    by_hand.patch(f"/apis/apps/v1/namespaces/{namespace}/deployments/calm", {"metadata": {"labels": {"x": "y"}}})

    # The controller stops, then goes on.
    process = cluster.processes["kube-controller-manager"]
    process.send_signal(signal.SIGSTOP)
    try:
        renewed = cluster.kube.get(LEASE)["spec"]["renewTime"]
        before = until(observed, lambda metrics: bool(metrics.renewed))
        time.sleep(4)
        after = until(observed, lambda _: True)
        assert cluster.kube.get(LEASE)["spec"]["renewTime"] == renewed
        assert after.renewed == before.renewed
        assert time.time() - after.renewed[()] > 3
    finally:
        process.send_signal(signal.SIGCONT)
    until(observed, lambda metrics: metrics.renewed[()] > after.renewed[()])
    assert until(observed, lambda _: True).foreign_writes == 1


# Bounds and laws


def autoscaler(*conditions: Condition, low: int | None = 1, high: int = 8) -> Hpa:
    """An HPA that publishes these conditions."""
    from hpaaudit.cluster.stores.hpas import EMPTY_STATUS

    return Hpa(
        namespace="shop",
        name="checkout",
        uid="u",
        resource_version="1",
        generation=1,
        spec=HpaSpec(
            target=ObjectRef(kind="Deployment", name="checkout", api_version="apps/v1"),
            min_replicas=low,
            max_replicas=high,
            metrics=(),
            behavior=None,
        ),
        status=replace(EMPTY_STATUS, conditions=conditions),
    )


def condition(kind: str, status: str, reason: str, since_us: int | None = 5 * SECOND) -> Condition:
    """A condition without a message."""
    last = None if since_us is None else Micros(since_us)
    return Condition(type=kind, status=status, reason=reason, message="", last_transition_us=last)


KINDS = ("ScalingLimited", "ScalingActive", "AbleToScale", "Unknown")
REASON_WORDS = st.sampled_from([*(reason for some in REASONS.values() for reason in some), "ScalingDisabled", "x", ""])
CONDITIONS = st.lists(
    st.builds(condition, st.sampled_from(KINDS), st.sampled_from(("True", "False", "Unknown", "")), REASON_WORDS)
)


@settings(derandomize=True)
@given(CONDITIONS, CONDITIONS)
def test_whatever_an_hpa_publishes_its_troubles_are_few_and_of_known_reasons(
    first: list[Condition], second: list[Condition]
) -> None:
    """At most one of each type; what lasts keeps its time; the same again changes nothing."""
    before = troubles(autoscaler(*first), NOW, ())
    after = troubles(autoscaler(*second), Micros(NOW + SECOND), before)
    for found in (before, after):
        assert len({trouble.condition for trouble in found}) == len(found) <= 3
        assert all(trouble.reason in (*REASONS[trouble.condition], OTHER) for trouble in found)
    assert troubles(autoscaler(*second), Micros(NOW + 2 * SECOND), after) == after or len(second) > len(after)


@pytest.mark.parametrize(
    ("published", "reason"),
    [
        (condition("ScalingLimited", "True", "TooManyReplicas"), "TooManyReplicas"),
        (condition("ScalingLimited", "False", "DesiredWithinRange"), None),
        (condition("ScalingActive", "False", "ScalingDisabled"), None),
        (condition("ScalingActive", "False", "FailedGetResourceMetric"), "FailedGetResourceMetric"),
        (condition("ScalingActive", "False", "SomethingNew"), OTHER),
        (condition("AbleToScale", "False", "BackoffBoth"), None),
        (condition("AbleToScale", "True", "SucceededRescale"), None),
    ],
)
def test_what_counts_as_a_trouble(published: Condition, reason: str | None) -> None:
    found = troubles(autoscaler(published), NOW, ())
    assert [trouble.reason for trouble in found] == ([] if reason is None else [reason])


@pytest.mark.parametrize(("low", "high", "count"), [(None, 1, 0), (4, 4, 0), (3, 4, 1)])
def test_a_paused_hpa_is_not_limited_but_may_fail(low: int | None, high: int, count: int) -> None:
    limited, failing = condition("ScalingLimited", "True", "TooManyReplicas"), condition("ScalingActive", "False", "x")
    assert len(troubles(autoscaler(limited, low=low, high=high), NOW, ())) == count
    assert len(troubles(autoscaler(failing, low=low, high=high), NOW, ())) == 1


def test_a_trouble_lasts_from_its_transition_and_begins_anew_with_another_reason() -> None:
    first = troubles(autoscaler(condition("ScalingLimited", "True", "ScaleUpLimit")), NOW, ())
    assert first == (Trouble("ScalingLimited", "ScaleUpLimit", Micros(5 * SECOND)),)
    later = Micros(NOW + SECOND)
    at_max = autoscaler(condition("ScalingLimited", "True", "TooManyReplicas"))
    assert troubles(at_max, later, first) == (Trouble("ScalingLimited", "TooManyReplicas", later),)
    unknown = autoscaler(condition("ScalingLimited", "True", "ScaleUpLimit", None))
    assert troubles(unknown, NOW, ())[0].since_us == NOW


def test_five_thousand_hpas_in_trouble_have_five_hundred_names_and_all_are_counted() -> None:
    async def play() -> HpaMetrics:
        client = Client(ClientConfig(source="", context="here", server="http://127.0.0.1:1"), Clock())
        observer = Observer(client, Scope(namespace="", interval_us=Micros(SECOND)), lambda _: None, print)
        for number in range(5000):
            raw = {
                "apiVersion": "autoscaling/v2",
                "metadata": {"namespace": "shop", "name": f"hpa-{number}", "uid": str(number), "resourceVersion": "1"},
                "spec": {"maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "x"}},
                "status": {
                    "conditions": [
                        {
                            "type": "ScalingLimited",
                            "status": "True",
                            "reason": "TooManyReplicas",
                            "lastTransitionTime": f"2026-01-01T{23 - number % 24:02}:00:00Z",
                        }
                    ]
                },
            }
            observer.hpas.update(raw, NOW)
        observer.hpas.delete({"metadata": {"namespace": "shop", "name": "hpa-0"}}, NOW)
        return hpa_metrics(observer)

    metrics = asyncio.run(play())
    assert len(metrics.since) == MAX_CONDITIONS
    assert metrics.left_out == 4999 - MAX_CONDITIONS
    assert metrics.by_reason["ScalingLimited", "TooManyReplicas"] == 4999
    assert len(metrics.by_reason) == 17
    # Those that have lasted longest: 208 of hour 0, 208 of hour 1, the rest of hour 2.
    assert len(set(metrics.since.values())) == 3


def target_seen(name: str, replicas: int, manager: str, subresource: str = "", uid: str = "u") -> TargetSeen:
    """A Deployment that this manager wrote last."""
    return TargetSeen(
        at_us=NOW,
        target=TargetRef(group="apps", resource="deployments", namespace="shop", name=name),
        kind="Deployment",
        uid=uid,
        resource_version="1",
        generation=1,
        scale=Scale(spec_replicas=replicas, status_replicas=replicas, selector="app=x"),
        manager=manager,
        operation="Update",
        subresource=subresource,
        written_us=None,
    )


@pytest.mark.parametrize(
    ("after", "count"),
    [
        (target_seen("x", 5, "kubectl", "scale"), 1),
        (target_seen("x", 5, "kube-controller-manager"), 1),  # another controller of that process
        (target_seen("x", 5, *HPA_CONTROLLER), 0),
        (target_seen("x", 4, "kubectl"), 0),  # the number is the same
        (target_seen("x", 5, ""), 0),  # nobody knows
        (target_seen("x", 5, "helm", uid="another"), 0),  # created again
    ],
)
def test_which_write_is_foreign(after: TargetSeen, count: int) -> None:
    writes = ForeignWrites()
    writes.compare(target_seen("x", 4, *HPA_CONTROLLER), after)
    assert (writes.count, len(writes.last)) == (count, count)


def test_of_many_targets_those_with_the_newest_writes_are_kept() -> None:
    writes, names = ForeignWrites(), [str(number) for number in range(MAX_TARGETS)]
    for name in (*names, "0", "new"):
        writes.compare(target_seen(name, 4, *HPA_CONTROLLER), target_seen(name, 5, "argocd-controller"))
    assert writes.count == MAX_TARGETS + 2
    assert {target.name for target in writes.last} == {*names, "new"} - {"1"}


def usage(at_us: int, *millis: int) -> ResourceMetricsRead:
    """An answer with one pod for each number."""
    request = MetricsRequest(
        api="metrics.k8s.io", namespace="a", resource="pods", object="", metric="", selector="", metric_selector=""
    )
    samples = tuple(
        PodSample(
            pod=str(number),
            timestamp_us=Micros(at_us),
            window_us=Micros(SECOND),
            containers=(ContainerUsage(name="app", usage=(("cpu", Milli(milli)),)),),
        )
        for number, milli in enumerate(millis)
    )
    return ResourceMetricsRead(
        at_us=Micros(at_us), took_us=Micros(1), request=request, path="/", status=200, error="", by="", samples=samples
    )


@settings(derandomize=True)
@given(st.lists(st.integers(0, 10**15), min_size=1, max_size=9), st.integers(1, 9))
def test_an_answer_changes_by_its_values_and_neither_by_its_time_nor_by_less_than_a_pods_thousandth(
    millis: list[int], more: int
) -> None:
    before = averages(usage(1, *millis))
    assert averages(usage(2, *reversed(millis))) == before
    assert averages(usage(1, *(milli + more for milli in millis))) != before
    assert averages(usage(1)) is None
