"""An HPA that is deleted and made anew under its name: each of both is told just what happened while it lived."""

import json
from bisect import bisect_right
from collections import Counter
from pathlib import Path

import pytest

from hpaaudit.model.facts import HpaGone, HpaSeen, ScaleRead
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.report.timeline import replicas
from hpaaudit.results.timeline import timeline
from tests.conformance.expected import captures, name_of
from tests.truth.replayed import replayed
from tests.truth.views import VIEWS
from tests.truth.worlds import facts_of, truth_of

RELEASES = ("1.12", "1.23", "1.30", "1.36")
END_US = 2**62


def _lives(world: Path) -> dict[str, dict[str, tuple[int, int]]]:
    """Of each HPA that had several lives: the uid of each, and from when until when it lived."""
    lives: dict[str, dict[str, tuple[int, int]]] = {}
    for fact in facts_of(world):
        if isinstance(fact, HpaSeen):
            lives.setdefault(f"{fact.namespace}/{fact.name}", {}).setdefault(fact.uid, (fact.at_us, END_US))
        elif isinstance(fact, HpaGone):
            own = lives[f"{fact.namespace}/{fact.name}"]
            own[fact.uid] = own[fact.uid][0], fact.at_us
    return {hpa: own for hpa, own in lives.items() if len(own) > 1}


WORLDS = [
    world
    for release in RELEASES
    for world in captures(release)
    if name_of(world).startswith(("common", "people", "everything")) and _lives(world)
]


def test_there_are_such_worlds() -> None:
    assert len(WORLDS) > 6


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: f"{world.parent.name} {name_of(world)}")
@pytest.mark.parametrize("view", ["whole", "watched"])
def test_each_writes_what_it_wrote_and_is_told_no_write_of_another_time(world: Path, view: str) -> None:
    facts = facts_of(world)
    lives, truth = _lives(world), truth_of(world, facts)
    with replayed(list(VIEWS[view](facts))) as results:
        own = results.rows(
            "select hpa_uid, epoch_us(at_hi) as at_us, to_replicas, writer_class from scale_events "
            "where source = 'actual'"
        )
        blamed = results.rows("select hpa_uid, epoch_us(ts) as at_us from foreign_writes")
    for hpa, life_of in lives.items():
        for uid, (from_us, until_us) in life_of.items():
            written = Counter(
                one.replicas
                for one in truth.written
                if one.by_hpa and one.writer == hpa and from_us <= one.at_us < until_us
            )
            told = Counter(row["to_replicas"] for row in own if row["hpa_uid"] == uid and row["writer_class"] == "hpa")
            assert told == written
            times = [row["at_us"] for row in (*own, *blamed) if row["hpa_uid"] == uid]
            assert all(from_us <= at_us <= until_us + SECOND for at_us in times)


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: f"{world.parent.name} {name_of(world)}")
@pytest.mark.parametrize("view", ["whole", "watched"])
def test_a_chart_shows_a_number_only_while_the_target_had_it(world: Path, view: str) -> None:
    """Of the time between two HPAs, and after the last one, nothing is known: the line ends there."""
    facts = facts_of(world)
    lives, written = _lives(world), truth_of(world, facts).written
    gone_us = [fact.at_us for fact in facts if isinstance(fact, ScaleRead) and fact.scale is None]
    targets = {
        f"{fact.namespace}/{fact.name}": json.loads(fact.spec_json)["scaleTargetRef"]["name"]
        for fact in facts
        if isinstance(fact, HpaSeen)
    }
    compared = 0
    with replayed(list(VIEWS[view](facts))) as results:
        for hpa, life_of in lives.items():
            steps = replicas(timeline(results, hpa, Micros(0)))
            ends_us = [until_us for _, until_us in life_of.values() if until_us < facts[-1].at_us]
            begins_us = [from_us for from_us, _ in life_of.values()]
            for end_us in ends_us:
                next_us = min([facts[-1].at_us, *(at_us for at_us in begins_us if at_us >= end_us)])
                step = bisect_right([since_us for since_us, _ in steps], (end_us + next_us) // 2)
                assert next_us == end_us or steps[step - 1][1] is None, hpa
            own = [one for one in written if one.target.name == targets[hpa]]
            ends = [*(one.at_us for one in own[1:]), facts[-1].at_us]
            for one, end_us in zip(own, ends, strict=True):
                end_us = min([end_us, *(at_us for at_us in gone_us if at_us > one.at_us)])  # noqa: PLW2901
                for at_us in (one.at_us + SECOND, (one.at_us + end_us) // 2, end_us - SECOND):
                    if one.at_us + SECOND <= at_us < end_us:
                        step = bisect_right([since_us for since_us, _ in steps], at_us)
                        shown = steps[step - 1][1] if step else None
                        assert shown in (None, one.replicas), (hpa, at_us)
                        lived = any(from_us + 20 * SECOND < at_us < until_us for from_us, until_us in life_of.values())
                        compared += lived and shown is not None
    assert compared
