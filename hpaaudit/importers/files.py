"""Opens a capture and reads its lines: a regular file, plain, gzip or zstd, and no line longer than memory allows."""

import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pyarrow as pa

from hpaaudit.errors import BadCapture

LINE_BYTES = 64 << 20
"""Of a line, unpacked: a list of some 10,000 pods."""

EMPTY_LINES = 1_000_000
"""One after the other: nobody writes so many, and a packed file of nothing else would be read for hours."""

_WAITS_NOT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def numbered(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a capture that are not empty, each with its number.

    Raises `BadCapture` with file and line where it cannot be read.
    """
    number = empty = 0
    with _opened(path) as file:
        try:
            while line := file.readline(LINE_BYTES + 1):
                number += 1
                if len(line) > LINE_BYTES:
                    raise BadCapture(
                        f"{path}:{number}: longer than {LINE_BYTES >> 20} MB; ask for lists in pages (limit=500)"
                    )
                text = line.strip()
                if text:
                    empty = 0
                    yield number, text
                    continue
                empty += 1
                if empty > EMPTY_LINES:
                    raise BadCapture(f"{path}:{number}: {EMPTY_LINES:,} empty lines; this is no capture")
        except (EOFError, OSError, zlib.error, pa.ArrowException) as error:
            reason = " ".join(str(error).split())
            raise BadCapture(f"{path}:{number + 1}: cannot be read further ({reason}); fetch the file again") from error


def _opened(path: Path) -> IO[bytes]:
    """Open a regular file; what it is packed by is told by its first bytes."""
    try:
        found = path.stat()
    except (OSError, ValueError) as error:
        raise BadCapture(f"{path}: no such file; name a capture of JSON lines") from error
    if not stat.S_ISREG(found.st_mode):
        what = "a folder" if stat.S_ISDIR(found.st_mode) else "no regular file, and it is read twice"
        raise BadCapture(f"{path}: is {what}; name a file of JSON lines")
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | _WAITS_NOT), "rb")
    except OSError as error:
        raise BadCapture(f"{path}: cannot be opened ({error.strerror}); name a capture of JSON lines") from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # it was replaced since it was looked at
        file.close()
        raise BadCapture(f"{path}: is no regular file; name a file of JSON lines")
    magic = file.read(4)
    file.seek(0)
    if magic[:2] == b"\x1f\x8b":
        return io.BufferedReader(_Closing(gzip.GzipFile(fileobj=file), file), 1 << 16)
    if magic == b"\x28\xb5\x2f\xfd":
        return io.BufferedReader(_Closing(pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd"), file), 1 << 16)
    return file


class _Closing(io.RawIOBase):
    """A stream that is unpacked as it is read, and closed with its file."""

    def __init__(self, unpacked: IO[bytes] | gzip.GzipFile, file: IO[bytes]) -> None:
        self._unpacked, self._file = unpacked, file

    def readable(self) -> bool:
        """It is there to be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill a buffer as far as there is something."""
        data = self._unpacked.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close both."""
        if not self.closed:
            self._unpacked.close()
            self._file.close()
        super().close()
