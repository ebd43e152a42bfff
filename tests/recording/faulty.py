"""Records on a disk that misbehaves, in a process whose calls fail: run as a script with a folder and seeds."""

import random
import sys
from pathlib import Path

from hpaaudit.errors import RecordingError
from hpaaudit.model.facts import Fact, Gap
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
from hpaaudit.recording.recorder.writer_limits import Limits
from tests.recording.killed import fact
from tests.recording.shim import ALL, ERRORS, Disk

LIMITS = Limits(
    sync_us=Micros(3 * SECOND), sync_bytes=2000, segment_us=Micros(40 * SECOND), ballast_bytes=4096, keep_bytes=None
)


def facts_without_gaps(folder: Path) -> list[Fact]:
    """What can be read."""
    assert verify(folder, reread=True).damages == ()
    return [fact for fact in open_recording(folder).facts() if not isinstance(fact, Gap)]


def begin(folder: Path, now_us: Micros, disk: Disk, messages: list[str]) -> RecorderWriter:
    """Begin, or go on: where the disk refuses that, it says so, and nothing is harmed."""
    try:
        return RecorderWriter(folder, cluster="here", now_us=now_us, note=messages.append, limits=LIMITS)
    except RecordingError as error:
        assert isinstance(error.__cause__, OSError)  # noqa: PT017 (what it is not is raised)
        disk.behave()
        return begin(folder, now_us, disk, messages)


def record(folder: Path, seed: int, disk: Disk, messages: list[str], count: int = 200) -> None:
    """Record while the disk fails and the recorder dies now and then: what is acknowledged can be read at any time."""
    chance = random.Random(seed)  # noqa: S311 (chance that can be repeated)
    writer, number, second, deaths = begin(folder, Micros(0), disk, messages), 0, 0, 0
    while number < count:
        second += 1
        if chance.random() < 0.1:
            error, one_in = chance.choice(ERRORS), chance.choice((1, 2, 5))
            disk.misbehave(error, chance.randint(1, ALL), one_in, chance.getrandbits(31))
        elif chance.random() < 0.1:
            disk.behave()
        writer.add(fact(number))
        writer.tick(Micros(second * SECOND))
        writer._collect_result(Micros(second * SECOND), wait=chance.random() < 0.5)
        number += 1
        if chance.random() < 0.05:
            acknowledged, recorded = writer.acknowledged, facts_without_gaps(folder)
            assert len(recorded) + deaths >= acknowledged
            assert recorded == [fact(other) for other in range(len(recorded))]
        if chance.random() < 0.01:
            writer.release()
            writer = begin(folder, Micros(second * SECOND), disk, messages)
            number, deaths = len(facts_without_gaps(folder)), deaths + 1
    disk.behave()
    assert writer.flush(Micros((second + 120) * SECOND))
    gaps = len(open_recording(folder).gaps)
    assert gaps <= deaths  # one that died before it could log its gap left that to the next
    assert writer.acknowledged == count + gaps
    writer.close()
    assert facts_without_gaps(folder) == [fact(number) for number in range(count)]
    assert open_recording(folder).complete


if __name__ == "__main__":
    base_folder, first, last = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    heard: list[str] = []
    for one in range(first, last):
        record(base_folder / str(one), one, Disk.here(), heard)
    assert any("wait in memory" in line for line in heard)
    assert any("accepts writes again" in line for line in heard)
