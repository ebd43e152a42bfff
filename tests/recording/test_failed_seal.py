"""A seal that the disk refuses, at any step, loses no acknowledged fact, wherever the recorder dies later."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hpaaudit.model.facts import Ended, Fact
from hpaaudit.model.units import Micros
from hpaaudit.recording.inspection.verify import verify
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
from hpaaudit.recording.recorder.writer_limits import Limits

CALLS = ("fsync", "fdatasync", "rename", "replace", "unlink", "mkdir", "rmdir")
SYNCS = ("fsync", "fdatasync")
NEVER = 10_000
STEPS = range(1, 40)
LIMITS = Limits(ballast_bytes=0)


class Disk:
    """Counts the steps that change the disk, and lets some of them fail. A sync takes no time."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.step, self.first, self.last = 0, NEVER, NEVER
        for name in CALLS:
            patch.setattr(os, name, self._failing((lambda _: None) if name in SYNCS else getattr(os, name)))

    def fail(self, first: int, last: int) -> None:
        """Lets the steps from `first` to `last` fail, counted from now."""
        self.step, self.first, self.last = 0, first, last

    def behave(self) -> int:
        """No more faults; the number of steps since the last call."""
        steps = self.step
        self.fail(NEVER, NEVER)
        return steps

    def _failing(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **options: Any) -> Any:
            self.step += 1
            if self.first <= self.step <= self.last:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return call(*args, **options)

        return called


def facts(first: int, last: int) -> list[Fact]:
    """Facts whose time is their number."""
    return [Ended(at_us=Micros(number)) for number in range(first, last)]


def open_writer(folder: Path) -> RecorderWriter:
    """Begins a recording, or goes on with one."""
    return RecorderWriter(folder, cluster="here", now_us=Micros(99), note=lambda _: None, limits=LIMITS)


def sealed_twice(folder: Path, disk: Disk, first: int, failing: int, dies_at: int) -> tuple[int, int, int]:
    """Records with a seal of which some steps fail, logs more, and dies at a step of the second seal.

    Returns how many facts were acknowledged, and how many steps the seals took.
    """
    writer = open_writer(folder)

    def add(first: int, last: int) -> None:
        for fact in facts(first, last):
            writer.add(fact)

    add(0, 3)
    writer.flush(Micros(99))
    add(3, 6)
    disk.fail(first, first + failing - 1)
    writer.seal(Micros(99))
    first_steps = disk.behave()
    add(6, 9)
    writer.flush(Micros(99))
    add(9, 12)
    disk.fail(dies_at, NEVER)
    writer.seal(Micros(99))
    second_steps = disk.behave()
    writer.release()
    return writer.acknowledged, first_steps, second_steps


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_a_seal_that_fails_loses_nothing_that_is_logged_later(
    failing: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any step of the first seal fails, with some that follow; the recorder dies at any step of the second seal."""
    disk = Disk(monkeypatch)
    for first in STEPS:
        for dies_at in STEPS:
            folder = tmp_path / f"{first}-{dies_at}"
            acknowledged, first_steps, second_steps = sealed_twice(folder, disk, first, failing, dies_at)
            read = list(open_recording(folder).facts())
            assert 9 <= acknowledged <= len(read), f"step {first} failed, died at step {dies_at}"
            assert read == facts(0, len(read))
            assert verify(folder).damages == ()
            open_writer(folder).close()
            assert list(open_recording(folder).facts())[: len(read)] == read
            if dies_at > second_steps:
                break
        else:
            pytest.fail("the second seal has more steps than are tried")
        if first > first_steps:
            break
    else:
        pytest.fail("the first seal has more steps than are tried")


def test_nothing_is_logged_while_a_segment_may_be_there_whose_name_could_not_be_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who finds the segment ignores its log: so the segment has to be gone for certain before its log grows."""

    def refuse(synced: Path) -> None:
        if synced.name == "segments":
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    folder = tmp_path / "friday"
    writer = open_writer(folder)
    writer.add(facts(0, 1)[0])
    with monkeypatch.context() as patched:
        patched.setattr("hpaaudit.recording.writing.recording_folder.sync_folder", refuse)
        assert not writer.seal(Micros(99))
        assert not writer.flush(Micros(99))
    assert writer.acknowledged == 0
    assert writer.flush(Micros(99))
    assert writer.acknowledged == 1
    assert list((folder / "segments").glob("[0-9]" * 6)) == []
    writer.release()
    assert list(open_recording(folder).facts()) == facts(0, 1)
