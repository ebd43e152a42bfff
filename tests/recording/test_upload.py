"""Uploads to a real S3-compatible server: what is downloaded is the recording, whatever happened on the way."""

import asyncio
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from obstore.store import LocalStore

from hpaaudit.errors import BadOption
from hpaaudit.flows.bundled import bundled_recording
from hpaaudit.model.note import Event, Note
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.recorder.upload import Pace, Uploader
from hpaaudit.recording.upkeep import upload_marks
from tests.recording.s3 import BUCKET, SECRET, Store, s3
from tests.recording.test_unread import refusing

BRISK = Pace(poll=0.01, first_wait=0.01, longest_wait=0.05)
URL = f"s3://{BUCKET}/prod/hpas"


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A server, and an environment that leads to it."""
    with s3(tmp_path, monkeypatch) as running:
        yield running


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """The bundled recording, three segments and complete."""
    return Path(
        shutil.copytree(
            bundled_recording(), tmp_path / "recording", ignore=shutil.ignore_patterns("*.duckdb", "*.md", "*.txt")
        )
    )


def events(messages: list[str]) -> list[Event]:
    """What was said, by name."""
    return [note.event for note in messages if isinstance(note, Note)]


def uploaded(folder: Path) -> set[int]:
    """The segments that are marked."""
    return {int(path.parent.name) for path in folder.glob("segments/*/uploaded")}


def finish(folder: Path, messages: list[str], url: str = URL) -> Uploader:
    """Uploads all there is, within reason."""
    uploader = Uploader(folder, url, messages.append, BRISK)
    asyncio.run(uploader.finish(30))
    return uploader


async def until(holds: Callable[[], bool]) -> None:
    """Waits for it."""
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110  # what is waited for is on a disk
            await asyncio.sleep(0.01)


def same(left: Path, right: Path) -> bool:
    """Whether two recordings hold the same files, byte by byte; marks of uploads are no part of one."""
    files = [
        {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        for root in (left, right)
    ]
    plain = [{name: data for name, data in file.items() if not name.endswith("/uploaded")} for file in files]
    return plain[0] == plain[1]


def test_what_is_downloaded_again_is_the_recording(store: Store, recording: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    uploader = finish(recording, lines)
    assert lines == []
    assert (uploader.failures, uploader.failing) == (0, 0)
    assert uploaded(recording) == {1, 2, 3}
    assert upload_marks.uploaded_through(recording) == 3
    assert upload_marks.not_uploaded(recording) == []
    back = store.download("prod/hpas", tmp_path / "back")
    assert same(back, recording)
    verification = verify(back, reread=True)
    assert verification.complete
    assert verification.damages == ()


def test_a_manifest_is_only_there_when_its_segment_is(
    store: Store, recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever reads the store meanwhile sees whole segments or none."""
    created: list[str] = []
    put = Uploader._put

    async def send_and_note(self: Uploader, name: str, data: bytes) -> None:
        await put(self, name, data)
        created.append(name)

    monkeypatch.setattr(Uploader, "_put", send_and_note)
    finish(recording, [])
    assert created[0] == "recording.json"
    for number in (1, 2, 3):
        of_it = [name for name in created if name.startswith(f"segments/00000{number}/")]
        assert of_it[-1].endswith("/manifest.json")
        assert len(of_it) == len(list((bundled_recording() / "segments" / f"00000{number}").iterdir()))
    assert sorted([*created, "end.json"]) == store.names("prod/hpas")


def test_a_recording_that_grows_is_followed(store: Store, recording: Path, tmp_path: Path) -> None:
    for name in ("segments/000002", "segments/000003", "end.json"):
        (recording / name).rename(tmp_path / Path(name).name)

    async def play() -> None:
        uploader = Uploader(recording, URL, print, BRISK)
        running = asyncio.create_task(uploader.run())
        for number in (2, 3):
            await until(lambda: uploaded(recording) == set(range(1, number)))  # noqa: B023  # awaited here
            (tmp_path / f"00000{number}").rename(recording / "segments" / f"00000{number}")
        await until(lambda: len(uploaded(recording)) == 3)
        running.cancel()
        (tmp_path / "end.json").rename(recording / "end.json")
        await uploader.finish(30)

    asyncio.run(play())
    assert verify(store.download("prod/hpas", tmp_path / "back")).complete


def test_a_store_that_is_away_is_asked_again_until_it_is_back(store: Store, recording: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    store.down()

    async def play() -> None:
        uploader = Uploader(recording, URL, lines.append, BRISK)
        running = asyncio.create_task(uploader.run())
        await until(lambda: uploader.failures >= 2)
        assert uploader.failing == 3
        await asyncio.to_thread(store.up)
        await until(lambda: len(uploaded(recording)) == 3 and not uploader.failing)
        running.cancel()

    asyncio.run(play())
    assert events(lines) == [Event.UPLOAD_FAILED, Event.UPLOAD_RECOVERED]
    assert "Error performing PUT" in lines[0]
    assert SECRET not in "".join(lines)
    assert verify(store.download("prod/hpas", tmp_path / "back")).complete


def test_what_an_uploader_left_its_successor_brings(store: Store, recording: Path, tmp_path: Path) -> None:
    """Killed after any object: what is there already is known to be the same, and no mark is missing in the end."""
    names = [
        "recording.json",
        *(f"segments/{path.parent.name}/{path.name}" for path in (recording / "segments").glob("*/*")),
    ]
    for count in range(0, len(names), 5):
        prefix = f"prod/{count}"
        for name in sorted(names)[:count]:
            store.put(f"{prefix}/{name}", (recording / name).read_bytes())
        for mark in recording.glob("segments/*/uploaded"):
            mark.unlink()
        lines: list[str] = []
        finish(recording, lines, f"s3://{BUCKET}/{prefix}")
        assert lines == []
        assert verify(store.download(prefix, tmp_path / f"back-{count}")).damages == ()


def test_a_recording_that_goes_on_has_not_ended_in_the_store_either(
    store: Store, recording: Path, tmp_path: Path
) -> None:
    for name in ("segments/000003", "end.json"):
        (recording / name).rename(tmp_path / Path(name).name)
    store.put("prod/hpas/end.json", b"of the run before")

    async def play() -> None:
        uploader = Uploader(recording, URL, print, BRISK)
        running = asyncio.create_task(uploader.run())
        await until(lambda: len(uploaded(recording)) == 2)
        running.cancel()

    asyncio.run(play())
    assert "end.json" not in store.names("prod/hpas")
    assert verify(store.download("prod/hpas", tmp_path / "back")).damages == ()


def test_a_store_that_complains_of_deleting_what_is_not_there_is_as_good(recording: Path, tmp_path: Path) -> None:
    """As Google's and Azure's do, and a folder."""
    (recording / "end.json").unlink()
    lines: list[str] = []
    uploader = Uploader(recording, "s3://nobody/asked", lines.append, BRISK)
    uploader.store = LocalStore(tmp_path / "store", mkdir=True)
    asyncio.run(uploader.finish(30))
    assert lines == []
    assert same(tmp_path / "store", recording)


def test_another_recording_at_that_place_is_never_touched(store: Store, recording: Path) -> None:
    store.put("prod/hpas/recording.json", b"{}")
    lines: list[str] = []
    uploader = finish(recording, lines)
    assert uploader.given_up
    assert uploader.failing == 3
    assert events(lines) == [Event.UPLOAD_REFUSED, Event.UPLOAD_UNFINISHED]
    assert f"{URL}/recording.json is there already and differs" in lines[0]
    assert store.names("prod/hpas") == ["recording.json"]


def test_a_segment_that_the_disk_damaged_stays_and_the_others_go(store: Store, recording: Path) -> None:
    pods = recording / "segments/000002/pods.parquet"
    pods.write_bytes(pods.read_bytes()[:-1] + b"?")
    lines: list[str] = []
    assert finish(recording, lines).failing == 1
    assert uploaded(recording) == {1, 3}
    assert events(lines) == [Event.SEGMENT_DAMAGED, Event.UPLOAD_UNFINISHED]
    assert "pods.parquet differs from what was written" in lines[0]
    assert "segments/000002/manifest.json" not in store.names("prod/hpas")


def test_a_segment_that_the_disk_does_not_give_now_goes_with_the_next_try(store: Store, recording: Path) -> None:
    lines: list[str] = []
    with refusing(2):
        uploader = finish(recording, lines)
    assert uploaded(recording) == {1, 2, 3}
    assert not uploader.failing
    assert events(lines) == [Event.UPLOAD_FAILED, Event.UPLOAD_RECOVERED]
    assert "parquet cannot be read (Input/output error)" in lines[0]
    assert "manifest.json" in "".join(store.names("prod/hpas"))


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("bucket/prefix", "this names no object store: give s3://bucket/prefix"),
        ("http://example.com/bucket", "http names no object store"),
        ("file:///tmp", "file names no object store"),
        ("s3://", "s3 names no object store"),
        ("s3://key:secret@bucket/prefix", "holds a user or a password: put them into the environment"),
        ("az://container/prefix", "Account must be specified"),
    ],
)
def test_what_is_no_store_is_told_at_once(url: str, message: str, recording: Path) -> None:
    with pytest.raises(BadOption, match=message) as error:
        Uploader(recording, url, print)
    assert "secret" not in str(error.value)
    assert "\n" not in str(error.value)
