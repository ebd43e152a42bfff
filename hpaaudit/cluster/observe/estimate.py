"""Estimates what a recorder asks for, and what an hour of it leaves on the disk."""

from dataclasses import dataclass

HOUR = 3600
LEAST_QPS = 0.5
HOUSEKEEPING_SECONDS, HOUSEKEEPING_REQUESTS = 60, 2
SEGMENT_MEMORY = 20 << 20
"""A recorder makes a segment when its rows take so much memory, if not after an hour."""
SEGMENT_BYTES, POD_BYTES, MINUTE_BYTES = 22_000, 70, 100
"""On disk: a segment's files, however little is in them; in an hour what a pod is and what happens to it; in a minute
the controller's Lease, version and clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Bytes that one thing takes in every interval, and once more in every segment, which begins anew.

    Measured in recordings of made-up crowds and of real clusters.
    """

    disk: float
    disk_first: float
    memory: float
    memory_first: float


READ = Cost(disk=12, disk_first=30, memory=200, memory_first=900)
"""Of metrics, or of a scale, with a value or two."""
SAMPLE = Cost(disk=6.2, disk_first=13, memory=208, memory_first=181)
"""Of a pod with two containers; with one it is half as much."""
STATUS = Cost(disk=8, disk_first=8, memory=500, memory_first=0)
"""Of an HPA, if every other interval brings a new one."""


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
        """Of the first hour."""
        return self.bytes_in(HOUR)

    def bytes_in(self, seconds: float) -> int:
        """On disk after so long; every pod has about one sample in every round of reads.

        Where much is seen, segments are short, and most of a sample is what stands once in each: with 50,000 pods it
        takes more than twice what it takes with 5,000.
        """
        rounds, things = seconds / self.interval_seconds, self._things()
        memory = sum(count * cost.memory for count, cost in things)
        room = SEGMENT_MEMORY - sum(count * cost.memory_first for count, cost in things)
        # One that is full before all was told once has everything in it once.
        segments = max(1, seconds / HOUR, rounds * min(1, memory / max(room, 1)))
        each = SEGMENT_BYTES + sum(count * cost.disk_first for count, cost in things)
        going_on = rounds * sum(count * cost.disk for count, cost in things)
        return round(segments * each + going_on + self.pods * POD_BYTES * seconds / HOUR + seconds / 60 * MINUTE_BYTES)

    def _things(self) -> tuple[tuple[int, Cost], ...]:
        return (self.reads, READ), (self.pods, SAMPLE), (self.hpas, STATUS)

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
