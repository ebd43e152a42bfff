"""Learns when a source publishes, so that it is read just after it did."""

from collections import deque
from dataclasses import dataclass, field

FIRST_STEP, STEP = 1 / 15, 1 / 150
"""How much of the interval each read comes earlier than the last, before and after the edge was found."""
CHASE, CHASES = 1 / 30, 6
"""A read that came too early is repeated after this part of the interval, so often."""
MARGIN = 1 / 50
REGULAR = 0.7
"""The share of reads that must bring news, else the source has a period of its own."""


@dataclass(slots=True)
class Phase:
    """The rhythm of one polled source, in seconds.

    A source such as metrics-server measures every so often and answers the same until it has measured again.
    Read late in that cycle, an answer leaves open which of two the controller saw. So reads creep towards the
    instant of publication until one comes too early; that one is repeated until it brings news.
    """

    interval: float
    step: float = FIRST_STEP
    crept: float = 0.0
    chases: int = 0
    news: deque[bool] = field(default_factory=lambda: deque([True] * 10, maxlen=10))

    def next(self, *, fresh: bool) -> float:
        """How long to wait after a read that was asked in time; `fresh` if it brought other samples."""
        if fresh and self.chases:
            self.chases, self.crept, self.step = 0, 0.0, STEP
            self.news.append(True)
            return self.interval * (1 + MARGIN)
        if fresh:
            self.news.append(True)
            return self._earlier()
        if not self.chases:
            self.news.append(False)
        if sum(self.news) < REGULAR * len(self.news) or self.chases >= CHASES:
            self.chases = 0
            return self.interval
        self.chases += 1
        return self.interval * CHASE

    def _earlier(self) -> float:
        """One step towards the edge; a source without one is not chased around its cycle for ever."""
        if self.crept >= 1:
            return self.interval
        self.crept += self.step
        return self.interval * (1 - self.step)
