"""A recorder that is killed at any instant has on the disk what it acknowledged, and goes on from there."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from hpaaudit.model.facts import Gap
from hpaaudit.recording.read import open_recording
from hpaaudit.recording.verify import verify
from tests.recording.killed import Killer, fact

LIVES, KILLS = 40, 6  # 240 kills
LONGEST_SECONDS = 0.06


@pytest.fixture(scope="module")
def killer() -> Iterator[Killer]:
    """Give the process that starts recorders."""
    with Killer() as process:
        yield process


@pytest.mark.parametrize("seed", range(LIVES))
def test_what_was_acknowledged_is_read_back_in_order_and_once(seed: int, killer: Killer, tmp_path: Path) -> None:
    chance = random.Random(seed)  # noqa: S311 (chance that can be repeated)
    folder, known = tmp_path / "friday", 0
    for _ in range(KILLS):
        acknowledged = killer.kill(folder, known, chance.uniform(0, LONGEST_SECONDS))
        if not (folder / "recording.json").exists():
            assert acknowledged == 0
            continue
        facts = list(open_recording(folder).facts())
        recorded = [found for found in facts if not isinstance(found, Gap)]
        assert recorded == [fact(number) for number in range(len(recorded))]
        assert len(recorded) >= max(acknowledged, known)
        assert verify(folder, reread=True).damages == ()
        known = len(recorded)
        for gap in facts:
            assert not isinstance(gap, Gap) or gap.cause.startswith("the recorder died, and was started again")
