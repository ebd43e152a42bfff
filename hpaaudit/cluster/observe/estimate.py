"""Estimates how many requests a recorder sends, and how much it writes in an hour."""

from dataclasses import dataclass

from hpaaudit.model.counted import counted

HOUR = 3600
MIN_QPS = 0.5
HOUSEKEEPING_SECONDS, HOUSEKEEPING_REQUESTS = 60, 2
SEGMENT_MEMORY = 20 << 20
"""A segment ends after an hour, or when its rows take this much memory."""
SEGMENT_BYTES, POD_BYTES, MINUTE_BYTES = 22_000, 70, 100
"""Bytes on disk: the files of a segment, however little they hold; a pod and its changes, per hour; the controller's
Lease, version and clock, per minute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Bytes of one item per interval, and the additional bytes of its first row in each segment.

    Measured with recordings of generated and of real clusters.
    """

    disk: float
    disk_first: float
    memory: float
    memory_first: float


READ = Cost(disk=12, disk_first=30, memory=200, memory_first=900)
"""A read of a metric or of a scale, with one or two values."""
SAMPLE = Cost(disk=6.2, disk_first=13, memory=208, memory_first=181)
"""The sample of a pod with two containers. With one container it is half as much."""
STATUS = Cost(disk=8, disk_first=8, memory=500, memory_first=0)
"""The status of an HPA, if every other interval brings a new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """How much is watched and polled. `reads` is the number of distinct requests per interval."""

    hpas: int
    pods: int
    reads: int
    interval_seconds: float

    @property
    def requests_per_second(self) -> float:
        """The requests per second, without those of watches that break."""
        return self.reads / self.interval_seconds + HOUSEKEEPING_REQUESTS / HOUSEKEEPING_SECONDS

    @property
    def bytes_per_hour(self) -> int:
        """The bytes on disk after the first hour."""
        return self.bytes_in(HOUR)

    def bytes_in(self, seconds: float) -> int:
        """The bytes on disk after this time. Every pod has about one sample per interval.

        The more is seen, the shorter are the segments, and the more weigh the first rows in each: a sample takes more
        than twice as much with 50,000 pods as with 5,000.
        """
        intervals, items = seconds / self.interval_seconds, self._items()
        memory = sum(count * cost.memory for count, cost in items)
        left = SEGMENT_MEMORY - sum(count * cost.memory_first for count, cost in items)
        # A segment that is full after its first interval holds everything once.
        segments = max(1, seconds / HOUR, intervals * min(1, memory / max(left, 1)))
        per_segment = SEGMENT_BYTES + sum(count * cost.disk_first for count, cost in items)
        all_intervals = intervals * sum(count * cost.disk for count, cost in items)
        return round(
            segments * per_segment
            + all_intervals
            + self.pods * POD_BYTES * seconds / HOUR
            + seconds / 60 * MINUTE_BYTES
        )

    def _items(self) -> tuple[tuple[int, Cost], ...]:
        return (self.reads, READ), (self.pods, SAMPLE), (self.hpas, STATUS)

    def words(self, qps: float) -> str:
        """A line about what begins now, and what to do if --qps is too small for it."""
        rate = self.requests_per_second
        line = (
            f"following {counted(self.hpas, 'HPA')} and {counted(self.pods, 'pod')}: "
            f"{counted(self.reads, 'read')} every {self.interval_seconds:g} s, "
            f"{rate:.1f} requests per second, about {self.bytes_per_hour / 1e6:.1f} MB per hour"
        )
        if rate <= qps:
            return line
        longer = self.reads / max(qps - HOUSEKEEPING_REQUESTS / HOUSEKEEPING_SECONDS, MIN_QPS)
        advice = f"--qps {rate + 1:.0f}, or --interval {longer + 1:.0f}s"
        return f"{line}; --qps {qps:g} allows less, so reads will be missed: {advice}"
