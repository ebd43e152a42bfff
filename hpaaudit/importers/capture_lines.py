"""Reads the lines of a capture file, plain, gzip or zstd, within bounds of memory."""

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

MAX_LINE_BYTES = 64 << 20
"""The longest line, unpacked: a list of some 10,000 pods."""

MAX_EMPTY_LINES = 1_000_000
"""In a row. A packed file of nothing but empty lines would be read for hours."""

_NONBLOCKING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def numbered(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a capture that are not empty, each with its number.

    BadCapture with file and line if it cannot be read.
    """
    number = empty = 0
    with _opened(path) as file:
        try:
            while line := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                if len(line) > MAX_LINE_BYTES:
                    raise BadCapture(
                        f"{path}:{number}: longer than {MAX_LINE_BYTES >> 20} MB; ask for lists in pages (limit=500)"
                    )
                text = line.strip()
                if text:
                    empty = 0
                    yield number, text
                    continue
                empty += 1
                if empty > MAX_EMPTY_LINES:
                    raise BadCapture(f"{path}:{number}: {MAX_EMPTY_LINES:,} empty lines; this is no capture")
        except (EOFError, OSError, zlib.error, pa.ArrowException) as error:
            reason = " ".join(str(error).split())
            raise BadCapture(f"{path}:{number + 1}: cannot be read further ({reason}); fetch the file again") from error


def _opened(path: Path) -> IO[bytes]:
    """Open a regular file. Its first bytes show how it is compressed."""
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise BadCapture(f"{path}: no such file; name a capture of JSON lines") from error
    if not stat.S_ISREG(status.st_mode):
        problem = "a folder" if stat.S_ISDIR(status.st_mode) else "no regular file, and it is read twice"
        raise BadCapture(f"{path}: is {problem}; name a file of JSON lines")
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | _NONBLOCKING), "rb")
    except OSError as error:
        raise BadCapture(f"{path}: cannot be opened ({error.strerror}); name a capture of JSON lines") from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # it was replaced since stat
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
    """A stream that is unpacked while it is read, and closes its file."""

    def __init__(self, unpacked: IO[bytes] | gzip.GzipFile, file: IO[bytes]) -> None:
        self._unpacked, self._file = unpacked, file

    def readable(self) -> bool:
        """True: the stream can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read into a buffer."""
        data = self._unpacked.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the stream and its file."""
        if not self.closed:
            self._unpacked.close()
            self._file.close()
        super().close()
