"""Document 004, a Pods metric step by step in the code of 1.16 and 1.17, statement by statement.

Where the document and the real controller differ, the controller is right; the test says so.
"""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hpaaudit.api import requests, to_facts
from hpaaudit.api.conversion import from_internal, to_internal
from hpaaudit.api.decode import decode_hpa
from hpaaudit.api.refusals import refusals
from hpaaudit.api.shapes import VERSIONS
from hpaaudit.model.facts import ValuesRead
from hpaaudit.model.flags import Flags
from hpaaudit.model.units import SECOND, Micros
from tests.engine.scenes import (
    Loop,
    asks,
    at,
    cpu,
    decide,
    external,
    flags,
    hpa_of,
    observation,
    of_object,
    per_pod,
    pods,
    posted,
    propose,
    refused_write,
    remembered,
    says,
)
from tests.importers.lines import get_line, items, read

every = pytest.mark.parametrize("release", ["1.16", "1.17", "1.36", "1.37"])
POD_CPU = per_pod(60_000, name="pod_cpu_1m")


@every
def test_s004_02_a_pods_metric_needs_no_requests(release: str) -> None:
    crowd = pods("2@50000", request=None)
    scene: dict[str, Any] = {"crowd": crowd, "replicas": 2, "flags": flags(release=release)}
    assert propose(POD_CPU, **scene).valid
    assert propose(cpu(50), **scene).invalid_code == "metric.invalid.missing_request"


def test_s004_03_the_defaults_of_the_flags() -> None:
    defaults = Flags()
    assert (defaults.sync_period_us, defaults.downscale_stabilization_us) == (15 * SECOND, 300 * SECOND)
    assert (defaults.cpu_initialization_period_us, defaults.initial_readiness_delay_us) == (300 * SECOND, 30 * SECOND)
    assert defaults.tolerance == 0.1


@every
def test_s004_04_never_below_any_recommendation_of_the_window(release: str) -> None:
    memory_ = remembered("5@800", "8@850", "3@900")
    assert decide(asks(2), replicas=8, memory=memory_, flags=flags(release=release)).stabilized == 8
    assert decide(asks(2), replicas=7, maximum=7, memory=memory_, flags=flags(release=release)).desired == 7


def test_s004_05_a_minimum_may_be_absent() -> None:
    assert hpa_of(POD_CPU, minimum=None).spec.min_replicas == 1


@every
def test_s004_06_zero_rests_and_the_bounds_come_first(release: str) -> None:
    controller = flags(release=release)
    for replicas, desired in ((0, 0), (9, 5), (1, 2)):
        assert decide(asks(3), replicas=replicas, minimum=2, maximum=5, flags=controller).desired == desired


@pytest.mark.parametrize(("release", "asked"), [("1.16", True), ("1.35", True), ("1.36", False)])
def test_s004_06_at_zero_with_a_minimum_of_zero_metrics_are_asked_until_1_35(release: str, asked: bool) -> None:
    decision = decide(asks(3), replicas=0, minimum=0, flags=flags(release=release))
    assert (decision.raw_desired == 3) == asked


@every
def test_s004_07_without_a_usable_metric_the_old_number_stays_desired(release: str) -> None:
    loop = Loop(4, flags=flags(release=release))
    loop.reconcile(1000, asks(6))
    decision = loop.reconcile(1015, asks(3).failing())
    assert (loop.status.current_replicas, loop.status.desired_replicas, decision.desired) == (6, 6, 6)
    loop.replicas = 7
    loop.reconcile(1030, asks(3).failing())
    assert (loop.status.current_replicas, loop.status.desired_replicas) == (7, 6)
    assert (posted(decision)[-1], bool(decision.error)) == ("FailedComputeMetricsReplicas", True)


@every
def test_s004_08_of_all_invalid_metrics_the_first_is_told(release: str) -> None:
    metrics = (
        external(average=1, name="a").failing(503, "first"),
        external(average=1, name="b").failing(503, "second"),
    )
    decision = decide(*metrics, replicas=3, flags=flags(release=release))
    assert "invalid metrics (2 invalid out of 2), first error is: " in decision.error
    assert decision.error.endswith("first")
    assert decide(metrics[0], asks(5), replicas=3, flags=flags(release=release)).desired == 5


@every
@pytest.mark.parametrize(
    ("scene", "reason"),
    [
        ({"replicas": 2, "crowd": "2@90000"}, "pods metric pod_cpu_1m above target"),
        ({"replicas": 9, "crowd": "9@10000", "memory": "1@1"}, "All metrics below target"),
        ({"replicas": 200, "crowd": "1@1"}, "Current number of replicas above Spec.MaxReplicas"),
        ({"replicas": 1, "crowd": "1@1", "minimum": 2}, "Current number of replicas below Spec.MinReplicas"),
    ],
    ids=["above", "below", "max", "min"],
)
def test_s004_09_a_rescale_has_its_reason(release: str, scene: dict[str, Any], reason: str) -> None:
    words = dict(scene)
    crowd, memory = pods(words.pop("crowd")), remembered(words.pop("memory", f"{words['replicas']}@990"))
    decision = decide(POD_CPU, crowd=crowd, memory=memory, flags=flags(release=release), **words)
    assert (decision.scale_reason, posted(decision)) == (reason, ["SuccessfulRescale"])


@every
def test_s004_10_a_write_that_was_refused_is_told_and_stamps_nothing(release: str) -> None:
    decision = decide(asks(5), replicas=3, scale_writes=(refused_write(500, "no quota"),), flags=flags(release=release))
    event = decision.events[-1]
    assert (event.type, event.reason) == ("Warning", "FailedRescale")
    assert event.message == "New size: 5; reason: external metric queue(nil) above target; error: no quota"
    assert says(decision, "AbleToScale") == "False/FailedUpdateScale"
    assert decision.status is not None
    assert decision.status.last_scale_us is None


@every
def test_s004_11_a_scale_is_told_and_stamped(release: str) -> None:
    decision = decide(POD_CPU, crowd=pods("1@50000 1@100000"), replicas=2, maximum=3, flags=flags(release=release))
    assert (decision.events[-1].reason, decision.events[-1].message) == (
        "SuccessfulRescale",
        "New size: 3; reason: pods metric pod_cpu_1m above target",
    )
    assert says(decision, "AbleToScale") == "True/SucceededRescale"
    assert decision.status is not None
    assert decision.status.last_scale_us == at(1000)


@every
def test_s004_12_the_highest_of_two_sources(release: str) -> None:
    crowd = pods("4@500")
    decision = decide(cpu(50), of_object(1250, value=1000), crowd=crowd, replicas=4, flags=flags(release=release))
    assert ([proposal.proposal for proposal in decision.proposals], decision.desired) == ([4, 5], 5)


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=8), st.integers(1, 10**6))
def test_s004_13_a_factor_of_a_thousand_cancels(usages: list[int], target: int) -> None:
    """But for the cut of the average to whole thousandths, which only the small one feels."""
    replicas, total = len(usages), sum(usages)
    usages = [usage * replicas for usage in usages]
    small, large = (
        propose(
            per_pod(target * factor),
            crowd=pods(" ".join(f"1@{usage * factor}" for usage in usages)),
            replicas=replicas,
        )
        for factor in (1, 1000)
    )
    assert small.current_milli == total
    assert (small.ratio, small.proposal) == (large.ratio, large.proposal)


def test_s004_14_one_read_for_all_pods(tmp_path: Path) -> None:
    (request,) = requests.requests_of(hpa_of(POD_CPU), "app=zx-hpa-test")
    assert request is not None
    path = requests.path_of(request, "v1beta1")
    assert path == (
        "/apis/custom.metrics.k8s.io/v1beta1/namespaces/shop/pods/%2A/pod_cpu_1m?labelSelector=app%3Dzx-hpa-test"
    )
    (fact,) = read(tmp_path, get_line(1, path, items({"describedObject": {"name": "a"}, "value": "50"})))
    assert isinstance(fact, ValuesRead)
    assert fact.values is not None
    assert (fact.values[0].object, fact.values[0].value, fact.values[0].window_us) == ("a", 50_000, None)
    assert propose(POD_CPU, crowd=pods("2"), replicas=2).invalid_code == "metric.invalid.no_metrics"


@every
def test_s004_15_readiness_plays_no_part(release: str) -> None:
    crowd = pods("2@90000:unready,start-5,since-1")
    assert propose(POD_CPU, crowd=crowd, replicas=2, flags=flags(release=release)).ready_pods == 2


@every
def test_s004_16_scenario_1_two_pods_and_a_mean_of_75(release: str) -> None:
    decision = decide(POD_CPU, crowd=pods("1@50000 1@100000"), replicas=2, maximum=3, flags=flags(release=release))
    (proposal,) = decision.proposals
    assert (proposal.ratio, proposal.current_milli, decision.desired) == (1.25, 75_000, 3)
    assert says(decision, "ScalingLimited") == "False/DesiredWithinRange"


@pytest.mark.parametrize(
    ("release", "mean", "proposal"),
    [
        ("1.16", 65_999, 2),
        ("1.16", 66_000, 3),
        ("1.32", 66_000, 3),
        ("1.33", 66_000, 2),
        ("1.36", 66_000, 2),
        ("1.36", 66_001, 3),
        ("1.16", 54_000, 2),
        ("1.36", 54_000, 2),
        ("1.36", 29_000, 1),
    ],
)
def test_s004_17_d11_the_mean_must_pass_66(release: str, mean: int, proposal: int) -> None:
    computed = propose(POD_CPU, crowd=pods(f"2@{mean}"), replicas=2, flags=flags(release=release))
    assert computed.proposal == proposal


MISSING: list[tuple[str, str, float, int]] = [
    # id, pods, adjusted ratio, proposal
    ("s004_18 scenario 2: a missing pod is the target", "1@2000 1", 31 / 60, 2),
    ("s004_18 d30 with 20", "1@20000 1", 40 / 60, 2),
    ("s004_19 above the target it is zero", "1@150000 1", 75 / 60, 3),
    ("s004_19 and may turn the direction: stay", "1@100000 1", 50 / 60, 2),
]


@every
@pytest.mark.parametrize(("crowd", "ratio", "proposal"), [row[1:] for row in MISSING], ids=[row[0] for row in MISSING])
def test_s004_18_and_19_with_one_pod_missing(release: str, crowd: str, ratio: float, proposal: int) -> None:
    computed = propose(POD_CPU, crowd=pods(crowd), replicas=2, flags=flags(release=release))
    assert (computed.ratio_adjusted, computed.proposal) == (ratio, proposal)


@pytest.mark.parametrize(("release", "proposal"), [("1.16", 1), ("1.27", 1), ("1.28", 2), ("1.37", 2)])
def test_s004_20_d31_exactly_on_target_a_missing_pod_was_zero_until_1_27(release: str, proposal: int) -> None:
    """The document has it hold at two."""
    computed = propose(POD_CPU, crowd=pods("1@60000 1"), replicas=2, flags=flags(release=release))
    assert computed.proposal == proposal


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=8), st.integers(1, 10**6))
def test_s004_21_d32_the_smallest_number_that_carries_the_sum(usages: list[int], target: int) -> None:
    """The document's closing formula has it the other way round."""
    replicas = len(usages)
    usages = [usage - usage % replicas for usage in usages]
    usages[0] += (replicas - sum(usages)) % replicas
    proposal = propose(per_pod(target), crowd=pods(" ".join(f"1@{usage}" for usage in usages)), replicas=replicas)
    total = sum(usages)
    if proposal.ratio is not None and not 0.9 <= proposal.ratio <= 1.1:
        exact = -(-total // target)
        assert proposal.proposal in (exact, exact + 1)  # a double may lie a little above the whole number
        assert (proposal.proposal or 0) * target >= total


@every
def test_s004_01_what_v2beta1_called_a_target_average_is_an_average(release: str) -> None:
    """Min 1, max 3, 60 a pod; the object itself is read as v2."""
    observed = observation(POD_CPU, crowd=pods("2@60000"), replicas=2, minimum=1, maximum=3)
    assert observed.hpa is not None
    (metric,) = observed.hpa.spec.metrics
    assert metric.target is not None
    assert metric.target.average_value is not None
    assert (metric.target.type, metric.target.average_value.milli) == ("AverageValue", 60_000)
    assert decide(POD_CPU, crowd=pods("2@60000"), replicas=2, maximum=3, flags=flags(release=release)).desired == 2


MANIFEST = {
    "apiVersion": "autoscaling/v2beta1",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "zx-hpa-test", "namespace": "shop", "annotations": {"metric-config.pod/pod_cpu_1m": "60"}},
    "spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "zx-hpa-test"},
        "minReplicas": 1,
        "maxReplicas": 3,
        "metrics": [{"type": "Pods", "pods": {"metricName": "pod_cpu_1m", "targetAverageValue": 60}}],
    },
}


@every
def test_s004_01_the_manifest_in_v2beta1_decides_as_the_same_one_in_v2(release: str) -> None:
    internal = to_internal(MANIFEST)
    assert refusals(internal) == ()
    shown = {version: from_internal(internal, version) for version in ("autoscaling/v2beta1", "autoscaling/v2")}
    hpas = [decode_hpa(to_facts.hpa_seen(Micros(0), each)) for each in shown.values()]
    assert hpas[0].spec == hpas[1].spec
    given = flags(release=release)
    made = [decide(POD_CPU, crowd=pods("2@60000"), replicas=2, hpa=each, flags=given).desired for each in hpas]
    assert made == [2, 2]
    for each in shown.values():  # a foreign annotation is kept, and means nothing
        assert each["metadata"]["annotations"] == MANIFEST["metadata"]["annotations"]  # type: ignore[index]


@pytest.mark.parametrize("version", VERSIONS)
def test_s004_05_without_a_maximum_it_is_refused_by_the_name_of_the_field(version: str) -> None:
    reference = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    spec = {"scaleRef" if version == "extensions/v1beta1" else "scaleTargetRef": reference}
    document = {"apiVersion": version, "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"}, "spec": spec}
    told = refusals(to_internal(document))
    assert told
    assert all(text.startswith("spec.maxReplicas: ") for text in told)
