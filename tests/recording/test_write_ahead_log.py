"""A log is read as if it were sealed; all damage in it is found, and a torn tail is no damage."""

import errno
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings

from hpaaudit.errors import DamagedRecording
from hpaaudit.model.facts import Fact
from hpaaudit.model.units import Micros
from hpaaudit.recording.encoding.frames import FIRST_FRAME
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
from hpaaudit.recording.recorder.writer_limits import Limits
from hpaaudit.recording.writing.write_ahead_log import WriteAheadLog
from tests.recording.test_round_trip import SEAL, histories
from tests.recording.test_slices import as_rows

LIMITS = Limits(ballast_bytes=0)
LOG = "log/000002.wal"


def unheard(_: str) -> None:
    """Nobody listens."""


def open_writer(folder: Path, limits: Limits = LIMITS) -> RecorderWriter:
    """Begins a recording, or goes on with one."""
    return RecorderWriter(folder, cluster="https://10.0.0.1:6443", now_us=Micros(0), note=unheard, limits=limits)


@pytest.fixture
def growing(tmp_path: Path, segments: tuple[tuple[Fact, ...], ...]) -> Path:
    """Gives the folder of a recording whose first segment is sealed, and the rest in a log of several frames."""
    folder = tmp_path / "growing"
    with_log = open_writer(folder)
    first, *rest = segments
    for fact in first:
        with_log.add(fact)
    with_log.seal(Micros(0))
    for part in rest:
        for fact in part:
            with_log.add(fact)
        with_log.flush(Micros(0))
    with_log.release()
    return folder


def test_what_stands_in_a_log_is_read_as_what_is_sealed(growing: Path, folder: Path, facts: list[Fact]) -> None:
    recording = open_recording(growing)
    assert list(recording.facts()) == facts
    assert not recording.complete
    sealed = open_recording(folder)
    assert list(recording.watched()) == list(sealed.watched())
    assert recording.gaps == sealed.gaps
    near = ("shop", "checkout", facts[12].at_us)
    assert list(recording.facts_of_hpa(*near)) == list(sealed.facts_of_hpa(*near))


def test_slices_of_a_log_hold_what_its_segment_will(growing: Path, tmp_path: Path) -> None:
    (_, ours) = open_recording(growing).slices()
    shutil.copytree(growing, tmp_path / "sealed")
    open_writer(tmp_path / "sealed").close()
    (_, theirs, _) = open_recording(tmp_path / "sealed").slices()
    assert (ours.number, ours.first_seq, ours.facts) == (theirs.number, theirs.first_seq, theirs.facts)
    assert (ours.first_us, ours.last_us) == (theirs.first_us, theirs.last_us)
    assert ours.tables.keys() == theirs.tables.keys()
    for table, columns in ours.tables.items():
        assert repr(as_rows(columns)) == repr(as_rows(theirs.tables[table]))


def test_a_log_is_told_by_what_checks_and_counts(
    growing: Path, facts: list[Fact], segments: tuple[tuple[Fact, ...], ...]
) -> None:
    verification = verify(growing, reread=True)
    assert (verification.damages, verification.segments, verification.torn) == ((), 1, 0)
    assert (verification.facts, verification.logged) == (len(facts), len(facts) - len(segments[0]))


def test_the_hash_of_a_recording_changes_with_its_log(growing: Path) -> None:
    before = open_recording(growing).info.manifest_sha256
    data = (growing / LOG).read_bytes()
    (growing / LOG).unlink()
    assert open_recording(growing).info.manifest_sha256 != before
    (growing / LOG).write_bytes(data)
    assert open_recording(growing).info.manifest_sha256 == before


def damaged(folder: Path) -> bool:
    """Whether a damage is found by a check, and refused by whoever reads to decide."""
    is_there = bool(verify(folder, reread=True).damages)
    if not is_there:
        assert len(list(open_recording(folder).facts())) > 0
        return False
    with pytest.raises(DamagedRecording, match=LOG):
        open_recording(folder)
    return True


def test_a_flipped_bit_in_any_byte_of_a_log_is_found(growing: Path) -> None:
    data = (growing / LOG).read_bytes()
    for position in {*range(FIRST_FRAME + 60), *range(FIRST_FRAME + 60, len(data), 7), len(data) - 1}:
        flipped = bytearray(data)
        flipped[position] ^= 1 << position % 8
        (growing / LOG).write_bytes(flipped)
        assert damaged(growing), position


def test_a_log_that_was_cut_anywhere_is_found(growing: Path) -> None:
    data = (growing / LOG).read_bytes()
    for size in {*range(FIRST_FRAME + 60), *range(FIRST_FRAME + 60, len(data), 5), len(data) - 1}:
        (growing / LOG).write_bytes(data[:size])
        assert damaged(growing), size


def test_a_log_is_read_up_to_its_damage(growing: Path, segments: tuple[tuple[Fact, ...], ...]) -> None:
    data = bytearray((growing / LOG).read_bytes())
    data[-1] ^= 1
    (growing / LOG).write_bytes(data)
    until_us = verify(growing).sound_until
    assert until_us == segments[1][-1].at_us
    assert list(open_recording(growing, until_us=until_us).facts()) == [*segments[0], *segments[1]]


@pytest.mark.parametrize("tail", [b"\0", bytes(5000), b"\xff" * 30])
def test_what_was_being_written_when_the_recorder_died_is_no_damage(
    tail: bytes, growing: Path, facts: list[Fact]
) -> None:
    with (growing / LOG).open("ab") as file:
        file.write(tail)
    verification = verify(growing)
    assert (verification.damages, verification.torn) == ((), len(tail))
    recording = open_recording(growing)
    assert list(recording.facts()) == facts
    assert recording.torn == len(tail)


def of_another_recording(folder: Path) -> None:
    """Puts the log of another recording into its place."""
    with open_writer(folder.with_name("other")) as other:
        other.add(next(open_recording(folder).facts()))
        other.flush(Micros(0))
        shutil.copy(other.folder / "log/000001.wal", folder / LOG)


def of_a_later_segment(folder: Path) -> None:
    """Takes away the segment before."""
    shutil.rmtree(folder / "segments/000001")


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (of_another_recording, "000002.wal in .* does not continue the segment before it"),
        (of_a_later_segment, "segments/000001 in .* is missing"),
    ],
)
def test_a_log_that_does_not_continue_the_segments_is_refused(
    harm: Callable[[Path], None], message: str, growing: Path
) -> None:
    harm(growing)
    with pytest.raises(DamagedRecording, match=message):
        open_recording(growing)


def test_a_log_whose_segment_is_sealed_is_not_read(growing: Path, facts: list[Fact]) -> None:
    log = (growing / LOG).read_bytes()
    again = open_writer(growing)
    (growing / LOG).write_bytes(log)
    assert list(open_recording(growing).facts()) == facts
    again.release()


@settings(max_examples=60, deadline=None)
@given(histories)
def test_every_history_is_read_from_a_log_as_it_was_written(history: list[Fact | str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        with_log = open_writer(Path(folder))
        for fact in history:
            if fact == SEAL:
                with_log.flush(Micros(0))
            else:
                with_log.add(fact)  # type: ignore[arg-type]
        with_log.flush(Micros(0))
        facts = [fact for fact in history if fact != SEAL]
        assert with_log.acknowledged == len(facts)
        assert repr(list(open_recording(Path(folder)).facts())) == repr(facts)
        with_log.release()


def test_a_folder_of_logs_whose_name_was_not_synced_is_synced_with_the_next_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a power failure would take the folder, and with it logs that were acknowledged."""
    synced: list[Path] = []

    def failing_once(folder: Path) -> None:
        synced.append(folder)
        if len(synced) == 1:
            raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("hpaaudit.recording.writing.write_ahead_log.sync_folder", failing_once)
    with pytest.raises(OSError, match="Input/output error"):
        WriteAheadLog(tmp_path, 1, 0, "")
    WriteAheadLog(tmp_path, 1, 0, "").close()
    assert synced == [tmp_path, tmp_path]
