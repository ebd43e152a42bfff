"""The entropy of the samples, from the distributions that they were drawn from: no encoding can be smaller."""

from dataclasses import dataclass
from math import e, erf, log2, pi, sqrt

import numpy as np

from tests.bench.world.hpas import Hpas, Real, Whole
from tests.bench.world.usage import (
    DRIFT,
    JITTER_US,
    MS,
    NANO,
    NOISE,
    PAGE,
    PUSH,
    SPREAD_US,
    STEP,
    STILL,
    Usage,
)

SECOND, TICK = 1_000_000, 15_000_000
BYTE = 8
FINE = np.geomspace(0.05, 2, 60)  # below, the steps of a whole number are coarser than the noise


def _steps(sigma: float) -> float:
    """Returns the bits of normal noise that is rounded to whole numbers, for a small deviation."""
    bounds = np.arange(-12.5, 13.5)
    bits = []
    for shift in np.linspace(0, 1, 16, endpoint=False):
        below = np.array([(1 + erf((bound + shift) / sigma / sqrt(2))) / 2 for bound in bounds])
        chances = np.diff(below)
        chances = chances[chances > 0]
        bits.append(-(chances * np.log2(chances)).sum())
    return float(np.mean(bits))


_FINE_BITS = np.array([_steps(float(sigma)) for sigma in FINE])


def normal_bits(sigma: Real) -> Real:
    """Returns the bits of normal noise of this deviation, in steps of what it is rounded to."""
    coarse = np.log2(np.maximum(sigma, FINE[-1]) * sqrt(2 * pi * e))
    return np.where(sigma < FINE[-1], np.interp(sigma, FINE, _FINE_BITS), coarse)


def _surprise() -> float:
    """Returns the deviation of the next logarithm of cpu from what all before it foretell (Kalman's, at rest)."""
    variance = PUSH**2
    for _ in range(100):
        variance = DRIFT**2 * variance * NOISE**2 / (variance + NOISE**2) + PUSH**2
    return sqrt(variance + NOISE**2)


def _coin(chance: float) -> float:
    return -chance * log2(chance) - (1 - chance) * log2(1 - chance)


_SURPRISE = _surprise()
# A window in ms also tells the instant of its scrape, for it began where the one before ended.
EXACT_BITS = float(normal_bits(np.array(JITTER_US / MS)))
# In whole seconds: how many passed, and whether the window, rounded up, is one more than these.
SECONDS_BITS = float(normal_bits(np.array(JITTER_US / SECOND))) + 1
# Which answer shows it first is open where the delay may or may not reach past a poll: half a coin on average.
POLL_BITS = SPREAD_US / TICK / (2 * np.log(2))


@dataclass(slots=True)
class Noise:
    """Bits of chance in all samples so far, one for every scrape that an answer showed: cpu and memory."""

    hpas: Hpas
    samples: int = 0
    cpu: float = 0
    memory: float = 0

    def count(self, usage: Usage, places: Whole) -> None:
        """Counts what is new of these pods."""
        milli, level = usage["nano"][places] / NANO, usage.reals["level"][places]
        self.samples += len(places)
        self.cpu += float(normal_bits(milli * _SURPRISE).sum())
        self.memory += float((_coin(STILL) + (1 - STILL) * normal_bits(STEP * level / PAGE)).sum())

    def bytes_a_sample(self, *, exact: bool) -> float:
        """Returns the least bytes for one of the two values of a sample; `exact`: with windows in ms."""
        bits = (self.cpu + self.memory) / self.samples + (EXACT_BITS if exact else SECONDS_BITS) + POLL_BITS
        return float(bits / BYTE / 2)
