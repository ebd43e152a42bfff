"""A change of the replicas is shown when it was written, also where its target is only polled."""

import re
from datetime import datetime
from itertools import pairwise

import pytest

from hpaaudit.flows.query import query
from hpaaudit.model.units import SECOND
from tests.conformance.expected import capture_of, captures
from tests.truth.replayed import replayed
from tests.truth.views import VIEWS
from tests.truth.worlds import facts_of, truth_of

EVERY = {"1.36": 29, "1.20": 7, "1.13": 7, "1.9": 7}
"""Of each release one world in so many."""
SHARED = {"1.20": "common-100-0004", "1.9": "everything-100-0001"}
"""And a world in which two HPAs scale one target."""
NEAR_US = 2 * SECOND
OF_AN_HPA = """
    select
        if(writer_class = 'hpa', namespace || '/' || name, writer_name) as writer, epoch_us(ts) as at_us, to_replicas,
        writer_class
    from changes
    where writer_class = 'hpa' or writer_class = 'autoscaler' and writer_name like '%/%'
"""


@pytest.mark.parametrize("release", EVERY)
@pytest.mark.parametrize("view", ["outside", "watched"])
def test_a_change_by_an_hpa_is_shown_when_it_wrote(release: str, view: str) -> None:
    shown = []
    shared = [capture_of(release, SHARED[release])] if release in SHARED else []
    for world in [*captures(release)[3 :: EVERY[release]], *shared]:
        facts = facts_of(world)
        written = [one for one in truth_of(world, facts).written if one.by_hpa]
        with replayed(list(VIEWS[view](facts))) as results:
            changes = results.rows(OF_AN_HPA)
        shown += [row["writer_class"] for row in changes]
        for row in changes:
            times = [one.at_us for one in written if (one.writer, one.replicas) == (row["writer"], row["to_replicas"])]
            assert any(abs(at_us - row["at_us"]) < NEAR_US for at_us in times), (world, row)
    assert shown.count("hpa") > 5
    assert release not in SHARED or "autoscaler" in shown


TOLD = re.compile(r"wrote \d+ -> \d+ (?:at|between (?P<after>\S+) and) (?P<at>[^ ;]+);")


def _time(text: str, day: datetime) -> int:
    """The time of an explanation, which has a date where it lies on another day."""
    whole = text if "T" in text else f"{day:%Y-%m-%d}T{text}"
    return round(datetime.fromisoformat(whole).timestamp() * 1_000_000)


@pytest.mark.parametrize("view", ["watched", "minimal rights", "a hole in the middle"])
def test_a_write_by_others_was_made_when_its_divergence_says(view: str) -> None:
    """Where nobody saw it being written both ends are told: an instant is no time of a read."""
    told = []
    for world in [world for world in captures("1.36") if "people" in str(world)][::4]:
        facts = facts_of(world)
        written = [one.at_us for one in truth_of(world, facts).written]
        with replayed(list(VIEWS[view](facts))) as results:
            rows = results.rows(
                "select explanation, opened_at from divergences where starts_with(class, 'external_write.')"
            )
        for row in rows:
            said = TOLD.search(row["explanation"])
            assert said is not None
            last_us = _time(said["at"], row["opened_at"]) + SECOND
            first_us = _time(said["after"], row["opened_at"]) if said["after"] else last_us - SECOND
            near = any(first_us - NEAR_US <= at_us <= last_us + NEAR_US for at_us in written)
            assert near, (world, row["explanation"])
            told.append(said["after"])
    assert len(told) > 3
    assert view != "minimal rights" or any(told)


@pytest.mark.parametrize("view", ["outside", "watched", "minimal rights", "a hole in the middle"])
def test_each_change_was_written_at_its_time_or_between_both_of_its_times(view: str) -> None:
    """What the screens show as `by 14:05:46Z` was written after one time and not after the other."""
    between = 0
    for world in [world for world in captures("1.36") if "people" in str(world)][2::16]:
        facts = facts_of(world)
        written = [(one.at_us, one.replicas) for one in truth_of(world, facts).written]
        with replayed(list(VIEWS[view](facts))) as results:
            rows = results.rows("""
                select epoch_us(ts) as at_us, epoch_us(written_after) as after_us, to_replicas
                from changes
                where writer_class is not null
            """)
        for row in rows:
            first_us = (row["at_us"] if row["after_us"] is None else row["after_us"]) - NEAR_US
            times = [at_us for at_us, replicas in written if replicas == row["to_replicas"]]
            assert any(first_us <= at_us <= row["at_us"] + NEAR_US for at_us in times), (world, row)
            between += row["after_us"] is not None
    assert (between > 0) == (view in ("minimal rights", "a hole in the middle"))


@pytest.mark.parametrize("view", ["watched", "minimal rights"])
def test_changes_at_one_time_are_told_in_the_order_in_which_they_were_made(view: str) -> None:
    told = 0
    for world in [world for world in captures("1.36") if "people" in str(world)][::16]:
        with replayed(list(VIEWS[view](facts_of(world)))) as results:
            rows = list(query(results, "what_happened"))
        changes = [re.fullmatch(r"replicas (\d+) -> (\d+)", row["what"]) for row in rows]
        numbers = [(change[1], change[2]) for change in changes if change is not None]
        assert all(earlier[1] == later[0] for earlier, later in pairwise(numbers)), (world, numbers)
        told += len(numbers)
    assert told > 5
