"""Estimates what a recorder asks for, and what an hour of it leaves on the disk."""

from dataclasses import dataclass

HOUR = 3600
LEAST_QPS = 0.5
HOUSEKEEPING_SECONDS, HOUSEKEEPING_REQUESTS = 60, 2
SEGMENT_BYTES = 30_000
"""Of a segment's files, however little is in them."""
READ_BYTES, SAMPLE_BYTES, STATUS_BYTES, POD_CHANGES_BYTES = 20, 12, 8, 60
"""On disk, as measured (`make bench`): a read, a sample of one or two containers, an HPA's status in an interval if
every other interval brings a new one, and what happens to a pod in an hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What is watched and polled.

    reads   distinct requests per interval
    """

    hpas: int
    pods: int
    reads: int
    interval_seconds: float

    @property
    def requests_per_second(self) -> float:
        """Without what a watch asks when it breaks."""
        return self.reads / self.interval_seconds + HOUSEKEEPING_REQUESTS / HOUSEKEEPING_SECONDS

    @property
    def bytes_per_hour(self) -> int:
        """Every pod has about one sample in every round of reads."""
        rounds = HOUR / self.interval_seconds
        fixed = SEGMENT_BYTES + self.pods * POD_CHANGES_BYTES
        every = self.reads * READ_BYTES + self.pods * SAMPLE_BYTES + self.hpas * STATUS_BYTES
        return round(fixed + rounds * every)

    def words(self, qps: float) -> str:
        """A line that says what is about to begin, and what to do where the budget of requests is too small."""
        rate = self.requests_per_second
        line = (
            f"following {_counted(self.hpas, 'HPA')} and {_counted(self.pods, 'pod')}: "
            f"{_counted(self.reads, 'read')} every {self.interval_seconds:g} s, "
            f"{rate:.1f} requests per second, about {self.bytes_per_hour / 1e6:.1f} MB per hour"
        )
        if rate <= qps:
            return line
        longer = self.reads / max(qps - HOUSEKEEPING_REQUESTS / HOUSEKEEPING_SECONDS, LEAST_QPS)
        advice = f"--qps {rate + 1:.0f}, or --interval {longer + 1:.0f}s"
        return f"{line}; --qps {qps:g} allows less, so reads will be missed: {advice}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
