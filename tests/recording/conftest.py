"""A small world to record: two HPAs, their pods, and reads that change, fail or lose a pod, over three segments."""

from pathlib import Path

import pytest

from hpaaudit.model.facts import (
    ApiServiceSeen,
    Ended,
    EventSeen,
    Fact,
    Gap,
    HeapsterRead,
    HpaGone,
    PodGone,
    PodsListed,
    Reconciled,
    RecorderStarted,
    Refused,
    ScaledObjectGone,
    ScaleRead,
    ScaleWritten,
    StatusWritten,
    TargetGone,
    TargetSeen,
)
from hpaaudit.model.units import Micros
from tests.recording.facts import (
    DEPLOYMENT,
    SCALE,
    at,
    controller,
    hpa,
    lease,
    pod,
    queue,
    resource_quota,
    rollout,
    scaled_object,
    usage,
    version,
    write_segments,
)


@pytest.fixture(scope="session")
def segments() -> tuple[tuple[Fact, ...], ...]:
    """Gives the facts of three segments, of every kind."""
    shop = {"namespace": "shop", "name": "checkout"}
    first = (
        controller(at(0)),
        version(at(0)),
        RecorderStarted(at_us=at(0), version="0.1.0", server="https://10.0.0.1:6443", trust="authority", auth="token"),
        lease(at(0)),
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
        rollout(at(30), DEPLOYMENT),
        scaled_object(at(31), "orders", target="orders", hpa_name="keda-hpa-orders"),
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
        PodsListed(
            at_us=at(44),
            took_us=Micros(900),
            namespace="shop",
            selector="app=checkout",
            path="/api/v1/namespaces/shop/pods?labelSelector=app%3Dcheckout",
            status=500,
            error="etcdserver: request timed out",
            by="system:serviceaccount:kube-system:horizontal-pod-autoscaler",
        ),
        HeapsterRead(
            at_us=at(44),
            took_us=Micros(700),
            namespace="shop",
            path="/api/v1/namespaces/kube-system/services/http:heapster:/proxy/apis/metrics/v1alpha1/namespaces/shop/pods",
            status=200,
            error="",
            by="system:serviceaccount:kube-system:horizontal-pod-autoscaler",
            body='{"items":[]}',
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
        resource_quota(at(44)),
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
    """Gives the facts of all segments."""
    return [fact for segment in segments for fact in segment]


@pytest.fixture
def folder(tmp_path: Path, segments: tuple[tuple[Fact, ...], ...]) -> Path:
    """Gives the folder of a recording that was closed."""
    return write_segments(tmp_path / "friday", segments)
