"""Writes the log of a segment that is not yet sealed: what `append` returned from is on the disk."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from hpaaudit.recording.encoding import frames
from hpaaudit.recording.files import layout
from hpaaudit.recording.files.durable import make_folder, publish, sync_data, sync_folder
from hpaaudit.recording.format.columns import Row


class Log:
    """The log of one segment.

    broken   the disk refused to say that it has what was written, or what of it counts: nothing may follow in this
             file, for nobody knows what of it is there

    All verbs raise `OSError`; after an `append` that raised the file is as it was before, unless it is broken.
    """

    def __init__(self, folder: Path, number: int, first_seq: int, previous: str) -> None:
        self.path = folder / layout.log_name(number)
        self.broken = False
        data = frames.log_head(number, first_seq, previous)
        self._mark = frames.mark_of(number, previous)
        make_folder(self.path.parent)
        sync_folder(folder)  # every time: the sync after the one that made it may have failed
        publish(self.path, data)
        self._file = os.open(self.path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        self._size = len(data)

    @property
    def size(self) -> int:
        """Bytes that are on the disk."""
        return self._size

    def append(
        self,
        first_seq: int,
        facts: int,
        rows: Mapping[str, Sequence[Row]],
        unchanged: Mapping[str, Sequence[Row]],
    ) -> None:
        """Add some facts: they are on the disk when this returns.

        unchanged   items of their reads that have no row among these: with them no frame before is needed
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
            # The kernel may have dropped what it could not write and call the next sync a success.
            self.broken = True
            raise
        self._size = end
        # It gets to the disk with the next frame, or not at all: it may say too little, never too much.
        try:
            self._write(frames.acknowledgement(end), len(frames.MAGIC))
        except OSError:
            self.broken = True

    def _write(self, data: bytes, at: int) -> int:
        """Write all of that; return where it ends."""
        rest = memoryview(data)
        while rest:
            written = os.pwrite(self._file, rest, at)
            rest, at = rest[written:], at + written
        return at

    def close(self) -> None:
        """Let go of the file, which stays."""
        with suppress(OSError):
            os.close(self._file)

    def remove(self) -> None:
        """Take the file away, once its segment and that one's manifest are on the disk."""
        self.close()
        self.path.unlink(missing_ok=True)
        sync_folder(self.path.parent)
