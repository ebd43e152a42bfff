"""Whatever else has the name of one of our files: nothing is written elsewhere, nothing hangs, recording goes on."""

import os
import shutil
import signal
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from hpaaudit.model.facts import Ended, Gap
from hpaaudit.model.units import Micros
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
from hpaaudit.recording.recorder.writer_limits import Limits
from hpaaudit.recording.upkeep import upload_marks

LIMITS = Limits(ballast_bytes=1 << 12, free_share=0)
"""Whatever the disk of this machine has free, no segment is removed."""
PLACES = (
    ("log", "quarantine", "segments/000002", "recording.json.tmp"),
    ("log/000002.wal", "end.json", "ballast", "segments/000002.tmp", "segments/000001/uploaded"),
    ("log/000002.wal.tmp", "end.json.tmp", "lock", "segments/000002.base.tmp", "segments/000002.repaired"),
)
"""That are planted together: a folder of ours and what is in it are not."""
HANGS_SECONDS = 20


def link(path: Path, outside: Path) -> None:
    """A link to a file of somebody else."""
    path.symlink_to(outside / "file")


def dangling(path: Path, outside: Path) -> None:
    """A link to what is not there yet."""
    path.symlink_to(outside / "absent")


def folder_link(path: Path, outside: Path) -> None:
    """A link to a folder of somebody else."""
    path.symlink_to(outside)


def pipe(path: Path, _: Path) -> None:
    """A pipe that nobody reads or writes."""
    os.mkfifo(path)


def folder(path: Path, _: Path) -> None:
    """A folder that holds something."""
    path.mkdir()
    (path / "mine").write_text("mine")


def file(path: Path, _: Path) -> None:
    """A file that holds something."""
    path.write_text("mine")


KINDS = (link, dangling, folder_link, pipe, folder, file)


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    """Ends what hangs."""

    def hangs(_number: int, _frame: FrameType | None) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(HANGS_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def open_writer(into: Path) -> RecorderWriter:
    """Begins a recording, or goes on with one."""
    return RecorderWriter(into, cluster="here", now_us=Micros(100), note=[].append, limits=LIMITS)


def plant(into: Path, name_in_folder: str, kind: Callable[[Path, Path], None], outside: Path) -> None:
    """Puts something into a place, which is made free."""
    path = into / name_in_folder
    path.parent.mkdir(exist_ok=True)
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    kind(path, outside)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("places", PLACES, ids=lambda places: places[0])
@pytest.mark.parametrize("when", ["before it starts", "while it runs"])
def test_what_is_planted_does_no_harm(
    when: str, places: tuple[str, ...], kind: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    into, outside = tmp_path / "friday", tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("theirs")
    before = (outside / "file").stat().st_mtime_ns
    first = open_writer(into)
    first.add(Ended(at_us=Micros(1)))
    assert first.seal(Micros(1))
    if when == "before it starts":
        first.release()
    for index in places:
        plant(into, index, kind, outside)
    if when == "before it starts":
        first = open_writer(into)
    first.add(Ended(at_us=Micros(200)))
    first.flush(Micros(200))
    for segment in upload_marks.not_uploaded(into):
        upload_marks.mark_uploaded(segment)
    first._storage.space.reserve_ballast()
    first.add(Ended(at_us=Micros(201)))
    assert first.seal(Micros(201))
    first.add(Ended(at_us=Micros(202)))
    assert first.flush(Micros(202))
    first.release()
    with open_writer(into) as again:
        again.add(Ended(at_us=Micros(300)))
    facts = [fact.at_us for fact in open_recording(into).facts() if not isinstance(fact, Gap)]
    assert facts == [1, 200, 201, 202, 300]
    assert verify(into, reread=True).damages == ()
    assert sorted(path.name for path in outside.iterdir()) == ["file"]
    assert (outside / "file").read_text() == "theirs"
    assert (outside / "file").stat().st_mtime_ns == before


def test_all_that_a_recorder_makes_is_for_its_user_alone(tmp_path: Path) -> None:
    into = tmp_path / "friday"
    mask = os.umask(0)
    try:
        recorder = open_writer(into)
        recorder.add(Ended(at_us=Micros(1)))
        recorder.seal(Micros(1))
        upload_marks.mark_uploaded(into / "segments/000001")
        recorder.add(Ended(at_us=Micros(2)))
        recorder.flush(Micros(2))
        recorder.release()
        with (into / "log/000002.wal").open("ab") as log:
            log.write(b"torn")
        modes = {path: stat.S_IMODE(path.stat().st_mode) for path in into.rglob("*")}
        open_writer(into).close()
        modes |= {path: stat.S_IMODE(path.stat().st_mode) for path in into.rglob("*")}
    finally:
        os.umask(mask)
    assert {"ballast", "uploaded", "000002.wal", "quarantine", "end.json"} <= {path.name for path in modes}
    assert {mode for path, mode in modes.items() if path.suffix or path.name in ("ballast", "uploaded")} == {0o600}
    assert {oct(mode) for path, mode in modes.items() if path.name in ("log", "quarantine", "segments", "000001")} == {
        "0o700"
    }
