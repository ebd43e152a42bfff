"""What a shell loop saw of a world: it knows little, and says nothing false."""

import json
from pathlib import Path

import pytest

from hpaaudit.importers.capture import Reader
from hpaaudit.model.facts import Gap
from tests.conformance.expected import capture_of
from tests.truth.judged import Judged, judged_as_shown
from tests.truth.polled import polled
from tests.truth.worlds import facts_of, truth_of

WORLDS = ("people-100-0000", "people-100-0004", "people-100-0012", "common-100-0006", "restart-100-0009")
SELDOM = (30, 60, 14.3)
"""Seconds between two turns, about as long as a sync period or longer."""


def _judged(world: str, every_s: float, tmp_path: Path) -> Judged:
    capture = capture_of("1.36", world)
    path = tmp_path / "polled.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in polled(capture, every_s)), encoding="utf-8")
    shown = list(Reader((path,)).facts())
    assert sum(isinstance(fact, Gap) for fact in shown) > 4
    return judged_as_shown(f"{world} every {every_s} s", truth_of(capture, facts_of(capture)), shown)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("every_s", SELDOM)
def test_who_looks_seldom_is_told_nothing_false(world: str, every_s: float, tmp_path: Path) -> None:
    judgement = _judged(world, every_s, tmp_path)
    assert judgement.reconciles > 5
    assert judgement.wrong == []
    assert judgement.unexplained == []
    assert judgement.headlines == []
    assert not any(name.startswith(("not_run", "memory", "config")) for _, name in judgement.classes)


def test_who_looks_often_sees_most_of_it(tmp_path: Path) -> None:
    judgement = _judged("people-100-0004", 1, tmp_path)
    assert judgement.wrong == []
    assert judgement.classes["match", ""] > 0.7 * judgement.reconciles
