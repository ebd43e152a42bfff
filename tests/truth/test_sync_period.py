"""The sync period of the real controller, which the times of its status writes show."""

from pathlib import Path

import pytest

from hpaaudit.api.times import duration
from hpaaudit.engine.replay.plan import Reading
from hpaaudit.flows.importing import import_capture
from hpaaudit.flows.prepare import prepare
from hpaaudit.model.facts import ControllerSeen, Fact
from hpaaudit.model.flags import SYNC_PERIOD_US
from hpaaudit.recording.reading.recording import open_recording
from tests.conformance.expected import captures
from tests.truth.views import VIEWS
from tests.truth.worlds import facts_of

KNOWN_LONGER = 1.25
"""Two writes are nearer than a period by what the first reconcile took, up to 1.8 s in these worlds."""


def _true_period(facts: list[Fact]) -> int:
    flags = dict(flag for fact in facts if isinstance(fact, ControllerSeen) for flag in fact.flags)
    flag_values = [value for name, value in flags.items() if name.endswith("sync-period")]
    return duration(flag_values[0]) if flag_values else SYNC_PERIOD_US


def test_the_sync_period_of_the_real_controller_is_found_from_its_status_writes() -> None:
    right = inferred = 0
    for capture in captures("1.36")[::2]:
        facts, reading = facts_of(capture), Reading()
        for index, fact in enumerate(VIEWS["no sync period"](facts)):
            reading.read(index, fact)
        periods, true_us = reading.periods(None), _true_period(facts)
        if periods.source == "inferred":
            inferred += 1
            right += abs(periods.common_us - true_us) <= 0.03 * true_us
            assert periods.common_us <= true_us * KNOWN_LONGER, capture.name
        assert not periods.own, capture.name
    assert inferred > 80
    assert right >= inferred * 0.98


@pytest.mark.parametrize("release", ["1.2", "1.5"])
def test_no_status_write_contradicts_the_sync_period_where_each_one_makes_a_reconcile(
    release: str, tmp_path: Path
) -> None:
    for number, capture in enumerate(captures(release)[::12]):
        import_capture([capture], into=tmp_path / str(number))
        assert prepare(open_recording(tmp_path / str(number))).plan.periods.shown is None, capture.name
