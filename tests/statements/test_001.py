"""Document 001, the user documentation of release 1.19, statement by statement: metrics, pods, and who is counted.

Where the document and the real controller differ, the controller is right; the test says so.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.api import requests, to_facts
from hpaaudit.api.conversion import from_internal, losses, to_internal
from hpaaudit.api.decode import decode_hpa
from hpaaudit.api.refusals import refusals
from hpaaudit.api.shapes import VERSIONS
from hpaaudit.model.facts import ResourceMetricsRead
from hpaaudit.model.units import SECOND, Micros
from tests.engine.scenes import (
    LEAVING_ZERO,
    Loop,
    Metric,
    after,
    asks,
    container,
    cpu,
    decide,
    external,
    failed_scale,
    flags,
    hpa_of,
    memory,
    of_object,
    per_pod,
    pods,
    posted,
    propose,
    remembered,
    says,
    slots,
)
from tests.importers.lines import (
    DEPLOYMENT,
    HPAS,
    PODS,
    SCALE,
    USAGE,
    described,
    get_line,
    hpa,
    items,
    line,
    read,
    running,
    saw,
    scale,
    usage,
)
from tests.statements.old_worlds import Look, old_world
from tests.statements.replaying import replayed

every = pytest.mark.parametrize("release", ["1.19.2", "1.19.4", "1.36", "1.37"])
BROKEN = external(average=1000, name="broken").failing(503, "down")


@every
def test_s001_01_a_daemonset_has_no_scale(release: str) -> None:
    refused = failed_scale(404, "the server could not find the requested resource")
    decision = decide(asks(3), scale_reads=(refused,), flags=flags(release=release))
    assert (says(decision, "AbleToScale"), posted(decision)) == ("False/FailedGetScale", ["FailedGetScale"])


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet"])
def test_s001_01_and_s001_10_a_target_is_read_and_written_through_its_scale(kind: str) -> None:
    target = hpa_of(asks(3), target={"apiVersion": "apps/v1", "kind": kind, "name": "web"}).spec.target
    path = requests.scale_path(requests.target_ref("shop", target), "v1")
    assert path == f"/apis/apps/v1/namespaces/shop/{kind.lower()}s/web/scale"


@pytest.mark.parametrize(
    ("metric", "api"),
    [
        (cpu(50), "metrics.k8s.io"),
        (container("app", 50), "metrics.k8s.io"),
        (per_pod(1), "custom.metrics.k8s.io"),
        (of_object(value=1), "custom.metrics.k8s.io"),
        (external(value=1), "external.metrics.k8s.io"),
    ],
)
def test_s001_02_each_type_of_source_has_its_api(metric: Metric, api: str) -> None:
    (request,) = requests.requests_of(hpa_of(metric), "app=web")
    assert request is not None
    assert request.api == api


@every
def test_s001_03_d08_percent_is_of_all_requests_and_not_the_mean_of_percentages(release: str) -> None:
    crowd = pods("1@10", request=100) + pods("1@900")
    proposal = propose(cpu(50), crowd=crowd, replicas=2, flags=flags(release=release))
    assert (proposal.current_utilization, proposal.proposal) == (82, 4)


@every
@pytest.mark.parametrize("state", ["", ":failed", ":terminating"])
def test_s001_04_d09_one_listed_pod_without_a_request_leaves_the_metric_undefined(release: str, state: str) -> None:
    crowd = pods("2@500") + pods(f"1@500{state}", request=None)
    decision = decide(cpu(50), crowd=crowd, replicas=3, flags=flags(release=release))
    assert (decision.desired, decision.raw_desired) == (3, None)
    assert says(decision, "ScalingActive") == "False/FailedGetResourceMetric"


CALCULATIONS: list[tuple[str, Metric, str, dict[str, Any], int]] = [
    ("s001_05 a plain mean", per_pod(10_000), "2@15000 1@16500", {"replicas": 3}, 5),
    ("s001_06 a value times three ready pods", of_object(3000, value=1000), "3@1 3@1:unready", {"replicas": 6}, 9),
    ("s001_07 7.5 of 8 is inside", external(7500, average=2000), "", {"replicas": 4}, 4),
    ("s001_07 8.801 of 8 is outside", external(8801, average=2000), "", {"replicas": 4}, 5),
    ("s001_11 0.95", per_pod(1000), "10@950", {"replicas": 10}, 10),
    ("s001_11 1.05", per_pod(1000), "10@1050", {"replicas": 10}, 10),
    ("s001_11 exactly 0.9", per_pod(1000), "10@900", {"replicas": 10}, 10),
    ("s001_16 d14 a missing pod is all of its request", cpu(50), "3@100 1", {"replicas": 4}, 3),
    ("s001_17 unready pods are idle where the rest would scale up", cpu(30), "2@600 1:pending", {"replicas": 3}, 4),
    ("s001_17 and may turn the direction: stay", cpu(50), "1@600 1:pending", {"replicas": 2}, 2),
]


@every
@pytest.mark.parametrize(
    ("metric", "crowd", "scene", "proposal"), [row[1:] for row in CALCULATIONS], ids=[row[0] for row in CALCULATIONS]
)
def test_s001_05_to_17(release: str, metric: Metric, crowd: str, scene: dict[str, Any], proposal: int) -> None:
    assert propose(metric, crowd=pods(crowd), flags=flags(release=release), **scene).proposal == proposal


@every
@pytest.mark.parametrize(("total", "published"), [(7500, 1875), (8801, 2201)])
def test_s001_07_status_shows_the_average_rounded_up(release: str, total: int, published: int) -> None:
    proposal = propose(external(total, average=2000), replicas=4, flags=flags(release=release))
    assert proposal.current_milli == published


@pytest.mark.parametrize(("status", "text"), [(404, "404 page not found"), (503, "no endpoints available")])
@every
def test_s001_08_without_metrics_server_it_holds_and_the_failed_read_is_kept(
    release: str, status: int, text: str, tmp_path: Path
) -> None:
    decision = decide(cpu(50).failing(status, text), replicas=3, flags=flags(release=release))
    assert (decision.desired, decision.proposals[0].valid) == (3, False)
    (fact,) = read(tmp_path, get_line(1, USAGE, None, status, error=text))
    assert isinstance(fact, ResourceMetricsRead)
    assert (fact.status, fact.samples, fact.error) == (status, None, text)


@pytest.mark.parametrize(("release", "proposal"), [("1.19", 11), ("1.32", 11), ("1.33", 10), ("1.37", 10)])
def test_s001_11_d11_exactly_1_1_acts_until_1_32(release: str, proposal: int) -> None:
    """The document has 0.9 and 1.1 as symmetric edges that hold; the double 1.1 is a little more than 1.1."""
    assert propose(per_pod(1000), crowd=pods("10@1100"), replicas=10, flags=flags(release=release)).proposal == proposal


@pytest.mark.parametrize(
    ("release", "proposal"), [("1.18.11", 2), ("1.18.12", 4), ("1.19.2", 2), ("1.19.4", 4), ("1.20", 4), ("1.37", 4)]
)
@pytest.mark.parametrize("state", ["terminating", "failed"])
def test_s001_12_d12_the_samples_of_pods_that_are_left_out_stayed_until_1_19_4(
    release: str, proposal: int, state: str
) -> None:
    crowd = pods(f"2@800 1@0:{state}")
    assert propose(cpu(50), crowd=crowd, replicas=2, flags=flags(release=release)).proposal == proposal


READINESS = [
    ("s001_13 a sample from before it was ready is set aside", "start-100,since-50", "unready", "ready"),
    ("s001_13 one from then on is counted", "start-100,since-60", "ready", "ready"),
    ("s001_14 d13 not ready for all but 29 s: set aside", "unready,start-1000,since-971", "unready", "ready"),
    ("s001_14 d13 was ready after 30 s: counted", "unready,start-1000,since-970", "ready", "ready"),
    ("s001_15 d13 exactly at 5 min the late rule holds", "unready,start-300,since-200", "ready", "ready"),
]


@every
@pytest.mark.parametrize(
    ("state", "of_cpu", "of_memory"), [row[1:] for row in READINESS], ids=[row[0] for row in READINESS]
)
def test_s001_13_to_15(release: str, state: str, of_cpu: str, of_memory: str) -> None:
    crowd = pods(f"1@500 1@500:{state}")
    for metric, bucket in ((cpu(50), of_cpu), (memory(50), of_memory)):
        assert propose(metric, crowd=crowd, replicas=2, flags=flags(release=release)).pods[-1].bucket == bucket


@every
def test_s001_18_status_shows_the_first_average(release: str) -> None:
    proposal = propose(cpu(30), crowd=pods("2@600 1:pending"), replicas=3, flags=flags(release=release))
    assert (proposal.current_utilization, proposal.current_milli, proposal.proposal) == (60, 600, 4)
    assert proposal.ratio_adjusted == 40 / 30


@pytest.mark.parametrize(
    ("release", "desired"),
    [("1.14", 4), ("1.15", 4), ("1.16", 2), ("1.19", 2), ("1.20", 2), ("1.21", 4), ("1.36", 4), ("1.37", 4)],
)
def test_s001_19_d15_a_scale_down_on_one_leg_has_four_eras(release: str, desired: int) -> None:
    """No action to 1.14, an error in 1.15, a scale-down from 1.16 to 1.20, no action from 1.21 on."""
    for metrics in ((asks(2), BROKEN), (BROKEN, asks(2))):
        decision = decide(*metrics, replicas=4, memory=remembered("4@1"), flags=flags(release=release))
        assert decision.desired == desired
        assert (decision.raw_desired is None) == (desired == 4)


@pytest.mark.parametrize(("release", "desired"), [("1.14", 4), ("1.15", 6), ("1.19", 6), ("1.36", 6), ("1.37", 6)])
def test_s001_20_a_scale_up_goes_on_with_a_word_about_the_other(release: str, desired: int) -> None:
    decision = decide(asks(6), BROKEN, replicas=4, flags=flags(release=release))
    assert decision.desired == desired
    assert posted(decision)[0] == "FailedGetExternalMetric"
    assert says(decision, "ScalingActive").startswith("True" if desired == 6 else "False")


@every
def test_s001_21_d16_every_pass_over_the_metrics_is_remembered_and_no_other(release: str) -> None:
    controller, memory = flags(release=release), remembered("3@900")
    assert slots(after(asks(3), replicas=3, memory=memory, flags=controller)[1]) == "3@900 3@1000"
    assert slots(after(asks(60), replicas=3, memory=memory, flags=controller)[1]) == "3@900 60@1000"
    for scene in ({"replicas": 200}, {"replicas": 1, "minimum": 2}, {"replicas": 0}):
        assert slots(after(asks(3), memory=memory, flags=controller, **scene)[1]) == "3@900"
    assert slots(after(asks(3).failing(), replicas=3, memory=memory, flags=controller)[1]) == "3@900"


def test_s001_22_d17_v1_keeps_what_it_cannot_say_in_annotations_and_changes_the_order() -> None:
    metrics = [{"type": "Pods", "pods": {"metricName": "qps", "targetAverageValue": "1500m"}}]
    shown = {
        "apiVersion": "autoscaling/v1",
        "metadata": {
            "name": "web",
            "namespace": "shop",
            "annotations": {"autoscaling.alpha.kubernetes.io/metrics": json.dumps(metrics), "team": "a"},
        },
        "spec": {"maxReplicas": 9, "targetCPUUtilizationPercentage": 50},
    }
    spec = decode_hpa(to_facts.hpa_seen(Micros(0), shown)).spec
    assert spec.metrics == hpa_of(per_pod(1500), cpu(50)).spec.metrics


def test_s001_29_since_1_6_the_annotation_of_1_2_to_1_5_means_nothing(tmp_path: Path) -> None:
    old = {"alpha/target.custom-metrics.podautoscaler.kubernetes.io": '{"items":[{"name":"qps","value":"10"}]}'}
    annotated = hpa()
    annotated["metadata"]["annotations"] = old
    reconciles = [
        replayed(
            tmp_path,
            "1.19",
            saw(1, HPAS, "ADDED", shown),
            get_line(2, PODS, items(running("web-0"), running("web-1"))),
            get_line(3, SCALE, scale(2)),
            get_line(4, USAGE, usage(web_0=900, web_1=900)),
            line(15, reconcile="shop/web"),
        )
        for shown in (hpa(), annotated)
    ]
    assert reconciles[0] == reconciles[1]
    assert reconciles[0][0].desired != 2


def test_s001_25_kubectl_autoscale_makes_a_v1_that_means_cpu_at_80(tmp_path: Path) -> None:
    target = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web"}
    spec = {"scaleTargetRef": target, "minReplicas": 2, "maxReplicas": 5}
    percent = {"type": "Utilization", "averageUtilization": 80}
    shown = (
        {"apiVersion": "autoscaling/v1", "spec": spec | {"targetCPUUtilizationPercentage": 80}},
        {
            "apiVersion": "autoscaling/v2",
            "spec": spec | {"metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": percent}}]},
        },
    )
    reconciles = [
        replayed(
            tmp_path,
            "1.19",
            saw(1, HPAS, "ADDED", {"metadata": {"name": "web", "namespace": "shop"}} | body),
            get_line(2, PODS, items(running("web-0"), running("web-1"))),
            get_line(3, SCALE.replace("deployments", "replicasets"), scale(2)),
            get_line(4, USAGE, usage(web_0=900, web_1=900)),
            line(15, reconcile="shop/web"),
        )
        for body in shown
    ]
    assert [[(d.raw_desired, d.desired) for d in decisions] for decisions in reconciles] == [[(3, 3)], [(3, 3)]]


def test_s001_24_lists_are_read_and_a_deletion_ends_the_history(tmp_path: Path) -> None:
    facts = read(
        tmp_path,
        get_line(1, HPAS, {"kind": "List", "items": [hpa(), hpa("api")]}),
        get_line(2, HPAS, items(hpa("api"))),
        saw(3, HPAS, "DELETED", hpa("api")),
    )
    assert described(facts) == ["HpaSeen web", "HpaSeen api", "HpaSeen api", "HpaGone web", "HpaGone api"]


@every
def test_s001_26_a_rollout_breaks_no_history(release: str, tmp_path: Path) -> None:
    def rolled(revision: str) -> Any:
        return {
            "metadata": {"name": "web", "annotations": {"deployment.kubernetes.io/revision": revision}},
            "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}},
            "status": {"replicas": 2},
        }

    first, second = replayed(
        tmp_path,
        release,
        saw(1, HPAS, "ADDED", hpa()),
        get_line(2, PODS, items(running("web-0"), running("web-1"))),
        saw(3, "/apis/apps/v1/deployments", "ADDED", {"kind": "Deployment"} | _placed(rolled("1"))),
        get_line(4, USAGE, usage(web_0=100, web_1=100)),
        line(15, reconcile="shop/web"),
        saw(20, "/apis/apps/v1/deployments", "MODIFIED", _placed(rolled("2"))),
        line(30, reconcile="shop/web"),
    )
    assert [decision.desired for decision in (first, second)] == [2, 2]
    assert second.reason_code == "stabilize.down_hold"


def _placed(raw: Any) -> Any:
    return raw | {"metadata": raw["metadata"] | {"namespace": "shop"}}


@every
def test_s001_27_a_target_that_was_replaced_is_never_followed(release: str, tmp_path: Path) -> None:
    named = hpa()
    named["spec"]["scaleTargetRef"] = {"apiVersion": "v1", "kind": "ReplicationController", "name": "web-v1"}
    path = "/api/v1/namespaces/shop/replicationcontrollers/web-v1"
    reconciles = replayed(
        tmp_path,
        release,
        saw(1, HPAS, "ADDED", named),
        get_line(2, f"{path}/scale", scale(2)),
        line(3, delete=path, status=200),
        line(15, reconcile="shop/web"),
        line(30, reconcile="shop/web"),
    )
    assert [decision.reason_code for decision in reconciles] == ["gate.target_unreadable"] * 2
    assert DEPLOYMENT not in str(reconciles)


@every
def test_s001_28_a_longer_window_reacts_later(release: str) -> None:
    writes = []
    for seconds in (60, 300):
        loop = Loop(10, flags=flags(release=release, downscale_stabilization_us=Micros(seconds * SECOND)))
        loop.reconcile(0, asks(10))
        writes += loop.every(15, 15, 400, asks(4))
    assert writes == [(75, 4), (315, 4)]


@every
def test_s001_30_an_api_that_is_not_registered_is_no_empty_answer(release: str) -> None:
    controller = flags(release=release)
    absent = propose(
        cpu(50).failing(404, "the server could not find the requested resource"), replicas=2, flags=controller
    )
    empty = propose(cpu(50), replicas=2, crowd=pods("1"), flags=controller)
    assert (absent.invalid_code, empty.invalid_code) == ("metric.invalid.not_registered", "metric.invalid.no_metrics")


@pytest.mark.parametrize(("release", "wakes"), [("1.16", True), ("1.19", True), ("1.35", True), ("1.36", False)])
def test_s001_44_d22_a_target_at_zero_by_hand_stays_off_until_it_is_set_again(release: str, wakes: bool) -> None:
    """With a minimum of zero the metrics are asked from 1.16 to 1.35; from 1.36 on only after its own scale to zero."""
    controller = flags(release=release)
    off = decide(asks(3), replicas=0, minimum=1, flags=controller)
    assert (off.desired, says(off, "ScalingActive")) == (0, "False/ScalingDisabled")
    assert says(decide(asks(3), replicas=3, flags=controller), "ScalingActive") == "True/ValidMetricFound"
    assert (decide(asks(3), replicas=0, minimum=0, flags=controller).desired == 3) == wakes


def test_s001_44_d22_until_1_15_zero_is_always_off() -> None:
    assert decide(asks(3), replicas=0, minimum=0, flags=flags(release="1.15")).desired == 0
    assert decide(asks(3), minimum=0, **LEAVING_ZERO).desired == 3


@pytest.mark.parametrize("release", ["1.6", "1.8", "1.9", "1.11"])
def test_s001_09_d10_with_use_rest_clients_false_heapster_is_asked(release: str, tmp_path: Path) -> None:
    """Resource metrics come through the service proxy, and a metric of type Object is invalid. Ended in 1.22."""
    look = Look(at_s=0, replicas=2, usage=(160, 160))
    (made,) = replayed(tmp_path, release, *old_world(release, look))
    assert made.desired == 4
    (blind,) = replayed(
        tmp_path,
        release,
        *old_world(release, look, flags={"horizontal-pod-autoscaler-use-rest-clients": "true"}),
    )
    assert blind.desired == 2
    described = {"kind": "Service", "name": "front", "apiVersion": "v1"}
    metric = {"type": "Object", "object": {"target": described, "metricName": "rps", "targetValue": "10"}}
    kept = (("autoscaling.alpha.kubernetes.io/metrics", json.dumps([metric])),)
    (made,) = replayed(tmp_path, release, *old_world(release, replace(look, annotations=kept), target=None))
    assert [(proposal.metric_type, proposal.valid) for proposal in made.proposals] == [("Object", False)]
    assert made.desired == 2


@pytest.mark.parametrize(("name", "is_refused"), [("web", False), ("web.v1", False), ("My_HPA", True), ("-a", True)])
@pytest.mark.parametrize("version", VERSIONS)
def test_s001_23_a_name_is_a_dns_subdomain(name: str, is_refused: bool, version: str) -> None:
    """`hpaaudit convert` refuses what the API server refuses, in its words."""
    reference = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    spec = {"scaleRef" if version == "extensions/v1beta1" else "scaleTargetRef": reference, "maxReplicas": 3}
    document = {"apiVersion": version, "kind": "HorizontalPodAutoscaler", "metadata": {"name": name}, "spec": spec}
    told = refusals(to_internal(document))
    assert [text.partition(":")[0] for text in told] == (["metadata.name"] if is_refused else [])


def test_s001_22_d17_there_and_back_the_order_is_another_and_a_second_utilization_is_lost() -> None:
    document = {
        "apiVersion": "autoscaling/v2beta2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "maxReplicas": 9,
            "metrics": [dict(metric.written) for metric in (cpu(50), per_pod(1500), cpu(70))],
        },
    }
    v1 = from_internal(to_internal(document), "autoscaling/v1")
    assert v1["spec"]["targetCPUUtilizationPercentage"] == 50
    back = from_internal(to_internal(v1), "autoscaling/v2beta2")
    assert [metric["type"] for metric in back["spec"]["metrics"]] == ["Pods", "Resource"]
    assert [code for code, _ in losses(to_internal(document), "autoscaling/v1")] == ["metric_lost_by_old_api"]
