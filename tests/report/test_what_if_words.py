"""What a what-if says first: what other settings would change, and nothing against the controller."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpaaudit.model.account import Otherwise
from hpaaudit.report.fleet import fleet_headline
from hpaaudit.report.text import Clock
from hpaaudit.report.verdict import verdict
from tests.report.accounts import NOON, divergence, finding, hold, hpa

CLOCK = Clock(NOON, NOON)
NOTHING = Otherwise(settings=("tolerance 0.3",))


def _some(number: int, desired: int | None = 4, real: int | None = 6) -> Otherwise:
    return Otherwise(
        settings=("tolerance 0.3",), reconciles=number, first_us=NOON, first_desired=desired, first_real=real
    )


CASES: list[tuple[dict[str, Any], str]] = [
    ({"otherwise": NOTHING}, "With tolerance 0.3 every reconcile decides the same."),
    (
        {"otherwise": Otherwise(settings=("release 1.29", "tolerance 0.3"))},
        "With release 1.29 and tolerance 0.3 every reconcile decides the same.",
    ),
    (
        {"reconciles": 51, "comparable": 51, "agree": 37, "otherwise": _some(14)},
        "With tolerance 0.3, 14 of 51 reconciles would decide otherwise; first at 12:00:00Z: 4 in place of 6.",
    ),
    (
        {"reconciles": 51, "comparable": 51, "agree": 50, "otherwise": _some(1, desired=None)},
        "With tolerance 0.3, 1 of 51 reconciles would decide otherwise; at 12:00:00Z: no number in place of 6.",
    ),
    (
        {
            "reconciles": 51,
            "comparable": 51,
            "agree": 49,
            "otherwise": Otherwise(settings=("tolerance 0.3",), statuses=2),
        },
        (
            "With tolerance 0.3 every reconcile decides the same. "
            "2 reconciles would publish another status with the same number."
        ),
    ),
    (
        {"reconciles": 51, "comparable": 51, "agree": 48, "otherwise": _some(2)},
        "first at 12:00:00Z: 4 in place of 6. 1 reconcile differs with the settings of the audit too.",
    ),
    (
        {"reconciles": 51, "comparable": 51, "agree": 48, "otherwise": NOTHING},
        (
            "With tolerance 0.3 every other reconcile decides the same. "
            "3 reconciles differ with the settings of the audit too."
        ),
    ),
    (
        {"reconciles": 51, "undecidable": 51, "comparable": 0, "agree": 0, "otherwise": NOTHING},
        "With tolerance 0.3 nothing can be decided: every reconcile lacks an input.",
    ),
]


@pytest.mark.parametrize(("fields", "told"), CASES)
def test_a_what_if_says_what_would_be_otherwise(fields: dict[str, Any], told: str) -> None:
    assert told in verdict(hpa(**fields), CLOCK)


@given(kind=st.sampled_from(["unexplained", "input.metric_value_skew", "not_run.missed_reconcile", "config.tolerance"]))
def test_whatever_differs_the_controller_is_not_judged(kind: str) -> None:
    words = verdict(hpa(divergences=(divergence(kind),), skew=1, otherwise=NOTHING), CLOCK)
    assert words.startswith("With tolerance 0.3 every ")
    assert "unexplained" not in words
    assert "seems to have run" not in words


def test_a_fleet_says_it_of_all_hpas_together() -> None:
    same, other = hpa(reconciles=40, otherwise=NOTHING), hpa(reconciles=40, otherwise=_some(3))
    assert fleet_headline([same] * 4, CLOCK) == "With tolerance 0.3 every reconcile decides the same, 160 in all."
    assert fleet_headline([same, other], CLOCK) == (
        "With tolerance 0.3, 3 of 80 reconciles would decide otherwise, of 1 of 2 HPAs."
    )


def test_what_the_controller_decided_must_be_known_to_differ_from_it() -> None:
    """Of 40 reconciles 10 lack an input, and of 5 more it was not recorded what the controller decided."""
    part: dict[str, Any] = {"reconciles": 40, "undecidable": 10, "comparable": 25, "agree": 25, "otherwise": NOTHING}
    told = "With tolerance 0.3 every reconcile that can be compared decides the same."
    assert verdict(hpa(**part), CLOCK).startswith(told)
    assert fleet_headline([hpa(**part)] * 4, CLOCK) == f"{told[:-1]}, 100 in all."
    unknown = {**part, "comparable": 0, "agree": 0}
    assert verdict(hpa(**unknown), CLOCK).startswith("With tolerance 0.3 nothing can be compared: what ")
    assert fleet_headline([hpa(**unknown)], CLOCK).startswith("With tolerance 0.3 nothing can be compared: of no HPA ")


def test_an_outage_is_told_once() -> None:
    outage = finding("high", "metrics_api_down")
    told = verdict(hpa(otherwise=NOTHING, findings=(outage,), holds=(hold("no_metric", 300),)), CLOCK)
    assert "No metric was usable" not in told
