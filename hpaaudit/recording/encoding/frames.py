"""Frames of a log: each stands by itself under a checksum, so that damage costs what it hit and no more."""

import errno
import hashlib
import os
import re
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import pyarrow as pa

from hpaaudit.recording.format.columns import Row

MAGIC = b"hpaaudit log 1\n\0"
ACKNOWLEDGED = struct.Struct("<QI")  # bytes of the log that are known to be on the disk, and the checksum of these 8
# Of a frame: bytes of its body, bytes of that unpacked, facts in it, number of the first.
START = struct.Struct("<IIIQ")
CHECKSUM = struct.Struct("<I")  # of the start and the body, which follows
BEGIN = len(MAGIC) + ACKNOWLEDGED.size
BODY = START.size + CHECKSUM.size

# A body is zstd, whose format has frames of its own that every decompressor passes over: magic number, then bytes.
# Ours hold what is only needed where something is damaged; readers of before know nothing of them.
SKIPPED = struct.Struct("<II")
MARK, UNCHANGED = 0x184D2A50, 0x184D2A51
MARK_BYTES = 8
UNPACKED = struct.Struct("<I")

UNPACKED_LIMIT = 1 << 28
"""No frame unpacks to more: most are made of about 1 MB, the others of one large answer."""
SEARCHED = 64
"""So many times its own size is read of a log in search of frames, at most: somebody may have filled it with traps."""

ZSTD = b"\x28\xb5\x2f\xfd"
_ANCHOR = re.compile(b"|".join(map(re.escape, (SKIPPED.pack(MARK, MARK_BYTES), ZSTD))))

_zstd = pa.Codec("zstd", compression_level=1)
_rows = msgspec.msgpack.Decoder(dict[str, list[list[int | bool | str | None]]])
_head = msgspec.msgpack.Decoder(tuple[int, str])

Rows = dict[str, list[Row]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A frame whose checksum holds.

    start, end   its bytes in the log
    first_seq    number of its first fact;  facts  how many;  unpacked  bytes of its rows
    mark         of which log it is, empty where its writer set none
    """

    start: int
    end: int
    first_seq: int
    facts: int
    unpacked: int
    body: bytes

    @property
    def mark(self) -> bytes:
        """Of which log it is."""
        return next((data for magic, data in self._skipped() if magic == MARK), b"")

    def rows(self) -> Rows:
        """Return its rows by table, those of a table in their order; raises `ValueError` where there are none."""
        return _unpacked(self.body, self.unpacked)

    def unchanged(self) -> Rows:
        """Return what its reads answered that was answered before already; raises `ValueError`."""
        for magic, data in self._skipped():
            if magic == UNCHANGED and len(data) >= UNPACKED.size:
                return _unpacked(data[UNPACKED.size :], *UNPACKED.unpack_from(data))
        return {}

    def _skipped(self) -> Iterator[tuple[int, bytes]]:
        """Yield what decompressors pass over at the begin of the body."""
        at = 0
        while at + SKIPPED.size <= len(self.body):
            magic, size = SKIPPED.unpack_from(self.body, at)
            if magic not in (MARK, UNCHANGED):
                return
            at += SKIPPED.size
            yield magic, self.body[at : at + size]
            at += size


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a log holds.

    number        of the segment that its facts will be, None where the first frame is damaged
    first_seq     number of its first fact
    previous      hash of the document before that segment
    frames        that are sound, in order of their facts, none twice
    whole         so many of them stand where they were written, with nothing missing before
    sound         bytes up to the end of these;  acknowledged  bytes that must be sound;  size  all
    head          the bytes before the first frame are what was written
    """

    number: int | None
    first_seq: int
    previous: str
    frames: tuple[Frame, ...]
    whole: int
    sound: int
    acknowledged: int
    size: int
    head: bool

    @property
    def facts(self) -> int:
        """How many facts can be read with nothing missing before."""
        return sum(frame.facts for frame in self.frames[: self.whole])

    @property
    def beyond(self) -> int:
        """How many facts can be read behind a damage."""
        return sum(frame.facts for frame in self.frames[self.whole :])

    @property
    def cut(self) -> bool:
        """Whether something is missing behind the last sound frame, or may be."""
        end = max([BEGIN, *(frame.end for frame in self.frames)])
        return end < self.acknowledged or (not self.head and end < self.size)

    @property
    def problem(self) -> str:
        """What is wrong with it, as a predicate; empty where all that was acknowledged is sound."""
        if self.number is None or not self.head:
            return "differs from what was written, in its head"
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
        """Yield the rows with nothing missing before; raises `ValueError` where they were written wrong."""
        for frame in self.frames[: self.whole]:
            yield from frame.rows().items()


def mark_of(number: int, previous: str) -> bytes:
    """Return what tells the frames of a log from those of every other one."""
    return hashlib.sha256(f"{number} {previous}".encode()).digest()[:MARK_BYTES]


def log_head(number: int, first_seq: int, previous: str) -> bytes:
    """Return how the log of a segment begins."""
    first = _frame(mark_of(number, previous), 0, first_seq, msgspec.msgpack.encode((number, previous)), b"")
    return MAGIC + acknowledgement(BEGIN + len(first)) + first


def acknowledgement(size: int) -> bytes:
    """Return the bytes that say how much of a log is on the disk; they stand behind `MAGIC`."""
    number = struct.pack("<Q", size)
    return number + struct.pack("<I", zlib.crc32(number))


def frame(
    mark: bytes,
    first_seq: int,
    facts: int,
    rows: Mapping[str, Sequence[Row]],
    unchanged: Mapping[str, Sequence[Row]],
) -> bytes:
    """Return the frame of some facts.

    unchanged   items of their reads that have no row, for the answer before had them: without that one they are known

    Raises `OSError` where it would be larger than a frame can be.
    """
    body, packed = msgspec.msgpack.encode(rows), msgspec.msgpack.encode(unchanged)
    if len(body) > UNPACKED_LIMIT:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    hidden = b""
    if unchanged and len(packed) <= UNPACKED_LIMIT:
        hidden = UNPACKED.pack(len(packed)) + _zstd.compress(packed, asbytes=True)
    return _frame(mark, facts, first_seq, body, hidden)


def _frame(mark: bytes, facts: int, first_seq: int, unpacked: bytes, hidden: bytes) -> bytes:
    parts = [SKIPPED.pack(MARK, len(mark)), mark]
    if hidden:
        parts += [SKIPPED.pack(UNCHANGED, len(hidden)), hidden]
    body = b"".join([*parts, _zstd.compress(unpacked, asbytes=True)])
    start = START.pack(len(body), len(unpacked), facts, first_seq)
    return bytes(start + CHECKSUM.pack(zlib.crc32(body, zlib.crc32(start))) + body)


def read_frames(data: bytes, known: tuple[int, str, int] | None = None) -> Found:
    """Return what a log holds.

    known   number, hash of the document before and number of the first fact, as the document before tells them

    Raises `ValueError`, a predicate, where nothing of it can be read.
    """
    found = list(_sound_frames(data))
    heads = [(frame, named) for frame in found if not frame.facts and (named := _head_of(frame))]
    if known:  # what begins as the log of something else may hold frames of this one
        theirs = [] if any(frame.mark == mark_of(*known[:2]) for frame in found) else heads
        heads = [one for one in heads if one[1] == known[:2]] or theirs
    first, named = heads[0] if heads else (None, None)
    if first and named:
        (number, previous), first_seq, mark = named, first.first_seq, first.mark
    elif known:
        number, previous, first_seq = None, known[1], known[2]
        mark = mark_of(known[0], previous) if any(frame.mark for frame in found) else b""
    elif found:
        number, previous, first_seq, mark = None, "", found[0].first_seq, found[0].mark
    else:
        raise ValueError("does not begin as a log")
    ours = [frame for frame in found if frame.facts and frame.mark == mark and frame.first_seq >= first_seq]
    whole, sound = _in_place(ours, first, first_seq)
    frames = tuple(_in_order(ours))
    acknowledged, is_head = _acknowledged(data)
    return Found(
        number=number,
        first_seq=first_seq,
        previous=previous,
        frames=frames,
        whole=whole,
        sound=sound,
        # Every frame was begun when all before it was on the disk.
        acknowledged=max([acknowledged, *(frame.start for frame in frames)]),
        size=len(data),
        head=is_head,
    )


def _acknowledged(data: bytes) -> tuple[int, bool]:
    """Return how many bytes are said to be on the disk, and whether what says so is what was written."""
    if len(data) < BEGIN or not data.startswith(MAGIC):
        return 0, False
    acknowledged, checksum = ACKNOWLEDGED.unpack_from(data, len(MAGIC))
    if checksum != zlib.crc32(data[len(MAGIC) : len(MAGIC) + 8]):
        return 0, False
    return acknowledged, True


def _head_of(first: Frame) -> tuple[int, str] | None:
    """Return what the first frame says: number of the segment, and hash of the document before; None where nothing."""
    try:
        return _head.decode(_decompressed(first.body, first.unpacked))
    except ValueError:
        return None


def _in_place(ours: Sequence[Frame], first: Frame | None, first_seq: int) -> tuple[int, int]:
    """Return how many frames stand where they were written with nothing missing before, and where they end."""
    whole, at, seq = 0, first.end if first and first.start == BEGIN else BEGIN, first_seq
    for frame in ours if at > BEGIN else ():
        if (frame.start, frame.first_seq) != (at, seq):
            break
        whole, at, seq = whole + 1, frame.end, seq + frame.facts
    return whole, at


def _in_order(ours: Sequence[Frame]) -> Iterator[Frame]:
    """Yield frames by their facts; one that was copied to a second place counts once."""
    seq = 0
    for frame in sorted(ours, key=lambda frame: (frame.first_seq, frame.start)):
        if frame.first_seq >= seq:
            yield frame
            seq = frame.first_seq + frame.facts


def _sound_frames(data: bytes) -> Iterator[Frame]:
    """Yield every frame whose checksum holds, wherever it stands, in the order of their places."""
    at, left = BEGIN, SEARCHED * len(data)
    while frame := _frame_at(data, at):
        yield frame
        at = frame.end
    if at == BEGIN:
        at = 0  # it may have moved
    for anchor in _ANCHOR.finditer(data, min(at + BODY, len(data))):
        start = anchor.start() - BODY
        if start < at:
            continue
        frame = _frame_at(data, start)
        if frame:
            yield frame
            at = frame.end
        else:
            left -= min(START.unpack_from(data, start)[0], len(data) - start)
            if left < 0:
                return


def _frame_at(data: bytes, start: int) -> Frame | None:
    """Return the frame that stands there, None where its checksum does not hold or it claims what none can."""
    begin = start + BODY
    if begin > len(data):
        return None
    length, unpacked, facts, first_seq = START.unpack_from(data, start)
    (checksum,) = CHECKSUM.unpack_from(data, start + START.size)
    end = begin + length
    if end > len(data) or unpacked > UNPACKED_LIMIT or facts > unpacked:
        return None
    body = data[begin:end]
    if zlib.crc32(body, zlib.crc32(data[start : start + START.size])) != checksum:
        return None
    return Frame(start=start, end=end, first_seq=first_seq, facts=facts, unpacked=unpacked, body=body)


def _unpacked(data: bytes, size: int) -> Rows:
    """Return rows by table; raises `ValueError`."""
    return {table: [tuple(row) for row in rows] for table, rows in _rows.decode(_decompressed(data, size)).items()}


def _decompressed(data: bytes, size: int) -> bytes:
    """Return the MessagePack in a body; raises `ValueError` where it is none."""
    if size > UNPACKED_LIMIT:
        raise ValueError("claims to be larger than any frame")
    try:
        return bytes(_zstd.decompress(data, size, asbytes=True))
    except OSError as error:
        raise ValueError(f"holds a frame that does not unpack ({error})") from error
