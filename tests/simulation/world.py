"""One world from its first second to its last: the cluster lives, faults occur, the recorder is started again."""

import copy
import gc
import random
import shutil
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpaaudit.cluster.access.config import ClientConfig
from hpaaudit.cluster.client.clock import Clock
from hpaaudit.cluster.observe.observer import Observer
from hpaaudit.cluster.scope import Scope
from hpaaudit.cluster.watch.reflector import LATE_SECONDS
from hpaaudit.errors import AuditError, RecordingError
from hpaaudit.flows.record import Machine as Surroundings
from hpaaudit.flows.record import Session
from hpaaudit.model.facts import Fact
from hpaaudit.model.recorder_plan import Progress
from hpaaudit.model.units import Micros
from hpaaudit.recording.recorder.recorder_writer import RecorderWriter
from hpaaudit.recording.upkeep import upload_marks
from tests.simulation.disk import TOTAL, Disk
from tests.simulation.life import Life
from tests.simulation.machine import SECOND, Killed, Loop, Machine, SlowWork
from tests.simulation.network import Network
from tests.simulation.plan import Plan
from tests.simulation.server import Server

SERVER = "https://cluster.example"
CALM_SECONDS = 400
"""So long nothing goes wrong at the end of a world: all must be well by then."""
SAMPLE_SECONDS = 7
MOST_STARTS = 80


class Failed(Exception):
    """What a world must not do."""


@dataclass
class Run:
    """One process: what it was told to keep, and what it said it had kept.

    facts_by_number   what the recorder was told;  acknowledged  how many facts it said are on the disk
    """

    number: int
    facts_by_number: dict[int, Fact] = field(default_factory=dict)
    writer: RecorderWriter | None = None
    observer: Observer | None = None
    clock: Clock | None = None
    loop: Loop | None = None
    acknowledged: int = 0
    progress: Progress | None = None
    ended: str = ""


@dataclass(frozen=True)
class Sample:
    """An instant: true time, the recorder's time, how many facts it had, which run, and whether all was read once."""

    at_us: int
    recorder_us: int
    facts: int
    run: int


class World:
    """A seed's world. `run` lets it happen; then `runs`, `samples` and `server.truth` say what was."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan, self.folder = plan, folder / "disk" / "recording"
        self.lines: list[str] = []
        self.chance = random.Random(f"world {plan.seed}")  # noqa: S311
        self.machine = Machine(self.chance)
        self.server = Server(self.machine, self.chance, plan.version, plan.page)
        self.life = Life(self.machine, self.server, self.chance)
        self.network = Network(self.machine, self.server, self.chance, plan.odds, self.trace)
        self.disk = Disk(folder / "disk", self.chance, self.trace)
        self.disk.odds = plan.disk
        self.runs: list[Run] = []
        self.samples: list[Sample] = []
        self.current: Run | None = None
        self.resting = 0
        self.begun_us = self.machine.now_us
        self.over = False
        self.blind: list[tuple[str, int, int]] = []
        self.marked = 0

    def trace(self, line: str) -> None:
        """Writes down what happened."""
        if len(self.lines) < 5000:
            self.lines.append(f"{(self.machine.now_us - self.begun_us) / SECOND:9.3f}  {line}")

    # The whole

    def run(self) -> None:
        """Everything, up to a clean end; raises Failed."""
        self.life.begin()
        self._schedule()
        self.machine.after(self.plan.seconds, self._calm)
        self.machine.after(SAMPLE_SECONDS, self._sample)
        while not self.over:
            if len(self.runs) > MOST_STARTS:
                raise Failed("the recorder does not stay up")
            run = self._start()
            power = run.ended == "killed" and "power" in self.plan.on and self.chance.random() < 0.7
            self.disk.end_process()
            self._bury(run)
            if power:
                self.disk.crash()
            self.disk.begin_process()
            if run.ended == "ended" and self.network.calm and self.machine.now_us >= self.end_us:
                self.over = True
            else:
                self.machine.rest(self.chance.choice((0.1, 3, 30)) if not self.network.calm else 1)

    @property
    def end_us(self) -> int:
        """When the world ends."""
        return self.begun_us + (self.plan.seconds + CALM_SECONDS) * SECOND

    def _calm(self) -> None:
        self.trace("from now on nothing goes wrong")
        self.network.calm, self.network.down = True, False
        self.network.forbidden &= {"customresourcedefinitions"}
        self.disk.odds = type(self.disk.odds)()
        self.disk.read_only, self.disk.free, self.disk.kill_at = False, TOTAL, -1
        self.machine.at(self.end_us, self._terminate)

    def _terminate(self) -> None:
        if self.current and self.current.loop:
            self._signal(self.current.loop)
        self.machine.after(60, self._terminate)

    def _signal(self, loop: Loop) -> None:
        """SIGTERM. The process cannot know of a watch that stalled just now: sound ones are silent as long."""
        for stream in self.network.streams:
            resource, since_us, now_us = stream.kind.resource, stream.stalled_us, self.machine.now_us
            # Events have no bookmarks: a watch of them may be silent for as long as it lives.
            if since_us and (resource == "events" or now_us - since_us <= LATE_SECONDS * SECOND):
                self.blind.append((resource, since_us, now_us))
        loop.signalled(signal.SIGTERM)

    # One process

    def _start(self) -> Run:
        run = self.current = Run(len(self.runs), acknowledged=self.runs[-1].acknowledged if self.runs else 0)
        self.runs.append(run)
        random.seed(f"{self.plan.seed} {run.number}")
        run.clock = Clock(wall_ns=self.machine.wall_ns, steady_ns=self.machine.steady_ns)
        if "kill_at" in self.plan.on and not self.network.calm and self.chance.random() < 0.5:
            self.disk.kill_at = self.chance.choice((30, 100, 400)) * self.chance.randint(1, 100) // 100 + 1
        slow = self._slowness if "slow_disk" in self.plan.on else lambda: 0.01
        run.loop = Loop(self.machine, slow)
        around = Surroundings(
            clock=run.clock,
            connect=lambda: self.network,  # type: ignore[arg-type,return-value]
            executor=SlowWork(self.machine, slow),
        )
        session = Session(
            self.folder,
            50,
            None,
            self.plan.limits,
            lambda _: None,
            lambda line: self.trace(f"says: {line}"),
            machine=around,
        )
        access = ClientConfig(source="simulation", context="simulation", server=SERVER)
        scope = Scope(namespace=self.plan.namespace)
        self.trace(f"process {run.number} starts")
        with self.disk.between(), self._watching(run):
            try:
                run.progress = run.loop.run_until_complete(session.run(access, scope))
                run.ended = "ended"
            except Killed:
                run.ended = "killed"
            except AuditError as problem:
                run.ended = "failed"
                self.trace(f"process {run.number} gives up: {problem}")
            except BaseException as problem:
                raise Failed(f"the recorder crashed: {_why(problem)}") from problem
            run.acknowledged = getattr(run.writer, "acknowledged", run.acknowledged)
            self.trace(f"process {run.number} {run.ended}; {run.acknowledged} facts are acknowledged")
            self.disk.dead = True
        return run

    def _slowness(self) -> float:
        return self.chance.choice((0.001, 0.1, 3, 12)) * self.chance.random()

    @contextmanager
    def _watching(self, run: Run) -> Iterator[None]:
        """Notes what the process is told to keep, by its number."""
        begin, take, observe = RecorderWriter.__init__, RecorderWriter._take, Observer.__init__

        def init(writer: RecorderWriter, *args: Any, **kwargs: Any) -> None:
            if run.writer is None:
                run.writer = writer
            begin(writer, *args, **kwargs)
            run.writer = writer

        def taken(writer: RecorderWriter, fact: Fact) -> None:
            seq = writer.next_seq
            run.facts_by_number[seq] = fact
            take(writer, fact)

        def init_observer(observer: Observer, *args: Any, **kwargs: Any) -> None:
            run.observer = observer
            observe(observer, *args, **kwargs)

        RecorderWriter.__init__, RecorderWriter._take, Observer.__init__ = init, taken, init_observer  # type: ignore[method-assign]
        try:
            yield
        finally:
            RecorderWriter.__init__, RecorderWriter._take, Observer.__init__ = begin, take, observe  # type: ignore[method-assign]

    def _bury(self, run: Run) -> None:
        """Takes away what is left of a process that was killed; nothing that it still does has an effect."""
        for stream in list(self.network.streams):
            if stream.stalled_us:
                self.blind.append((stream.kind.resource, stream.stalled_us, self.machine.now_us))
            stream.closed()
        self.current = None
        heard, sys.unraisablehook = sys.unraisablehook, lambda _: None
        try:
            with self.disk.between(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if run.loop and not run.loop.is_closed():
                    run.loop.close()
                ended, run.writer, run.observer, run.loop = run.writer, None, None, None
                del ended
                gc.collect()
        finally:
            sys.unraisablehook = heard

    # Samples

    def _sample(self) -> None:
        run = self.current
        if (
            run
            and run.writer
            and run.observer
            and run.clock
            and not self.resting
            and not run.observer.stopping.is_set()
        ):
            now = copy.copy(run.clock).now()
            if run.observer.settled.is_set() or run.observer.resumed:
                self.samples.append(Sample(self.machine.now_us, now, run.writer.next_seq, run.number))
        self.machine.after(SAMPLE_SECONDS * (0.5 + self.chance.random()), self._sample)

    # Faults

    def _schedule(self) -> None:
        acts: dict[str, tuple[Callable[[], None], float]] = {
            "down": (self._down, 120), "restart": (self._restart, 120), "compact": (self._compact, 60),
            "restore": (self._restore, 200), "forbid": (self._forbid, 150), "step": (self._step, 150),
            "sleep": (self._sleep, 150), "freeze": (self._freeze, 150), "full": (self._full, 100),
            "read_only": (self._read_only, 100), "kill": (self._kill, 150), "term": (self._term, 300),
            "second": (self._second, 100), "uploads": (self._upload, 30),
        }  # fmt: skip
        for name, (act, seconds) in acts.items():
            if name in self.plan.on:
                self._often(seconds, act)
        if "restore" in self.plan.on:
            self._often(70, self.server.save)
        if "no_crd" in self.plan.on:
            self.network.forbidden.add("customresourcedefinitions")

    def _often(self, seconds: float, act: Callable[[], None]) -> None:
        def again() -> None:
            if not self.network.calm:
                self.machine.after(seconds * 2 * self.chance.random(), again)
                act()

        self.machine.after(seconds * 2 * self.chance.random(), again)

    def _down(self) -> None:
        self.trace("the server is down")
        self.network.down = True
        self.network.break_all()
        self.machine.after(self.chance.choice((2, 20, 100)), self._up)

    def _up(self) -> None:
        self.network.down = False

    def _restart(self) -> None:
        self.trace("the server restarts")
        self.network.break_all()

    def _compact(self) -> None:
        self.trace("the server forgets its past")
        self.server.compact()
        if self.chance.random() < 0.5:
            self.network.break_all()

    def _restore(self) -> None:
        if self.server.restore():
            self.trace(f"the server comes back from a backup, at version {self.server.version}")
            self.network.break_all()

    def _forbid(self) -> None:
        resource = self.chance.choice(
            ("horizontalpodautoscalers", "pods", "events", "deployments", "widgets", "leases")
        )
        self.trace(f"{resource} may not be read any more")
        self.network.forbidden.add(resource)
        for stream in list(self.network.streams):
            if stream.kind.resource == resource:
                stream.end("cut")
        self.machine.after(self.chance.choice((5, 60)), lambda: self.network.forbidden.discard(resource))

    def _step(self) -> None:
        seconds = self.chance.choice((-3600, -30, -2, 2, 30, 3600))
        self.trace(f"the wall clock is set by {seconds} s")
        self.machine.step_us += seconds * SECOND

    def _sleep(self) -> None:
        self._rest(self.machine.sleep, "the machine sleeps")

    def _freeze(self) -> None:
        self._rest(self.machine.rest, "the process is stopped")

    def _rest(self, how: Callable[[float], None], what: str) -> None:
        seconds = self.chance.choice((3, 20, 100))
        self.trace(f"{what} for {seconds} s")
        self.resting += 1
        try:
            how(seconds)
        finally:
            self.resting -= 1

    def _full(self) -> None:
        free = self.chance.choice((0, 0, 500, 5000))
        self.trace(f"the disk has room for {free} bytes")
        self.disk.free = free
        self.machine.after(self.chance.choice((10, 60, 200)), self._room)

    def _room(self) -> None:
        self.trace("the disk has room again")
        self.disk.free = TOTAL

    def _read_only(self) -> None:
        self.trace("the disk is read-only")
        self.disk.read_only = True
        self.machine.after(self.chance.choice((5, 60)), self._writable)

    def _writable(self) -> None:
        self.disk.read_only = False

    def _kill(self) -> None:
        if self.current:
            self.trace("SIGKILL")
            self.disk.dead = True
            raise Killed

    def _term(self) -> None:
        if self.current and self.current.loop:
            self.trace("SIGTERM")
            self._signal(self.current.loop)

    def _second(self) -> None:
        run = self.current
        if run is None or run.writer is None or getattr(run.writer, "is_closed", True):
            return
        writer = run.writer
        try:
            RecorderWriter(self.folder, cluster=SERVER, now_us=Micros(0), note=lambda _: None, limits=self.plan.limits)
        except (RecordingError, OSError):
            self.trace("a second recorder was kept out")
        else:
            raise Failed("two recorders write into one folder")
        finally:
            run.writer = writer

    def _upload(self) -> None:
        if self.current and not self.disk.dead and self.folder.exists():
            for segment in upload_marks.not_uploaded(self.folder):
                try:
                    upload_marks.mark_uploaded(segment)
                except OSError:
                    return
                self.marked = max(self.marked, int(segment.name))


def _why(problem: BaseException) -> str:
    """The innermost of a group of errors."""
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    return repr(problem)


def clean(folder: Path) -> None:
    """Takes away what a world left."""
    shutil.rmtree(folder, ignore_errors=True)
