"""One recorder at a time, from before its first file, by whatever name it knows the folder."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hpaaudit.errors import RecordingError
from hpaaudit.model.facts import Ended
from hpaaudit.model.units import Micros
from hpaaudit.recording.files import lock
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
from hpaaudit.recording.recorder.writer_limits import Limits
from hpaaudit.recording.writing.writer import Writer

REPOSITORY = Path(__file__).parents[2]
RACES = int(os.environ.get("HPAAUDIT_RACES", "25"))
OTHER = "is being recorded into by another process"


def open_writer(folder: Path, messages: list[str] | None = None) -> RecorderWriter:
    """Begins a recording, or goes on with one."""
    note = [].append if messages is None else messages.append
    return RecorderWriter(folder, cluster="here", now_us=Micros(0), note=note, limits=Limits(ballast_bytes=0))


def test_of_recorders_that_start_at_once_one_is_in_and_nothing_is_lost(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.recording.racing", tmp_path, str(RACES)]
    completed = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    races, winners, overlaps, losses, *others = completed.stdout.split()
    assert (int(races), int(overlaps), int(losses)) == (RACES, 0, 0)
    assert int(winners) >= RACES
    assert set(others) <= {"RecordingError"}


def test_two_names_of_one_folder_are_one_folder(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "friday")
    with open_writer(tmp_path / "friday"), pytest.raises(RecordingError, match=OTHER):
        open_writer(tmp_path / "link")


def test_an_import_is_kept_out_as_well(tmp_path: Path) -> None:
    with open_writer(tmp_path / "friday"), pytest.raises(RecordingError, match=OTHER):
        Writer(tmp_path / "friday", source="capture", started_us=Micros(0))
    with Writer(tmp_path / "then", source="capture", started_us=Micros(0)), pytest.raises(RecordingError, match=OTHER):
        open_writer(tmp_path / "then")


def test_whoever_is_kept_out_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "friday").mkdir()
    first_lock = lock.Lock(tmp_path / "friday")
    with pytest.raises(RecordingError, match=OTHER):
        open_writer(tmp_path / "friday")
    assert not list((tmp_path / "friday").iterdir())
    first_lock.release()
    open_writer(tmp_path / "friday").close()


def test_a_folder_that_was_moved_away_takes_nothing_until_it_is_back(tmp_path: Path) -> None:
    """Who took its name is another recording: nothing of ours is written there."""
    lines = list[str]()
    ours = open_writer(tmp_path / "friday", lines)
    ours.add(Ended(at_us=Micros(1)))
    assert ours.flush(Micros(1))
    (tmp_path / "friday").rename(tmp_path / "away")
    with open_writer(tmp_path / "friday") as other:
        other.add(Ended(at_us=Micros(5)))
    before = {path: path.read_bytes() for path in (tmp_path / "friday").rglob("*") if path.is_file()}
    ours.add(Ended(at_us=Micros(2)))
    assert not ours.flush(Micros(2))
    assert not ours.seal(Micros(2))
    assert "the folder was moved, removed or replaced" in lines[-1]
    assert before == {path: path.read_bytes() for path in (tmp_path / "friday").rglob("*") if path.is_file()}
    shutil.rmtree(tmp_path / "friday")
    (tmp_path / "away").rename(tmp_path / "friday")
    ours.close()
    assert [fact.at_us for fact in open_recording(tmp_path / "friday").facts()] == [1, 2]


def test_a_folder_that_was_removed_ends_in_one_line(tmp_path: Path) -> None:
    ours = open_writer(tmp_path / "friday")
    ours.add(Ended(at_us=Micros(1)))
    shutil.rmtree(tmp_path / "friday")
    with pytest.raises(RecordingError, match=r"friday: the folder was moved, removed or replaced; 1 fact could not"):
        ours.close()
    assert not (tmp_path / "friday").exists()


class NoLocks:
    """A file system that locks only what is open for writing, as NFS does, or nothing."""

    LOCK_EX, LOCK_NB = lock.fcntl.LOCK_EX, lock.fcntl.LOCK_NB

    def __init__(self, *, files: bool) -> None:
        self.files, self.real = files, lock.fcntl

    def flock(self, file: int, how: int) -> None:
        """Locks a file."""
        if not self.files or self.real.fcntl(file, self.real.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, "Bad file descriptor")
        self.real.flock(file, how)


def test_where_folders_cannot_be_locked_a_file_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "fcntl", NoLocks(files=True))
    lines = list[str]()
    with open_writer(tmp_path / "friday", lines) as ours:
        ours.add(Ended(at_us=Micros(1)))
        with pytest.raises(RecordingError, match=OTHER):
            open_writer(tmp_path / "friday")
    assert not any("cannot be locked" in line for line in lines)
    assert (tmp_path / "friday/lock").stat().st_mode & 0o777 == 0o600
    assert verify(tmp_path / "friday", reread=True).damages == ()
    open_writer(tmp_path / "friday").close()  # the file stays, and keeps nobody out


def test_a_file_system_without_locks_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "fcntl", NoLocks(files=False))
    lines = list[str]()
    open_writer(tmp_path / "friday", lines).close()
    assert lines[0] == f"{tmp_path / 'friday'} cannot be locked there: see that nobody else records into it"


def test_a_recorder_of_before_is_kept_out(tmp_path: Path) -> None:
    """Up to 0.1.0 a recorder locked `recording.json` alone."""
    open_writer(tmp_path / "friday").close()
    file = os.open(tmp_path / "friday/recording.json", os.O_RDONLY)
    lock.fcntl.flock(file, lock.fcntl.LOCK_EX | lock.fcntl.LOCK_NB)
    with pytest.raises(RecordingError, match=OTHER):
        open_writer(tmp_path / "friday")
    os.close(file)
    open_writer(tmp_path / "friday").close()
