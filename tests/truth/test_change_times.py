"""A change of the replicas is shown when it was written, also where its target is only polled."""

import pytest

from hpaaudit.model.units import SECOND
from tests.conformance.expected import captures
from tests.truth.replayed import replayed
from tests.truth.views import VIEWS
from tests.truth.worlds import facts_of, truth_of

EVERY = {"1.36": 29, "1.20": 7, "1.13": 7}
"""Of each release one world in so many."""
NEAR_US = 2 * SECOND


@pytest.mark.parametrize("release", EVERY)
@pytest.mark.parametrize("view", ["outside", "watched"])
def test_a_change_by_the_hpa_is_shown_when_it_wrote(release: str, view: str) -> None:
    shown = 0
    for world in captures(release)[3 :: EVERY[release]]:
        facts = facts_of(world)
        written = [one for one in truth_of(world, facts).written if one.by_hpa]
        with replayed(list(VIEWS[view](facts))) as results:
            changes = results.rows(
                "select namespace || '/' || name as hpa, epoch_us(ts) as at_us, to_replicas from changes "
                "where writer_class = 'hpa'"
            )
        shown += len(changes)
        for row in changes:
            times = [one.at_us for one in written if (one.writer, one.replicas) == (row["hpa"], row["to_replicas"])]
            assert any(abs(at_us - row["at_us"]) < NEAR_US for at_us in times), (world, row)
    assert shown > 5
