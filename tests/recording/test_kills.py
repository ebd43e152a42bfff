"""A recorder that is killed at any time has what it acknowledged on the disk, and continues from there."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from hpaaudit.model.facts import Gap
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import open_recording
from tests.recording.killed import Killer, fact

LIVES, KILLS = 40, 6  # 240 kills
LONGEST_SECONDS = 0.06


@pytest.fixture(scope="module")
def killer() -> Iterator[Killer]:
    """Gives the process that starts recorders."""
    with Killer() as process:
        yield process


@pytest.mark.parametrize("seed", range(LIVES))
def test_what_was_acknowledged_is_read_back_in_order_and_once(seed: int, killer: Killer, tmp_path: Path) -> None:
    """Of every fourth recording the oldest part is removed all the time: the rest is."""
    chance, short = random.Random(seed), seed % 4 == 3  # noqa: S311 (chance that can be repeated)
    folder, fact_count = tmp_path / "friday", 0
    for _ in range(KILLS):
        acknowledged = killer.kill(folder, fact_count, chance.uniform(0, LONGEST_SECONDS), short=short)
        if not (folder / "recording.json").exists():
            assert acknowledged == 0
            continue
        assert verify(folder, reread=True).damages == ()
        items = list(open_recording(folder).facts())
        facts_without_gaps = [each for each in items if not isinstance(each, Gap)]
        first = facts_without_gaps[0].at_us if facts_without_gaps and short else 0
        assert facts_without_gaps == [fact(number) for number in range(first, first + len(facts_without_gaps))]
        assert first + len(facts_without_gaps) >= max(acknowledged, fact_count)
        fact_count = first + len(facts_without_gaps)
        causes = {gap.cause.partition(",")[0] for gap in items if isinstance(gap, Gap)}
        assert causes <= {"the recorder died", "removed by retention: more than 5"}
