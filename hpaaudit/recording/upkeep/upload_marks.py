"""Marks the segments that an object store has: an empty file `uploaded_through` in the segment's folder."""

from pathlib import Path

from hpaaudit.recording.files import layout
from hpaaudit.recording.files.durable import is_regular_file, write_synced


def not_uploaded(folder: Path) -> list[Path]:
    """Return the folders of segments that are whole and not yet marked as uploaded, oldest first.

    Files in them never change; `recording.json` does not either.
    """
    return [path for path in _segments(folder) if not is_regular_file(path / layout.UPLOADED)]


def mark_uploaded(segment: Path) -> None:
    """Say that a segment is safe somewhere else: where room lacks, it may be removed; raises `OSError`."""
    write_synced(segment / layout.UPLOADED, b"")


def uploaded_through(folder: Path) -> int:
    """Return the number of the last segment that is uploaded together with all before it, 0 where none is."""
    number = 0
    for path in _segments(folder):
        if not is_regular_file(path / layout.UPLOADED):
            break
        number = int(path.name)
    return number


def _segments(folder: Path) -> list[Path]:
    parts = folder / layout.SEGMENTS
    return sorted(path for path in parts.glob(layout.SEALED_PATTERN) if (path / layout.MANIFEST).exists())
