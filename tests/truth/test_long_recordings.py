"""A long recording, and one of many HPAs: assumed flags that are wrong are found in them as well as in a short one."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from hpaaudit.flows.sensitivity import MOST_RECONCILES
from hpaaudit.model.facts import ControllerSeen, Fact
from tests.truth.produced import LONG, TOLERANCE
from tests.truth.replayed import replayed
from tests.truth.views import VIEWS
from tests.truth.worlds import facts_of

WINDOW = "120s"
COMPILED, ONE_BY_ONE = "numbers", "moved"
"""The detail that the compiled rules decide, and one that they do not."""


def _without_flags(name: str) -> list[Fact]:
    facts = facts_of(LONG / f"vector-long-{name}.capture.jsonl.gz")
    return [replace(fact, flags=()) if isinstance(fact, ControllerSeen) else fact for fact in VIEWS["outside"](facts)]


def _told(facts: Sequence[Fact], detail: str) -> tuple[dict[str, int], list[dict[str, Any]]]:
    with replayed(facts, detail=detail) as results:
        classes = results.rows("select coalesce(class, verdict) as class, count(*) as n from reconciles group by all")
        settings = results.rows("from sensitivity")
    return {row["class"]: row["n"] for row in classes}, settings


@pytest.mark.parametrize(("name", "hpas"), [("one", 1), ("six", 6)])
@pytest.mark.parametrize("detail", [COMPILED, ONE_BY_ONE])
def test_two_wrong_flags_explain_every_divergence_of_a_large_recording(name: str, hpas: int, detail: str) -> None:
    classes, settings = _told(_without_flags(name), detail)
    assert sum(classes.values()) > 2 * MOST_RECONCILES
    assert "unexplained" not in classes
    assert classes["config.downscale_stabilization"] > 40
    assert len({row["hpa_uid"] for row in settings}) == hpas
    tolerances = defaultdict(set)
    for row in settings:
        told = {row["key"]: row["alternative"], row["also_key"]: row["also_alternative"]}
        assert told["downscale-stabilization"] == WINDOW
        assert (row["explained"], row["broken"]) == (row["differing"], 0)
        tolerances[row["hpa_uid"]].add(told.get("tolerance", str(TOLERANCE)))
    # Of some HPAs the next value explains as much: both are told.
    assert all(str(TOLERANCE) in values for values in tolerances.values())


def test_where_the_flags_are_recorded_nothing_is_put_down_to_them() -> None:
    facts = list(VIEWS["outside"](facts_of(LONG / "vector-long-one.capture.jsonl.gz")))
    classes, settings = _told(facts, COMPILED)
    assert settings == []
    assert set(classes) <= {"match", "timing.sampling_skew", "timing.late_reconcile"}
