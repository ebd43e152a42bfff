"""Records gaps: when a stream was not observed, and why."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from hpaaudit.model.facts import Gap
from hpaaudit.model.units import SECOND, Micros

MIN_GAP_US = SECOND
"""A shorter time is no gap: the controller's own caches lag as much."""
TICK_SECONDS = 1
JUMP_US = 5 * SECOND
"""A tick that is this late does not come from a busy machine."""
EVERYTHING = "*"
WATCH_PENDING = "the server took its time to begin the watch"
CAUSE_CHARS = 1000


@dataclass(slots=True)
class Gaps:
    """The gaps that are open now, by prefix: the path (and query) of a stream that is not observed.

    An open gap is written in slices, the first one soon, so that little of it is lost if the process dies.

    open      since when, and why;  count  of all gaps so far;  counted  prefixes whose open gap is counted already
    parts     of prefixes whose objects are read in another way: what is not seen that way
    """

    sink: Callable[[Gap], None]
    count: int = 0
    open: dict[str, tuple[Micros, str]] = field(default_factory=dict)
    counted: set[str] = field(default_factory=set)
    parts: dict[str, str] = field(default_factory=dict)

    def begin(self, prefix: str, since_us: Micros, cause: str) -> None:
        """Open a gap. If it is open already, the first cause stays, unless that was a watch that did not begin yet."""
        cause = " ".join(cause.split())[:CAUSE_CHARS]
        since_us, before = self.open.setdefault(prefix, (since_us, cause))
        if before == WATCH_PENDING:
            self.open[prefix] = (since_us, cause)

    def is_pending(self, prefix: str) -> bool:
        """Whether a gap is only open because a watch was requested and did not begin yet."""
        return prefix in self.open and self.open[prefix][1] == WATCH_PENDING

    def end(self, prefix: str, at_us: Micros) -> None:
        """Close a gap, if it is open: the stream is seen again."""
        if prefix in self.open:
            self._write(prefix, at_us)
            del self.open[prefix]
            self.counted.discard(prefix)

    def narrow(self, prefix: str, part: str, at_us: Micros) -> None:
        """From now on a gap of this prefix hides only a part of its objects, and is written as `prefix#part`.

        An empty part means everything, as at first.
        """
        if self.parts.get(prefix, "") != part:
            if prefix in self.open:
                self._write(prefix, at_us)
                self.open[prefix] = (at_us, self.open[prefix][1])
            self.parts[prefix] = part

    def add(self, prefix: str, since_us: Micros, until_us: Micros, cause: str) -> None:
        """Write a gap that is over already."""
        self.count += 1
        self.sink(Gap(at_us=since_us, until_us=until_us, prefix=prefix, cause=cause))

    async def detect_time_jumps(self, now: Callable[[], Micros]) -> None:
        """For ever: when the machine slept, the process was stopped or the clock was set, nothing at all was seen."""
        before = now()
        while True:
            await asyncio.sleep(TICK_SECONDS)
            after = now()
            if (jump := after - before - TICK_SECONDS * SECOND) > JUMP_US:
                cause = "the machine slept, the recorder was stopped, or the clock was set"
                self.add(EVERYTHING, before, after, f"the clock jumped by {round(jump / SECOND)} s: {cause}")
            before = after
            new = [prefix for prefix in self.open if prefix not in self.counted or prefix == EVERYTHING]
            self._write_slices(after, new)

    def write_open(self, at_us: Micros) -> None:
        """Write the open gaps up to now."""
        self._write_slices(at_us, list(self.open))

    def _write_slices(self, at_us: Micros, prefixes: list[str]) -> None:
        for prefix in prefixes:
            if self._write(prefix, at_us):
                self.open[prefix] = (at_us, self.open[prefix][1])

    def _write(self, prefix: str, until_us: Micros) -> bool:
        """Write a gap up to `until_us`. False if it is too short to be one yet."""
        since_us, cause = self.open[prefix]
        if prefix not in self.counted:
            if until_us - since_us < MIN_GAP_US:
                return False
            self.count += 1
            self.counted.add(prefix)
        hidden = f"{prefix}#{part}" if (part := self.parts.get(prefix)) else prefix
        self.sink(Gap(at_us=since_us, until_us=until_us, prefix=hidden, cause=cause))
        return True
