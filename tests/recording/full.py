"""Records on a disk of 3 MB that fills up and gets room again: run as a script with a folder, in its own mounts."""

import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from hpaaudit.model.facts import Fact, Gap, HpaSeen, PodGone, PodSeen, ResourceMetricsRead
from hpaaudit.model.note import Level
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
from hpaaudit.recording.recorder.writer_limits import Limits
from hpaaudit.recording.upkeep import upload_marks
from tests.recording.facts import hpa, pod, usage

DISK, TAKEN = 3 << 20, 2_300_000
COUNT, LATER = 2500, Micros(3000 * SECOND)
LIMITS = Limits(
    sync_us=Micros(SECOND),
    sync_bytes=20_000,
    segment_us=Micros(60 * SECOND),
    segment_bytes=200_000,
    ballast_bytes=1 << 17,
)


def fact_of(number: int, chance: random.Random) -> Fact:
    """Return what a second brings: mostly metrics, often pods, sometimes an HPA."""
    at_us = Micros(number * SECOND)
    if number % 7 == 0:
        return replace(hpa(0, "checkout", number), at_us=at_us, resource_version=str(number))
    name = f"pod-{chance.randrange(20)}"
    if number % 3 == 0:
        if chance.random() < 0.3:
            return PodGone(at_us=at_us, namespace="shop", name=name, uid=f"uid-{name}")
        pod_seen = pod(0, name, chance.choice(("True", "False")))
        return replace(
            pod_seen, at_us=at_us, pod=replace(pod_seen.pod, resource_version=f"{chance.getrandbits(2000):x}")
        )
    read = usage(0, number, *(f"pod-{chance.getrandbits(64):x}" for _ in range(20)))
    return replace(read, at_us=at_us)


def world(facts: list[Fact]) -> dict[str, Fact]:
    """How HPAs and pods stand after some facts, whenever that was seen."""
    stand: dict[str, Fact] = {}
    for fact in facts:
        if isinstance(fact, HpaSeen):
            stand[fact.name] = replace(fact, at_us=Micros(0))
        elif isinstance(fact, PodSeen):
            stand[fact.pod.name] = replace(fact, at_us=Micros(0))
        elif isinstance(fact, PodGone):
            stand.pop(fact.name, None)
    return stand


def fill(folder: Path, *, uploading: bool) -> None:
    """Record until the disk is full and memory too, make room, and look at what was kept."""
    chance, messages, added = random.Random(7), list[str](), list[Fact]()  # noqa: S311 (chance that can be repeated)

    def note(line: str) -> None:
        if getattr(line, "level", None) != Level.INFO:  # segments that are whole
            messages.append(line)

    writer = RecorderWriter(folder, cluster="here", now_us=Micros(0), note=note, limits=LIMITS)
    assert (folder / "ballast").stat().st_size == LIMITS.ballast_bytes
    filler = folder.parent / "filler"
    filler.write_bytes(bytes(TAKEN))
    for number in range(COUNT):
        added.append(fact_of(number, chance))
        writer.add(added[-1])
        writer.tick(Micros(number * SECOND))
        writer._collect_result(Micros(number * SECOND), wait=True)  # a segment takes no second
        if uploading:
            for segment in upload_marks.not_uploaded(folder):
                upload_marks.mark_uploaded(segment)
        assert writer._fullness < 1.7  # memory stays bounded
    gaps = list(open_recording(folder).gaps)
    if uploading:
        assert messages == []
        assert {gap.cause for gap in gaps} == {"removed to make room: it was uploaded"}
    else:
        assert len(messages) == 1
        assert "No space left on device; new facts wait in memory until it accepts writes again" in messages[0]
        assert not (folder / "ballast").exists()
        assert list(writer._shedder.since) == ["/api/v1/pods", "/apis/metrics.k8s.io", "*"]
    assert verify(folder, reread=True).damages == ()
    filler.unlink()
    writer.tick(LATER)
    writer.close()
    assert verify(folder, reread=True).damages == ()
    items = list(open_recording(folder).facts())
    assert world(items) == world(added)
    if uploading:
        assert items[-100:] == added[-100:]
        return
    assert messages[1:] == [f"{folder}: the disk accepts writes again; what memory could not hold is a gap"]
    gaps = [fact for fact in items if isinstance(fact, Gap)]
    assert writer.gaps == len(gaps)  # what the last line of the recorder counts
    cause = "nothing could be written (No space left on device) and memory was full"
    assert [(gap.prefix, gap.until_us, gap.cause) for gap in gaps] == [
        (prefix, LATER, cause) for prefix in ("/api/v1/pods", "/apis/metrics.k8s.io", "*")
    ]
    pods_us, metrics_us, all_us = (gap.at_us for gap in gaps)
    assert pods_us < metrics_us < all_us
    recorded = [fact for fact in items if fact.at_us < LATER and not isinstance(fact, Gap)]
    assert recorded == [
        fact
        for fact in added
        if fact.at_us < all_us
        and not (isinstance(fact, PodSeen | PodGone) and fact.at_us >= pods_us)
        and not (isinstance(fact, ResourceMetricsRead) and fact.at_us >= metrics_us)
    ]
    assert recorded != added


if __name__ == "__main__":
    base_folder = Path(sys.argv[1])
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", base_folder], check=True)
    fill(base_folder / "recording", uploading=sys.argv[2] == "uploading")
