"""A replay that stops at proven inputs decides as one that tries all others too; only its band may be narrower."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from hpaaudit.engine.replay.process import Process, replay
from hpaaudit.flows.prepare import prepare
from hpaaudit.model.audit import ReplayedReconcile
from hpaaudit.recording.reading.recording import open_recording
from tests.conformance.expected import captures
from tests.fleet.chance import write
from tests.truth.views import VIEWS
from tests.truth.worlds import facts_of

RELEASES = ("1.9", "1.18", "1.36")
EVERY = 41
"""Of the worlds of a release one in so many."""


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("view", ["outside", "from the middle", "nothing of the controller"])
def test_it_decides_and_remembers_the_same(release: str, view: str, tmp_path: Path) -> None:
    compared = 0
    for number, capture in enumerate(captures(release)[3::EVERY]):
        folder = tmp_path / str(number)
        write(folder, list(VIEWS[view](facts_of(capture))), 1000)
        every, first = (_replayed(folder, asked_for) for asked_for in (None, {}))
        compared += len(every)
        for one, other in zip(every, first, strict=True):
            assert (one.decision, one.memory, one.evidence) == (other.decision, other.memory, other.evidence)
            if other.band_lo is not None and other.band_hi is not None:
                assert one.band_lo is not None
                assert one.band_hi is not None
                assert one.band_lo <= other.band_lo <= other.band_hi <= one.band_hi
    assert compared > 15


def _replayed(folder: Path, asked_for: Mapping[int, int | None] | None) -> list[ReplayedReconcile]:
    prepared = prepare(open_recording(folder))
    process = Process(prepared.plan, prepared.flags, prepared.flags_of, keep_pods=False, asked_for=asked_for)
    return list(replay(prepared.recording.facts(), prepared.plan, process, ()))
