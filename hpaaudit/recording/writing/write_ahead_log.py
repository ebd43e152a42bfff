"""Writes the write-ahead log of a segment that is not sealed yet."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from hpaaudit.recording.encoding import frames
from hpaaudit.recording.files import layout
from hpaaudit.recording.files.durable import make_folder, publish, sync_data, sync_folder
from hpaaudit.recording.format.column_types import Row


class WriteAheadLog:
    """The log of one segment. What `append` returned from is on the disk.

    broken   the disk failed to sync the log, so it is unknown which of its bytes are there, and nothing may be added

    All methods raise `OSError`. After an `append` that raised, the file is as it was before, unless it is broken.
    """

    def __init__(self, folder: Path, number: int, first_seq: int, previous: str) -> None:
        self.path = folder / layout.log_name(number)
        self.broken = False
        data = frames.log_head(number, first_seq, previous)
        self._mark = frames.mark_of(number, previous)
        make_folder(self.path.parent)
        sync_folder(folder)  # every time: the sync after the one that made the folder of logs may have failed
        publish(self.path, data)
        self._file = os.open(self.path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        self._size = len(data)

    @property
    def size(self) -> int:
        """The number of bytes that are on the disk."""
        return self._size

    def append(
        self,
        first_seq: int,
        facts: int,
        rows: Mapping[str, Sequence[Row]],
        unchanged: Mapping[str, Sequence[Row]],
    ) -> None:
        """Appends a frame with some facts. It is on the disk when this returns.

        unchanged   items of their reads that have no row here; with them this frame can be read by itself
        """
        data = frames.frame(self._mark, first_seq, facts, rows, unchanged)
        try:
            end = self._write(data, self._size)
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._file, self._size)
            raise
        try:
            sync_data(self._file)
        except OSError:
            # The kernel may have dropped what it could not write, and report the next sync as a success.
            self.broken = True
            raise
        self._size = end
        # This number gets to the disk with the next frame, or not at all: it may be too small, never too large.
        try:
            self._write(frames.acknowledgement(end), len(frames.MAGIC))
        except OSError:
            self.broken = True

    def _write(self, data: bytes, offset: int) -> int:
        """Writes all of `data`. Returns the offset of its end."""
        rest = memoryview(data)
        while rest:
            written = os.pwrite(self._file, rest, offset)
            rest, offset = rest[written:], offset + written
        return offset

    def close(self) -> None:
        """Closes the file, which stays."""
        with suppress(OSError):
            os.close(self._file)

    def remove(self) -> None:
        """Deletes the file, once its segment is on the disk."""
        self.close()
        self.path.unlink(missing_ok=True)
        sync_folder(self.path.parent)
