"""Bounds the memory of all answers that are being read at one time."""

import asyncio
from pathlib import Path
from types import TracebackType
from typing import Self

from hpaaudit.cluster.decoding.decoders import TooLong

SHARE = 8
"""This part of the limit is for answers; the caches, the rows of a segment and its making need the rest.

Measured with 512 MiB: a recorder at rest takes 110 MB, a sample 0.7 kB while it is read and 3 kB until its segment is
made, so that the longest answer that is taken ends below 400 MB.
"""
LONGEST = 2
"""One answer takes at most this part of the budget, so that the others are read beside it."""
DEFAULT_LIMIT = 1 << 30
"""Where no control group has a limit."""
FULL = 0.85
"""Where the process itself takes this part of its limit, no long answer is read any further."""
STEP = 1 << 20
"""The process is measured anew after so many bytes."""
UNITS = (b",", b"{", b"[")
UNIT_BYTES = 100
"""What a value of JSON takes once it is decoded: an empty object 72 bytes, a key with a short text 100 to 150."""
UNWEIGHED = 1 << 16
"""Shorter JSON takes less than 5 MB, whatever is in it."""
MB = 1 << 20
PAGE_BYTES = 4096
CGROUP, OURS, STATM = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup"), Path("/proc/self/statm")


def memory_limit(root: Path = CGROUP, ours: Path = OURS) -> int:
    """The least limit of our control group and of those above it, in bytes; DEFAULT_LIMIT where none has one."""
    return min(_limits(root, ours), default=DEFAULT_LIMIT)


def _limits(root: Path, ours: Path) -> list[int]:
    """Limits that are numbers: `memory.max` of version 2, `memory.limit_in_bytes` of version 1."""
    try:
        lines = ours.read_text().splitlines()
    except OSError:
        return []
    found = []
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
            # Version 1 says "no limit" by a number beyond any machine.
            if text.isdigit() and int(text) < 1 << 60:
                found.append(int(text))
    return found


def weight(data: bytes) -> int:
    """About how many bytes JSON takes with what is decoded from it; text that looks like JSON weighs too much."""
    return len(data) + (UNIT_BYTES * sum(map(data.count, UNITS)) if len(data) > UNWEIGHED else 0)


class Budget:
    """`total` bytes for all answers in flight, of which one may have `longest`."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit or memory_limit()
        self.total = self.limit // SHARE
        self.longest = self.total // LONGEST
        self.taken = 0
        self.holders: set[Share] = set()
        self.waiting: dict[Share, asyncio.Future[None]] = {}

    def share(self) -> "Share":
        """The part of one answer, to be used as a context manager."""
        return Share(self)

    @property
    def is_measured_full(self) -> bool:
        """Whether the process nears its limit."""
        try:
            resident = int(STATM.read_text("ascii").split()[1]) * PAGE_BYTES
        except (OSError, IndexError, ValueError):
            return False
        return resident > FULL * self.limit

    def freed(self) -> None:
        """Some memory was given back: whoever waits tries again."""
        for waiter in self.waiting.values():
            if not waiter.done():
                waiter.set_result(None)


class Share:
    """What one answer holds of the budget."""

    def __init__(self, budget: Budget) -> None:
        self.budget, self.held, self._measured = budget, 0, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.set_back(0)

    async def hold(self, size: int) -> None:
        """Hold so many bytes from now on: more, or less."""
        if size > self.held:
            await self.grow(size - self.held)
        else:
            self.set_back(size)

    async def grow(self, size: int) -> None:
        """Take so many bytes more, as soon as others have given them back; TooLong where that cannot be."""
        budget = self.budget
        self.check(size)
        if self.held + size - self._measured >= STEP:
            self._measured = self.held + size
            if budget.is_measured_full:
                raise TooLong(f"no memory is left for an answer of more than {_mb(self.held)}: raise the memory limit")
        while budget.taken + size > budget.total:
            # Where all who hold something wait for each other, the last one gives way.
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
        """TooLong where so many bytes more are beyond what one answer may have."""
        if self.held + size > self.budget.longest:
            raise TooLong(
                f"the answer takes more than {_mb(self.budget.longest)} of memory, all that the limit of "
                f"{_mb(self.budget.limit)} leaves for one: raise it"
            )

    def set_back(self, held: int) -> None:
        """Give back all beyond so many bytes."""
        self.budget.taken -= self.held - held
        self.held = held
        if not held:
            self.budget.holders.discard(self)
        self.budget.freed()


def _mb(size: int) -> str:
    return f"{size / MB:.0f} MB"
