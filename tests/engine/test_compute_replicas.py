"""Several metrics to one recommendation: the highest wins, and while one is invalid nothing scales down."""

import pytest

from hpaaudit.model.decision import Decision
from tests.engine.scenes import (
    LEAVING_ZERO,
    Metric,
    asks,
    cpu,
    decide,
    external,
    per_pod,
    pods,
    posted,
    remembered,
    says,
)

BROKEN = external(average=1000, name="broken").failing(503, "down")
SEEN = "failed to get broken external metric value: failed to get broken external metric: "
TEXT = "unable to get external metric shop/broken/nil: unable to fetch metrics from external metrics API: down"


def _winners(decision: Decision) -> list[bool]:
    return [proposal.is_winner for proposal in decision.proposals]


@pytest.mark.parametrize(
    ("proposals", "winner"),
    [((3, 7), 1), ((7, 3), 0), ((7, 7), 0), ((0, 0), 1), ((0, 0, 0), 2), ((5, 0), 0), ((0, 5), 1)],
)
def test_the_highest_wins_and_the_first_among_equals_except_zeros(proposals: tuple[int, ...], winner: int) -> None:
    metrics = [asks(proposal, name=f"m{index}") for index, proposal in enumerate(proposals)]
    decision = decide(*metrics, replicas=5)
    assert decision.raw_desired == max(proposals)
    assert _winners(decision).index(True) == winner
    assert sum(_winners(decision)) == 1


def test_the_winner_names_the_reason() -> None:
    decision = decide(asks(3, name="slow"), asks(7, name="fast"), replicas=5)
    assert (decision.desired, decision.scale_reason) == (7, "external metric fast(nil) above target")


@pytest.mark.parametrize(
    ("metric", "crowd", "reason"),
    [
        (cpu(50), "2@900", "cpu resource utilization (percentage of request) above target"),
        (cpu(average=500), "2@900", "cpu resource above target"),
        (per_pod(10), "2@900", "pods metric qps above target"),
    ],
)
def test_a_metric_has_the_name_that_the_controller_gives_it(metric: Metric, crowd: str, reason: str) -> None:
    assert decide(metric, crowd=pods(crowd), replicas=2).scale_reason == reason


PARTIAL = [
    # name, replicas, proposal of the valid metric, decided, ScalingActive
    ("a scale-down on one leg is refused", 5, 3, 5, "False/FailedGetExternalMetric"),
    ("staying is not", 5, 5, 5, "True/ValidMetricFound"),
    ("nor is a scale-up", 5, 9, 9, "True/ValidMetricFound"),
]


@pytest.mark.parametrize(
    ("replicas", "proposal", "desired", "active"), [row[1:] for row in PARTIAL], ids=[row[0] for row in PARTIAL]
)
@pytest.mark.parametrize("first", [True, False], ids=["broken first", "broken last"])
def test_with_one_metric_broken(replicas: int, proposal: int, desired: int, active: str, first: bool) -> None:
    metrics = (BROKEN, asks(proposal)) if first else (asks(proposal), BROKEN)
    decision = decide(*metrics, replicas=replicas)
    assert (decision.desired, says(decision, "ScalingActive")) == (desired, active)
    assert posted(decision)[0] == "FailedGetExternalMetric"
    assert decision.error.endswith(f"invalid metrics (1 invalid out of 2), first error is: {SEEN}{TEXT}")


def test_all_invalid_keeps_what_was_desired_and_tells_of_each() -> None:
    memory = remembered("5@900")
    decision = decide(BROKEN, cpu(50), crowd=pods("1@100", request=None), replicas=5, memory=memory)
    assert decision.desired == 5
    assert decision.raw_desired is None
    assert posted(decision) == ["FailedGetExternalMetric", "FailedGetResourceMetric", "FailedComputeMetricsReplicas"]
    assert says(decision, "ScalingActive") == "False/FailedGetExternalMetric"
    assert says(decision, "AbleToScale") == "True/SucceededGetScale"
    assert decision.status is not None
    assert [metric.type for metric in decision.status.current_metrics or ()] == ["", ""]


def test_all_invalid_at_zero_is_a_failure_too() -> None:
    decision = decide(BROKEN, minimum=0, **LEAVING_ZERO)
    assert (decision.desired, says(decision, "ScalingActive")) == (0, "False/FailedGetExternalMetric")


def test_a_metric_of_an_unknown_type_is_invalid() -> None:
    decision = decide(Metric(written={"type": "Weather"}), replicas=3)
    assert posted(decision)[0] == "InvalidMetricSourceType"
    assert decision.proposals[0].invalid_text == 'unknown metric source type "Weather"'
    assert says(decision, "ScalingActive") == "False/InvalidMetricSourceType"


def test_a_negative_proposal_is_none() -> None:
    decision = decide(external(-5000, value=1000), crowd=pods("3@1"), replicas=3)
    assert [proposal.proposal for proposal in decision.proposals] == [-15]
    assert (decision.raw_desired, decision.scale_reason) == (0, "All metrics below target")
