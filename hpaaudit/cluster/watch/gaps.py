"""Writes down when nobody looked, and at what."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from hpaaudit.model.facts import Gap
from hpaaudit.model.units import SECOND, Micros

UNSEEN_US = SECOND
"""Shorter than this is no gap: the controller's own caches lag as much."""
TICK_SECONDS = 1
LEAP_US = 5 * SECOND
"""A tick so late is no busy machine."""
EVERYTHING = "*"
WAITING = "the server took its time to begin the watch"
CAUSE_CHARS = 1000


@dataclass(slots=True)
class Gaps:
    """Open gaps by path; a long one is written in slices, the first one soon, so that little is lost with the process.

    parts   of paths that are read in another way: what of them is not seen then
    """

    sink: Callable[[Gap], None]
    count: int = 0
    open: dict[str, tuple[Micros, str]] = field(default_factory=dict)
    counted: set[str] = field(default_factory=set)
    parts: dict[str, str] = field(default_factory=dict)

    def lost(self, prefix: str, since_us: Micros, cause: str) -> None:
        """Nobody looks at these paths since then; the first cause stands, if it is more than that we waited."""
        cause = " ".join(cause.split())[:CAUSE_CHARS]
        since_us, before = self.open.setdefault(prefix, (since_us, cause))
        if before == WAITING:
            self.open[prefix] = (since_us, cause)

    def is_waiting(self, prefix: str) -> bool:
        """Whether these paths are hidden only because a watch was asked for and does not stand yet."""
        return prefix in self.open and self.open[prefix][1] == WAITING

    def found(self, prefix: str, at_us: Micros) -> None:
        """Somebody looks again."""
        if prefix in self.open:
            self._write(prefix, at_us)
            del self.open[prefix]
            self.counted.discard(prefix)

    def narrow(self, prefix: str, part: str, at_us: Micros) -> None:
        """From then on a gap of these paths hides only a part of what they tell, and is written as `prefix#part`.

        Of everything, as at first, where the part is empty.
        """
        if self.parts.get(prefix, "") != part:
            if prefix in self.open:
                self._write(prefix, at_us)
                self.open[prefix] = (at_us, self.open[prefix][1])
            self.parts[prefix] = part

    def missed(self, prefix: str, since_us: Micros, until_us: Micros, cause: str) -> None:
        """Nobody looked from then to then."""
        self.count += 1
        self.sink(Gap(at_us=since_us, until_us=until_us, prefix=prefix, cause=cause))

    async def notice_leaps(self, now: Callable[[], Micros]) -> None:
        """For ever: when the machine slept, the process was stopped or the clock was set, nobody looked at anything."""
        before = now()
        while True:
            await asyncio.sleep(TICK_SECONDS)
            after = now()
            if (leap := after - before - TICK_SECONDS * SECOND) > LEAP_US:
                cause = "the machine slept, the recorder was stopped, or the clock was set"
                self.missed(EVERYTHING, before, after, f"the time leapt by {round(leap / SECOND)} s: {cause}")
            before = after
            self._slice(after, [prefix for prefix in self.open if prefix not in self.counted or prefix == EVERYTHING])

    def slice(self, at_us: Micros) -> None:
        """Write down what is known of the gaps that are still open."""
        self._slice(at_us, list(self.open))

    def _slice(self, at_us: Micros, prefixes: list[str]) -> None:
        for prefix in prefixes:
            if self._write(prefix, at_us):
                self.open[prefix] = (at_us, self.open[prefix][1])

    def _write(self, prefix: str, until_us: Micros) -> bool:
        """Write a gap down up to an instant; False where it is too short yet to be one."""
        since_us, cause = self.open[prefix]
        if prefix not in self.counted:
            if until_us - since_us < UNSEEN_US:
                return False
            self.count += 1
            self.counted.add(prefix)
        hidden = f"{prefix}#{part}" if (part := self.parts.get(prefix)) else prefix
        self.sink(Gap(at_us=since_us, until_us=until_us, prefix=hidden, cause=cause))
        return True
