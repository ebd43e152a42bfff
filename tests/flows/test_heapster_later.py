"""From 1.12 to 1.21 a controller may still ask Heapster: its answers count as those of the metrics APIs."""

from pathlib import Path

import pytest

from hpaaudit.api.flags import require_of_its_time
from hpaaudit.errors import BadOption
from tests.statements.old_worlds import Look, old_world
from tests.statements.replaying import replayed


@pytest.mark.parametrize("release", ["1.12", "1.16", "1.21"])
@pytest.mark.parametrize(("usage", "desired"), [(80, 2), (120, 3), (40, 1)])
def test_a_number_from_heapster_is_the_number_from_a_metrics_api(
    release: str, usage: int, desired: int, tmp_path: Path
) -> None:
    looks = [Look(at_s=at_s, replicas=2, usage=(usage, usage)) for at_s in (0, 300, 600)]
    *_, decision = replayed(tmp_path, release, *old_world(release, *looks))
    assert decision.raw_desired == desired
    assert decision.status is not None
    assert decision.status.current_metrics[0].average_utilization == usage


def test_the_flag_is_said_to_change_nothing_there_and_why() -> None:
    for release in ("1.12", "1.21"):
        with pytest.raises(
            BadOption, match=f"changes no decision of {release}: what Heapster answered counts there as"
        ):
            require_of_its_time({"use-rest-clients": "false"}, release)
    with pytest.raises(BadOption, match=r"changes no decision of 1\.22: known are"):
        require_of_its_time({"use-rest-clients": "false"}, "1.22")
    require_of_its_time({"use-rest-clients": "false"}, "1.11")
