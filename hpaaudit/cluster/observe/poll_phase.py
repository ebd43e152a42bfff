"""Learns when a metrics source publishes new samples, so that it is read just after that."""

from collections import deque
from dataclasses import dataclass, field

FIRST_STEP, STEP = 1 / 15, 1 / 150
"""Each read comes earlier by this part of the interval: until the time of publication was found, and after that."""
RETRY, RETRIES = 1 / 30, 6
"""A read that came too early is repeated after this part of the interval, and at most so many times."""
MARGIN = 1 / 50
"""The next read comes this part of the interval later than a whole one, so that it is not too early again."""
REGULAR = 0.7
"""The share of reads that must bring new samples. With fewer, the source has another period than we."""


@dataclass(slots=True)
class PollPhase:
    """The phase of one polled source, in seconds.

    metrics-server scrapes periodically and answers the same until its next scrape. If we read late in that cycle, we
    cannot tell which of two answers the controller saw. So our reads come earlier and earlier, until one comes before
    the publication; that one is repeated until it brings new samples.

    shifted   by how many intervals the reads were shifted so far;  retries  of a read that came too early
    fresh     whether the last reads brought new samples
    """

    interval: float
    step: float = FIRST_STEP
    shifted: float = 0.0
    retries: int = 0
    fresh: deque[bool] = field(default_factory=lambda: deque([True] * 10, maxlen=10))

    def next(self, *, is_fresh: bool) -> float:
        """How long to wait after a read that was in time. `is_fresh` if it brought new samples."""
        if is_fresh and self.retries:
            self.retries, self.shifted, self.step = 0, 0.0, STEP
            self.fresh.append(True)
            return self.interval * (1 + MARGIN)
        if is_fresh:
            self.fresh.append(True)
            return self._earlier()
        if not self.retries:
            self.fresh.append(False)
        if sum(self.fresh) < REGULAR * len(self.fresh) or self.retries >= RETRIES:
            self.retries = 0
            return self.interval
        self.retries += 1
        return self.interval * RETRY

    def _earlier(self) -> float:
        """One step earlier. After a whole interval without success, reads stay where they are."""
        if self.shifted >= 1:
            return self.interval
        self.shifted += self.step
        return self.interval * (1 - self.step)
