"""Writes what a recorder sees: first to the log, later into segments. While the disk refuses, memory holds it."""

from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from hpaaudit.errors import RecordingError
from hpaaudit.model.counted import counted
from hpaaudit.model.facts import Fact, Gap
from hpaaudit.model.units import Micros
from hpaaudit.recording.format.schema import ALL_PATHS
from hpaaudit.recording.recorder.arrow_memory import limit_arrow_memory
from hpaaudit.recording.recorder.load_shedding import LoadShedder
from hpaaudit.recording.recorder.open_folder import FULL, disk_error, open_folder
from hpaaudit.recording.recorder.open_segment import OpenSegment
from hpaaudit.recording.recorder.recover import RecoveredRecording
from hpaaudit.recording.recorder.reports import Reports
from hpaaudit.recording.recorder.storage import Storage
from hpaaudit.recording.recorder.writer_limits import USUAL, Limits
from hpaaudit.recording.recorder.writer_states import Closed, DiskRefuses, Logging, Sealing, State, Writing
from hpaaudit.recording.writing.unlogged import UnloggedRows

UNLOGGED_SYNCS = 4
"""So many times `sync_bytes` may wait for a log that the disk refuses. After that only a segment can take the rows."""


class RecorderWriter:
    """A recording that grows for months: a new one, or one of the same cluster that continues.

    last_us       the last instant of what was recorded before; of a new recording, the present
    last_states   the last state of each object, of what was recorded before
    note          called once when the disk refuses, and once when it recovers
    executor      runs the background writes, one at a time; None: a thread of its own

    Only the constructor and `close` raise: `FileExists` if the folder holds something else, `RecordingError` if the
    recording cannot continue or cannot be ended. Otherwise facts that the disk refuses wait in memory. What memory
    cannot hold is shed, and becomes a gap.
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
        self.folder, self.limits = folder, limits
        limit_arrow_memory()
        opened = open_folder(folder, cluster=cluster, now_us=now_us, note=note)
        recovered = opened.recovered
        self.last_states = recovered.last_states if recovered else ()
        self.last_us = max(recovered.last_us, now_us) if recovered else now_us
        self._state: State = Writing()
        self._storage = Storage(opened, limits, note)
        self._segment = OpenSegment(opened.recording.facts)
        self._synced_us = self._sealed_us = self._latest_us = now_us
        self._shedder = LoadShedder()
        self._reports = Reports(folder, note)
        self._executor = executor or ThreadPoolExecutor(1, "segments")
        self._gaps = 0
        if recovered:
            self._continue(recovered)

    def _continue(self, recovered: RecoveredRecording) -> None:
        """Write down the gap since the last recorder stopped."""
        for gap in recovered.open_gaps:
            self.add(gap)
        cause = recovered.cause
        self._add_own(Gap(at_us=recovered.last_us, until_us=self.last_us, prefix=ALL_PATHS, cause=cause))
        self._reports.continued(recovered)

    @property
    def acknowledged(self) -> int:
        """The number of facts that are on the disk, from the first fact of the recording on."""
        return self._storage.acknowledged

    @property
    def gaps(self) -> int:
        """The number of gaps that the observer does not know: before the start, of shed facts, of removed segments."""
        return self._gaps + self._storage.space.gaps

    @property
    def bytes(self) -> int:
        """The size of the recording on the disk, without the ballast."""
        return self._storage.space.bytes + self._storage.log_bytes

    @property
    def log_bytes(self) -> int:
        """The size of the log."""
        return self._storage.log_bytes

    @property
    def segments(self) -> int:
        """The number of sealed segments."""
        return self._storage.recording.segments

    @property
    def next_seq(self) -> int:
        """The number that the next fact gets."""
        return self._segment.end_seq

    @property
    def unwritten(self) -> int:
        """The number of facts held in memory because the disk refuses them."""
        return self.next_seq - self.acknowledged if isinstance(self._state, DiskRefuses) else 0

    @property
    def is_closed(self) -> bool:
        """True after `close` or `release`."""
        return isinstance(self._state, Closed)

    # Facts come in

    def add(self, fact: Fact) -> None:
        """Add the next fact. Write at once if much is waiting."""
        if isinstance(self._state, Closed):
            raise RecordingError(f"{self.folder} is closed: nothing can be added to it.")
        self._latest_us = max(self._latest_us, fact.at_us)
        if isinstance(self._state, DiskRefuses):
            if self._shedder.admits(fact, self._fullness):
                self._take(fact)
                self._limit_unlogged()
            return
        self._take(fact)
        if isinstance(self._state, Writing):
            if self._fullness >= 1:
                self._start_sealing(fact.at_us)
            elif self._segment.unlogged.bytes >= self.limits.sync_bytes:
                self._start_logging(fact.at_us)
            return
        if isinstance(self._state, Sealing):
            self._state.later.append(fact)
        self._collect_result(fact.at_us, wait=self._fullness >= 1)

    def _add_own(self, fact: Fact) -> None:
        """Add a gap that only this writer knows of, or a state after such a gap."""
        self._gaps += isinstance(fact, Gap)
        self.add(fact)

    def _take(self, fact: Fact) -> None:
        for refused in self._segment.add(fact):
            self._reports.value_refused(refused)

    @property
    def _fullness(self) -> float:
        """How full the open segment is. From 1.0 on it is due to be sealed."""
        return self._segment.pending.bytes / self.limits.segment_bytes

    def _limit_unlogged(self) -> None:
        """Give up the log of this segment if too much waits for it."""
        if self._segment.unlogged.bytes >= UNLOGGED_SYNCS * self.limits.sync_bytes:
            self._segment.give_up_log()

    # Rows go out

    def tick(self, now_us: Micros) -> None:
        """Start what is due. To be called about once a second."""
        self._latest_us = max(self._latest_us, now_us)
        self._collect_result(now_us)
        if isinstance(self._state, DiskRefuses):
            if now_us >= self._state.retry_us:
                self._retry(now_us)
        elif isinstance(self._state, Writing):
            if now_us - self._sealed_us >= self.limits.segment_us:
                self._start_sealing(now_us)
            elif now_us - self._synced_us >= self.limits.sync_us:
                self._start_logging(now_us)

    def flush(self, now_us: Micros) -> bool:
        """Log what was added. True if the disk accepted that and everything before."""
        self._collect_result(now_us, wait=True)
        self._synced_us = now_us
        if not self._may_log():
            return self.seal(now_us)
        return not self._segment.unlogged.facts or self._write(now_us, self._log_all)

    def seal(self, now_us: Micros) -> bool:
        """Make a segment of what was added since the last one. True if the disk accepted it."""
        self._collect_result(now_us, wait=True)
        self._sealed_us = self._synced_us = now_us
        return self._segment.is_empty or self._write(now_us, lambda: self._seal_all(now_us))

    def _may_log(self) -> bool:
        return not self._segment.bypasses_log and not self._storage.log_is_broken

    def _log_all(self) -> None:
        self._storage.append_rows(self._segment.unlogged)
        self._segment.take_unlogged()

    def _seal_all(self, now_us: Micros) -> None:
        self._storage.append_segment(self._segment, now_us)
        self._segment = OpenSegment(self._segment.end_seq)
        self._after_sealing()

    def _after_sealing(self) -> None:
        self._reports.segment_sealed(self._storage.recording)
        self._storage.finish_segment()

    # Background writes: a slow disk or a large segment takes seconds

    def _start_logging(self, now_us: Micros) -> None:
        """Log what was added. Facts that come meanwhile are logged the next time."""
        self._synced_us = now_us
        if not self._may_log():
            self._start_sealing(now_us)
        elif self._segment.unlogged.facts:
            rows = self._segment.take_unlogged()
            self._state = Logging(job=self._executor.submit(self._storage.append_rows, rows), rows=rows)

    def _start_sealing(self, now_us: Micros) -> None:
        """Seal the segment. Facts that come meanwhile go to the next segment and its log."""
        self._sealed_us = self._synced_us = now_us
        if self._segment.is_empty:
            return
        segment, rows, may_log = self._segment, self._segment.take_unlogged(), self._may_log()
        self._segment = OpenSegment(segment.end_seq)
        job = self._executor.submit(self._log_and_seal, segment, rows if may_log else None, now_us)
        self._state = Sealing(job=job, segment=segment, rows=rows)

    def _log_and_seal(self, segment: OpenSegment, rows: UnloggedRows | None, now_us: Micros) -> None:
        if rows and rows.facts:
            with suppress(OSError):  # the segment has these facts too
                self._storage.append_rows(rows)
        self._storage.append_segment(segment, now_us)

    def _collect_result(self, now_us: Micros, *, wait: bool = False) -> None:
        """Collect the result of a background write that is done. With `wait`, wait for it."""
        state = self._state
        if not isinstance(state, Logging | Sealing) or not (wait or state.job.done()):
            return
        error, self._state = state.job.exception(), Writing()
        if error:
            self._roll_back(state)
            problem = disk_error(error)
            if problem.errno not in FULL or not self._storage.space.make_room():
                self._disk_refused(problem, now_us)
        elif isinstance(state, Sealing):
            self._after_sealing()

    def _roll_back(self, state: Logging | Sealing) -> None:
        """Reopen what the failed background write was to store, with all facts that came since."""
        if isinstance(state, Logging):
            self._segment.return_unlogged(state.rows)
            return
        self._segment = state.segment
        self._segment.reopen(state.rows, unacknowledged=state.segment.end_seq - self.acknowledged)
        for fact in state.later:
            self._take(fact)

    # A disk that refuses

    def _write(self, now_us: Micros, write: Callable[[], None]) -> bool:
        """Run `write`, again each time that the disk was full and room could be made. True if it succeeded."""
        while True:
            try:
                write()
            except (OSError, RecordingError) as error:
                problem = disk_error(error)
                if problem.errno in FULL and self._storage.space.make_room():
                    continue
                self._disk_refused(problem, now_us)
                return False
            if isinstance(self._state, DiskRefuses):
                self._disk_recovered(self._state.reason, now_us)
            return True

    def _disk_refused(self, problem: OSError, now_us: Micros) -> None:
        if not isinstance(self._state, DiskRefuses):
            reason = problem.strerror or str(problem)
            self._state = DiskRefuses(reason=reason, retry_us=now_us, wait_us=self.limits.sync_us)
            self._reports.disk_refused(reason)
        self._state.wait(now_us)
        self._limit_unlogged()

    def _retry(self, now_us: Micros) -> None:
        if self._fullness >= 1:
            self.seal(now_us)
        else:
            self.flush(now_us)

    def _disk_recovered(self, reason: str, now_us: Micros) -> None:
        """Write down what was shed since the disk refused."""
        self._state = Writing()
        self._storage.space.reserve_ballast()
        gaps_and_states = self._shedder.reopen(now_us, f"nothing could be written ({reason}) and memory was full")
        self._reports.disk_recovered(len(gaps_and_states))
        for fact in gaps_and_states:
            self._add_own(fact)
        if gaps_and_states:  # at once: later facts on the disk without the gaps would look as if nothing were missing
            self.flush(now_us)

    # The end

    def close(self) -> None:
        """Seal, and mark the recording as complete. A second call does nothing.

        Raises `RecordingError` if the disk refuses: then only the acknowledged facts are on the disk.
        """
        if self.is_closed:
            return
        try:
            # Sealing may add gaps for what was shed, so there may be more to seal after the first time.
            # A gap of shed facts lasts until now: the time of the last seal may be minutes ago.
            if not (self.seal(self._latest_us) and self.seal(self._latest_us)):
                raise RecordingError(f"{self.folder}: {self._refusal()}")
            self._storage.complete()
            self._reports.recording_sealed(self._storage.recording)
        except OSError as error:
            raise RecordingError(f"cannot end the recording in {self.folder}: {error.strerror}.") from error
        finally:
            self.release()

    def _refusal(self) -> str:
        """Why the disk refuses, and what is lost when this process ends."""
        reason = self._state.reason if isinstance(self._state, DiskRefuses) else "the disk refuses"
        shed = sum(self._shedder.counts.values())
        lost = counted(self.unwritten, "fact") + (f", and {shed} that memory could not hold," if shed else "")
        return f"{reason}; {lost} could not be written."

    def release(self) -> None:
        """Stop without sealing: the next recorder finds what the log has."""
        self._state = Closed()
        self._executor.shutdown()
        self._storage.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None:
            self.close()
        elif not self.is_closed:
            self.seal(self._latest_us)
            self.release()
