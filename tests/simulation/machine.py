"""The machine of a recorder: a virtual clock, an event loop that jumps to the next timer, slow work without threads."""

import asyncio
import heapq
import random
import selectors
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from typing import Any, TypeVar

SECOND = 1_000_000
EPOCH_US = 1_790_000_000 * SECOND
"""When every world begins, in microseconds since 1970."""
Result = TypeVar("Result")


class Killed(KeyboardInterrupt):
    """The process ends here, without a word: asyncio lets a KeyboardInterrupt through all tasks."""


class Machine:
    """Time, and what is to happen when.

    now_us    true time;  steady_us   time of the monotonic clock, which stands still while the machine sleeps
    step_us   by how much the wall clock is wrong
    """

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.now_us, self.steady_us, self.step_us = EPOCH_US, 0, 0
        self._due: list[tuple[int, int, Callable[[], None]]] = []
        self._number = 0

    def wall_ns(self) -> int:
        """What the wall clock shows."""
        return (self.now_us + self.step_us) * 1000

    def steady_ns(self) -> int:
        """What the monotonic clock shows."""
        return self.steady_us * 1000

    def at(self, at_us: int, act: Callable[[], None]) -> None:
        """Lets something happen at an instant of true time."""
        self._number += 1
        heapq.heappush(self._due, (at_us, self._number, act))

    def after(self, seconds: float, act: Callable[[], None]) -> None:
        """Lets something happen so much later."""
        self.at(self.now_us + round(seconds * SECOND), act)

    def advance(self, to_us: int) -> bool:
        """Lets time pass up to an instant, or to the first thing that happens; whether something did."""
        if self._due and self._due[0][0] <= to_us:
            at_us, _, act = heapq.heappop(self._due)
            self._pass(at_us)
            act()
            return True
        self._pass(to_us)
        return False

    def rest(self, seconds: float) -> None:
        """Lets so much time pass, with all that happens in it."""
        end_us = self.now_us + round(seconds * SECOND)
        while self.now_us < end_us:
            self.advance(end_us)

    def sleep(self, seconds: float) -> None:
        """The machine sleeps: the world goes on, its monotonic clock does not."""
        steady_us = self.steady_us
        self.rest(seconds)
        self.steady_us = steady_us

    def _pass(self, to_us: int) -> None:
        passed = max(0, to_us - self.now_us)
        self.now_us += passed
        self.steady_us += passed


class _Jump(selectors.SelectSelector):
    """Waits for nothing: time jumps instead."""

    machine: Machine

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Lets time pass until something happens, or the next timer is due."""
        if timeout is None or timeout > 0:
            longest = 3600.0 if timeout is None else timeout
            self.machine.advance(self.machine.now_us + max(1, round(longest * SECOND)))
        return []


class Loop(asyncio.SelectorEventLoop):
    """An event loop in virtual time. Signals are sent by `signalled`; threads are replaced by delays."""

    def __init__(self, machine: Machine, slowness: Callable[[], float]) -> None:
        selector = _Jump()
        selector.machine = machine
        self.machine, self.slowness = machine, slowness
        self.handlers: dict[int, Callable[[], object]] = {}
        super().__init__(selector)
        self.set_exception_handler(lambda *_: None)

    def time(self) -> float:
        """The monotonic clock, in seconds."""
        return self.machine.steady_us / SECOND

    def add_signal_handler(self, sig: int, callback: Callable[..., object], *args: Any) -> None:
        """Remembers who wants to know."""
        self.handlers[sig] = lambda: callback(*args)

    def remove_signal_handler(self, sig: int) -> bool:
        """Forgets them."""
        return self.handlers.pop(sig, None) is not None

    def signalled(self, number: int) -> None:
        """A signal comes."""
        if number in self.handlers:
            self.call_soon(self.handlers[number])

    def run_in_executor(self, executor: Any, func: Callable[..., Result], *args: Any) -> "asyncio.Future[Result]":
        """Does it after a while, in one go."""
        del executor
        done: asyncio.Future[Result] = self.create_future()

        def work() -> None:
            try:
                done.set_result(func(*args))
            except Exception as problem:  # noqa: BLE001  # handed on to who asked
                done.set_exception(problem)

        self.call_later(self.slowness(), work)
        return done


class _Job(Future[Any]):
    """Work that is begun at once or when its time has come; who waits for it gets it done."""

    def __init__(self, machine: Machine, work: Callable[[], Any], seconds: float) -> None:
        super().__init__()
        self.machine, self.work, self.ready_us = machine, work, machine.steady_us + round(seconds * SECOND)
        self.ran = False

    def run(self) -> None:
        """Does it, once."""
        if not self.ran:
            self.ran = True
            try:
                self.set_result(self.work())
            except Exception as problem:  # noqa: BLE001  # handed on to who asked
                self.set_exception(problem)

    def done(self) -> bool:
        """Whether it is over by now."""
        if self.machine.steady_us < self.ready_us:
            return False
        self.run()
        return True

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Waits for it."""
        del timeout
        self.machine.rest(max(0, self.ready_us - self.machine.steady_us) / SECOND)
        self.run()
        return super().exception(0)

    def result(self, timeout: float | None = None) -> Any:
        """Waits for it."""
        self.exception(timeout)
        return super().result(0)


class SlowWork(Executor):
    """Does one thing at a time, as a thread would: at once and told late, or late."""

    def __init__(self, machine: Machine, slowness: Callable[[], float]) -> None:
        self.machine, self.slowness = machine, slowness
        self.last: _Job | None = None

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Mapping[str, Any]) -> "Future[Result]":
        """Begins it."""
        job = self.last = _Job(self.machine, lambda: fn(*args, **kwargs), self.slowness())
        if self.machine.chance.random() < 0.5:
            job.run()
        return job

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Finishes what was begun."""
        del cancel_futures
        if wait and self.last:
            self.last.run()
