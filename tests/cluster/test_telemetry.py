"""What a recorder counts: the names of its metrics, and what each is made of."""

import asyncio

import pytest
from prometheus_client.parser import text_string_to_metric_families

from hpaaudit.cluster.access.config import ClientConfig
from hpaaudit.cluster.client.client import Client
from hpaaudit.cluster.client.clock import Clock
from hpaaudit.cluster.client.telemetry import Telemetry, kind_of
from hpaaudit.cluster.observe.observer import Observer
from hpaaudit.cluster.scope import Scope
from hpaaudit.cluster.serve.exposition import exposition
from hpaaudit.cluster.serve.http_server import readiness
from hpaaudit.model.facts import Gap, VersionRead
from hpaaudit.model.recorder_plan import StorageCounts
from hpaaudit.model.units import SECOND, Micros

PODS = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods"


@pytest.mark.parametrize(
    ("path", "resource", "verb"),
    [
        ("/version", "discovery", "get"),
        ("/apis/autoscaling", "discovery", "get"),
        ("/apis/argoproj.io/v1alpha1", "discovery", "get"),
        ("/api/v1/pods", "pods", "list"),
        ("/api/v1/namespaces/shop/pods", "pods", "list"),
        ("/apis/autoscaling/v2/horizontalpodautoscalers", "horizontalpodautoscalers.autoscaling", "list"),
        ("/apis/apps/v1/namespaces/shop/deployments/checkout/scale", "deployments.apps/scale", "get"),
        (PODS, "pods.metrics.k8s.io", "list"),
        ("/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/pods/%2A/hits", "custom.metrics.k8s.io", "get"),
        ("/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/depth", "external.metrics.k8s.io", "list"),
    ],
)
def test_a_resource_is_written_as_kubectl_does_and_never_by_the_name_of_a_metric(
    path: str, resource: str, verb: str
) -> None:
    assert kind_of(path) == (resource, verb)


def samples_of(text: str) -> dict[tuple[str, ...], float]:
    """All that a text tells, by name and the values of labels, these in the order of their names."""
    samples = [one for family in text_string_to_metric_families(text) for one in family.samples]
    return {(one.name, *(value for _, value in sorted(one.labels.items()))): one.value for one in samples}


def samples(telemetry: Telemetry, storage: StorageCounts | None = None) -> dict[tuple[str, ...], float]:
    """All that is told where no observer works yet."""
    return samples_of(exposition(telemetry, None, storage or StorageCounts()).decode())


def test_requests_are_counted_by_resource_verb_and_status() -> None:
    telemetry = Telemetry()
    telemetry.observe_request("GET", f"{PODS}?limit=1", 200, Micros(0), Micros(200_000))
    telemetry.observe_request("GET", f"{PODS}", 200, Micros(0), Micros(31 * SECOND))
    telemetry.observe_request("GET", "/api/v1/pods?watch=1", 403, Micros(0), Micros(5_000))
    telemetry.observe_request("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", 0, Micros(0), Micros(1))
    sampled = samples(telemetry)
    name = "hpaaudit_api_request_duration_seconds"
    listed = ("pods.metrics.k8s.io", "list")
    assert sampled[f"{name}_count", "200", *listed] == 2
    assert sampled[f"{name}_sum", "200", *listed] == pytest.approx(31.2)
    edges = ("0.1", "0.25", "30.0", "+Inf")
    assert [sampled[f"{name}_bucket", "200", edge, *listed] for edge in edges] == [0, 1, 1, 2]
    assert sampled[f"{name}_count", "403", "pods", "watch"] == 1
    assert sampled[f"{name}_count", "0", "selfsubjectaccessreviews.authorization.k8s.io", "create"] == 1
    success = "hpaaudit_last_success_timestamp_seconds"
    assert sampled[success, "pods.metrics.k8s.io"] == 31
    assert (success, "pods") not in sampled


def test_gaps_and_the_clock_are_counted_as_they_are_recorded() -> None:
    telemetry = Telemetry()
    for prefix in ("*", "/api/v1/pods", "/api/v1/pods", "/apis/apps/v1/deployments#writers"):
        telemetry.observe_fact(Gap(at_us=Micros(0), until_us=Micros(1_500_000), prefix=prefix, cause="test"))
    telemetry.observe_fact(
        VersionRead(at_us=Micros(0), version="", clock_offset_us=Micros(-250_000), round_trip_us=None)
    )
    sampled = samples(telemetry)
    assert sampled["hpaaudit_gap_seconds_total", "*"] == 1.5
    assert sampled["hpaaudit_gap_seconds_total", "pods"] == 3
    assert sampled["hpaaudit_gap_seconds_total", "deployments.apps"] == 1.5
    assert sampled["hpaaudit_clock_skew_seconds", "apiserver"] == -0.25


def test_what_the_disk_and_the_store_have_is_told() -> None:
    sampled = samples(
        Telemetry(), storage=StorageCounts(wal_bytes=7, segments=3, unwritten=2, upload_failures=5, failing=1)
    )
    assert sampled["hpaaudit_wal_bytes",] == 7
    assert sampled["hpaaudit_segments_published_total",] == 3
    assert sampled["hpaaudit_upload_failures_total",] == 5
    assert sampled["hpaaudit_degraded", "disk", ""] == 2
    assert sampled["hpaaudit_degraded", "upload", ""] == 1
    assert sampled["process_resident_memory_bytes",] > 0


def test_a_recorder_is_ready_when_all_is_followed_and_metrics_answered_lately() -> None:
    async def play() -> None:
        client = Client(ClientConfig(source="", context="here", server="http://127.0.0.1:1"), Clock())
        observer = Observer(client, Scope(namespace="shop", interval_us=Micros(SECOND)), print, print)
        telemetry = client.telemetry

        def failing() -> list[str]:
            return [check.name for check in readiness(observer, telemetry) if not check.holds]

        assert [check.name for check in readiness(None, telemetry) if not check.holds] == ["started"]
        assert failing() == ["watches"]
        observer.settled.set()
        assert failing() == []
        forever = asyncio.ensure_future(asyncio.sleep(60))
        observer.poller.tasks[PODS] = forever
        assert failing() == ["metrics"]
        now = client.clock.now()
        # A failure is an answer: it is recorded, and no fault of the recorder.
        telemetry.observe_request("GET", PODS, 503, now, now)
        assert failing() == []
        telemetry.answered_us["pods.metrics.k8s.io"] = Micros(now - 4 * SECOND)
        assert failing() == ["metrics"]
        forever.cancel()

    asyncio.run(play())


def test_every_metric_says_what_it_is() -> None:
    families = list(text_string_to_metric_families(exposition(Telemetry(), None, StorageCounts()).decode()))
    assert [family.name for family in families if not family.documentation] == []
