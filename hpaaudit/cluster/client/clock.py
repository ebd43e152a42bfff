"""Two clocks: ours, which never goes back, and the offset of the server's clock from it."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

from hpaaudit.model.units import SECOND, Micros

READINGS = 20
NEVER = Micros(0)


@dataclass(slots=True)
class Clock:
    """The wall clock in microseconds. If the wall clock is set back, it continues at the pace of the monotonic clock.

    wall_ns    nanoseconds since 1970;  steady_ns   nanoseconds of the monotonic clock
    """

    wall_ns: Callable[[], int] = time.time_ns
    steady_ns: Callable[[], int] = time.monotonic_ns
    last_us: Micros = NEVER
    steady_us: Micros = field(init=False)

    def __post_init__(self) -> None:
        self.steady_us = Micros(self.steady_ns() // 1000)

    def now(self) -> Micros:
        """The time now, never before a time that was returned already."""
        steady = Micros(self.steady_ns() // 1000)
        passed = Micros(self.last_us + steady - self.steady_us)
        self.last_us, self.steady_us = max(passed, Micros(self.wall_ns() // 1000)), steady
        return self.last_us

    def not_before(self, at_us: Micros) -> None:
        """Continue from this time at the earliest, because what an earlier recorder saw comes before what is seen now.

        If the machine's clock was set back between the two, the length of the gap is unknown.
        """
        self.last_us = max(self.now(), at_us)


@dataclass(slots=True)
class Offset:
    """The server's clock minus ours. Every answer narrows it, because a Date header has whole seconds only."""

    bounds: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=READINGS))

    def read(self, date: str, sent_us: Micros, answered_us: Micros) -> Micros | None:
        """The offset after one more answer. None if no answer had a date."""
        try:
            server = int(parsedate_to_datetime(date).timestamp()) * SECOND
        except (TypeError, ValueError, OverflowError, IndexError):
            return self.middle()
        self.bounds.append((server - answered_us, server + SECOND - sent_us))
        return self.middle()

    def middle(self) -> Micros | None:
        """The middle of what all readings allow. If they contradict each other, a clock was set: the last counts."""
        if not self.bounds:
            return None
        low, high = max(low for low, _ in self.bounds), min(high for _, high in self.bounds)
        if low > high:
            low, high = self.bounds[-1]
            self.bounds.clear()
            self.bounds.append((low, high))
        return Micros((low + high) // 2)
