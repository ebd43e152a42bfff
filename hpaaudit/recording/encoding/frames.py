"""Encodes the frames of a log. Each has its own checksum, so damage costs only the frames that it hits."""

import errno
import hashlib
import os
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import pyarrow as pa

from hpaaudit.recording.format.column_types import Row
from hpaaudit.recording.format.schema import TABLES

MAGIC = b"hpaaudit log 1\n\0"
ACKNOWLEDGED = struct.Struct("<QI")  # number of bytes of the log that are on the disk, and the checksum of these 8
START = struct.Struct("<IIIQ")  # bytes of the body, bytes of it unpacked, number of facts, number of the first fact
CHECKSUM = struct.Struct("<I")  # of the start and of the body, which follows
FIRST_FRAME = len(MAGIC) + ACKNOWLEDGED.size
"""Offset of the first frame."""
BODY = START.size + CHECKSUM.size
"""Offset of the body in a frame."""

# A body is zstd. The zstd format has frames that every decompressor skips: a magic number, a length, and data.
# Ours hold what is needed only if other frames are damaged. Version 0.1.0 wrote none.
SKIPPABLE = struct.Struct("<II")
MARK, UNCHANGED = 0x184D2A50, 0x184D2A51
MARK_BYTES = 8
UNPACKED = struct.Struct("<I")

UNPACKED_LIMIT = 1 << 28
"""The largest frame, unpacked. Most have about 1 MB; one with a single large answer has more."""

_zstd = pa.Codec("zstd", compression_level=1)
_added = {name: (len(table.columns), (None,) * table.added) for name, table in TABLES.items() if table.added}
"""Of the tables that got columns later: how many columns, and what an older log has in place of the added ones."""

_rows = msgspec.msgpack.Decoder(dict[str, list[list[int | bool | str | None]]])

RowsByTable = dict[str, list[Row]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A frame whose checksum matches.

    start, end   its bytes in the log
    first_seq    number of its first fact
    facts        number of facts
    unpacked     size of its rows in bytes
    """

    start: int
    end: int
    first_seq: int
    facts: int
    unpacked: int
    body: bytes

    @property
    def mark(self) -> bytes:
        """Which log it belongs to. Empty if its writer was version 0.1.0."""
        return next((data for magic, data in self._skippable() if magic == MARK), b"")

    def rows(self) -> RowsByTable:
        """Its rows by table, those of a table in their order. Raises `ValueError` if there are none."""
        return _unpacked(self.body, self.unpacked)

    def unchanged(self) -> RowsByTable:
        """The items of its reads that earlier answers had already. Raises `ValueError`."""
        for magic, data in self._skippable():
            if magic == UNCHANGED and len(data) >= UNPACKED.size:
                return _unpacked(data[UNPACKED.size :], *UNPACKED.unpack_from(data))
        return {}

    def _skippable(self) -> Iterator[tuple[int, bytes]]:
        """Yields the zstd frames that decompressors skip: magic number and data."""
        offset = 0
        while offset + SKIPPABLE.size <= len(self.body):
            magic, size = SKIPPABLE.unpack_from(self.body, offset)
            if magic not in (MARK, UNCHANGED):
                return
            offset += SKIPPABLE.size
            yield magic, self.body[offset : offset + size]
            offset += size


def mark_of(number: int, previous: str) -> bytes:
    """The mark that is in all frames of this log, and in no other log."""
    return hashlib.sha256(f"{number} {previous}".encode()).digest()[:MARK_BYTES]


def log_head(number: int, first_seq: int, previous: str) -> bytes:
    """The first bytes of a segment's log."""
    first = _frame(mark_of(number, previous), 0, first_seq, msgspec.msgpack.encode((number, previous)), b"")
    return MAGIC + acknowledgement(FIRST_FRAME + len(first)) + first


def acknowledgement(size: int) -> bytes:
    """The bytes after `MAGIC`: how much of a log is on the disk."""
    number = struct.pack("<Q", size)
    return number + struct.pack("<I", zlib.crc32(number))


def frame(
    mark: bytes,
    first_seq: int,
    facts: int,
    rows: Mapping[str, Sequence[Row]],
    unchanged: Mapping[str, Sequence[Row]],
) -> bytes:
    """The frame of some facts.

    unchanged   items of their reads that have no row, because the answer before had them

    Raises `OSError` if it would be larger than a frame may be.
    """
    body, packed = msgspec.msgpack.encode(rows), msgspec.msgpack.encode(unchanged)
    if len(body) > UNPACKED_LIMIT:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    skipped = b""
    if unchanged and len(packed) <= UNPACKED_LIMIT:
        skipped = UNPACKED.pack(len(packed)) + _zstd.compress(packed, asbytes=True)
    return _frame(mark, facts, first_seq, body, skipped)


def _frame(mark: bytes, facts: int, first_seq: int, unpacked: bytes, unchanged: bytes) -> bytes:
    parts = [SKIPPABLE.pack(MARK, len(mark)), mark]
    if unchanged:
        parts += [SKIPPABLE.pack(UNCHANGED, len(unchanged)), unchanged]
    body = b"".join([*parts, _zstd.compress(unpacked, asbytes=True)])
    start = START.pack(len(body), len(unpacked), facts, first_seq)
    return bytes(start + CHECKSUM.pack(zlib.crc32(body, zlib.crc32(start))) + body)


def _unpacked(data: bytes, size: int) -> RowsByTable:
    """Rows by table. Raises `ValueError`."""
    decoded = _rows.decode(decompressed(data, size))
    return {table: [_widened(table, tuple(row)) for row in rows] for table, rows in decoded.items()}


def _widened(table: str, row: Row) -> Row:
    """The row with NULL in the columns that its writer, an older version, did not have."""
    width, added = _added.get(table, (0, ()))
    return row + added if len(row) + len(added) == width else row


def decompressed(data: bytes, size: int) -> bytes:
    """The MessagePack of a body. Raises `ValueError` if it cannot be unpacked."""
    if size > UNPACKED_LIMIT:
        raise ValueError("claims to be larger than any frame")
    try:
        return bytes(_zstd.decompress(data, size, asbytes=True))
    except OSError as error:
        raise ValueError(f"holds a frame that does not unpack ({error})") from error
