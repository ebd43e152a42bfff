"""What a recorder says before it begins: how much it will ask, and whether it may."""

from collections.abc import Callable

import pytest

from hpaaudit.cluster.estimate import Estimate
from hpaaudit.model.facts import HpaSeen, ResourceMetricsRead
from hpaaudit.model.note import Event, Level, Note
from tests.cluster.watching import Watching

CROWD = Estimate(hpas=5000, pods=50_000, reads=450, interval_seconds=15)


def test_a_budget_that_is_large_enough_is_only_told() -> None:
    said = CROWD.words(40)
    assert said.startswith("following 5000 HPAs and 50000 pods: 450 reads every 15 s, 30.0 requests per second, about ")
    assert said.endswith(" MB per hour")


@pytest.mark.parametrize("qps", [20, 1, 25.5])
def test_a_budget_that_is_too_small_comes_with_two_that_are_enough(qps: float) -> None:
    said = CROWD.words(qps)
    assert f"--qps {qps:g} allows less, so reads will be missed: --qps 31, or --interval " in said
    seconds = float(said.rpartition("--interval ")[2].removesuffix("s"))
    longer = Estimate(hpas=5000, pods=50_000, reads=450, interval_seconds=seconds)
    assert longer.requests_per_second <= qps


def test_it_is_told_once_before_the_first_read(create: Callable[..., None], watching: Callable[..., Watching]) -> None:
    create("checkout")
    eyes = watching()
    eyes.until(HpaSeen)
    eyes.until(ResourceMetricsRead)
    eyes.end()
    [said] = eyes.estimates
    assert isinstance(said, Note)
    assert (said.event, said.level, said.fields["reads"]) == (Event.ESTIMATE, Level.INFO, 1)
    assert said.startswith("following 1 HPA and ")
