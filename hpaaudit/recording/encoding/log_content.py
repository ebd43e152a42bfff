"""Finds the frames in the bytes of a log, also those after damaged bytes."""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from hpaaudit.model.counted import counted
from hpaaudit.recording.encoding.frames import (
    ACKNOWLEDGED,
    BODY,
    CHECKSUM,
    FIRST_FRAME,
    MAGIC,
    MARK,
    MARK_BYTES,
    SKIPPABLE,
    START,
    UNPACKED_LIMIT,
    Frame,
    decompressed,
    mark_of,
)
from hpaaudit.recording.format.column_types import Row

SEARCH_BYTES = 64
"""The search for frames behind damage reads at most this many times the size of the log: somebody may have filled it
with bytes that look like frames."""

ZSTD = b"\x28\xb5\x2f\xfd"
_BODY_BEGINS = re.compile(b"|".join(map(re.escape, (SKIPPABLE.pack(MARK, MARK_BYTES), ZSTD))))
_head = msgspec.msgpack.Decoder(tuple[int, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class LogContent:
    """What a log holds.

    number         number of its segment, None if the first frame is damaged
    first_seq      number of its first fact
    previous       hash of the document before its segment
    frames         the sound frames in the order of their facts, none twice
    whole          so many of them are where they were written, with nothing missing before
    sound          number of bytes up to the end of these frames
    acknowledged   number of bytes that must be sound
    size           number of all bytes
    head_is_sound  the bytes before the first frame are those that were written
    """

    number: int | None
    first_seq: int
    previous: str
    frames: tuple[Frame, ...]
    whole: int
    sound: int
    acknowledged: int
    size: int
    head_is_sound: bool

    @property
    def facts(self) -> int:
        """The number of facts before any damage."""
        return sum(frame.facts for frame in self.frames[: self.whole])

    @property
    def facts_after_damage(self) -> int:
        """The number of facts that can be read behind damage."""
        return sum(frame.facts for frame in self.frames[self.whole :])

    @property
    def end_is_missing(self) -> bool:
        """True if something is missing after the last sound frame, or may be."""
        end = max([FIRST_FRAME, *(frame.end for frame in self.frames)])
        return end < self.acknowledged or (not self.head_is_sound and end < self.size)

    @property
    def problem(self) -> str:
        """What is wrong with the log, as a predicate. Empty if all acknowledged bytes are sound."""
        if self.number is None or not self.head_is_sound:
            return "differs from what was written, in its head"
        if self.sound >= self.acknowledged:
            return ""
        if self.size < self.acknowledged:
            return f"has {counted(self.size, 'byte')} of {self.acknowledged} that were written"
        return f"differs from what was written, by a checksum after byte {self.sound}"

    @property
    def torn(self) -> int:
        """The number of bytes at the end that are no whole frame: its writer died while it wrote them."""
        return 0 if self.problem else self.size - self.sound

    def rows(self) -> Iterator[tuple[str, list[Row]]]:
        """Yields the rows before any damage. Raises `ValueError` if their writer made them wrong."""
        for frame in self.frames[: self.whole]:
            yield from frame.rows().items()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    """What says which log this is. `frame` and `number` are None if the first frame is damaged."""

    frame: Frame | None
    number: int | None
    previous: str
    first_seq: int
    mark: bytes


def read_frames(data: bytes, expected: tuple[int, str, int] | None = None) -> LogContent:
    """What a log holds.

    expected   number of its segment, hash of the document before, and number of its first fact, as that document says

    Raises `ValueError`, a predicate, if nothing of it can be read.
    """
    sound_frames = list(_sound_frames(data))
    head = _find_head(sound_frames, expected)
    fact_frames = (frame for frame in sound_frames if frame.facts)
    own_frames = [frame for frame in fact_frames if frame.mark == head.mark and frame.first_seq >= head.first_seq]
    whole, sound = _frames_in_place(own_frames, head)
    frames = tuple(_in_order(own_frames))
    acknowledged, head_is_sound = _acknowledged(data)
    return LogContent(
        number=head.number,
        first_seq=head.first_seq,
        previous=head.previous,
        frames=frames,
        whole=whole,
        sound=sound,
        # A frame is only begun when all before it is on the disk.
        acknowledged=max([acknowledged, *(frame.start for frame in frames)]),
        size=len(data),
        head_is_sound=head_is_sound,
    )


def _find_head(frames: Sequence[Frame], expected: tuple[int, str, int] | None) -> _Head:
    """Which log this is: as its first frame says, or as the document before says. Raises `ValueError`."""
    heads = [(frame, named) for frame in frames if not frame.facts and (named := _read_head(frame))]
    if expected:  # a log with the head of another one may hold frames of the expected one
        others = [] if any(frame.mark == mark_of(*expected[:2]) for frame in frames) else heads
        heads = [head for head in heads if head[1] == expected[:2]] or others
    if heads:
        frame, (number, previous) = heads[0]
        return _Head(frame=frame, number=number, previous=previous, first_seq=frame.first_seq, mark=frame.mark)
    if expected:
        number, previous, first_seq = expected
        mark = mark_of(number, previous) if any(frame.mark for frame in frames) else b""
        return _Head(frame=None, number=None, previous=previous, first_seq=first_seq, mark=mark)
    if frames:
        return _Head(frame=None, number=None, previous="", first_seq=frames[0].first_seq, mark=frames[0].mark)
    raise ValueError("does not begin like a log")


def _read_head(frame: Frame) -> tuple[int, str] | None:
    """The number of the segment and the hash of the document before. None if the frame does not say them."""
    try:
        return _head.decode(decompressed(frame.body, frame.unpacked))
    except ValueError:
        return None


def _acknowledged(data: bytes) -> tuple[int, bool]:
    """How many bytes are acknowledged, and whether the number is the one that was written."""
    if len(data) < FIRST_FRAME or not data.startswith(MAGIC):
        return 0, False
    acknowledged, checksum = ACKNOWLEDGED.unpack_from(data, len(MAGIC))
    if checksum != zlib.crc32(data[len(MAGIC) : len(MAGIC) + 8]):
        return 0, False
    return acknowledged, True


def _frames_in_place(frames: Sequence[Frame], head: _Head) -> tuple[int, int]:
    """How many frames are where they were written with nothing missing before, and where they end."""
    first = head.frame
    count, end, seq = 0, first.end if first and first.start == FIRST_FRAME else FIRST_FRAME, head.first_seq
    for frame in frames if end > FIRST_FRAME else ():
        if (frame.start, frame.first_seq) != (end, seq):
            break
        count, end, seq = count + 1, frame.end, seq + frame.facts
    return count, end


def _in_order(frames: Sequence[Frame]) -> Iterator[Frame]:
    """Yields frames in the order of their facts. A frame that was copied to a second place counts once."""
    seq = 0
    for frame in sorted(frames, key=lambda frame: (frame.first_seq, frame.start)):
        if frame.first_seq >= seq:
            yield frame
            seq = frame.first_seq + frame.facts


def _sound_frames(data: bytes) -> Iterator[Frame]:
    """Yields every frame whose checksum matches, wherever it is, in the order of the bytes."""
    offset, budget = FIRST_FRAME, SEARCH_BYTES * len(data)
    while frame := _frame_at(data, offset):
        yield frame
        offset = frame.end
    if offset == FIRST_FRAME:
        offset = 0  # the first frame may have moved
    for body in _BODY_BEGINS.finditer(data, min(offset + BODY, len(data))):
        start = body.start() - BODY
        if start < offset:
            continue
        frame = _frame_at(data, start)
        if frame:
            yield frame
            offset = frame.end
        else:
            budget -= min(START.unpack_from(data, start)[0], len(data) - start)
            if budget < 0:
                return


def _frame_at(data: bytes, start: int) -> Frame | None:
    """The frame that begins at `start`. None if its checksum does not match, or it claims impossible sizes."""
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
