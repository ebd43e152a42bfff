"""Every class that the audit claims was produced by the real controller, and is told where it is true."""

from pathlib import Path

import pytest

from hpaaudit.report import codes
from hpaaudit.results.read import Results
from tests.truth.classes import CASES, UNKNOWN_SETTINGS, Case
from tests.truth.judged import judged_as_shown
from tests.truth.page import cases
from tests.truth.produced import NAMED
from tests.truth.replayed import replayed
from tests.truth.views import middle_us
from tests.truth.worlds import facts_of, truth_of

CLASSES = "select class, count(*) as n from reconciles where class is not null group by class"


def _classes(results: Results) -> dict[str, int]:
    return {row["class"]: row["n"] for row in results.rows(CLASSES)}


def test_every_class_has_a_case_and_the_page_shows_it() -> None:
    assert list(CASES) == list(codes.CLASSES)
    assert cases() in Path("docs/truth.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_a_class_is_told_where_it_is_true(name: str) -> None:
    case = CASES[name]
    facts = facts_of(case.world)
    if case.options:  # the settings that were asked for are those that are wrong
        with replayed(case.facts(facts), **case.options) as results:
            assert name in _classes(results)
        return
    truth = truth_of(case.world, facts)
    judgement = judged_as_shown(
        name, truth.until(middle_us(facts)) if case.is_halted else truth, list(case.facts(facts))
    )
    assert name in {told for _, told in judgement.classes}
    assert judgement.wrong == []


def _case(world: str) -> Case:
    return Case(world=NAMED / f"vector-{world}.capture.jsonl.gz", shows=UNKNOWN_SETTINGS, happened="")


def test_of_two_flags_that_explain_the_same_it_is_unknown_which_it_was() -> None:
    """The pod was unready either way: it was still starting, or its container still initialized."""
    case = _case("one-of-two-delays")
    with replayed(case.facts(facts_of(case.world))) as results:
        assert _classes(results) == {"no_data.object_unseen": 9}
        told = results.rows("select distinct key, value, alternative from sensitivity order by all")
        [row] = results.rows("select distinct missing_input from reconciles where class is not null")
    assert row == {"missing_input": "controller.unseen"}
    assert [(row["key"], row["value"], row["alternative"]) for row in told] == [
        ("cpu-initialization-period", "300s", "600s"),
        ("initial-readiness-delay", "30s", "120s"),
        ("initial-readiness-delay", "30s", "300s"),
    ]


@pytest.mark.parametrize("detail", ["numbers", "moved"])
def test_a_gate_that_the_user_switched_explains_what_another_flag_would_explain_too(detail: str) -> None:
    """A tolerance of 0.4 would do the same, but the recording tells 0.1."""
    case = CASES["config.feature_gate"]
    with replayed(case.facts(facts_of(case.world)), **{**case.options, "detail": detail}) as results:
        # The status of the last one may have come after the end of the recording.
        assert _classes(results) == {"config.feature_gate": 9, "no_data.object_unseen": 1}
        settings = results.rows("select key, value, alternative from sensitivity")
    gate = "HPAConfigurableTolerance"
    assert settings == [{"key": "feature-gate", "value": f"{gate} off", "alternative": f"--with {gate}"}]
