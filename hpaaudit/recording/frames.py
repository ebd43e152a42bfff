"""Frames of a log: rows under a checksum, so that it is known to the byte how far a log is what was written."""

import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import pyarrow as pa

from hpaaudit.recording.rows import Row

MAGIC = b"hpaaudit log 1\n\0"
ACKNOWLEDGED = struct.Struct("<QI")  # bytes of the log that are known to be on the disk, and the checksum of these 8
# Of a frame: bytes of its body, bytes of that unpacked, facts in it, number of the first.
START = struct.Struct("<IIIQ")
CHECKSUM = struct.Struct("<I")  # of the start and the body, which follows
BEGIN = len(MAGIC) + ACKNOWLEDGED.size

_zstd = pa.Codec("zstd", compression_level=1)
_rows = msgspec.msgpack.Decoder(dict[str, list[list[int | bool | str | None]]])
_head = msgspec.msgpack.Decoder(tuple[int, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a log holds.

    number        of the segment that its facts will be
    first_seq     number of its first fact;  facts   how many can be read
    previous      hash of the document before that segment
    frames        bodies of the sound frames
    sound         bytes up to the end of the last sound frame;  acknowledged   bytes that must be sound;  size   all
    """

    number: int
    first_seq: int
    facts: int
    previous: str
    frames: tuple[bytes, ...]
    sound: int
    acknowledged: int
    size: int

    @property
    def problem(self) -> str:
        """What is wrong with it, as a predicate; empty where all that was acknowledged is sound."""
        if self.sound >= self.acknowledged:
            return ""
        if self.size < self.acknowledged:
            return f"has {self.size} bytes, {self.acknowledged} were written"
        return f"differs from what was written, by a checksum after byte {self.sound}"

    @property
    def torn(self) -> int:
        """Bytes at its end that are no whole frame: what was being written when its writer died."""
        return 0 if self.problem else self.size - self.sound

    def rows(self) -> Iterator[tuple[str, list[Row]]]:
        """Yield rows, those of a table in their order; raises `ValueError` where they were written wrong."""
        for body in self.frames:
            for table, rows in _rows.decode(body).items():
                yield table, [tuple(row) for row in rows]


def head(number: int, first_seq: int, previous: str) -> bytes:
    """Return how the log of a segment begins."""
    first = _frame(0, first_seq, msgspec.msgpack.encode((number, previous)))
    return MAGIC + acknowledgement(BEGIN + len(first)) + first


def acknowledgement(size: int) -> bytes:
    """Return the bytes that say how much of a log is on the disk; they stand behind `MAGIC`."""
    number = struct.pack("<Q", size)
    return number + struct.pack("<I", zlib.crc32(number))


def frame(first_seq: int, facts: int, rows: Mapping[str, Sequence[Row]]) -> bytes:
    """Return the frame of some facts."""
    return _frame(facts, first_seq, msgspec.msgpack.encode(rows))


def _frame(facts: int, first_seq: int, unpacked: bytes) -> bytes:
    body = _zstd.compress(unpacked, asbytes=True)
    start = START.pack(len(body), len(unpacked), facts, first_seq)
    return bytes(start + CHECKSUM.pack(zlib.crc32(body, zlib.crc32(start))) + body)


def read(data: bytes) -> Found:
    """Return what a log holds, as far as it is sound.

    Raises `ValueError`, a predicate, where not even its head is what was written.
    """
    if len(data) < BEGIN or not data.startswith(MAGIC):
        raise ValueError("does not begin as a log")
    acknowledged, checksum = ACKNOWLEDGED.unpack_from(data, len(MAGIC))
    if checksum != zlib.crc32(data[len(MAGIC) : len(MAGIC) + 8]):
        raise ValueError("differs from what was written, in its head")
    frames = _sound(data)
    first = next(frames, None)
    if first is None:
        raise ValueError("differs from what was written, in its head")
    first_seq, _, body, sound = first
    number, previous = _head.decode(body)
    facts, bodies = 0, []
    for seq, count, body, end in frames:
        if seq != first_seq + facts:
            break
        facts, sound = facts + count, end
        bodies.append(body)
    return Found(
        number=number,
        first_seq=first_seq,
        facts=facts,
        previous=previous,
        frames=tuple(bodies),
        sound=sound,
        acknowledged=acknowledged,
        size=len(data),
    )


def _sound(data: bytes) -> Iterator[tuple[int, int, bytes, int]]:
    """Yield number of the first fact, facts, body and end of each frame, up to the first that is not sound."""
    at = BEGIN
    while (begin := at + START.size + CHECKSUM.size) <= len(data):
        length, unpacked, facts, first_seq = START.unpack_from(data, at)
        (checksum,) = CHECKSUM.unpack_from(data, at + START.size)
        end = begin + length
        body = data[begin:end]
        if end > len(data) or zlib.crc32(body, zlib.crc32(data[at : at + START.size])) != checksum:
            return
        yield first_seq, facts, _zstd.decompress(body, unpacked, asbytes=True), end
        at = end
