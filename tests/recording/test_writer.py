"""The writer makes whole segments, refuses a folder that is not empty, and loses nothing that it can keep."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hpaaudit.errors import FileExists, RecordingError
from hpaaudit.model.facts import Ended, Fact
from hpaaudit.model.units import Micros
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.writing.writer import Writer

REPOSITORY = Path(__file__).parents[2]

ENDLESS = """
import itertools, sys
from pathlib import Path
from hpaaudit.model.facts import Ended, Reconciled
from hpaaudit.recording.writing.writer import Writer

writer = Writer(Path(sys.argv[1]), source="record", started_us=0)
for number in itertools.count():
    writer.add(Ended(at_us=number))
    writer.add(Reconciled(at_us=number, namespace="shop", name="checkout", began_us=number))
    if number % 7 == 6:
        writer.seal()
        print(2 * (number + 1), flush=True)
"""


def ends(*times: int) -> list[Fact]:
    """Returns the cheapest facts."""
    return [Ended(at_us=Micros(time)) for time in times]


@pytest.mark.parametrize("sealed", [1, 4, 9])
def test_a_writer_that_is_killed_leaves_every_segment_that_it_acknowledged(tmp_path: Path, sealed: int) -> None:
    folder = tmp_path / "friday"
    command = [sys.executable, "-c", ENDLESS, folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY) as writer:
        assert writer.stdout is not None
        acknowledged = int([writer.stdout.readline() for _ in range(sealed)][-1])
        writer.send_signal(signal.SIGKILL)
    verification = verify(folder, reread=True)
    assert verification.damages == ()
    assert not verification.complete
    assert verification.facts is not None
    assert verification.facts >= acknowledged
    assert verification.facts % 14 == 0  # whole segments of seven times two facts
    facts = list(open_recording(folder).facts())
    assert [fact.at_us for fact in facts] == [number for number in range(len(facts) // 2) for _ in range(2)]


def test_a_segment_that_was_not_finished_is_not_read(folder: Path, facts: list[Fact]) -> None:
    (folder / "segments/000003").rename(folder / "segments/000003.tmp")
    (folder / "end.json").unlink()
    assert verify(folder).unfinished == 1
    recording = open_recording(folder)
    assert list(recording.facts()) == facts[: recording.segments[-1].first_seq + recording.segments[-1].facts]
    assert len(recording.segments) == 2


def interrupted(folder: Path) -> None:
    """Writes one fact, then fail."""
    with Writer(folder, source="record", started_us=Micros(0)) as writer:
        writer.add(ends(1)[0])
        raise KeyboardInterrupt


def test_a_closed_recording_is_complete_and_one_that_was_left_by_an_error_is_not(tmp_path: Path) -> None:
    with Writer(tmp_path / "good", source="record", started_us=Micros(0)) as writer:
        writer.add(ends(1)[0])
    assert open_recording(tmp_path / "good").complete
    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path / "bad")
    recording = open_recording(tmp_path / "bad")
    assert not recording.complete
    assert list(recording.facts()) == ends(1)


def test_a_recording_of_nothing_is_a_recording(tmp_path: Path) -> None:
    Writer(tmp_path / "empty", source="capture", started_us=Micros(5)).close()
    recording = open_recording(tmp_path / "empty")
    assert list(recording.facts()) == []
    assert (recording.info.started_us, recording.info.ended_us, recording.complete) == (5, 5, True)


def test_a_recording_says_who_made_it_and_when(folder: Path, facts: list[Fact]) -> None:
    info = open_recording(folder).info
    assert (info.source, info.cluster, info.format_version) == ("record", "https://10.0.0.1:6443", 1)
    assert (info.started_us, info.ended_us) == (facts[0].at_us, facts[-1].at_us)
    assert info.path == str(folder)


def test_the_hash_of_a_recording_changes_with_any_fact(tmp_path: Path) -> None:
    hashes = set()
    for name, facts in {"a": ends(1, 2), "b": ends(1, 3), "c": ends(1, 2)}.items():
        with Writer(tmp_path / name, source="record", started_us=Micros(0)) as writer:
            for fact in facts:
                writer.add(fact)
        hashes.add(open_recording(tmp_path / name).info.manifest_sha256)
    assert len(hashes) == 2


def test_gaps_are_at_hand(folder: Path) -> None:
    assert [gap.cause for gap in open_recording(folder).gaps] == ["the watch broke"]


def test_a_folder_that_holds_something_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(FileExists, match="already holds something: name a folder that is new or empty"):
        Writer(tmp_path, source="record", started_us=Micros(0))
    with pytest.raises(FileExists):
        Writer(tmp_path / "notes.txt", source="record", started_us=Micros(0))
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_rows_in_memory_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hpaaudit.recording.writing.writer.BYTE_BUDGET", 160)  # ten facts of two numbers
    with Writer(tmp_path / "long", source="record", started_us=Micros(0)) as writer:
        for fact in ends(*range(35)):
            writer.add(fact)
    recording = open_recording(tmp_path / "long")
    assert [segment.facts for segment in recording.segments] == [10, 10, 10, 5]
    assert list(recording.facts()) == ends(*range(35))


def test_a_full_disk_loses_nothing_that_is_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, os.strerror(28))

    with Writer(tmp_path / "full", source="record", started_us=Micros(0)) as writer:
        writer.add(ends(1)[0])
        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", full)
            with pytest.raises(RecordingError, match="No space left on device; 1 fact in memory: free some space"):
                writer.seal()
        assert list((tmp_path / "full/segments").iterdir()) == []
        writer.add(ends(2)[0])
    assert list(open_recording(tmp_path / "full").facts()) == ends(1, 2)


def test_nothing_is_added_to_a_closed_recording(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "done", source="record", started_us=Micros(0))
    writer.close()
    writer.close()
    with pytest.raises(RecordingError, match="is closed"):
        writer.add(ends(1)[0])
