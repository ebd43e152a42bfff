"""Keeps what a recorder sees: in a log at once, in segments later, and in memory while the disk refuses."""

import errno
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from hpaaudit.errors import RecordingError
from hpaaudit.model.facts import Fact, Gap
from hpaaudit.model.note import Event, Level, Note
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording import manifest, room
from hpaaudit.recording.frugal import be_frugal
from hpaaudit.recording.grow import Growing
from hpaaudit.recording.lock import Lock
from hpaaudit.recording.log import Log
from hpaaudit.recording.manifest import Segment
from hpaaudit.recording.pending import Pending
from hpaaudit.recording.recover import Recovered, recover
from hpaaudit.recording.retire import expired, retire, sealed_segments
from hpaaudit.recording.sieve import EVERYTHING, Sieve

if TYPE_CHECKING:
    from hpaaudit.recording.rows import Row

SOURCE = "record"
SYNC_US, SEGMENT_US = Micros(5 * SECOND), Micros(3600 * SECOND)
FULL = (errno.ENOSPC, errno.EDQUOT)
LONGEST_WAIT_US = 60 * SECOND
SEGMENT_BYTES = 24 << 20
"""A third of an hour of 300 HPAs. Sealing takes as much again and more: with 64 MB a recorder of 50,000 pods would take
300 MB, and not 240."""
UNLOGGED_SYNCS = 4
"""So many times what is logged at once may wait for a log that refuses; then only a segment can take it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much is kept where.

    sync_us, sync_bytes        what may be lost with the process: so much time, or so many bytes
    segment_us, segment_bytes  what a segment holds at most; bytes are of memory
    ballast_bytes              that are thrown off first where the disk is full
    keep_us, keep_bytes        what is older, or more of all segments, is removed; None: nothing
    """

    sync_us: Micros = SYNC_US
    sync_bytes: int = 1 << 20
    segment_us: Micros = SEGMENT_US
    segment_bytes: int = SEGMENT_BYTES
    ballast_bytes: int = 16 << 20
    keep_us: Micros | None = None
    keep_bytes: int | None = None


USUAL = Limits()


class Keeper:
    """A recording that grows for long: begun anew, or gone on with where the folder holds one of the same cluster.

    acknowledged   facts that are on the disk, from the recording's first on
    bytes          that the recording takes there
    known          how everything stood that is told only when it changes, where the recording goes on
    note           is told what the disk refuses, once, and that it takes everything again

    Only beginning and closing raise: `FileExists` where the folder holds something else, `RecordingError` where the
    recording cannot go on, or its end cannot be written. Whatever the disk refuses meanwhile waits in memory, and
    what memory cannot hold is let go and written down as gaps.
    """

    def __init__(
        self,
        folder: Path,
        *,
        cluster: str,
        now_us: Micros,
        note: Callable[[str], None],
        limits: Limits = USUAL,
    ) -> None:
        self.folder, self.limits, self.note = folder, limits, note
        self._closed = False
        be_frugal()
        self._lock: Lock | None = None
        found = self._find(cluster, now_us)
        self.known: tuple[Fact, ...] = found.known if found else ()
        self._begin_segment()
        self._log: Log | None = None
        self.acknowledged = self._files.facts
        self._sieve = Sieve()
        self._refused_us: Micros | None = None
        self._wait_us, self._next_us = limits.sync_us, now_us
        self._refusal = ""
        self._unremoved = False
        self._synced_us = self._sealed_us = now_us
        room.take_ballast(folder, limits.ballast_bytes)
        self._sealed_bytes = room.size(self.folder / manifest.SEGMENTS)
        if found:
            until_us = max(found.last_us, now_us)
            self.add(Gap(at_us=found.last_us, until_us=until_us, prefix=EVERYTHING, cause=found.cause))
            line = f"going on in {folder}: {found.cause}"
            note(Note(line, Event.RESUMED, facts=self._files.facts, set_aside=len(found.aside)))

    def _find(self, cluster: str, now_us: Micros) -> Recovered | None:
        """Begin a recording, or take one up."""
        if not (self.folder / manifest.RECORDING).exists():
            self._files = Growing(self.folder, source=SOURCE, cluster=cluster, started_us=now_us)
            self._lock = Lock(self.folder)
            return None
        self._lock = Lock(self.folder)
        try:
            found = self._recover(cluster)
        except BaseException:
            self._lock.release()
            raise
        self._files = found.files
        return found

    def _recover(self, cluster: str) -> Recovered:
        """Take a recording up; where the disk is full, in the room of the ballast that its last recorder left."""
        try:
            return recover(self.folder, source=SOURCE, cluster=cluster)
        except RecordingError as error:
            problem = error.__cause__
            if isinstance(problem, OSError) and problem.errno in FULL and room.drop_ballast(self.folder):
                return recover(self.folder, source=SOURCE, cluster=cluster)
            raise

    @property
    def bytes(self) -> int:
        """What the recording takes on the disk, without the ballast."""
        return self._sealed_bytes + (self._log.size if self._log else 0)

    @property
    def log_bytes(self) -> int:
        """What the log takes of the segment that is not yet whole."""
        return self._log.size if self._log else 0

    @property
    def segments(self) -> int:
        """Whole segments of the recording."""
        return self._files.segments

    @property
    def unwritten(self) -> int:
        """Facts that wait in memory because the disk refused them."""
        return 0 if self._refused_us is None else self._files.facts + self._pending.facts - self.acknowledged

    def _begin_segment(self) -> None:
        self._pending = Pending(self._files.facts)
        self._behind = False
        self._empty_unlogged()

    def _empty_unlogged(self) -> None:
        self._unlogged: dict[str, list[Row]] = {}
        self._unlogged_facts = self._unlogged_bytes = 0

    def add(self, fact: Fact) -> None:
        """Take the next fact; much at once is logged, and sealed, at once."""
        if self._closed:
            raise RecordingError(f"{self.folder} is closed: nothing can be added to it.")
        if self._refused_us is not None and not self._sieve.keeps(fact, self._fullness):
            return
        rows = self._pending.add(fact)
        if not self._behind:
            for table, row in rows:
                self._unlogged.setdefault(table, []).append(row)
                self._unlogged_bytes += sum(len(value) if isinstance(value, str) else 8 for value in row)
            self._unlogged_facts += 1
        if self._refused_us is not None:
            self._fall_behind()
        elif self._fullness >= 1:
            self.seal(fact.at_us)
        elif self._unlogged_bytes >= self.limits.sync_bytes:
            self.flush(fact.at_us)

    @property
    def _fullness(self) -> float:
        return self._pending.bytes / self.limits.segment_bytes

    def _fall_behind(self) -> None:
        """Give up the log where too much waits for it: then it is told by the segment alone."""
        if self._unlogged_bytes >= UNLOGGED_SYNCS * self.limits.sync_bytes:
            self._behind = True
            self._empty_unlogged()

    def tick(self, now_us: Micros) -> None:
        """Do what is due; to be called about every second."""
        if self._refused_us is not None:
            if now_us >= self._next_us:
                self._retry(now_us)
        elif now_us - self._sealed_us >= self.limits.segment_us:
            self.seal(now_us)
        elif now_us - self._synced_us >= self.limits.sync_us:
            self.flush(now_us)

    def flush(self, now_us: Micros) -> bool:
        """Log what was added; whether the disk took it, and everything before it."""
        self._synced_us = now_us
        if self._behind or (self._log and self._log.broken):
            return self.seal(now_us)
        if not self._unlogged_facts:
            return True
        return self._write(now_us, self._append)

    def _append(self) -> None:
        files, first_seq = self._files, self.acknowledged
        if self._log is None:
            self._log = Log(self.folder, files.segments + 1, self._pending.first_seq, files.previous)
        self._log.append(first_seq, self._unlogged_facts, self._unlogged)
        self.acknowledged = first_seq + self._unlogged_facts
        self._empty_unlogged()

    def seal(self, now_us: Micros) -> bool:
        """Make a segment of what was added since the last one; whether the disk took it."""
        self._sealed_us = self._synced_us = now_us
        done = not self._pending.facts or self._write(now_us, self._add_segment)
        if done:
            self._retain(now_us)
        return done

    def _add_segment(self) -> None:
        self._files.add(self._pending.tables())
        self._begin_segment()
        self.acknowledged = self._files.facts
        log, self._log = self._log, None
        self._sealed_bytes += room.size(self.folder / manifest.segment_name(self._files.segments))
        if log:
            with suppress(OSError):  # it stays, and is known by its number to be of the past
                log.remove()

    def _write(self, now_us: Micros, write: Callable[[], None]) -> bool:
        """Do something on the disk, and once more where it was full and room could be made."""
        while True:
            try:
                write()
            except (OSError, RecordingError) as error:
                problem = error if isinstance(error, OSError) else error.__cause__
                if not isinstance(problem, OSError):
                    raise
                if problem.errno in FULL and self._make_room():
                    continue
                self._refused(problem, now_us)
                return False
            self._taken(now_us)
            return True

    def _retain(self, now_us: Micros) -> None:
        """Remove what is too old or too much; where the disk is nearly full, also what is safe somewhere else."""
        keep_us, keep_bytes = self.limits.keep_us, self.limits.keep_bytes
        if keep_us is not None or keep_bytes is not None:
            segments = sealed_segments(self.folder)
            self._retire(segments, *expired(segments, now_us, keep_us, keep_bytes))
        if room.is_low(self.folder):
            self._retire_uploaded()

    def _retire_uploaded(self) -> bool:
        """Remove the oldest segment of those that are safe somewhere else; whether there was one."""
        segments, number = sealed_segments(self.folder), room.uploaded(self.folder)
        oldest = next((segment.number for segment in segments if not segment.removed), 0)
        return 0 < oldest <= number and self._retire(segments, oldest, "removed to make room: it was uploaded")

    def _retire(self, segments: Sequence[Segment], through: int, cause: str) -> bool:
        try:
            removed = retire(self.folder, segments, through, cause)
        except OSError as error:
            if not self._unremoved:
                line = f"{self.folder}: cannot remove old segments: {error.strerror}"
                self.note(Note(line, Event.RETENTION_FAILED))
            self._unremoved = True
            return False
        if removed:
            self._sealed_bytes = room.size(self.folder / manifest.SEGMENTS)
        return removed

    def _make_room(self) -> bool:
        """Throw the ballast off; in the room that this makes, remove what is safe somewhere else."""
        if not room.drop_ballast(self.folder):
            return self._retire_uploaded()
        while room.is_low(self.folder) and self._retire_uploaded():
            pass
        return True

    def _refused(self, problem: OSError, now_us: Micros) -> None:
        """Wait, longer every time."""
        if self._refused_us is None:
            self._refused_us, self._wait_us = now_us, self.limits.sync_us
            self._refusal = problem.strerror or str(problem)
            line = f"{self.folder}: {self._refusal}; what is seen waits in memory until the disk takes it"
            self.note(Note(line, Event.DISK_REFUSED, Level.ERROR))
        self._next_us = Micros(now_us + self._wait_us)
        self._wait_us = Micros(min(2 * self._wait_us, LONGEST_WAIT_US))
        self._fall_behind()

    def _retry(self, now_us: Micros) -> None:
        if self._fullness >= 1:
            self.seal(now_us)
        else:
            self.flush(now_us)

    def _taken(self, now_us: Micros) -> None:
        """The disk takes everything again: what was let go meanwhile is written down."""
        if self._refused_us is None:
            return
        self._refused_us = None
        room.take_ballast(self.folder, self.limits.ballast_bytes)
        gaps = self._sieve.reopen(now_us, f"nothing could be written ({self._refusal}) and memory was full")
        line = f"{self.folder}: the disk takes everything again" + ("; what was let go is a gap" if gaps else "")
        self.note(Note(line, Event.DISK_RECOVERED, gaps=len(gaps)))
        for fact in gaps:
            self.add(fact)

    def close(self) -> None:
        """Seal, and mark the recording as complete; closing twice is closing once.

        Raises `RecordingError` where the disk refuses: then what is acknowledged is on the disk, and no more.
        """
        if self._closed:
            return
        try:
            # What was let go is told once there is room: so there may be more after the first time.
            if not (self.seal(self._sealed_us) and self.seal(self._sealed_us)):
                lost = self._files.facts + self._pending.facts - self.acknowledged
                raise RecordingError(f"{self.folder}: {self._refusal}; {lost} facts could not be written.")
            self._files.close()
            room.drop_ballast(self.folder)
        finally:
            self._let_go()

    def _let_go(self) -> None:
        self._closed = True
        if self._log:
            self._log.close()
        if self._lock:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None:
            self.close()
        elif not self._closed:
            self.seal(self._sealed_us)
            self._let_go()
