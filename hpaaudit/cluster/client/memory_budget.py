"""Bounds the memory of all answers that are read at the same time."""

import asyncio
from pathlib import Path
from types import TracebackType
from typing import Self

from hpaaudit.cluster.decoding.decoders import TooLong

BUDGET_DIVISOR = 8
"""Answers may take this part of the memory limit. Caches, the rows of a segment and its making need the rest.

Measured with 512 MiB: an idle recorder takes 110 MB, a sample 0.7 kB while it is read and 3 kB until its segment is
made. So the recorder stays below 400 MB even after the longest answer that it reads.
"""
ANSWER_DIVISOR = 2
"""One answer may take this part of the budget, so that others can be read beside it."""
DEFAULT_LIMIT = 1 << 30
"""The memory limit if no control group has one."""
FULL = 0.85
"""If the process itself takes this part of its limit, no long answer is read any further."""
MEASURE_BYTES = 1 << 20
"""How often the memory of the process is measured."""
JSON_VALUES = (b",", b"{", b"[")
VALUE_BYTES = 100
"""What a decoded JSON value takes: an empty object 72 bytes, a key with a short text 100 to 150."""
SMALL_BYTES = 1 << 16
"""Shorter JSON takes less than 5 MB, whatever is in it."""
MB = 1 << 20
PAGE_BYTES = 4096
CGROUP_ROOT, OUR_CGROUPS, STATM = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup"), Path("/proc/self/statm")


def memory_limit(root: Path = CGROUP_ROOT, own_cgroups: Path = OUR_CGROUPS) -> int:
    """The lowest limit of our control group and of those above it, in bytes. DEFAULT_LIMIT if none has one."""
    return min(_limits(root, own_cgroups), default=DEFAULT_LIMIT)


def _limits(root: Path, own_cgroups: Path) -> list[int]:
    """All limits: `memory.max` of cgroup version 2, `memory.limit_in_bytes` of version 1."""
    try:
        lines = own_cgroups.read_text().splitlines()
    except OSError:
        return []
    limits = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        base, name = (root / "memory", "memory.limit_in_bytes") if controllers else (root, "memory.max")
        parts = Path(path.strip("/")).parts
        # Inside a container its own group is the root, whatever path the host gave it.
        for depth in range(len(parts) + 1):
            try:
                text = base.joinpath(*parts[:depth], name).read_text().strip()
            except OSError:
                continue
            # In version 1 a number beyond any machine means "no limit".
            if text.isdigit() and int(text) < 1 << 60:
                limits.append(int(text))
    return limits


def decoded_bytes(data: bytes) -> int:
    """About how many bytes JSON takes together with what is decoded from it. Never too few, sometimes too many."""
    return len(data) + (VALUE_BYTES * sum(map(data.count, JSON_VALUES)) if len(data) > SMALL_BYTES else 0)


class Budget:
    """`total` bytes for all answers in flight; one of them may have `longest`."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit or memory_limit()
        self.total = self.limit // BUDGET_DIVISOR
        self.longest = self.total // ANSWER_DIVISOR
        self.taken = 0
        self.holders: set[Reservation] = set()
        self.waiting: dict[Reservation, asyncio.Future[None]] = {}

    def reserve(self) -> "Reservation":
        """The memory of one answer, empty at first. Use it as a context manager."""
        return Reservation(self)

    @property
    def is_measured_full(self) -> bool:
        """Whether the process comes near its limit."""
        try:
            resident = int(STATM.read_text("ascii").split()[1]) * PAGE_BYTES
        except (OSError, IndexError, ValueError):
            return False
        return resident > FULL * self.limit

    def wake_waiting(self) -> None:
        """Wake the readers that wait for memory, after some was released."""
        for waiter in self.waiting.values():
            if not waiter.done():
                waiter.set_result(None)


class Reservation:
    """The part of the budget that one answer uses."""

    def __init__(self, budget: Budget) -> None:
        self.budget, self.held, self._measured = budget, 0, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shrink(0)

    async def resize(self, size: int) -> None:
        """Hold this many bytes from now on."""
        if size > self.held:
            await self.grow(size - self.held)
        else:
            self.shrink(size)

    async def grow(self, size: int) -> None:
        """Take this many bytes more, as soon as others have released them. TooLong if that cannot be."""
        budget = self.budget
        self.check(size)
        if self.held + size - self._measured >= MEASURE_BYTES:
            self._measured = self.held + size
            if budget.is_measured_full:
                raise TooLong(f"no memory is left for an answer of more than {_mb(self.held)}: raise the memory limit")
        while budget.taken + size > budget.total:
            # If all who hold something wait for each other, the last one gives way.
            if budget.holders - budget.waiting.keys() <= {self}:
                raise TooLong(f"the answers in flight take more than {_mb(budget.total)}: raise the memory limit")
            budget.waiting[self] = asyncio.get_running_loop().create_future()
            try:
                await budget.waiting[self]
            finally:
                del budget.waiting[self]
        self.held += size
        budget.taken += size
        budget.holders.add(self)

    def check(self, size: int) -> None:
        """TooLong if this many bytes more are beyond what one answer may have."""
        if self.held + size > self.budget.longest:
            raise TooLong(
                f"the answer takes more than {_mb(self.budget.longest)} of memory, all that the limit of "
                f"{_mb(self.budget.limit)} leaves for one: raise it"
            )

    def shrink(self, bytes_left: int) -> None:
        """Release all but this many bytes."""
        self.budget.taken -= self.held - bytes_left
        self.held = bytes_left
        if not bytes_left:
            self.budget.holders.discard(self)
        self.budget.wake_waiting()


def _mb(size: int) -> str:
    return f"{size / MB:.0f} MB"
