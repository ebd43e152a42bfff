"""What changed from release to release: one case, the releases on both sides of the change.

The numbers were computed from the published behaviour of each release, or executed on its own calculators.
"""

from typing import Any

import pytest

from hpaaudit.engine.behaviours.release import ALPHA, KNOWN, behaviours_of, known_release, newest_serving, version_of
from hpaaudit.errors import UnknownRelease
from hpaaudit.model.target import Container
from tests.engine.scenes import (
    ASLEEP,
    Metric,
    amounts,
    asks,
    container,
    cpu,
    decide,
    external,
    flags,
    memory,
    of_object,
    per_pod,
    pods,
    propose,
    remembered,
    says,
)

NAMES = [
    # as somebody writes it, as the table names it
    ("1.12", "1.12"),
    ("1.36", "1.36"),
    ("v1.36.3", "1.36.3"),
    ("v1.28.3-eks-abc", "1.28.3"),
    ("v1.29.4-gke.100", "1.29.4"),
    ("v1.27.6+b49f9d1", "1.27.6"),
    ("v1.31.0-rc.1", "1.31.0"),
    ("1.38", "1.38-alpha"),
    ("1.38-alpha", "1.38-alpha"),
    ("v1.38.0-alpha.1", "1.38-alpha"),
]


@pytest.mark.parametrize(("text", "name"), NAMES, ids=[row[0] for row in NAMES])
def test_a_release_is_known_by_its_numbers_whatever_a_vendor_adds(text: str, name: str) -> None:
    assert known_release(text) == name
    assert behaviours_of(flags(release=name)) == behaviours_of(flags(release=text))
    assert version_of(known_release(name)) == version_of(name)


@pytest.mark.parametrize(
    ("text", "nearest"), [("1.0", "1.1"), ("1.39", KNOWN[-1]), ("v1.380.0", KNOWN[-1]), ("2.0", KNOWN[-1])]
)
def test_a_release_that_is_not_known_is_refused_with_the_nearest_that_is_out(text: str, nearest: str) -> None:
    with pytest.raises(UnknownRelease, match=f"release {text} is not known to this engine: try --release {nearest}"):
        known_release(text)


@pytest.mark.parametrize(
    ("versions", "release"),
    [
        ((), KNOWN[-1]),
        (("autoscaling/v2",), KNOWN[-1]),
        (("autoscaling/v1",), KNOWN[-1]),
        (("autoscaling/v2beta2",), "1.25"),
        (("autoscaling/v1", "autoscaling/v2beta1"), "1.24"),
        (("autoscaling/v2alpha1",), "1.7"),
        (("extensions/v1beta1",), "1.5"),
        (("extensions/v1beta1", "autoscaling/v2"), KNOWN[-1]),
    ],
)
def test_a_version_of_the_api_tells_the_newest_release_that_serves_it(versions: tuple[str, ...], release: str) -> None:
    """No release served the last two together: then the versions tell nothing."""
    assert newest_serving(frozenset(versions)) == release


def test_the_alpha_comes_after_all_releases_that_are_out() -> None:
    assert ALPHA not in KNOWN
    assert version_of(ALPHA) > version_of(KNOWN[-1])


LOCKED = [
    # release, gate, whether it can still be switched off
    ("1.29", "HPAContainerMetrics", True),
    ("1.30", "HPAContainerMetrics", False),
    ("1.36", "HPAConfigurableTolerance", True),
    ("1.37", "HPAConfigurableTolerance", False),
    ("1.37", "HPAGeneration", True),
    ("1.38-alpha", "HPAGeneration", False),
    ("1.38-alpha", "HPAScaleToZero", True),
]


@pytest.mark.parametrize(("release", "gate", "free"), LOCKED, ids=[f"{row[1]}, {row[0]}" for row in LOCKED])
def test_a_gate_that_is_ga_cannot_be_switched_off(release: str, gate: str, free: bool) -> None:
    off, on = (behaviours_of(flags((gate, asked), release=release)) for asked in (False, True))
    assert (off != on) == free


PROPOSALS: list[tuple[str, Metric, str, dict[str, Any], dict[str, int]]] = [
    # name, metric, pods, scene, proposal by release
    ("a ratio of the double 1.1", cpu(50), "10@550", {"replicas": 10}, {"1.12": 11, "1.32": 11, "1.33": 10}),
    ("a ratio of 0.9", cpu(50), "10@450", {"replicas": 10}, {"1.12": 10, "1.32": 10, "1.33": 10}),
    ("66 % that were cut", cpu(60), "2@667 1@666", {"replicas": 3}, {"1.32": 4, "1.33": 3}),
    ("11000 that were cut", per_pod(10_000), "2@11000 1@11002", {"replicas": 3}, {"1.32": 4, "1.33": 3}),
    ("11001", per_pod(10_000), "2@11000 1@11003", {"replicas": 3}, {"1.32": 4, "1.33": 4}),
    ("missing, below a target above all", cpu(200), "3@1000 1", {"replicas": 4}, {"1.25": 2, "1.26": 3}),
    ("exactly on target with one missing", per_pod(10_000), "3@10000 1", {"replicas": 4}, {"1.27": 3, "1.28": 4}),
    ("a terminating pod's sample", cpu(50), "2@800 1@0:terminating", {"replicas": 2},
        {"1.18.11": 2, "1.18.12": 4, "1.19.3": 2, "1.19.4": 4, "1.20": 4}),
    ("against the direction, plain", per_pod(100), "11@88 1", {"replicas": 10}, {"1.20": 11, "1.21": 10}),
    ("against the direction, percent", cpu(80), "5@440 2", {"replicas": 5},
        {"1.15.11": 6, "1.15.12": 5, "1.16.8": 6, "1.16.9": 5, "1.18": 5}),
    ("pending pods on the way down", cpu(50), "2@200 4:pending", {"replicas": 6}, {"1.12": 6, "1.15": 6, "1.16": 1}),
    ("pending pods on the way up", cpu(50), "2@2000 4:pending", {"replicas": 6}, {"1.12": 8, "1.16": 8, "1.37": 8}),
    ("110 of 100 against status", external(110_000, average=10_000), "", {"replicas": 10}, {"1.32": 11, "1.33": 10}),
    ("105 of 100 against status", external(105_000, average=10_000), "", {"replicas": 10}, {"1.32": 10, "1.33": 10}),
    ("nothing of nothing against status", external(0, average=10_000), "", {"replicas": 3, "status_replicas": 0},
        {"1.16": 0, "1.36": 0}),
    ("an Object average of 1.14 divides by zero", of_object(10_500, average=1000), "", {"replicas": 10},
        {"1.14": 11, "1.15": 10, "1.36": 10}),
    ("and of nothing makes none", of_object(0, average=1000), "", {"replicas": 10}, {"1.14": 0, "1.15": 0}),
    ("a surge alone", external(118_000, average=10_000), "", {"replicas": 10, "status_replicas": 12},
        {"1.16": 12, "1.36": 12}),
    ("beyond int32 by average", external(3 * 10**11, average=100), "", {"replicas": 1},
        {"1.33": -(2**31), "1.34": 2**31 - 1, "1.38": 2**31 - 1}),
    ("beyond int32 by value", external(3 * 10**11, value=100), "10@1", {"replicas": 10},
        {"1.34": -(2**31), "1.35": 2**31 - 1, "1.38": 2**31 - 1}),
    ("beyond int32 by value, at zero", external(3 * 10**11, value=100), "", {"replicas": 0, "status": ASLEEP},
        {"1.37": -(2**31), "1.38": 2**31 - 1}),
    ("beyond int32 by an Object's average", of_object(3 * 10**11, average=100), "", {"replicas": 1},
        {"1.37": -(2**31), "1.38": 2**31 - 1}),
    ("beyond int32 by pods", per_pod(1), "10@300000000", {"replicas": 10}, {"1.37": -(2**31), "1.38": 2**31 - 1}),
    ("beyond int32 after filling in", per_pod(1), "10@300000000 1", {"replicas": 11},
        {"1.37": 11, "1.38": 2**31 - 1}),
    ("beyond int32 by a utilization after filling in", cpu(1), "2@15000000000 1", {"replicas": 3},
        {"1.37": 3, "1.38": 2**31 - 1}),
    ("Succeeded pods without samples", cpu(50), "3@200 2:succeeded", {"replicas": 3}, {"1.37": 3, "1.38": 2}),
    ("a Succeeded pod with a sample", cpu(50), "2@800 1@0:succeeded", {"replicas": 2}, {"1.37": 2, "1.38": 4}),
    ("a value of three ready pods", of_object(3000, value=1000), "3@1 3@1:unready", {"replicas": 6},
        {"1.12": 9, "1.36": 9}),
    ("never ready, 31 s after its start", cpu(50), "1@900:unready,start-1000,since-969 1@900", {"replicas": 2},
        {"1.12": 4, "1.36": 4}),
    ("never ready, 25 s after its start", cpu(50), "1@900:unready,start-1000,since-975 1@900", {"replicas": 2},
        {"1.12": 2, "1.36": 2}),
    ("no Ready condition, cpu", cpu(50), "1@900:unconditioned 1@900", {"replicas": 2}, {"1.12": 2, "1.36": 2}),
    ("no Ready condition, memory", memory(50), "1@900:unconditioned 1@900", {"replicas": 2}, {"1.12": 4, "1.36": 4}),
]  # fmt: skip
SPREAD = [(row[0], *row[1:4], release, number) for row in PROPOSALS for release, number in row[4].items()]


@pytest.mark.parametrize(
    ("metric", "crowd", "scene", "release", "proposal"),
    [row[1:] for row in SPREAD],
    ids=[f"{row[0]}, {row[4]}" for row in SPREAD],
)
def test_proposes(metric: Metric, crowd: str, scene: dict[str, Any], release: str, proposal: int) -> None:
    assert propose(metric, crowd=pods(crowd), flags=flags(release=release), **scene).proposal == proposal


HALF = [
    ("both ends are inside, below", per_pod(1000), "10@500", 10),
    ("both ends are inside, above", per_pod(1000), "10@1500", 10),
    ("beyond the lower end", per_pod(1000), "10@499", 5),
    ("beyond the upper end", per_pod(1000), "10@1501", 16),
    ("against status, below", external(5000, average=1000), "", 10),
    ("against status, above", external(15_000, average=1000), "", 10),
    ("against status, beyond", external(15_001, average=1000), "", 16),
]
"""A tolerance of one half, which doubles can say exactly: here old and new releases agree."""


@pytest.mark.parametrize("release", ["1.16", "1.32", "1.33", "1.37"])
@pytest.mark.parametrize(("metric", "crowd", "proposal"), [row[1:] for row in HALF], ids=[row[0] for row in HALF])
def test_at_the_ends_of_a_tolerance_of_one_half(release: str, metric: Metric, crowd: str, proposal: int) -> None:
    controller = flags(release=release, tolerance=0.5)
    assert propose(metric, crowd=pods(crowd), replicas=10, flags=controller).proposal == proposal


SIDECAR = (Container(name="s", requests=amounts(cpu=100), restart_policy="Always"),)
WHOLE: dict[str, Any] = {
    "containers": (("a", 300, 10), ("b", 200, 10)),
    "init": SIDECAR,
    "level": amounts(cpu=900),
    "overhead": amounts(cpu=50),
}


@pytest.mark.parametrize(
    ("release", "asked"), [("1.28", 500), ("1.29", 600), ("1.33", 600), ("1.34", 950), ("1.37", 950), ("1.38", 900)]
)
def test_a_pods_request_grew_by_sidecars_then_by_its_own_level_and_lost_its_overhead(release: str, asked: int) -> None:
    proposal = propose(cpu(50), crowd=pods("1@10", **WHOLE), flags=flags(release=release))
    assert [pod.request for pod in proposal.pods] == [asked]
    named = propose(container("a", 50), crowd=pods("1@10", **WHOLE), flags=flags(release=release))
    assert [pod.request for pod in named.pods] == [300]


@pytest.mark.parametrize(("release", "valid"), [("1.33", False), ("1.34", True)])
def test_a_level_that_names_another_resource_forgives_a_container(release: str, valid: bool) -> None:
    crowd = pods("1@10", containers=(("a", 300, 10), ("b", None, 10)), level=amounts(memory=9))
    assert propose(cpu(50), crowd=crowd, flags=flags(release=release)).valid == valid


@pytest.mark.parametrize(("release", "valid"), [("1.34", True), ("1.35", False)])
def test_a_container_that_a_pod_does_not_have_is_an_error_since_1_35(release: str, valid: bool) -> None:
    crowd = pods("2@150", containers=(("b", 200, 150),)) + pods("1@9", containers=(("a", 300, 9),))
    assert propose(container("b", 50), crowd=crowd, replicas=3, flags=flags(release=release)).valid == valid


@pytest.mark.parametrize(("release", "valid"), [("1.32", False), ("1.33", True)])
def test_a_container_that_a_sample_does_not_have_is_no_error_since_1_33(release: str, valid: bool) -> None:
    both, half = (("a", 300, 9), ("b", 200, 150)), (("a", 300, 9), ("b", 200, None))
    crowd = pods("2@150", containers=both) + pods("1@9", containers=half)
    assert propose(container("b", 50), crowd=crowd, replicas=3, flags=flags(release=release)).valid == valid


def _up(*policies: tuple[str, int, int], select: str = "Max") -> dict[str, Any]:
    shown = [{"type": kind, "value": value, "periodSeconds": period} for kind, value, period in policies]
    return {"scaleUp": {"policies": shown, "selectPolicy": select}, "scaleDown": {"stabilizationWindowSeconds": 0}}


def _down(*policies: tuple[str, int, int], select: str = "Max") -> dict[str, Any]:
    shown = [{"type": kind, "value": value, "periodSeconds": period} for kind, value, period in policies]
    return {"scaleDown": {"policies": shown, "selectPolicy": select, "stabilizationWindowSeconds": 0}}


LIMITS: list[tuple[str, dict[str, Any], dict[str, int]]] = [
    # name, scene, desired by release
    ("up, events of both directions", {"behavior": _up(("Percent", 300, 300), select="Min"), "replicas": 6, "raw": 24,
        "maximum": 20, "memory": remembered("1@1", up=["4@900"], down=["2@950"])}, {"1.25": 8, "1.26": 16}),
    ("up, after a scale-down", {"behavior": _up(("Pods", 2, 300)), "replicas": 6, "raw": 30,
        "memory": remembered("1@1", down=["4@900"])}, {"1.25": 8, "1.26": 12}),
    ("down, after a scale-up", {"behavior": _down(("Pods", 2, 300)), "replicas": 10, "raw": 1,
        "memory": remembered("1@1", up=["5@900"])}, {"1.25": 8, "1.26": 3}),
    ("up, the smallest change", {"behavior": {"scaleUp": {"selectPolicy": "Min"}}, "replicas": 10, "raw": 30},
        {"1.18.11": 10, "1.18.12": 14, "1.19.3": 10, "1.19.4": 14, "1.20": 14}),
    ("down, the smallest change", {"behavior": _down(("Pods", 2, 60), ("Percent", 50, 60), select="Min"),
        "replicas": 10, "raw": 1, "memory": remembered("1@1")}, {"1.19.3": 10, "1.19.4": 8, "1.20": 8}),
    ("up, a window below what stands", {"behavior": {"scaleUp": {"stabilizationWindowSeconds": 60}}, "replicas": 4,
        "raw": 10, "memory": remembered("2@950", "8@970")}, {"1.18": 2, "1.20": 2, "1.21": 4}),
    ("down, a window above what stands", {"behavior": {"scaleDown": {"stabilizationWindowSeconds": 300}}, "replicas": 5,
        "raw": 3, "memory": remembered("9@900")}, {"1.18": 9, "1.20": 9, "1.21": 5}),
]  # fmt: skip
SPREAD_LIMITS = [(name, scene, release, number) for name, scene, by in LIMITS for release, number in by.items()]


@pytest.mark.parametrize(
    ("scene", "release", "desired"),
    [row[1:] for row in SPREAD_LIMITS],
    ids=[f"{row[0]}, {row[2]}" for row in SPREAD_LIMITS],
)
def test_decides(scene: dict[str, Any], release: str, desired: int) -> None:
    words = dict(scene)
    assert decide(asks(words.pop("raw")), flags=flags(release=release), **words).desired == desired


@pytest.mark.parametrize(
    ("release", "gates", "behavior", "desired"),
    [
        ("1.34", (), {"scaleUp": {"tolerance": "200m"}}, 12),
        ("1.34", (("HPAConfigurableTolerance", True),), {"scaleUp": {"tolerance": "200m"}}, 10),
        ("1.35", (), {"scaleUp": {"tolerance": "200m"}}, 10),
    ],
)
def test_a_tolerance_of_its_own_is_asked_since_1_35(
    release: str, gates: tuple[tuple[str, bool], ...], behavior: dict[str, Any], desired: int
) -> None:
    proposal = propose(
        per_pod(100), crowd=pods("10@115"), replicas=10, behavior=behavior, flags=flags(release=release, gates=gates)
    )
    assert proposal.proposal == desired


@pytest.mark.parametrize(("release", "ambiguous"), [("1.25", False), ("1.26", True), ("1.37", True)])
def test_pods_of_two_hpas_are_ambiguous_since_1_26(release: str, ambiguous: bool) -> None:
    crowd, rivals = pods("3@500"), (("shop/other", "app=web"),)
    decision = decide(cpu(50), crowd=crowd, replicas=3, rivals=rivals, flags=flags(release=release))
    assert (says(decision, "ScalingActive") == "False/AmbiguousSelector") == ambiguous


@pytest.mark.parametrize(("release", "published"), [("1.28", 1), ("1.29", 0)])
def test_a_failure_replaces_what_was_published_since_1_29(release: str, published: int) -> None:
    status = decide(per_pod(100), crowd=pods("2@100"), replicas=2, flags=flags(release=release)).status
    assert status is not None
    decision = decide(per_pod(100).failing(), status=status, replicas=2, flags=flags(release=release))
    assert decision.status is not None
    assert [metric.type for metric in decision.status.current_metrics or ()].count("Pods") == published


@pytest.mark.parametrize(
    ("release", "text"),
    [("1.25", "missing request for cpu"), ("1.26", "did not receive metrics for any ready pods")],
)
def test_of_a_missing_request_and_no_samples_the_latter_is_found_first_since_1_26(release: str, text: str) -> None:
    crowd = pods("1@900:unready,start-10", request=None)
    proposal = propose(cpu(50), crowd=crowd, flags=flags(release=release))
    assert (proposal.valid, proposal.invalid_text) == (False, f"failed to get cpu utilization: {text}")


@pytest.mark.parametrize(("release", "active"), [("1.15", "False/ScalingDisabled"), ("1.16", "True/ValidMetricFound")])
def test_a_minimum_of_zero_keeps_the_hpa_at_work_at_zero_since_1_16(release: str, active: str) -> None:
    decision = decide(asks(3), replicas=0, minimum=0, flags=flags(release=release))
    assert says(decision, "ScalingActive") == active


@pytest.mark.parametrize(("release", "is_named"), [("1.26", False), ("1.27", True)])
def test_the_error_of_one_metric_outlives_a_pass_since_1_27(release: str, is_named: bool) -> None:
    decision = decide(asks(9), external(average=1).failing(), replicas=5, flags=flags(release=release))
    assert (decision.desired, bool(decision.error)) == (9, is_named)


@pytest.mark.parametrize(("release", "published"), [("1.37", -(2**63)), ("1.38", 35_000)])
@pytest.mark.parametrize("metric", [external(35_000, average=10_000), of_object(35_000, average=10_000)])
def test_without_replicas_an_average_is_published_as_the_total_since_1_38(
    metric: Metric, release: str, published: int
) -> None:
    proposal = propose(metric, replicas=0, status=ASLEEP, flags=flags(release=release))
    assert (proposal.proposal, proposal.current_milli) == (4, published)


def test_a_percentage_beyond_int32_lets_everything_through_since_1_38() -> None:
    scene: dict[str, Any] = {"behavior": _up(("Percent", 2**31 - 1, 60)), "replicas": 1000, "maximum": 2000}
    wanted = [decide(asks(1500), flags=flags(release=release), **scene).desired for release in ("1.37", "1.38")]
    assert wanted == [1000, 1500]


@pytest.mark.parametrize("metric", [external(3 * 10**11, value=100), of_object(3 * 10**11, average=100), per_pod(1)])
def test_a_vendor_may_cap_every_number_of_replicas_before_1_38(metric: Metric) -> None:
    controller = flags(release="1.34", with_behaviours=("ReplicasCapped",))
    assert propose(metric, crowd=pods("10@300000000"), replicas=10, flags=controller).proposal == 2**31 - 1


@pytest.mark.parametrize(("release", "described"), [("1.32", False), ("1.33", True)])
def test_an_average_of_an_object_names_it_since_1_33(release: str, described: bool) -> None:
    status = decide(of_object(500, average=500), replicas=1, flags=flags(release=release)).status
    assert status is not None
    assert status.current_metrics is not None
    named = status.current_metrics[0].described
    assert (named is not None and named.name == "main-route") == described


@pytest.mark.parametrize(
    ("release", "decided"),
    [
        ("1.14", (3, "gate.metric_failed")),
        ("1.15", (4, "metric.above_target")),
    ],
)
def test_until_1_14_a_metric_that_fails_after_another_one_ends_the_reconcile(
    release: str, decided: tuple[int, str]
) -> None:
    decision = decide(asks(4), external(average=1).failing(), replicas=3, flags=flags(release=release))
    assert (decision.desired, decision.reason_code) == decided


_UP_AFTER_A_MINUTE = {"scaleUp": {"stabilizationWindowSeconds": 60}}


@pytest.mark.parametrize(
    ("asked", "remembered_replicas", "behavior", "release", "decided"),
    [
        (9, "3@990", _UP_AFTER_A_MINUTE, "1.20", (3, "stabilize.up_reversed")),
        (9, "3@990", _UP_AFTER_A_MINUTE, "1.21", (4, "stabilize.up_hold")),
        (9, "5@990", _UP_AFTER_A_MINUTE, "1.20", (5, "stabilize.up_partial")),
        (2, "6@990", {}, "1.20", (6, "stabilize.down_reversed")),
        (2, "6@990", {}, "1.21", (4, "stabilize.down_hold")),
        (2, "3@990", {}, "1.20", (3, "stabilize.down_partial")),
    ],
)
def test_until_1_20_a_window_that_delays_one_direction_may_move_in_the_other(
    asked: int, remembered_replicas: str, behavior: dict[str, Any], release: str, decided: tuple[int, str]
) -> None:
    decision = decide(
        asks(asked), replicas=4, memory=remembered(remembered_replicas), behavior=behavior, flags=flags(release=release)
    )
    assert (decision.desired, decision.reason_code) == decided
