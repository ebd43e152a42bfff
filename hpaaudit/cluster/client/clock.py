"""Tells the time: ours, which never goes back, and how far the server's is from it."""

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
    """The wall clock in microseconds; where the wall clock is set back it goes on at its own pace.

    How far it is then from the server's clock is read with every version.

    wall_ns    nanoseconds since 1970, as the machine says;  steady_ns   nanoseconds of a clock that nobody sets
    """

    wall_ns: Callable[[], int] = time.time_ns
    steady_ns: Callable[[], int] = time.monotonic_ns
    last_us: Micros = NEVER
    steady_us: Micros = field(init=False)

    def __post_init__(self) -> None:
        self.steady_us = Micros(self.steady_ns() // 1000)

    def now(self) -> Micros:
        """The present instant, never before one that was told already."""
        steady = Micros(self.steady_ns() // 1000)
        passed = Micros(self.last_us + steady - self.steady_us)
        self.last_us, self.steady_us = max(passed, Micros(self.wall_ns() // 1000)), steady
        return self.last_us

    def not_before(self, at_us: Micros) -> None:
        """Go on from then at the earliest: what an earlier recorder saw comes before what is seen now.

        Where the machine's clock was set back between the two, how long nobody looked is not known.
        """
        self.last_us = max(self.now(), at_us)


@dataclass(slots=True)
class Offset:
    """Server minus recorder, narrowed with every answer: a Date header is cut to whole seconds."""

    bounds: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=READINGS))

    def read(self, date: str, sent_us: Micros, answered_us: Micros) -> Micros | None:
        """The offset after one more answer; None where no answer had a date."""
        try:
            server = int(parsedate_to_datetime(date).timestamp()) * SECOND
        except (TypeError, ValueError, OverflowError, IndexError):
            return self.middle()
        self.bounds.append((server - answered_us, server + SECOND - sent_us))
        return self.middle()

    def middle(self) -> Micros | None:
        """The middle of what all readings allow; where they contradict (a clock was set) the last one's."""
        if not self.bounds:
            return None
        low, high = max(low for low, _ in self.bounds), min(high for _, high in self.bounds)
        if low > high:
            low, high = self.bounds[-1]
            self.bounds.clear()
            self.bounds.append((low, high))
        return Micros((low + high) // 2)
