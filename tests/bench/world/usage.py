"""What metrics-server measures of each pod: scrape by scrape, and when an answer shows it."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tests.bench.world.hpas import CONTAINER, MIB, Hpas, Real, Whole
from tests.bench.world.pods import SECOND, Pods

MS = 1_000
PAGE = 4096
NANO = 1_000_000  # in a milli
DRIFT, PUSH, NOISE = 0.85, 0.075, 0.05  # of the logarithm of cpu: it wanders, and every scrape has noise of its own
STILL, TOWARDS, STEP = 0.15, 0.05, 0.002  # of memory: it stands still, tends to its level, steps by parts of it
JITTER_US, DELAY_US, SPREAD_US = 800_000, 1 * SECOND, 8 * SECOND  # of a scrape; until an answer shows it
SIDECAR_MILLI, SIDECAR_MIB = 20, 24
WARM, WARM_US = 1.6, 60 * SECOND
REALS = ("wander", "memory", "level")
NUMBERS = ("last", "next", "shown", "timestamp", "window", "nano", "pages", "side_nano", "side_pages")


@dataclass(slots=True)
class Usage:
    """What was measured last of each pod, a column each.

    last, next, shown   the scrape before, the coming one, and when an answer shows that
    timestamp, window, nano, pages   what answers show now;  has   whether they show anything
    side_…   of a second container, where there is one
    """

    hpas: Hpas
    pods: Pods
    columns: dict[str, Whole] = field(default_factory=dict)
    reals: dict[str, Real] = field(default_factory=dict)
    has: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))

    def __getitem__(self, name: str) -> Whole:
        return self.columns[name]

    def bear(self, places: Whole, chance: np.random.Generator, *, old_at: int | None = None) -> None:
        """Begins to measure pods; old ones have run for long at that instant."""
        self._grow()
        size, hpa = len(places), self.pods["hpa"][places]
        refresh = self.hpas.refresh_us[self.hpas.namespace[hpa]]
        phase = chance.integers(0, refresh // MS) * MS
        begun = self.pods["running"][places] + phase
        last = begun if old_at is None else old_at - refresh - phase
        self["last"][places] = last
        self["next"][places] = last + refresh
        self["shown"][places] = self["next"][places] + DELAY_US + chance.integers(0, SPREAD_US, size)
        level = self.hpas.memory_bytes[hpa] * chance.uniform(0.45, 0.75, size)
        self.reals["level"][places] = level
        self.reals["memory"][places] = level * (0.3 if old_at is None else 1.0)

    def _grow(self) -> None:
        size = len(self.pods["hpa"])
        if len(self.has) < size:
            for columns, names, kind in ((self.columns, NUMBERS, np.int64), (self.reals, REALS, np.float64)):
                for name in names:
                    grown = np.zeros(size, kind)
                    grown[: len(self.has)] = columns.get(name, grown[:0])
                    columns[name] = grown  # type: ignore[index]
            self.has = np.concatenate([self.has, np.zeros(size - len(self.has), bool)])

    def scrape(self, until: Whole, load: Real, chance: np.random.Generator) -> Whole:
        """Measures what answers show by now; returns whose they show anew, some twice.

        until   instant of the answer;  load   milli of cpu of a pod, both by the places of the living
        """
        collected = []
        alive = self.pods.alive
        while True:
            due = (self["shown"][alive] <= until) & (self["next"][alive] < self.pods["gone"][alive])
            due &= self.pods["running"][alive] <= self["next"][alive]
            if not due.any():
                return np.concatenate(collected) if collected else alive[:0]
            collected.append(alive[due])
            self._measure(alive[due], load[due], chance)

    def _measure(self, places: Whole, load: Real, chance: np.random.Generator) -> None:
        size, hpa = len(places), self.pods["hpa"][places]
        wander, memory, level = (self.reals[name] for name in REALS)
        at = self["next"][places]
        wander[places] = DRIFT * wander[places] + PUSH * chance.standard_normal(size)
        milli = load * np.exp(wander[places] + NOISE * chance.standard_normal(size))
        milli *= np.where(at - self.pods["started"][places] < WARM_US, WARM, 1.0)
        step = TOWARDS * (level[places] - memory[places]) + STEP * level[places] * chance.standard_normal(size)
        memory[places] += np.where(chance.random(size) < STILL, 0.0, step)
        self["timestamp"][places] = at // SECOND * SECOND
        self["window"][places] = at - self["last"][places]
        self["nano"][places] = (milli * NANO).astype(np.int64)
        self["pages"][places] = memory[places].astype(np.int64) // PAGE
        two = places[self.hpas.kind[hpa] == CONTAINER]
        self["side_nano"][two] = (SIDECAR_MILLI * np.exp(0.1 * chance.standard_normal(len(two))) * NANO).astype(
            np.int64
        )
        self["side_pages"][two] = SIDECAR_MIB * MIB // PAGE + chance.integers(0, 64, len(two))
        self.has[places] = True
        self["last"][places] = at
        refresh = self.hpas.refresh_us[self.hpas.namespace[hpa]]
        jitter = (JITTER_US / MS * chance.standard_normal(size)).astype(np.int64) * MS
        self["next"][places] = at + refresh + jitter
        self["shown"][places] = self["next"][places] + DELAY_US + chance.integers(0, SPREAD_US, size)


def rounded_up(nano: Whole) -> Whole:
    """Returns nanocores as milli, as the controller rounds them."""
    return -(-nano // NANO)
