"""What 1.1 to 1.5 compute of a metric: which pods count, in which numbers, and which proposal wins."""

import pytest

from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.rules.forbidden_windows import may_scale_outside
from hpaaudit.engine.rules.go_numbers import MIN_INT32, MIN_INT64, NONE
from hpaaudit.engine.rules.pod_average import (
    NOTHING_PROPOSED,
    OTHER_PHASE,
    PENDING,
    RUNNING,
    FloatTally,
    Highest,
    average_request,
    averaged_replicas,
    float_replicas,
    is_collected,
    multiplied_pods,
    percent_of_request,
    polled_percent,
    utilization,
    with_proposal,
)
from hpaaudit.engine.rules.primary_reason import of_proposal
from hpaaudit.engine.rules.reason_codes import ABOVE_TARGET, BELOW_TARGET, ON_TARGET
from hpaaudit.engine.rules.tolerance import Tolerance
from hpaaudit.model.flags import Flags

TENTH = Tolerance(0.1, 0.1, is_inclusive=False)


@pytest.mark.parametrize(
    ("release", "is_cpu", "collected"),
    [
        ("1.1", True, {PENDING, RUNNING, OTHER_PHASE}),
        ("1.2", True, {RUNNING, OTHER_PHASE}),
        ("1.4.0", True, {RUNNING, OTHER_PHASE}),
        ("1.4.1", True, {RUNNING}),
        ("1.4.1", False, {RUNNING, OTHER_PHASE}),
    ],
)
def test_which_pods_must_have_a_sample(release: str, is_cpu: bool, collected: set[int]) -> None:
    behaviours = behaviours_of(Flags(release=release))
    phases = (PENDING, RUNNING, OTHER_PHASE)
    assert {phase for phase in phases if is_collected(phase, is_cpu, behaviours)} == collected


@pytest.mark.parametrize(("release", "request_milli"), [("1.2", 50), ("1.4.0", 50), ("1.4.1", 100), ("1.4", 100)])
def test_up_to_1_4_0_a_pending_pod_makes_the_average_request_smaller(release: str, request_milli: int) -> None:
    assert average_request(200, 2, 4, behaviours_of(Flags(release=release))) == request_milli


def test_percent_of_a_request_is_truncated_in_floats_by_1_1_and_in_integers_since() -> None:
    assert (polled_percent(29.0, 100), percent_of_request(29, 100)) == (28, 29)
    assert (polled_percent(1.0, 0), percent_of_request(150, 40)) == (MIN_INT64, 375)
    assert percent_of_request(2**62, 1) == 0  # 100 times that needs more than 64 bits


@pytest.mark.parametrize(("release", "kept"), [("1.2", 2**32 + 5), ("1.3", 5)])
def test_since_1_3_a_utilization_has_32_bits(release: str, kept: int) -> None:
    assert utilization(2**32 + 5, behaviours_of(Flags(release=release))) == kept


@pytest.mark.parametrize(("release", "pods"), [("1.4.3", 7), ("1.4.4", 3)])
def test_since_1_4_4_the_ratio_multiplies_the_pods_with_a_sample(release: str, pods: int) -> None:
    assert multiplied_pods(3, 7, behaviours_of(Flags(release=release))) == pods


@pytest.mark.parametrize(
    ("release", "ratio", "replicas"),
    [("1.3", 1.2, 15), ("1.3", 1.05, 10), ("1.3", 0.85, 11), ("1.2", 1e9, 12 * 10**9), ("1.3", 1e9, MIN_INT32)],
)
def test_the_ratio_of_an_average_multiplies_pods_outside_of_the_tolerance(
    release: str, ratio: float, replicas: int
) -> None:
    """Of 10 replicas 12 pods are multiplied."""
    assert averaged_replicas(ratio, 10, 12, TENTH, behaviours_of(Flags(release=release))) == (replicas, ratio)


@pytest.mark.parametrize(
    ("tally", "replicas"),
    [
        (FloatTally(ready=4, unready=0, missing=0, counted=4, usage=8.0, filled=8.0), 8),
        (FloatTally(ready=4, unready=0, missing=0, counted=5, usage=10.0, filled=10.0), 8),  # one was listed before
        (FloatTally(ready=4, unready=2, missing=0, counted=4, usage=2.0, filled=2.0), 2),  # idle ones wait
        (FloatTally(ready=4, unready=2, missing=0, counted=4, usage=8.0, filled=8.0), 8),
        (FloatTally(ready=4, unready=4, missing=0, counted=4, usage=8.0, filled=8.0), 5),  # into the tolerance
        (FloatTally(ready=4, unready=6, missing=0, counted=4, usage=8.0, filled=8.0), 5),  # on the other side of 1
        (FloatTally(ready=4, unready=0, missing=1, counted=3, usage=6.0, filled=7.0), 6),
        (FloatTally(ready=4, unready=0, missing=2, counted=2, usage=0.5, filled=2.5), 3),
        (FloatTally(ready=4, unready=0, missing=2, counted=2, usage=2.0, filled=4.0), 2),
    ],
)
def test_the_floats_of_1_5_fill_in_missing_and_unready_pods(tally: FloatTally, replicas: int) -> None:
    assert float_replicas(tally, 1.0, 5, TENTH).replicas == replicas


def test_more_wins_and_of_equals_the_first() -> None:
    first = with_proposal(NOTHING_PROPOSED, 0, 3)
    assert (first, with_proposal(first, 1, 3), with_proposal(first, 1, 4)) == (Highest(3, 0), first, Highest(4, 1))


def test_of_metrics_that_ask_for_nothing_the_first_is_named() -> None:
    assert with_proposal(NOTHING_PROPOSED, 0, -1) == Highest(0, NONE)
    zero = with_proposal(NOTHING_PROPOSED, 1, 0)
    assert (zero, with_proposal(zero, 2, 0)) == (Highest(0, 1), zero)


@pytest.mark.parametrize(
    ("release", "is_at_zero", "differs", "is_open", "scales"),
    [
        ("1.4", False, True, False, False),
        ("1.4", True, True, True, True),
        ("1.5", False, True, False, True),
        ("1.5", True, True, True, False),
    ],
)
def test_up_to_1_4_the_windows_hold_a_target_outside_of_its_bounds(
    release: str, is_at_zero: bool, differs: bool, is_open: bool, scales: bool
) -> None:
    assert may_scale_outside(is_at_zero, differs, is_open, behaviours_of(Flags(release=release))) == scales


@pytest.mark.parametrize(("raw", "reason"), [(4, BELOW_TARGET), (5, ON_TARGET), (6, ABOVE_TARGET)])
def test_the_reason_of_a_proposal_is_its_direction(raw: int, reason: int) -> None:
    assert of_proposal(raw, 5) == reason
