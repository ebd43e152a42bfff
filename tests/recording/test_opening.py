"""What is no regular file of the right size is never read: it is named in one line, and nothing blocks."""

import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hpaaudit.errors import RecordingError
from hpaaudit.recording.files.opening import read_at_most, read_exactly
from hpaaudit.recording.inspection.inspect import inspect
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import open_recording
from tests.recording.small import small

FILES = (
    "recording.json", "end.json", "segments/000001/manifest.json", "segments/000001/hpas.parquet",
    "segments/000002/samples.parquet",
)  # fmt: skip
FOLDERS = ("segments", "segments/000001", "segments/000002")


@pytest.fixture(autouse=True)
def nobody_waits_for_ever() -> Iterator[None]:
    """Whoever opens a FIFO and waits for its writer is woken, and the test fails."""

    def woken(*_: object) -> None:
        raise TimeoutError("somebody waits for a file that never ends")

    before = signal.signal(signal.SIGALRM, woken)
    signal.alarm(120)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def fifo(path: Path) -> None:
    """A FIFO that nobody writes into."""
    path.unlink()
    os.mkfifo(path)


def endless(path: Path) -> None:
    """A link to a device that never ends."""
    path.unlink()
    path.symlink_to("/dev/zero")


def linked(path: Path) -> None:
    """A link to the very bytes that belong here: they could be others at the next look."""
    away = path.with_name("away")
    path.rename(away)
    path.symlink_to(away)


def nowhere(path: Path) -> None:
    """A link to nothing."""
    path.unlink()
    path.symlink_to("nowhere")


def folder_instead(path: Path) -> None:
    """A folder."""
    path.unlink()
    path.mkdir()


def sparse(path: Path) -> None:
    """A file of a terabyte that takes no room."""
    with path.open("r+b") as file:
        file.truncate(1 << 40)


def listening(path: Path) -> None:
    """A socket."""
    path.unlink()
    here = Path.cwd()
    os.chdir(path.parent)  # its name may be 108 bytes at most
    try:
        with socket.socket(socket.AF_UNIX) as server_socket:
            server_socket.bind(path.name)
    finally:
        os.chdir(here)


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    return small(tmp_path / "friday", reconciles=True)


@pytest.mark.parametrize("change", [fifo, endless, linked, nowhere, folder_instead, sparse, listening])
def test_a_file_that_is_something_else_is_named_by_everybody_who_reads(
    sound: Path, change: Callable[[Path], None]
) -> None:
    for name in FILES:
        copy = sound.with_name("copy")
        shutil.copytree(sound, copy)
        change(copy / name)
        collected = []
        for read in (lambda: verify(copy, reread=True), lambda: inspect(open_recording(copy))):  # noqa: B023 read at once
            try:
                collected.append(read())
            except RecordingError as error:
                collected.append(str(error))
        checked, counted = collected
        message = (
            checked
            if isinstance(checked, str)
            else " ".join(f"{damage.file} {damage.problem}" for damage in checked.damages)
        )
        assert name in message, (name, message)
        assert isinstance(counted, str), name
        assert name in counted
        assert "\n" not in message + counted
        shutil.rmtree(copy)


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_that_is_a_link_leads_nowhere(sound: Path, name: str) -> None:
    linked(sound / name)
    damages = verify(sound, reread=True).damages
    assert any(name in damage.file for damage in damages)
    with pytest.raises(RecordingError):
        open_recording(sound)


def test_the_recording_itself_may_be_a_link_for_its_user_named_it(sound: Path) -> None:
    (sound.parent / "link").symlink_to(sound)
    assert verify(sound.parent / "link", reread=True).damages == ()


@pytest.mark.parametrize("change", [fifo, endless, linked, folder_instead, sparse, listening])
def test_a_log_that_is_something_else_is_named(sound: Path, change: Callable[[Path], None]) -> None:
    (sound / "end.json").unlink()
    (sound / "log").mkdir()
    log = sound / "log" / "000003.wal"
    log.write_bytes(b"")
    change(log)
    assert [damage.file for damage in verify(sound, reread=True).damages if "log" in damage.file]
    with pytest.raises(RecordingError, match="log"):
        open_recording(sound)


def test_a_file_that_grows_while_it_is_read_is_not_read_beyond_what_was_asked(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert read_exactly(tmp_path, "a", 5) == b"12345"
    assert read_at_most(tmp_path, "a", 5) == b"12345"
    for size in (0, 4, 6, 1 << 60):
        with pytest.raises(ValueError, match=rf"has 5 bytes, its manifest says {size}"):
            read_exactly(tmp_path, "a", size)
    with pytest.raises(ValueError, match="more than the 4"):
        read_at_most(tmp_path, "a", 4)


def test_no_file_stays_open(sound: Path) -> None:
    def opened() -> list[str]:
        """The files of this recording that are open: other threads of this process may open their own."""
        links = (str(at.readlink()) for at in Path("/proc/self/fd").iterdir() if at.is_symlink())
        return [link for link in links if link.startswith(str(sound))]

    if not Path("/proc/self/fd").is_dir():
        pytest.skip("no /proc here tells which files are open")
    verify(sound, reread=True)
    (sound / "segments/000001/pods.parquet").unlink()
    os.mkfifo(sound / "segments/000001/pods.parquet")
    for _ in range(5):
        assert verify(sound, reread=True).damages
    assert not opened()
    with (sound / "recording.json").open():
        assert opened()
