"""What memory cannot hold while the disk refuses is a gap: from the first fact that was shed until all is written."""

import errno
import os
from pathlib import Path

import pytest

from hpaaudit.model.facts import Fact, Gap
from hpaaudit.recording.reading.recording import open_recording
from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
from hpaaudit.recording.recorder.writer_limits import Limits
from tests.recording.facts import at

SMALL = Limits(ballast_bytes=0, segment_bytes=1000)


def refuse(_descriptor: int) -> None:
    """As a disk that fails to sync."""
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def leave(writer: RecorderWriter, how: str) -> None:
    """Ends a recording as it is ended, or as one is left by an error."""
    if how == "ended":
        writer.close()
        return
    with pytest.raises(KeyboardInterrupt), writer:
        raise KeyboardInterrupt


@pytest.mark.parametrize("how", ["ended", "left by an error"])
def test_what_was_shed_is_within_a_gap_if_the_disk_recovers_at_the_very_end(
    how: str, facts: list[Fact], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last seal before was tried, and refused, in the midst of the facts."""
    folder, expected = tmp_path / "full", [fact for fact in facts if not isinstance(fact, Gap)]
    writer = RecorderWriter(folder, cluster="here", now_us=at(0), note=lambda _: None, limits=SMALL)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", refuse)
        patched.setattr(os, "fdatasync", refuse)
        for number, fact in enumerate(expected):
            writer.add(fact)
            if number == len(expected) // 2:
                assert not writer.seal(fact.at_us)
    assert sum(writer._shedder.counts.values()) > 1
    leave(writer, how)
    recorded = list(open_recording(folder).facts())
    gaps = [fact for fact in recorded if isinstance(fact, Gap)]
    shed = [fact for fact in expected if fact not in recorded]
    assert shed
    for fact in shed:
        assert any(gap.at_us <= fact.at_us <= gap.until_us for gap in gaps), fact
    assert max(gap.until_us for gap in gaps) == max(fact.at_us for fact in expected)
