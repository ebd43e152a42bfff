"""A small world to record: two HPAs, their pods, reads that change, fail and lose a pod, over three segments."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hpaaudit.model.facts import (
    ApiServiceSeen,
    ControllerSeen,
    Ended,
    EventSeen,
    Fact,
    Gap,
    HpaGone,
    HpaSeen,
    LeaseSeen,
    PodGone,
    PodSeen,
    Reconciled,
    RecorderStarted,
    Refused,
    ResourceMetricsRead,
    RolloutSeen,
    ScaledObjectGone,
    ScaledObjectSeen,
    ScaleRead,
    ScaleWritten,
    StatusWritten,
    SurroundingSeen,
    TargetGone,
    TargetRef,
    TargetSeen,
    ValuesRead,
    VersionRead,
)
from hpaaudit.model.metrics import ContainerUsage, MetricsRequest, MetricValue, PodSample
from hpaaudit.model.target import Container, Pod, Scale
from hpaaudit.model.units import SECOND, Micros, Milli
from hpaaudit.recording.writing.writer import Writer

NOON = 1_772_452_800 * SECOND  # 2026-03-02T12:00:00Z
DEPLOYMENT = TargetRef(group="apps", resource="deployments", namespace="shop", name="checkout")
SCALE = Scale(spec_replicas=2, status_replicas=2, selector="app=checkout")


def at(seconds: float) -> Micros:
    """Return an instant so many seconds after noon."""
    return Micros(NOON + round(seconds * SECOND))


def usage(seconds: int, cpu: int, *pods: str, scraped: int = 0) -> ResourceMetricsRead:
    """Return an answer of the resource metrics API, or a failed read without pods."""
    return ResourceMetricsRead(
        at_us=at(seconds),
        took_us=Micros(4000),
        request=MetricsRequest(
            api="metrics.k8s.io/v1beta1",
            namespace="shop",
            resource="pods",
            object="",
            metric="",
            selector="",
            metric_selector="",
        ),
        path="/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods",
        status=200 if pods else 503,
        error="" if pods else "the server is currently unable to handle the request",
        by="",
        samples=tuple(
            PodSample(
                pod=pod,
                timestamp_us=at(scraped),
                window_us=Micros(15 * SECOND),
                containers=(
                    ContainerUsage(name="app", usage=(("cpu", Milli(cpu)), ("memory", Milli(64_000_000)))),
                    ContainerUsage(name="proxy", usage=(("cpu", Milli(5)),)),
                ),
            )
            for pod in pods
        )
        or None,
    )


def queue(seconds: int, *values: int) -> ValuesRead:
    """Return an answer of the external metrics API."""
    return ValuesRead(
        at_us=at(seconds),
        took_us=Micros(9000),
        request=MetricsRequest(
            api="external.metrics.k8s.io/v1beta1",
            namespace="shop",
            resource="",
            object="",
            metric="queue_length",
            selector="queue=orders",
            metric_selector="",
        ),
        path="/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue_length?labelSelector=queue%3Dorders",
        status=200,
        error="",
        by="",
        values=tuple(
            MetricValue(object='{"queue":"orders"}', timestamp_us=at(seconds), window_us=None, value=Milli(value))
            for value in values
        ),
    )


def pod(seconds: int, name: str, ready: str) -> PodSeen:
    """Return a pod as it was from there on."""
    return PodSeen(
        at_us=at(seconds),
        pod=Pod(
            namespace="shop",
            name=name,
            uid=f"uid-{name}",
            resource_version=str(1000 + seconds),
            labels=(("app", "checkout"),),
            phase="Running",
            deleting_us=None,
            start_us=at(0),
            ready=ready,
            ready_transition_us=at(seconds),
            containers=(Container(name="app", requests=(("cpu", Milli(500)),)),),
            init_containers=(),
            pod_requests=None,
            overhead=(),
        ),
    )


def hpa(seconds: int, name: str, desired: int) -> HpaSeen:
    """Return an HPA as it was from there on."""
    return HpaSeen(
        at_us=at(seconds),
        namespace="shop",
        name=name,
        uid=f"uid-{name}",
        api_version="autoscaling/v2",
        resource_version=str(2000 + seconds),
        generation=1,
        created_us=at(-3600),
        spec_json='{"maxReplicas":10,"minReplicas":2}',
        status_json=f'{{"desiredReplicas":{desired}}}',
    )


@pytest.fixture(scope="session")
def segments() -> tuple[tuple[Fact, ...], ...]:
    """Give the facts of three segments, of every kind."""
    shop = {"namespace": "shop", "name": "checkout"}
    first = (
        ControllerSeen(at_us=at(0), state="declared", release="1.36", version="", flags=(("v", "2"),), gates=()),
        VersionRead(at_us=at(0), version="v1.36.2", clock_offset_us=Micros(-1200), round_trip_us=Micros(900)),
        RecorderStarted(at_us=at(0), version="0.1.0", server="https://10.0.0.1:6443", trust="authority", auth="token"),
        LeaseSeen(
            at_us=at(0),
            namespace="kube-system",
            name="kube-controller-manager",
            holder="node-1_a",
            acquired_us=at(-60),
            renewed_us=at(0),
            transitions=1,
        ),
        hpa(0, "checkout", 2),
        hpa(0, "orders", 2),
        TargetSeen(
            at_us=at(0),
            target=DEPLOYMENT,
            kind="Deployment",
            uid="uid-deployment",
            resource_version="900",
            generation=3,
            scale=SCALE,
            manager="helm",
            operation="Update",
            subresource="",
            written_us=at(-900),
        ),
        pod(0, "checkout-a", "True"),
        pod(0, "checkout-b", "True"),
        usage(10, 300, "checkout-a", "checkout-b", scraped=5),
        queue(10, 4000, 4000),
    )
    second = (
        usage(25, 300),
        ApiServiceSeen(
            at_us=at(25),
            name="v1beta1.metrics.k8s.io",
            available="False",
            reason="MissingEndpoints",
            message="no endpoints",
            service="kube-system/metrics-server",
        ),
        RolloutSeen(
            at_us=at(30),
            target=DEPLOYMENT,
            resource_version="901",
            revision="revision 4",
            rolling=True,
            max_surge="25%",
            max_unavailable="0",
        ),
        ScaledObjectSeen(
            at_us=at(31),
            namespace="shop",
            name="orders",
            uid="uid-scaled",
            resource_version="902",
            generation=2,
            target_kind="Deployment",
            target_name="orders",
            hpa_name="keda-hpa-orders",
            min_replicas=0,
            max_replicas=20,
            idle_replicas=None,
            fallback_replicas=6,
            ready="True",
            active="True",
            fallback="False",
            paused="",
            triggers_json='[{"type":"rabbitmq"}]',
            annotations_json="{}",
        ),
        usage(40, 410, "checkout-b", "checkout-a", scraped=35),
        usage(41, 410, "checkout-b", "checkout-a", scraped=35),
        queue(40, 5000),
        Reconciled(at_us=at(41), began_us=at(40), **shop),
        ScaleRead(
            at_us=at(42),
            took_us=Micros(700),
            target=DEPLOYMENT,
            path="/apis/apps/v1/namespaces/shop/deployments/checkout/scale",
            status=200,
            error="",
            by="",
            scale=SCALE,
            resource_version="901",
        ),
        ScaleWritten(
            at_us=at(43),
            took_us=Micros(800),
            target=DEPLOYMENT,
            path="/apis/apps/v1/namespaces/shop/deployments/checkout/scale",
            verb="put",
            status=409,
            error="the object has been modified",
            by="system:serviceaccount:kube-system:horizontal-pod-autoscaler",
            agent="kube-controller-manager",
            manager="kube-controller-manager",
            sent=3,
            scale=None,
            resource_version="",
        ),
        StatusWritten(
            at_us=at(44),
            took_us=Micros(600),
            path="/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/checkout/status",
            status=200,
            error="",
            by="",
            status_json='{"desiredReplicas":3}',
            **shop,
        ),
    )
    third = (
        EventSeen(
            at_us=at(60),
            namespace="shop",
            name="checkout.17f",
            uid="uid-event",
            type="Warning",
            reason="FailedRescale",
            message="New size: 3",
            kind="HorizontalPodAutoscaler",
            object_namespace="shop",
            object_name="checkout",
            object_uid="uid-checkout",
            component="horizontal-pod-autoscaler",
            first_us=at(43),
            last_us=at(43),
            count=1,
        ),
        SurroundingSeen(
            at_us=at(44),
            api_group="",
            resource="resourcequotas",
            namespace="shop",
            name="team",
            uid="uid-quota",
            gone=False,
            state_json='{"hard":{"pods":"10"},"used":{"pods":"9"}}',
        ),
        Gap(at_us=at(61), until_us=at(75), prefix="/apis/metrics.k8s.io", cause="the watch broke"),
        usage(76, 50, "checkout-a", scraped=70),
        PodGone(at_us=at(77), namespace="shop", name="checkout-b", uid="uid-checkout-b"),
        HpaGone(at_us=at(78), namespace="shop", name="orders", uid="uid-orders"),
        ScaledObjectGone(at_us=at(78), namespace="shop", name="orders", uid="uid-scaled"),
        TargetGone(at_us=at(79), target=DEPLOYMENT, uid="uid-deployment"),
        Refused(
            at_us=at(76),
            path="/apis/autoscaling/v2/horizontalpodautoscalers",
            namespace="bank",
            name="odd",
            uid="u-odd",
            reason="Expected `int`, got `bool` - at `$.object.spec.maxReplicas`",
            object_json='{"metadata":{"name":"odd"},"spec":{"maxReplicas":true}}',
            bytes=412,
            count=3,
        ),
        Ended(at_us=at(80)),
    )
    return first, second, third


@pytest.fixture
def facts(segments: tuple[tuple[Fact, ...], ...]) -> list[Fact]:
    """Give the facts of all segments."""
    return [fact for segment in segments for fact in segment]


@pytest.fixture
def folder(tmp_path: Path, segments: tuple[tuple[Fact, ...], ...]) -> Iterator[Path]:
    """Give the folder of a recording that was closed."""
    path = tmp_path / "friday"
    with Writer(path, source="record", cluster="https://10.0.0.1:6443", started_us=at(0)) as writer:
        for segment in segments:
            for fact in segment:
                writer.add(fact)
            writer.seal()
    return path
