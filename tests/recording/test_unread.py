"""A disk that refuses one read loses nothing: the recorder says so, and the next try succeeds."""

import errno
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hpaaudit.errors import RecordingError
from hpaaudit.model.facts import Fact
from hpaaudit.recording.files import opening
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.last_states import last_states
from hpaaudit.recording.recorder.recover import recover
from hpaaudit.recording.recorder.writer_limits import Limits
from hpaaudit.recording.upkeep.retention import remove_segments, sealed_segments
from tests.recording.test_retention import open_writer


@contextmanager
def refusing(number: int) -> Iterator[list[str]]:
    """Refuses the read of that number, counted from 0; yields the reads that were asked for."""
    asked: list[str] = []
    enter = opening._OpenFile.__init__

    def opened(file: opening._OpenFile, folder: Path, name: str) -> None:
        asked.append(name)
        if len(asked) == number + 1:
            raise OSError(errno.EIO, "Input/output error")
        enter(file, folder, name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening._OpenFile, "__init__", opened)
        yield asked


@pytest.fixture
def sealed(tmp_path: Path, segments: tuple[tuple[Fact, ...], ...]) -> Path:
    """Gives a recording of several segments whose recorder is no more."""
    folder = tmp_path / "sealed"
    dead = open_writer(folder, Limits(ballast_bytes=0))
    for part in segments:
        for fact in part:
            dead.add(fact)
        dead.seal(part[-1].at_us)
    dead.release()
    return folder


def states_of(folder: Path) -> tuple[Fact, ...]:
    """Takes a recording up; returns what is known to stand."""
    return recover(folder, source="record", cluster="here").last_states


def removed(folder: Path) -> list[Path]:
    """Removes all segments but the last; returns the rest."""
    segments = sealed_segments(folder)
    if not segments:
        raise OSError(errno.EIO, "the segments could not be listed")
    remove_segments(folder, segments, segments[-2].number, "removed")
    return [path.relative_to(folder) for path in sorted((folder / "segments").rglob("*"))]


@pytest.mark.parametrize("act", [states_of, removed], ids=["taking up", "removing"])
def test_a_read_that_is_refused_once_costs_nothing(act: Callable[[Path], object], sealed: Path, tmp_path: Path) -> None:
    with refusing(-1) as asked:
        wanted = act(Path(shutil.copytree(sealed, tmp_path / "whole")))
    assert len(asked) > len(sealed_segments(sealed)) * 2
    refusals = 0
    for number in range(len(asked)):
        folder = Path(shutil.copytree(sealed, tmp_path / str(number)))
        try:
            with refusing(number):
                done = act(folder)
            assert done == wanted
        except (OSError, RecordingError):
            refusals += 1
            assert act(folder) == wanted
        assert not (folder / "quarantine").exists()
        assert verify(folder, reread=True).damages == ()
    assert refusals


def test_a_damaged_segment_is_not_removed_for_what_stood_then_would_go_with_it(sealed: Path) -> None:
    pods = next((sealed / "segments/000001").glob("pods.parquet"))
    pods.write_bytes(pods.read_bytes()[:-1] + b"?")
    with pytest.raises(OSError, match=r"pods\.parquet differs from what was written"):
        removed(sealed)
    assert len(sealed_segments(sealed)) == len(list((sealed / "segments").iterdir()))


def test_nothing_beyond_a_segment_that_cannot_be_listed_is_removed(sealed: Path) -> None:
    manifest = sealed / "segments/000002/manifest.json"
    manifest.write_bytes(b"?")
    assert [segment.number for segment in sealed_segments(sealed)] == [1]


def test_of_a_damaged_file_what_stood_before_is_known(sealed: Path) -> None:
    segments = sealed_segments(sealed)
    hpas = sealed / segments[-1].folder / "hpas.parquet"
    hpas.write_bytes(hpas.read_bytes()[:-1] + b"?")
    before = last_states(sealed, segments[:-1], ("hpas",))
    assert before
    assert last_states(sealed, segments, ("hpas",), skip_damaged=True) == before
    assert [fact for fact in states_of(sealed) if type(fact).__name__ == "HpaSeen"] == before
