"""Marks the segments that an object store has: an empty file `uploaded_through` in the segment's folder."""

from pathlib import Path

from hpaaudit.recording.files import layout
from hpaaudit.recording.files.durable import is_regular_file, write_synced


def not_uploaded(folder: Path) -> list[Path]:
    """The folders of sealed segments that are not marked as uploaded, oldest first. Their files never change."""
    return [path for path in _segments(folder) if not is_regular_file(path / layout.UPLOADED)]


def mark_uploaded(segment: Path) -> None:
    """Mark a segment as uploaded: it may be removed when the disk is full. Raises `OSError`."""
    write_synced(segment / layout.UPLOADED, b"")


def uploaded_through(folder: Path) -> int:
    """The number of the last segment that is uploaded with all before it, 0 if none is."""
    number = 0
    for path in _segments(folder):
        if not is_regular_file(path / layout.UPLOADED):
            break
        number = int(path.name)
    return number


def _segments(folder: Path) -> list[Path]:
    segments = folder / layout.SEGMENTS
    return sorted(path for path in segments.glob(layout.SEALED_PATTERN) if (path / layout.MANIFEST).exists())
