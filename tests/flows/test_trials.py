"""In which order settings are tried together: there is only time for some of them."""

from typing import Any, cast

import pytest

from hpaaudit.flows.decide_again import Again
from hpaaudit.flows.other_settings import Setting
from hpaaudit.flows.trials import Trials, _agrees, _Score
from hpaaudit.model.sensitivity import Compared

ALONE = {
    # One that changes nearly everything comes first, and explains as much as the true window alone.
    ("feature-gate", "without HPAContainerMetrics"): _Score(14, 22, 111, 83),
    **{
        ("tolerance", f"0.{number}"): _Score(explained, 11, 108, 14) for number, explained in ((5, 14), (4, 11), (1, 9))
    },
    **{("tolerance", f"0.0{number}"): _Score(2, 2, 99, 3) for number in range(9)},
    ("downscale-stabilization", "300s"): _Score(14, 14, 111, 18),
    **{("downscale-stabilization", f"{number}s"): _Score(4, 4, 101, 8) for number in range(9)},
    **{("cpu-initialization-period", f"{number}s"): _Score(0, 0, 97, 0) for number in range(9)},
}


def _tried() -> list[tuple[tuple[str, str], ...]]:
    trials = Trials(cast("Any", None), {})
    for (key, value), score in ALONE.items():
        setting = Setting(key=key, value="", alternative=value, change=lambda prepared: prepared)
        trials.scores[(setting,)] = score
    return [tuple((one.key, one.alternative) for one in pair) for pair in trials.pairs()]


def test_the_best_values_of_each_setting_are_tried_together_before_the_many_of_one() -> None:
    true = {("downscale-stabilization", "300s"), ("tolerance", "0.1")}
    (place,) = [number for number, pair in enumerate(_tried()) if set(pair) == true]
    assert place < 30


@pytest.mark.parametrize(
    ("decided", "published", "agrees"),
    [
        # Nobody saw that the write of this number was refused.
        ("SucceededRescale ValidMetricFound", "FailedUpdateScale ValidMetricFound", True),
        ("SucceededRescale ValidMetricFound", "FailedUpdateScale FailedGetResourceMetric", False),
        ("ReadyForNewScale ValidMetricFound", "FailedUpdateScale ValidMetricFound", False),
        ("SucceededGetScale FailedGetResourceMetric", "SucceededGetScale FailedGetResourceMetric", True),
        ("SucceededRescale ValidMetricFound", "SucceededGetScale FailedGetResourceMetric", False),
    ],
)
def test_a_write_that_was_refused_is_explained_by_what_would_have_written(
    decided: str, published: str, *, agrees: bool
) -> None:
    row = Compared(
        reconcile_id=1, hpa="shop/web", at_us=0, desired=3, real=3, divergence_id=1,
        published=published, predicted="ReadyForNewScale ScalingDisabled", is_seen=True,
    )  # fmt: skip
    assert _agrees(row, {1: Again(0, 0, 0, decided)}, moves_times=False) is agrees


def test_every_pair_with_one_of_the_nearest_is_tried_once_and_those_that_change_nothing_last() -> None:
    tried = _tried()
    assert len({frozenset(pair) for pair in tried}) == len(tried)
    assert all(one[0] != other[0] for one, other in tried)
    idle = [any(key == "cpu-initialization-period" for key, _ in pair) for pair in tried]
    assert idle == sorted(idle)
    assert any(idle)
