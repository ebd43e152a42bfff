"""What one metric proposes: usage against target, assumed pods, tolerance, requests, doubles.

The numbers were computed with a throw-away script from the published behaviour of the controller, not with this engine.
"""

from typing import Any

import pytest

from tests.engine.scenes import (
    LEAVING_ZERO,
    Crowd,
    Metric,
    container,
    cpu,
    external,
    flags,
    memory,
    of_object,
    per_pod,
    pods,
    propose,
)

DEEP = "2@300 8@2000:start-30,since-20"
MIXED = pods("2@200") + pods("1", request=500)
NO_REQUEST = pods("3@300") + pods("1:failed", request=None)
TWO_CONTAINERS = pods("4@150", containers=(("a", 300, 900), ("b", 200, 150)))
ONE_LACKS_B = pods("3@150", containers=(("a", 300, 900), ("b", 200, 150))) + pods("1@9", containers=(("a", 300, 900),))
ONE_UNSAMPLED_B = (
    *pods("3@150", containers=(("a", 300, 900), ("b", 200, 150))),
    *pods("1@9", containers=(("a", 300, 900), ("b", 200, None))),
)

PROPOSALS: list[tuple[str, Metric, Crowd, int, int]] = [
    # name, metric, pods, current replicas, proposal
    ("a ratio of the double 1.1 is inside", cpu(50), pods("10@550"), 10, 10),
    ("a ratio of 0.9 is inside", cpu(50), pods("10@450"), 10, 10),
    ("145/70 of 14 is a little above 29", cpu(70), pods("14@1450"), 14, 30),
    ("2.2 times 25 is a little above 55", cpu(50), pods("25@1100"), 25, 56),
    ("percent is cut before the ratio", cpu(60), pods("2@1000 1@999", request=1500), 3, 3),
    ("unready pods count as idle on the way up", cpu(30), pods("2@600 1:pending"), 3, 4),
    ("unready pods are left out on the way down", cpu(80), pods("2@300 1:pending"), 3, 1),
    ("a missing pod counts as full on the way down", cpu(50), pods("3@100 1"), 4, 3),
    ("a missing pod counts as zero on the way up", cpu(50), pods("3@900 1"), 4, 6),
    ("full is the target where that is more than all", cpu(200), pods("3@1000 1"), 4, 3),
    ("exactly on target nothing is filled in", cpu(50), pods("3@500 1"), 4, 4),
    ("a direction that flips holds", cpu(50), pods("2@700 2"), 4, 4),
    ("a surge with one missing lands in the tolerance", cpu(50), pods("11@400 1"), 10, 10),
    ("five pods, a single sample", cpu(50), pods("1@4000 4"), 5, 8),
    ("a missing pod's own request is what it may use", cpu(50), MIXED, 3, 3),
    ("idle pods ask for none", cpu(50), pods("3@0"), 3, 0),
    ("a terminating pod's sample does not dilute", cpu(50), pods("2@800 1@0:terminating"), 2, 4),
    ("Succeeded pods without samples are missing", cpu(50), pods("3@200 2:succeeded"), 3, 3),
    ("two idle pods and eight starting ones: a deep drop", cpu(50), pods(DEEP), 10, 2),
    ("one container of each pod", container("b", 50), TWO_CONTAINERS, 4, 6),
    ("a container without a sample makes its pod missing", container("b", 50), ONE_UNSAMPLED_B, 4, 5),
    ("memory: 0.9 with a Pending pod is inside", memory(50), pods("1@450 1:pending"), 2, 2),
    ("percent of all requests, not the mean of percentages", cpu(50), pods("1@10", request=100) + pods("1@900"), 2, 4),
    ("against the direction after the count", cpu(80), pods("5@110 2", request=200), 5, 5),
    # plain values
    ("an average above target", per_pod(10_000), pods("2@15000 1@16500"), 3, 5),
    ("an average is cut: 11000.67 is 11000, inside", per_pod(10_000), pods("2@11000 1@11002"), 3, 3),
    ("11001 is outside", per_pod(10_000), pods("2@11000 1@11003"), 3, 4),
    ("exactly on target a missing pod is not filled", per_pod(10_000), pods("3@10000 1"), 4, 4),
    ("a foreign sample counts", per_pod(100), pods("2@100 1@400:ghost"), 2, 4),
    ("missing pods count as the target on the way down", per_pod(100), pods("2@10 2"), 4, 3),
    ("a surge proposes no more than there are", per_pod(100), pods("11@88 1"), 10, 10),
    ("cpu average: an unready pod is idle", cpu(average=500), pods("1@1200 1@3000:start-20,since-10"), 2, 3),
    ("readiness is nothing to a custom metric", per_pod(100), pods("2@200:unready,start-5"), 2, 4),
    ("usage at a filled-in zero flips", per_pod(60_000), pods("1@100000 1"), 2, 2),
    # object and external values
    ("a value times the ready pods", of_object(25_000, value=10_000), pods("4@1 1@1:unready"), 5, 10),
    ("a terminating but Ready pod is ready here", of_object(20_000, value=10_000), pods("3@1 1@1:terminating"), 3, 8),
    ("without ready pods a value asks for none", of_object(50_000, value=10_000), pods("3@1:unready"), 3, 0),
    ("inside the tolerance no pods are needed", of_object(10_900, value=10_000), (), 5, 5),
    ("an external value is the sum of its series", external(2500, 5000, value=3000), pods("2@1 2@1:unready"), 4, 5),
    ("an average of an object", of_object(7500, average=2000), pods("3@1"), 3, 4),
]


@pytest.mark.parametrize(
    ("metric", "crowd", "replicas", "proposal"), [row[1:] for row in PROPOSALS], ids=[row[0] for row in PROPOSALS]
)
def test_proposes(metric: Metric, crowd: Crowd, replicas: int, proposal: int) -> None:
    computed = propose(metric, crowd=crowd, replicas=replicas)
    assert (computed.invalid_text, computed.proposal) == ("", proposal)


REFUSALS: list[tuple[str, Metric, Crowd, str]] = [
    (
        "nobody is ready",
        cpu(50),
        pods("1@900:start-10,unready"),
        "failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)",
    ),
    (
        "one listed pod lacks the request, Failed or not",
        cpu(50),
        NO_REQUEST,
        "failed to get cpu utilization: missing request for cpu in container app of Pod web-3",
    ),
    (
        "a pod without the named container",
        container("b", 50),
        ONE_LACKS_B,
        "failed to get cpu utilization: container b not found in Pod web-3",
    ),
    (
        "no pods",
        cpu(50),
        pods("1@900:ghost"),
        "failed to get cpu utilization: no pods returned by selector while calculating replica count",
    ),
    (
        "no samples at all",
        cpu(50),
        pods("1"),
        (
            "failed to get cpu utilization: unable to get metrics for resource cpu: "
            "no metrics returned from resource metrics API"
        ),
    ),
    (
        "requests of zero",
        cpu(50),
        pods("2@50", request=0),
        "failed to get cpu utilization: no metrics returned matched known pods",
    ),
    (
        "a value outside the tolerance without pods",
        of_object(20_000, value=10_000),
        (),
        "unable to calculate ready pods: no pods returned by selector while calculating replica count",
    ),
    (
        "an external metric without series",
        external(average=1000),
        pods("1@1"),
        "unable to get external metric shop/queue/nil: no metrics returned from external metrics API",
    ),
    (
        "an object with two values",
        of_object(1, 2, value=10),
        pods("1@1"),
        (
            "unable to get metric rps: Ingress on shop main-route/unable to fetch metrics from custom metrics API: "
            "the custom metrics API server returned 2 results when we asked for exactly one"
        ),
    ),
    (
        "a custom metric of no pod",
        per_pod(100),
        pods("1"),
        "unable to get metric qps: no metrics returned from custom metrics API",
    ),
]


@pytest.mark.parametrize(("metric", "crowd", "text"), [row[1:] for row in REFUSALS], ids=[row[0] for row in REFUSALS])
def test_refuses(metric: Metric, crowd: Crowd, text: str) -> None:
    proposal = propose(metric, crowd=crowd, replicas=3)
    assert (proposal.valid, proposal.proposal, proposal.invalid_text) == (False, None, text)


def test_an_answer_of_the_api_wins_over_an_empty_list_of_pods() -> None:
    proposal = propose(cpu(50).failing(403, "nodes is forbidden"), crowd=(), replicas=3)
    assert proposal.invalid_text.endswith("unable to fetch metrics from resource metrics API: nodes is forbidden")


def test_status_shows_the_first_average_and_not_the_one_that_decided() -> None:
    proposal = propose(cpu(30), crowd=pods("2@600 1:pending"), replicas=3)
    assert (proposal.current_utilization, proposal.current_milli, proposal.proposal) == (60, 600, 4)
    assert (proposal.ratio, proposal.ratio_adjusted) == (2.0, 40 / 30)
    truncated = propose(cpu(60), crowd=pods("2@1000 1@999", request=1500), replicas=3)
    assert (truncated.current_utilization, truncated.current_milli) == (66, 999)
    surge = propose(cpu(50), crowd=pods("11@400 1"), replicas=10)
    assert (surge.current_utilization, surge.adjust_code) == (40, "adjust.damped_into_tolerance")


ADJUSTED: list[tuple[str, Metric, str, int, int, str]] = [
    # name, metric, pods, current replicas, proposal, what filling in did
    ("missing pods are idle on the way up", cpu(50), "3@900 1", 4, 6, "adjust.missing_as_zero_up"),
    ("and at work on the way down", cpu(50), "3@100 1", 4, 3, "adjust.missing_as_full_down"),
    ("unready pods are idle on the way up", cpu(30), "2@600 1:pending", 3, 4, "adjust.unready_as_zero_up"),
    ("missing ones beside them, too", cpu(30), "2@900 1:pending 1", 4, 6, "adjust.unready_as_zero_up"),
    ("of plain values likewise, up", per_pod(100), "3@180 1", 4, 6, "adjust.missing_as_zero_up"),
    ("and down", per_pod(100), "2@10 2", 4, 3, "adjust.missing_as_full_down"),
]


@pytest.mark.parametrize(
    ("metric", "crowd", "replicas", "proposal", "adjusted"), [row[1:] for row in ADJUSTED], ids=[r[0] for r in ADJUSTED]
)
def test_what_filling_in_did_is_told(metric: Metric, crowd: str, replicas: int, proposal: int, adjusted: str) -> None:
    computed = propose(metric, crowd=pods(crowd), replicas=replicas)
    assert (computed.proposal, computed.adjust_code) == (proposal, adjusted)


PER_POD: list[tuple[str, tuple[int, ...], int, int, int, int]] = [
    # name, series, average target, status replicas, proposal, published average
    ("inside the tolerance status replicas stay", (40_000, 30_000, 25_000), 30_000, 3, 3, 31_667),
    ("a surge alone proposes what is running", (118_000,), 10_000, 12, 12, 9834),
    ("121 of 120 is inside", (121_000,), 10_000, 12, 12, 10_084),
    ("two thirds of three", (200,), 100, 3, 2, 67),
    ("110 of 100 is inside", (110_000,), 10_000, 10, 10, 11_000),
    ("no status replicas: the total over the target", (35_000,), 10_000, 0, 4, -(2**63)),
    ("nothing over nothing", (0,), 10_000, 0, 0, -(2**63)),
    ("a count beyond int32 is its greatest", (3 * 10**11,), 100, 1, 2**31 - 1, 3 * 10**11),
    ("a sum that turns negative is taken for the greatest", (2**63 - 1, 1), 10_000, 1, 2**31 - 1, 2**63 - 1),
]  # fmt: skip


@pytest.mark.parametrize(
    ("series", "target", "status", "proposal", "published"), [row[1:] for row in PER_POD], ids=[r[0] for r in PER_POD]
)
def test_an_external_average_stands_against_status_replicas(
    series: tuple[int, ...], target: int, status: int, proposal: int, published: int
) -> None:
    computed = propose(external(*series, average=target), replicas=10, status_replicas=status)
    assert (computed.proposal, computed.current_milli) == (proposal, published)


@pytest.mark.parametrize(
    ("series", "published"),
    [
        ((2**63 - 1, 1), 2**63 - 1),
        ((2**63 - 2, 1), 2**63 - 1),
        ((1, 2**63 - 1, 5), 2**63 - 1),
        ((-5, 2), -3),
        ((-(2**63), -1), 2**63 - 1),
        ((7, 0, 5), 12),
    ],
)
def test_an_external_value_sums_up_to_int64_and_wraps_only_below(series: tuple[int, ...], published: int) -> None:
    proposal = propose(external(*series, value=10_000), crowd=pods("1@1"), replicas=1)
    assert proposal.current_milli == published


@pytest.mark.parametrize(("usage", "proposal"), [(0, 0), (1, 1), (10_000, 1), (10_500, 2), (35_000, 4)])
def test_leaving_zero_a_value_knows_no_tolerance_and_no_pods(usage: int, proposal: int) -> None:
    computed = propose(of_object(usage, value=10_000), **LEAVING_ZERO)
    assert computed.proposal == proposal


def test_a_value_beyond_int32_is_its_greatest_except_at_zero() -> None:
    huge = 3 * 10**11
    crowd = pods("10@1")
    assert propose(external(huge, value=100), crowd=crowd, replicas=10).proposal == 2**31 - 1
    assert propose(of_object(huge, value=100), crowd=crowd, replicas=10).proposal == 2**31 - 1
    assert propose(external(huge, value=100), **LEAVING_ZERO).proposal == -(2**31)


def test_an_object_average_beyond_int32_wraps_to_the_least() -> None:
    assert propose(of_object(3 * 10**11, average=100), replicas=1).proposal == -(2**31)


TOLERANCES = {"scaleDown": {"tolerance": "50m"}, "scaleUp": {"tolerance": "200m"}}
NONE_AT_ALL = {"scaleDown": {"tolerance": "0"}, "scaleUp": {"tolerance": "0"}}


@pytest.mark.parametrize(
    ("behavior", "usage", "proposal"),
    [
        (TOLERANCES, 115, 10),
        (TOLERANCES, 94, 10),
        (TOLERANCES, 89, 9),
        (TOLERANCES, 121, 13),
        (NONE_AT_ALL, 100, 10),
        (NONE_AT_ALL, 101, 11),
    ],
)
def test_each_direction_may_have_its_own_tolerance(behavior: dict[str, Any], usage: int, proposal: int) -> None:
    crowd = pods(f"10@{usage}")
    assert propose(per_pod(100), crowd=crowd, replicas=10, behavior=behavior).proposal == proposal


def test_without_the_gate_the_flag_is_the_tolerance() -> None:
    controller = flags(("HPAConfigurableTolerance", False))
    proposal = propose(per_pod(100), crowd=pods("10@115"), replicas=10, behavior=TOLERANCES, flags=controller)
    assert (proposal.proposal, proposal.tolerance) == (12, 0.1)


def test_a_tolerance_is_the_double_that_upstream_makes_of_it() -> None:
    behavior = {"scaleDown": {"tolerance": "9m"}}
    proposal = propose(per_pod(1000), crowd=pods("10@900"), replicas=10, behavior=behavior)
    assert proposal.tolerance == 9 * 0.001 == 0.009000000000000001
