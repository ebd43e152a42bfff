"""Makes facts of a small world from short texts: an HPA, its pods, answers of metric APIs, surroundings."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from hpaaudit.model.facts import (
    ControllerSeen,
    Fact,
    HpaSeen,
    LeaseSeen,
    PodSeen,
    ResourceMetricsRead,
    RolloutSeen,
    ScaledObjectSeen,
    SurroundingSeen,
    TargetRef,
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
    """The instant so many seconds after noon."""
    return Micros(NOON + round(seconds * SECOND))


def usage(seconds: int, cpu: int, *pods: str, scraped: int = 0) -> ResourceMetricsRead:
    """An answer of the resource metrics API, or a failed read without pods."""
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
    """An answer of the external metrics API."""
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
    """A pod from there on."""
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
    """An HPA from there on."""
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


def controller(at_us: Micros, gates: tuple[tuple[str, bool], ...] = ()) -> ControllerSeen:
    """A controller whose release and flags are known."""
    flags = (("v", "2"),)
    return ControllerSeen(at_us=at_us, state="declared", release="1.36", version="", flags=flags, gates=gates)


def version(at_us: Micros) -> VersionRead:
    """The version and the clock of the API server."""
    return VersionRead(at_us=at_us, version="v1.36.2", clock_offset_us=Micros(-1200), round_trip_us=Micros(900))


def lease(at_us: Micros) -> LeaseSeen:
    """The Lease that the controller has held for a minute."""
    return LeaseSeen(
        at_us=at_us,
        namespace="kube-system",
        name="kube-controller-manager",
        holder="node-1_a",
        acquired_us=Micros(at_us - 60 * SECOND),
        renewed_us=at_us,
        transitions=1,
    )


def rollout(at_us: Micros, target: TargetRef) -> RolloutSeen:
    """A rollout that begins."""
    return RolloutSeen(
        at_us=at_us,
        target=target,
        resource_version="901",
        revision="revision 4",
        rolling=True,
        max_surge="25%",
        max_unavailable="0",
    )


def scaled_object(at_us: Micros, name: str, *, target: str, hpa_name: str) -> ScaledObjectSeen:
    """A ScaledObject of KEDA with every kind of bound."""
    return ScaledObjectSeen(
        at_us=at_us,
        namespace="shop",
        name=name,
        uid="uid-scaled",
        resource_version="902",
        generation=2,
        target_kind="Deployment",
        target_name=target,
        hpa_name=hpa_name,
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
    )


def resource_quota(at_us: Micros) -> SurroundingSeen:
    """A ResourceQuota that has room for one more pod."""
    return SurroundingSeen(
        at_us=at_us,
        api_group="",
        resource="resourcequotas",
        namespace="shop",
        name="team",
        uid="uid-quota",
        gone=False,
        state_json='{"hard":{"pods":"10"},"used":{"pods":"9"}}',
    )


def write_segments(folder: Path, segments: Sequence[Iterable[Fact]]) -> Path:
    """Writes a recording with these segments, and closes it."""
    with Writer(folder, source="record", cluster="https://10.0.0.1:6443", started_us=at(0)) as writer:
        for segment in segments:
            for fact in segment:
                writer.add(fact)
            writer.seal()
    return folder
