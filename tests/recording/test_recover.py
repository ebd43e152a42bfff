"""A recording continues after its end or a kill; the time between is one gap, and a torn tail is quarantined."""

import errno
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from hpaaudit.errors import FileExists, RecordingError
from hpaaudit.model.facts import Ended, Fact, Gap, HpaSeen, PodSeen
from hpaaudit.model.note import Event, Note
from hpaaudit.model.units import Micros
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading import newest_log
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.recorder import recover
from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
from hpaaudit.recording.recorder.writer_limits import Limits
from hpaaudit.recording.writing.writer import Writer
from tests.recording.facts import at

CLUSTER = "https://10.0.0.1:6443"
LATER = at(600)


def open_writer(folder: Path, now_us: Micros = LATER, messages: list[str] | None = None) -> RecorderWriter:
    """Begins a recording, or goes on with one."""
    note = [].append if messages is None else messages.append
    return RecorderWriter(folder, cluster=CLUSTER, now_us=now_us, note=note, limits=Limits(ballast_bytes=0))


@pytest.fixture
def killed(tmp_path: Path, facts: list[Fact]) -> Path:
    """Gives a recording with some facts in a segment and the rest in a log, whose recorder is no more."""
    folder = tmp_path / "killed"
    dead = open_writer(folder, at(0))
    for fact in facts[:10]:
        dead.add(fact)
    dead.seal(at(0))
    for fact in facts[10:-1]:
        dead.add(fact)
    dead.flush(at(0))
    dead.release()
    return folder


def goes_on(folder: Path) -> list[Gap]:
    """Records one more fact; returns the gaps that this makes, which stand just before it."""
    with open_writer(folder) as again:
        again.add(Ended(at_us=LATER))
    recording = open_recording(folder)
    assert recording.complete
    assert verify(folder, reread=True).damages == ()
    assert list(recording.facts())[-1] == Ended(at_us=LATER)
    return [gap for gap in recording.gaps if gap.until_us == LATER]


def last_gap(facts: list[Fact], until_us: Micros) -> Gap:
    """What may have been open at a death: the last gap that was written down, from there on."""
    gap = next(fact for fact in reversed(facts) if isinstance(fact, Gap))
    return replace(gap, at_us=gap.until_us, until_us=until_us)


def test_a_killed_recording_goes_on_with_one_gap_from_its_last_fact(killed: Path, facts: list[Fact]) -> None:
    last_us = max(fact.at_us for fact in facts[:-1])
    gap = Gap(at_us=last_us, until_us=LATER, prefix="*", cause="the recorder died, and was started again")
    assert goes_on(killed) == [gap]
    open_at_death = last_gap(facts, until_us=gap.at_us)
    assert list(open_recording(killed).facts()) == [*facts[:-1], open_at_death, gap, Ended(at_us=LATER)]
    assert not (killed / "quarantine").exists()
    assert not list((killed / "log").iterdir())


def test_a_recording_that_was_ended_goes_on(folder: Path, facts: list[Fact]) -> None:
    gap = Gap(at_us=at(80), until_us=LATER, prefix="*", cause="the recorder was stopped, and started again")
    assert goes_on(folder) == [gap]
    assert list(open_recording(folder).facts()) == [*facts, gap, Ended(at_us=LATER)]


def test_a_torn_tail_is_set_aside_and_told(killed: Path, facts: list[Fact]) -> None:
    with (killed / "log/000002.wal").open("ab") as log:
        log.write(b"torn")
    (gap,) = goes_on(killed)
    assert gap.cause == (
        "the recorder died, and was started again; its log ended with 4 incomplete bytes; set aside: log/000002.wal"
    )
    assert (killed / "quarantine/000002.wal").read_bytes().endswith(b"torn")
    assert list(open_recording(killed).facts())[: len(facts) - 1] == facts[:-1]


def test_a_damaged_log_is_kept_as_far_as_it_is_sound_and_set_aside(killed: Path, facts: list[Fact]) -> None:
    data = bytearray((killed / "log/000002.wal").read_bytes())
    data[-1] ^= 1
    (killed / "log/000002.wal").write_bytes(data)
    (gap,) = goes_on(killed)
    assert "log/000002.wal differs from what was written" in gap.cause
    assert gap.at_us == facts[9].at_us
    assert (killed / "quarantine/000002.wal").read_bytes() == data


def test_what_is_set_aside_twice_is_there_twice(killed: Path) -> None:
    for _ in range(2):
        (killed / "log/000009.wal").write_bytes(b"what is this")
        goes_on(killed)
    assert sorted(path.name for path in (killed / "quarantine").iterdir()) == ["000009.wal", "000009.wal.1"]


def test_a_segment_that_was_being_written_without_a_log_is_set_aside(
    folder: Path, segments: tuple[tuple[Fact, ...], ...]
) -> None:
    (folder / "segments/000003").rename(folder / "segments/000003.tmp")
    (folder / "end.json").unlink()
    (gap,) = goes_on(folder)
    assert "set aside: segments/000003.tmp" in gap.cause
    assert gap.at_us == max(fact.at_us for part in segments[:2] for fact in part)
    assert (folder / "quarantine/000003.tmp/gaps.parquet").exists()


def test_a_last_segment_that_cannot_be_read_is_set_aside_where_nothing_follows(
    folder: Path, segments: tuple[tuple[Fact, ...], ...]
) -> None:
    (folder / "segments/000003/manifest.json").write_text("{}")
    (folder / "end.json").unlink()
    (gap,) = goes_on(folder)
    assert gap.at_us == max(fact.at_us for part in segments[:2] for fact in part)
    assert "set aside: segments/000003" in gap.cause


def test_a_log_is_gone_on_with_though_the_segment_before_cannot_be_read(killed: Path, facts: list[Fact]) -> None:
    manifest = (killed / "segments/000001/manifest.json").read_bytes()
    (killed / "segments/000001/manifest.json").write_text("{}")
    with open_writer(killed):
        pass
    assert verify(killed, reread=True).damages == ()
    assert [fact for fact in open_recording(killed).facts() if not isinstance(fact, Gap)] == [
        fact for fact in facts[10:-1] if not isinstance(fact, Gap)
    ]
    # What stands for it names its hash: mended by hand it can be put back.
    shutil.rmtree(killed / "segments/000001")
    (killed / "quarantine/000001").rename(killed / "segments/000001")
    (killed / "segments/000001/manifest.json").write_bytes(manifest)
    assert verify(killed, reread=True).damages == ()
    assert list(open_recording(killed).facts())[: len(facts) - 1] == facts[:-1]


def test_what_stood_when_it_died_is_known(killed: Path, facts: list[Fact]) -> None:
    again = open_writer(killed)
    kinds = {type(fact).__name__ for fact in again.last_states}
    # The target was deleted, so were one HPA, one pod and the ScaledObject.
    assert kinds == {"HpaSeen", "PodSeen", "RolloutSeen", "ApiServiceSeen", "EventSeen", "SurroundingSeen"}
    assert [fact.name for fact in again.last_states if isinstance(fact, HpaSeen)] == ["checkout"]
    assert [fact.pod.name for fact in again.last_states if isinstance(fact, PodSeen)] == ["checkout-a"]
    assert all(fact in facts for fact in again.last_states)
    again.close()


def test_going_on_is_told(killed: Path) -> None:
    lines: list[str] = []
    open_writer(killed, LATER, lines).close()
    assert lines[0] == f"continuing in {killed}: the recorder died, and was started again"


def test_each_whole_segment_and_the_end_are_told_with_their_hash(tmp_path: Path, facts: list[Fact]) -> None:
    """Kept elsewhere, it proves what stood in the folder then."""
    lines: list[str] = []
    again = open_writer(tmp_path / "friday", at(0), lines)
    for fact in facts[:10]:
        again.add(fact)
    again.seal(at(0))
    first = open_recording(tmp_path / "friday").info.manifest_sha256
    again.add(facts[10])
    again.close()
    notes = [(note.event, note.fields) for note in lines if isinstance(note, Note)]
    (one, two, end) = [fields for _, fields in notes]
    assert [event for event, _ in notes] == [Event.SEGMENT_SEALED, Event.SEGMENT_SEALED, Event.RECORDING_SEALED]
    assert (one["segment"], one["sha256"], one["facts"]) == (1, first, 10)
    assert two["segment"] == 2
    assert (end["sha256"], end["facts"]) == (open_recording(tmp_path / "friday").info.manifest_sha256, 11)


def test_the_gaps_that_the_keeper_writes_are_counted(killed: Path, tmp_path: Path, facts: list[Fact]) -> None:
    """A recorder that goes on has a gap; one that begins has none; what retention removes leaves one."""
    with open_writer(killed) as again:
        assert again.gaps == 1
    limits = Limits(ballast_bytes=0, keep_bytes=1)
    with RecorderWriter(tmp_path / "short", cluster=CLUSTER, now_us=at(0), note=[].append, limits=limits) as short:
        for number, fact in enumerate(facts[:20]):
            assert short.gaps == (number > 15)
            short.add(fact)
            if number in (9, 15):
                short.seal(fact.at_us)
    assert short.gaps == len(open_recording(tmp_path / "short").gaps) == 1


def test_a_second_recorder_is_kept_out(killed: Path) -> None:
    with open_writer(killed), pytest.raises(RecordingError, match=r"is being recorded into by another process"):
        open_writer(killed)


def test_a_recording_of_another_cluster_is_refused(killed: Path) -> None:
    with pytest.raises(RecordingError, match=r"is a recording of https://10.0.0.1:6443, not of https://other: name"):
        RecorderWriter(killed, cluster="https://other", now_us=LATER, note=[].append)
    assert list((killed / "log").iterdir())


def test_an_imported_recording_is_refused(tmp_path: Path) -> None:
    Writer(tmp_path / "then", source="capture", started_us=Micros(0)).close()
    with pytest.raises(RecordingError, match="was made by capture: nothing can be recorded into it"):
        open_writer(tmp_path / "then")
    assert open_recording(tmp_path / "then").complete


def test_a_newer_format_is_refused(killed: Path) -> None:
    (killed / "recording.json").write_text('{"format_version": 2}')
    with pytest.raises(RecordingError, match="upgrade hpaaudit"):
        open_writer(killed)


def test_a_folder_that_holds_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(FileExists, match="already holds something"):
        open_writer(tmp_path)


def test_what_a_recorder_leaves_that_died_as_it_began_is_a_place_to_begin(tmp_path: Path) -> None:
    (tmp_path / "segments").mkdir()
    (tmp_path / "lost+found").mkdir()
    (tmp_path / "recording.json.tmp").write_text("{")
    open_writer(tmp_path, at(0)).close()
    assert open_recording(tmp_path).complete


def test_a_copy_of_a_killed_recording_goes_on_as_well(killed: Path, tmp_path: Path) -> None:
    shutil.copytree(killed, tmp_path / "copy")
    goes_on(killed)
    goes_on(tmp_path / "copy")
    assert list(open_recording(killed).facts()) == list(open_recording(tmp_path / "copy").facts())


def test_a_gap_that_a_recorder_had_ended_long_before_it_died_is_not_made_longer(tmp_path: Path) -> None:
    """A gap that lasts is written down every minute: one that was not, for longer, had ended."""
    old = Gap(at_us=at(0), until_us=at(10), prefix="/api/v1/pods", cause="Connection lost")
    new = replace(old, at_us=at(50), until_us=at(55), prefix="/apis/apps/v1/deployments")
    dead = open_writer(tmp_path / "dead", at(0))
    for fact in (old, new, Ended(at_us=at(120))):
        dead.add(fact)
    dead.flush(at(120))
    dead.release()
    with open_writer(tmp_path / "dead"):
        pass
    gaps = open_recording(tmp_path / "dead").gaps
    assert gaps == (old, new, replace(new, at_us=at(55), until_us=at(120)), gaps[-1])


def test_a_log_that_cannot_be_read_now_stays_where_it_is(killed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds what was acknowledged: a disk that fails once must not cost it."""

    def refused(folder: Path, name: str, limit: int) -> bytes:
        raise OSError(errno.EIO, "Input/output error", str(folder / name), limit)

    with monkeypatch.context() as patch:
        patch.setattr(newest_log, "read_at_most", refused)
        with pytest.raises(RecordingError, match="log cannot be read"):
            open_writer(killed)
    before = len(list(open_recording(killed).facts()))
    with open_writer(killed):
        pass
    assert len(list(open_recording(killed).facts())) > before


def test_before_a_log_goes_the_name_of_its_segment_is_on_the_disk(
    killed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A recorder before may have failed to sync it: then a power failure would take the segment, after its log."""
    done: list[str] = []
    sync, free = recover.sync_folder, recover.free_name

    def synced(folder: Path) -> None:
        sync(folder)
        done.append(f"sync {folder.name}")

    def freed(path: Path) -> None:
        if path.exists():
            done.append(f"remove {path.name}")
        free(path)

    with open_writer(killed):  # the log becomes a segment
        pass
    log = killed / "log/000002.wal"
    log.touch()
    monkeypatch.setattr(recover, "sync_folder", synced)
    monkeypatch.setattr(recover, "free_name", freed)
    open_writer(killed).close()
    assert done.index("sync segments") < done.index(f"remove {log.name}")
