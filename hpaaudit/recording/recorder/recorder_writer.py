"""Keeps what a recorder sees: in a log at once, in segments later, and in memory while the disk refuses."""

import errno
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from hpaaudit.errors import RecordingError
from hpaaudit.model.facts import Fact, Gap, Refused
from hpaaudit.model.note import Event, Level, Note
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording.files import layout
from hpaaudit.recording.files.lock import Lock
from hpaaudit.recording.format.schema import ALL_PATHS
from hpaaudit.recording.recorder import disk_space
from hpaaudit.recording.recorder.arrow_memory import limit_arrow_memory
from hpaaudit.recording.recorder.load_shedding import LoadShedder
from hpaaudit.recording.recorder.recover import RecoveredRecording, recover
from hpaaudit.recording.recorder.space_manager import SpaceManager
from hpaaudit.recording.recorder.writer_limits import USUAL, Limits
from hpaaudit.recording.writing.pending import PendingFacts, UnloggedRows
from hpaaudit.recording.writing.recording_folder import RecordingFolder
from hpaaudit.recording.writing.write_ahead_log import Log

SOURCE = "record"
FULL = (errno.ENOSPC, errno.EDQUOT)
MOST_TOLD = 100
"""So many kinds of values that cannot be kept are told of, then no more: the rows go on."""
LONGEST_WAIT_US = 60 * SECOND
UNLOGGED_SYNCS = 4
"""So many times what is logged at once may wait for a log that refuses; then only a segment can take it."""


class RecorderWriter:
    """A recording that grows for long: begun anew, or gone on with where the folder holds one of the same cluster.

    acknowledged   facts that are on the disk, from the recording's first on
    last_us        the latest instant of what was recorded before, where the recording goes on, else the present
    known          how everything stood that is told only when it changes, where the recording goes on
    note           is told what the disk refuses, once, and that it takes everything again
    executor       does what takes long, one thing at a time; None: a thread of its own

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
        executor: Executor | None = None,
    ) -> None:
        self.folder, self.limits, self.note = folder, limits, note
        limit_arrow_memory()
        found = self._find(cluster, now_us)
        self.known: tuple[Fact, ...] = found.known if found else ()
        self.last_us = max(found.last_us, now_us) if found else now_us
        self.acknowledged = self._files.facts
        self._gaps = 0
        self._closed = False
        self._log: Log | None = None
        self._sieve = LoadShedder()
        self._told: set[str] = set()
        self._refused_us: Micros | None = None
        self._wait_us, self._next_us, self._refusal = limits.sync_us, now_us, ""
        self._synced_us = self._sealed_us = now_us
        if not self._lock.sure:
            note(Note(f"{folder} cannot be locked there: see that nobody else records into it", Event.UNLOCKED))
        self._upkeep = SpaceManager(folder, limits, note)
        self._executor = executor or ThreadPoolExecutor(1, "segments")
        self._job: Future[None] | None = None
        self._old: PendingFacts | None = None
        self._since: list[Fact] = []
        self._flying = UnloggedRows()
        self._begin_segment(self._files.facts)
        if found:
            for gap in found.gaps:
                self.add(gap)
            self._write_down(Gap(at_us=found.last_us, until_us=self.last_us, prefix=ALL_PATHS, cause=found.cause))
            line = f"going on in {folder}: {found.cause}"
            note(Note(line, Event.RESUMED, facts=self._files.facts, set_aside=len(found.aside)))

    def _find(self, cluster: str, now_us: Micros) -> RecoveredRecording | None:
        """Begin a recording, or take one up."""
        self._lock = Lock(self.folder)
        try:
            if not (self.folder / layout.RECORDING).exists():
                self._files = RecordingFolder(self.folder, source=SOURCE, cluster=cluster, started_us=now_us)
                return None
            found = self._recover(cluster)
        except BaseException:
            self._lock.release()
            raise
        self._files = found.files
        return found

    def _recover(self, cluster: str) -> RecoveredRecording:
        """Take a recording up; where the disk is full, in the room of the ballast that its last recorder left."""
        try:
            return recover(self.folder, source=SOURCE, cluster=cluster)
        except RecordingError as error:
            if _of_the_disk(error).errno in FULL and disk_space.release_ballast(self.folder):
                return recover(self.folder, source=SOURCE, cluster=cluster)
            raise

    @property
    def gaps(self) -> int:
        """Gaps that only the keeper knows of: before it began, and of what it let go or removed."""
        return self._gaps + self._upkeep.gaps

    @property
    def bytes(self) -> int:
        """What the recording takes on the disk, without the ballast."""
        return self._upkeep.bytes + self.log_bytes

    @property
    def log_bytes(self) -> int:
        """What the log takes of the segment that is not yet whole."""
        log = self._log
        return log.size if log else 0

    @property
    def segments(self) -> int:
        """Whole segments of the recording."""
        return self._files.segments

    @property
    def unwritten(self) -> int:
        """Facts that wait in memory because the disk refused them."""
        return 0 if self._refused_us is None else self._pending.first_seq + self._pending.facts - self.acknowledged

    def _begin_segment(self, first_seq: int) -> None:
        self._pending = PendingFacts(first_seq)
        self._unlogged = UnloggedRows()
        self._behind = False

    # What comes in

    def add(self, fact: Fact) -> None:
        """Take the next fact; much at once is logged, and sealed, at once."""
        if self._closed:
            raise RecordingError(f"{self.folder} is closed: nothing can be added to it.")
        if self._refused_us is not None and not self._sieve.keeps(fact, self._fullness):
            return
        self._take(fact)
        if self._job:
            self._since.append(fact)
            self._look(fact.at_us, wait=self._fullness >= 1)
        elif self._refused_us is not None:
            self._fall_behind()
        elif self._fullness >= 1:
            self._seal_aside(fact.at_us)
        elif self._unlogged.bytes >= self.limits.sync_bytes:
            self._log_aside(fact.at_us)

    def _write_down(self, gap: Fact) -> None:
        """Add a gap, or what stands after one, that only the keeper knows of."""
        self._gaps += isinstance(gap, Gap)
        self.add(gap)

    def _take(self, fact: Fact) -> None:
        rows = self._pending.add(fact)
        if not self._behind:
            self._unlogged.add(rows)
        while self._pending.refused:
            self._tell_refused(self._pending.refused.pop())

    def _tell_refused(self, made: Refused) -> None:
        """Tell of each kind of value that cannot be kept once; each has a row."""
        if made.reason not in self._told and len(self._told) < MOST_TOLD:
            self._told.add(made.reason)
            whose = "/".join(word for word in (made.namespace, made.name) if word) or made.path
            line = f"what was seen of {whose} cannot be kept, all else is: {made.reason}"
            self.note(Note(line, Event.OBJECT_REFUSED, path=made.path, reason=made.reason))

    @property
    def _fullness(self) -> float:
        return self._pending.bytes / self.limits.segment_bytes

    def _fall_behind(self) -> None:
        """Give up the log where too much waits for it: then it is told by the segment alone."""
        if self._unlogged.bytes >= UNLOGGED_SYNCS * self.limits.sync_bytes:
            self._behind, self._unlogged = True, UnloggedRows()

    # What goes out

    def tick(self, now_us: Micros) -> None:
        """Do what is due, as far as it takes long in the background; to be called about every second."""
        self._look(now_us)
        if self._job:
            return
        if self._refused_us is not None:
            if now_us >= self._next_us:
                self._retry(now_us)
        elif now_us - self._sealed_us >= self.limits.segment_us:
            self._seal_aside(now_us)
        elif now_us - self._synced_us >= self.limits.sync_us:
            self._log_aside(now_us)

    def flush(self, now_us: Micros) -> bool:
        """Log what was added; whether the disk took it, and everything before it."""
        self._look(now_us, wait=True)
        self._synced_us = now_us
        if not self._may_log():
            return self.seal(now_us)
        return not self._unlogged.facts or self._write(now_us, self._log_all)

    def seal(self, now_us: Micros) -> bool:
        """Make a segment of what was added since the last one; whether the disk took it."""
        self._look(now_us, wait=True)
        self._sealed_us = self._synced_us = now_us
        return not self._pending.facts or self._write(now_us, lambda: self._seal_all(now_us))

    def _may_log(self) -> bool:
        return not (self._behind or (self._log and self._log.broken))

    def _log_all(self) -> None:
        self._append(self._unlogged)
        self._unlogged = UnloggedRows()

    def _append(self, unlogged: UnloggedRows) -> None:
        self._lock.require()
        files, first_seq = self._files, self.acknowledged
        if self._log is None:
            self._log = Log(self.folder, files.segments + 1, files.facts, files.previous)
        self._log.append(first_seq, unlogged.facts, unlogged.rows, unlogged.unchanged)
        self.acknowledged = first_seq + unlogged.facts

    def _seal_all(self, now_us: Micros) -> None:
        self._add_segment(self._pending, now_us)
        self._begin_segment(self._files.facts)
        self._sealed()

    def _add_segment(self, pending: PendingFacts, now_us: Micros) -> None:
        self._lock.require()
        self._files.add(pending.tables())
        self._upkeep.sealed(self._files.segments, now_us)

    def _sealed(self) -> None:
        """Say which segment is whole: its hash leads to every byte before it, and proves them where it is kept."""
        files = self._files
        line = f"segment {files.segments} of {self.folder} is whole, its hash is {files.previous}"
        note = Note(
            line,
            Event.SEGMENT_SEALED,
            Level.INFO,
            segment=files.segments,
            facts=files.facts,
            sha256=files.previous,
        )
        self.note(note)
        self._let_log_go()

    def _let_log_go(self) -> None:
        """Its facts are in a segment now."""
        self.acknowledged = self._files.facts
        log, self._log = self._log, None
        if log:
            with suppress(OSError):  # it stays, and is known by its number to be of the past
                log.remove()

    # In the background, for a disk may take seconds, and so does a large segment

    def _log_aside(self, now_us: Micros) -> None:
        """Log what was added; what comes meanwhile waits for the next time."""
        self._synced_us = now_us
        if not self._may_log():
            self._seal_aside(now_us)
        elif self._unlogged.facts:
            self._flying, self._unlogged, self._old, self._since = self._unlogged, UnloggedRows(), None, []
            self._job = self._executor.submit(self._append, self._flying)

    def _seal_aside(self, now_us: Micros) -> None:
        """Make a segment; what comes meanwhile is of the next one, and of its log."""
        self._sealed_us = self._synced_us = now_us
        if not self._pending.facts:
            return
        may_log = self._may_log()
        self._flying, self._old, self._since = self._unlogged, self._pending, []
        self._begin_segment(self._old.first_seq + self._old.facts)
        self._job = self._executor.submit(self._log_and_seal, self._old, self._flying if may_log else None, now_us)

    def _log_and_seal(self, old: PendingFacts, unlogged: UnloggedRows | None, now_us: Micros) -> None:
        if unlogged and unlogged.facts:
            with suppress(OSError):  # the segment tells it too
                self._append(unlogged)
        self._add_segment(old, now_us)

    def _look(self, now_us: Micros, *, wait: bool = False) -> None:
        """Go on where something was done in the background; `wait` until it is."""
        if not self._job or not (wait or self._job.done()):
            return
        error, self._job = self._job.exception(), None
        if error:
            self._undo()
            problem = _of_the_disk(error)
            if problem.errno not in FULL or not self._upkeep.make_room():
                self._refused(problem, now_us)
        elif self._old:
            self._sealed()

    def _undo(self) -> None:
        """Be as if what failed had not been begun."""
        if not self._old:
            self._flying.extend(self._unlogged)
            self._unlogged = self._flying
            return
        logged = self.acknowledged == self._old.first_seq + self._old.facts
        self._pending, self._unlogged = self._old, UnloggedRows() if logged else self._flying
        self._behind = not logged and self._flying.facts < self._old.first_seq + self._old.facts - self.acknowledged
        for fact in self._since:
            self._take(fact)

    # What the disk refuses

    def _write(self, now_us: Micros, write: Callable[[], None]) -> bool:
        """Do something on the disk, and once more where it was full and room could be made."""
        while True:
            try:
                write()
            except (OSError, RecordingError) as error:
                problem = _of_the_disk(error)
                if problem.errno in FULL and self._upkeep.make_room():
                    continue
                self._refused(problem, now_us)
                return False
            self._taken(now_us)
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
        self._upkeep.take_ballast()
        gaps = self._sieve.reopen(now_us, f"nothing could be written ({self._refusal}) and memory was full")
        line = f"{self.folder}: the disk takes everything again" + ("; what was let go is a gap" if gaps else "")
        self.note(Note(line, Event.DISK_RECOVERED, gaps=len(gaps)))
        for fact in gaps:
            self._write_down(fact)
        if gaps:  # at once: what follows them on the disk would look as if nothing had been let go
            self.flush(now_us)

    # The end

    def close(self) -> None:
        """Seal, and mark the recording as complete; closing twice is closing once.

        Raises `RecordingError` where the disk refuses: then what is acknowledged is on the disk, and no more.
        """
        if self._closed:
            return
        try:
            # What was let go is told once there is room: so there may be more after the first time.
            if not (self.seal(self._sealed_us) and self.seal(self._sealed_us)):
                raise RecordingError(f"{self.folder}: {self._refusal}; {self._left_out()} could not be written.")
            self._lock.require()
            self._files.close()
            disk_space.release_ballast(self.folder)
            self._ended()
        except OSError as error:
            raise RecordingError(f"cannot end the recording in {self.folder}: {error.strerror}.") from error
        finally:
            self._let_go()

    def _left_out(self) -> str:
        """Say what is lost with the process."""
        gone = sum(self._sieve.counts.values())
        return f"{self.unwritten} facts" + (f", and {gone} that memory could not hold," if gone else "")

    def _ended(self) -> None:
        """Say the last hash, which leads to every byte of the recording."""
        files = self._files
        line = f"{self.folder} is complete, its hash is {files.previous}"
        note = Note(
            line,
            Event.RECORDING_SEALED,
            Level.INFO,
            segments=files.segments,
            facts=files.facts,
            sha256=files.previous,
        )
        self.note(note)

    def _let_go(self) -> None:
        self._closed = True
        self._executor.shutdown()
        if self._log:
            self._log.close()
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None:
            self.close()
        elif not self._closed:
            self.seal(self._sealed_us)
            self._let_go()


def _of_the_disk(error: BaseException) -> OSError:
    """Return what the disk said; raises what it did not."""
    problem = error if isinstance(error, OSError) else error.__cause__
    if not isinstance(problem, OSError):
        raise error
    return problem
