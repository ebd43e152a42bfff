"""Document 002, the code of release 1.15 with its API objects, statement by statement.

Where the document and the real controller differ, the controller is right; the test says so.
"""

import gzip
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.api import quantity, requests, to_facts
from hpaaudit.api.conversion import from_internal, to_internal
from hpaaudit.api.decode import decode_hpa
from hpaaudit.api.flags import with_flags
from hpaaudit.api.times import duration, micros
from hpaaudit.engine.controller.reconcile import reconcile
from hpaaudit.model.decision import Decision
from hpaaudit.model.facts import HpaSeen, ResourceMetricsRead
from hpaaudit.model.flags import Flags
from hpaaudit.model.units import Micros, Milli
from tests.conformance.expected import captures
from tests.engine.scenes import (
    ASLEEP,
    BLANK,
    Loop,
    Metric,
    after,
    asks,
    at,
    cpu,
    decide,
    flags,
    hpa_of,
    memory,
    observation,
    of_object,
    pods,
    propose,
    remembered,
    says,
    slots,
)
from tests.importers.lines import HPAS, PODS, SCALE, USAGE, get_line, hpa, items, line, read, running, saw, scale, usage
from tests.statements.replaying import replayed

every = pytest.mark.parametrize("release", ["1.15", "1.36", "1.37"])


@pytest.mark.parametrize("prefix", ["horizontal-pod-autoscaler-", "--horizontal-pod-autoscaler-", ""])
def test_s002_01_five_flags_change_decisions_since_1_12_and_the_others_none(prefix: str) -> None:
    flag_texts = {
        "sync-period": "30s",
        "downscale-stabilization": "1m",
        "tolerance": "0.2",
        "cpu-initialization-period": "2m",
        "initial-readiness-delay": "10s",
        "upscale-delay": "3m",
        "downscale-delay": "5m",
        "use-rest-clients": "true",
    }
    assert with_flags(Flags(), {prefix + name: text for name, text in flag_texts.items()}) == Flags(
        sync_period_us=Micros(30_000_000),
        downscale_stabilization_us=Micros(60_000_000),
        tolerance=0.2,
        cpu_initialization_period_us=Micros(120_000_000),
        initial_readiness_delay_us=Micros(10_000_000),
        upscale_delay_us=Micros(180_000_000),
        downscale_delay_us=Micros(300_000_000),
        rest_clients=True,
    )
    others = {prefix + "upscale-delay": "1h", prefix + "downscale-delay": "1h", prefix + "use-rest-clients": "false"}
    now = Flags()
    assert decide(cpu(50), crowd=pods("2@100"), replicas=2, flags=with_flags(now, others)) == decide(
        cpu(50), crowd=pods("2@100"), replicas=2, flags=now
    )


def test_s002_02_the_units_of_metrics_server() -> None:
    assert quantity.parse("0").milli == 0
    assert quantity.parse("1396Ki").milli == 1_429_504_000
    assert duration("30s") == 30_000_000


@every
def test_s002_03_one_hpa_in_v1_and_in_v2_decides_and_remembers_alike(release: str) -> None:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    spec: dict[str, Any] = {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 100}
    named = {
        "metadata": {"name": "web", "namespace": "shop", "uid": "uid-web", "resourceVersion": "1", "generation": 1}
    }
    v1 = named | {"apiVersion": "autoscaling/v1", "spec": spec | {"targetCPUUtilizationPercentage": 60}}
    v2 = named | {"apiVersion": "autoscaling/v2", "spec": spec | {"metrics": [dict(cpu(60).written)]}}
    reconciles = [
        after(
            cpu(60),
            crowd=pods("3@900 1:pending"),
            replicas=4,
            hpa=decode_hpa(to_facts.hpa_seen(Micros(0), shown)),
            flags=flags(release=release),
        )
        for shown in (v1, v2)
    ]
    assert reconciles[0] == reconciles[1]


@every
def test_s002_04_the_target_lies_in_the_hpas_namespace_and_containers_are_summed(release: str, tmp_path: Path) -> None:
    (reconcile,) = replayed(
        tmp_path,
        release,
        saw(1, HPAS, "ADDED", hpa()),
        get_line(2, PODS, items(running("web-0"))),
        get_line(3, SCALE.replace("/shop/", "/kitchen/"), scale(7)),
        get_line(3, SCALE, scale(1)),
        get_line(4, USAGE.replace("/shop/", "/kitchen/"), usage(web_0=10)),
        get_line(5, USAGE, usage(web_0=700)),
        line(15, reconcile="shop/web"),
    )
    assert (reconcile.spec_replicas, reconcile.raw_desired) == (1, 2)
    two = pods("1@0", containers=(("a", 500, 400), ("b", 500, 500)))
    assert propose(cpu(50), crowd=two, replicas=1, flags=flags(release=release)).current_milli == 900


def _idle(release: str) -> Decision:
    """Decides the document's own HPA: memory 70 %, cpu 60 %, one replica that does next to nothing."""
    crowd = pods("1@1", request=143_360_000_000)  # 143 360 000 bytes
    observed = observation(memory(70), cpu(60), crowd=crowd, replicas=1)
    used = (("cpu", Milli(0)), ("memory", Milli(1_433_600_000)))
    reads = [read for read in observed.metrics if isinstance(read, ResourceMetricsRead)]
    answered = tuple(
        replace(
            read,
            samples=tuple(
                replace(sample, containers=tuple(replace(c, usage=used) for c in sample.containers))
                for sample in read.samples or ()
            ),
        )
        for read in reads
    )
    return reconcile(replace(observed, metrics=answered), remembered("1@1"), flags(release=release))[0]


@every
def test_s002_05_memory_at_1_percent_and_idle_cpu_keep_one(release: str) -> None:
    reconcile = _idle(release)
    assert [proposal.proposal for proposal in reconcile.proposals] == [1, 0]
    assert [proposal.is_winner for proposal in reconcile.proposals] == [True, False]
    assert (reconcile.desired, reconcile.attempts) == (1, ())


@every
def test_s002_06_three_conditions_say_so(release: str) -> None:
    reconcile = _idle(release)
    assert says(reconcile, "AbleToScale") == "True/ReadyForNewScale"
    assert says(reconcile, "ScalingActive") == "True/ValidMetricFound"
    assert says(reconcile, "ScalingLimited") == "False/DesiredWithinRange"
    assert reconcile.status is not None
    active = next(condition for condition in reconcile.status.conditions if condition.type == "ScalingActive")
    assert "memory resource utilization (percentage of request)" in active.message


@pytest.mark.parametrize(
    ("release", "text"), [("1.15", "1433600"), ("1.33", "1433600"), ("1.34", "1400Ki"), ("1.37", "1400Ki")]
)
def test_s002_07_memory_is_printed_in_powers_of_1024_from_1_34_on(release: str, text: str) -> None:
    reconcile = _idle(release)
    assert reconcile.status is not None
    assert reconcile.status.current_metrics is not None
    shown = reconcile.status.current_metrics[0].average_value
    assert shown is not None
    assert (shown.text, reconcile.status.current_metrics[0].average_utilization) == (text, 1)


@pytest.mark.parametrize(
    ("request_", "percent"), [(71_680_000, 2), (71_680_001, 1), (143_360_000, 1), (143_360_001, 0)]
)
def test_s002_07_one_percent_is_a_range_of_requests(request_: int, percent: int) -> None:
    crowd = pods("1@1433600000", request=request_ * 1000)
    assert propose(memory(70), crowd=crowd, replicas=1).current_utilization == percent


@every
def test_s002_08_a_resource_with_a_value_is_invalid(release: str) -> None:
    source = {"name": "cpu", "target": {"type": "Value", "value": "1"}}
    metric = Metric(written={"type": "Resource", "resource": source})
    decision = decide(metric, crowd=pods("2@500"), replicas=2, flags=flags(release=release))
    assert (decision.desired, says(decision, "ScalingActive")) == (2, "False/FailedGetResourceMetric")


def test_s002_09_a_thousand_is_a_million_thousandths() -> None:
    assert quantity.parse("1k").milli == 1_000_000
    source = {"metric": {"name": "qps"}, "target": {"type": "Value", "value": "1k"}}
    assert not propose(Metric(written={"type": "Pods", "pods": source}), crowd=pods("2@500"), replicas=2).valid


@every
def test_s002_10_an_ingress_that_carries_5k_against_2k(release: str) -> None:
    metric = of_object(5_000_000, value=2_000_000, name="requests-per-second")
    proposal = propose(metric, crowd=pods("3@1"), replicas=3, flags=flags(release=release))
    assert proposal.proposal == 8
    (request,) = requests.requests_of(hpa_of(metric), "app=web")
    assert request is not None
    assert requests.path_of(request, "v1beta1") == (
        "/apis/custom.metrics.k8s.io/v1beta1/namespaces/shop/ingresses.networking.k8s.io/main-route/requests-per-second"
    )


def test_s002_13_an_annotation_that_is_no_json_counts_as_absent() -> None:
    """The document's FailedConvertHPA ended with 1.15.12, 1.16.9, 1.17.5 and 1.18."""
    shown = hpa(apiVersion="autoscaling/v1", spec={"maxReplicas": 5, "targetCPUUtilizationPercentage": 60})
    shown["metadata"]["annotations"] = {"autoscaling.alpha.kubernetes.io/metrics": "{oops"}
    assert decode_hpa(to_facts.hpa_seen(Micros(0), shown)).spec.metrics == hpa_of(cpu(60)).spec.metrics


@every
def test_s002_14_of_a_target_only_group_and_kind_matter(release: str) -> None:
    controller = flags(release=release)
    older = {"apiVersion": "apps/v1beta2", "kind": "Deployment", "name": "web"}
    assert decide(asks(3), replicas=3, target=older, flags=controller).raw_desired == 3
    bad = {"apiVersion": "a/b/c", "kind": "Deployment", "name": "web"}
    assert says(decide(asks(3), replicas=3, target=bad, flags=controller), "AbleToScale") == "False/FailedGetScale"
    unknown = decide(asks(3), replicas=3, target_error='no matches for kind "Widget" in group "apps"', flags=controller)
    assert says(unknown, "AbleToScale") == "False/FailedGetScale"


@pytest.mark.parametrize(("release", "desired"), [("1.15.0", 8), ("1.15.1", 8), ("1.15.2", 6), ("1.36", 6)])
def test_s002_15_current_replicas_are_those_of_the_scales_spec(release: str, desired: int) -> None:
    crowd = pods("8@500")
    decision = decide(cpu(50), crowd=crowd, replicas=6, status_replicas=8, flags=flags(release=release))
    assert decision.desired == desired


@every
@pytest.mark.parametrize(
    "scene", [{"replicas": 3}, {"replicas": 0}, {"replicas": 200}, {"replicas": 1, "minimum": 2}], ids=str
)
def test_s002_16_the_first_sight_is_remembered_in_every_branch(release: str, scene: dict[str, Any]) -> None:
    _, memory = after(asks(3).failing(), status_replicas=scene["replicas"], flags=flags(release=release), **scene)
    assert slots(memory) == f"{scene['replicas']}@1000"


@every
def test_s002_18_d24_nothing_to_do_is_said_once_and_keeps_the_last_scale(release: str) -> None:
    """The document has the last scale decide a cool-down; from 1.12 on nobody reads it."""
    loop = Loop(3, flags=flags(release=release), status=replace(BLANK, last_scale_us=at(999), desired_replicas=9))
    first = loop.reconcile(1000, cpu(50), crowd=pods("3@500"))
    assert (loop.status.desired_replicas, loop.status.last_scale_us, first.writes_status) == (3, at(999), True)
    assert not loop.reconcile(1015, cpu(50), crowd=pods("3@500")).writes_status
    assert loop.reconcile(1030, cpu(50), crowd=pods("3@1000")).desired == 6


@every
def test_s002_19_an_unknown_type_is_named(release: str) -> None:
    decision = decide(Metric(written={"type": "X"}), replicas=3, flags=flags(release=release))
    assert decision.proposals[0].invalid_text == 'unknown metric source type "X"'
    assert says(decision, "ScalingActive") == "False/InvalidMetricSourceType"


@every
def test_s002_20_names_and_what_status_has_of_a_raw_target(release: str) -> None:
    scene: dict[str, Any] = {"crowd": pods("2@900"), "replicas": 2, "flags": flags(release=release)}
    raw, percent = decide(cpu(average=500), **scene), decide(cpu(50), **scene)
    assert raw.scale_reason == "cpu resource above target"
    assert percent.scale_reason == "cpu resource utilization (percentage of request) above target"
    assert raw.status is not None
    assert raw.status.current_metrics is not None
    shown = raw.status.current_metrics[0]
    assert (shown.average_utilization, shown.value) == (None, None)
    assert shown.average_value is not None
    assert shown.average_value.milli == 900


@pytest.mark.parametrize(("release", "proposal"), [("1.12", 6), ("1.15", 6), ("1.16", 1), ("1.36", 1)])
def test_s002_21_until_1_15_a_pending_pod_is_missing(release: str, proposal: int) -> None:
    crowd = pods("2@40 4:pending", request=200)
    assert propose(cpu(50), crowd=crowd, replicas=6, flags=flags(release=release)).proposal == proposal


@pytest.mark.parametrize("release", ["1.12", "1.15", "1.16", "1.36"])
def test_s002_17_below_the_minimum_it_jumps_and_at_zero_it_rests(release: str) -> None:
    controller = flags(release=release)
    assert decide(asks(9), replicas=2, minimum=3, status_replicas=2, flags=controller).desired == 3
    assert decide(asks(9), replicas=0, minimum=3, status_replicas=0, flags=controller).desired == 0
    assert decide(asks(9), replicas=0, minimum=3, status=ASLEEP, status_replicas=0, flags=controller).desired == 0


def test_s002_07_the_documents_object_is_read(tmp_path: Path) -> None:
    """Its v2beta2 status, served as v2, is the one that the engine would have published."""
    reconcile = _idle("1.15")
    assert reconcile.status is not None
    assert reconcile.status.current_metrics is not None
    shown = hpa(status={"currentReplicas": 1, "desiredReplicas": 1, "currentMetrics": [
        {"type": "Resource", "resource": {"name": "memory", "current":
            {"averageUtilization": 1, "averageValue": "1433600"}}},
        {"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 0, "averageValue": "0"}}},
    ]})  # fmt: skip
    (fact,) = read(tmp_path, saw(1, HPAS, "ADDED", shown))
    assert isinstance(fact, HpaSeen)
    assert decode_hpa(fact).status.current_metrics == reconcile.status.current_metrics


SAME = ("autoscaling/v1", "autoscaling/v2alpha1", "autoscaling/v2beta1", "autoscaling/v2beta2", "autoscaling/v2")


@every
def test_s002_03_in_every_version_it_decides_and_remembers_alike(release: str) -> None:
    """The cpu-60 HPA of the document, in each version in the shape in which its API server shows it."""
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    spec: dict[str, Any] = {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 100}
    named = {"name": "web", "namespace": "shop", "uid": "uid-web", "resourceVersion": "1", "generation": 1}
    v2 = {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": named}
    internal = to_internal({**v2, "spec": spec | {"metrics": [dict(cpu(60).written)]}})
    made = [
        after(
            cpu(60),
            crowd=pods("3@900 1:pending"),
            replicas=4,
            hpa=decode_hpa(to_facts.hpa_seen(Micros(0), from_internal(internal, version))),
            flags=flags(release=release),
        )
        for version in SAME
    ]
    assert all(each == made[0] for each in made)


def _reconciles(release: str) -> list[tuple[Path, str, int, int]]:
    """Every reconcile of the worlds kept of a release: its world, its HPA, when it began and when it decided."""
    found = []
    for capture in captures(release):
        for text in gzip.decompress(capture.read_bytes()).splitlines():
            shown = json.loads(text)
            if "reconcile" in shown:
                began = shown.get("began", shown["at"])
                found.append((capture, shown["reconcile"], int(micros(began)), int(micros(shown["at"]))))
    return found


@pytest.mark.parametrize("release", ["1.12", "1.15", "1.20", "1.23", "1.36"])
def test_s002_11_a_period_lies_between_two_reconciles_of_an_hpa_and_no_timer_of_its_own(release: str) -> None:
    """In worlds that the real controller decided: each key comes back a period after it was let go, edits or not."""
    last: dict[tuple[Path, str], int] = {}
    gaps = []
    for capture, hpa_name, began, ended in _reconciles(release):
        if (capture, hpa_name) in last:
            gaps.append(began - last[capture, hpa_name])
        last[capture, hpa_name] = ended
    assert len(gaps) > 100
    seconds = sorted(gap / 1_000_000 for gap in gaps)
    assert seconds[len(seconds) // 50] >= 5  # the shortest period of these worlds; a restart starts anew
    assert sum(gap >= 5 for gap in seconds) / len(seconds) > 0.97


@pytest.mark.parametrize("release", ["1.12", "1.15", "1.20", "1.23"])
def test_s002_12_with_one_worker_reconciles_never_overlap(release: str) -> None:
    """Not even those of different HPAs, in worlds that the real controller decided."""
    reconciles = _reconciles(release)
    several = {capture for capture, name, _, _ in reconciles if name != reconciles[0][1]}
    assert several
    for (capture, _, _, ended), (then, _, began, _) in pairwise(reconciles):
        assert capture != then or began >= ended
    assert any(ended > began for _, _, began, ended in reconciles)  # some take time


def test_s002_17_status_based_zero_replicas_go_to_one_where_no_minimum_is_given() -> None:
    """Until 1.15.1, where current replicas are those of status. Defaulting hides it: every stored HPA has a minimum."""
    old = flags(release="1.15.1")
    for minimum, desired in ((1, 1), (3, 3)):
        assert decide(asks(9), replicas=2, status_replicas=0, minimum=minimum, flags=old).desired == desired
    new = flags(release="1.15.2")
    assert decide(asks(9), replicas=2, status_replicas=0, minimum=1, flags=new).desired != 1
    assert hpa_of(cpu(60), minimum=None).spec.min_replicas == 1
