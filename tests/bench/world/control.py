"""A simple HPA for a whole fleet at once: what metrics propose, and what window and policies allow."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.bench.world.behaviors import Rules, rules
from tests.bench.world.hpas import Hpas, Real, Whole

Truth = NDArray[np.bool_]

READY, MISSING, UNREADY, IGNORED = range(4)
TOLERANCE = 0.1  # kube-controller-manager's default
RING = 64  # ticks that are remembered, which is more than any window or period


def _near(ratio: Real) -> Truth:
    """Tells which ratios are within the tolerance: its edges belong to it, as of Kubernetes 1.33."""
    return (ratio >= 1 - TOLERANCE) & (ratio <= 1 + TOLERANCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """What pods of one state come to, by HPA."""

    count: Real
    used: Real
    asked: Real


def propose(hpa: Whole, state: Whole, usage: Whole, request: Whole, target: Whole, value: Truth, spec: Whole) -> Whole:
    """Returns what a resource proposes to each HPA, -1 where it cannot tell.

    hpa, state, usage, request   of each pod;  target  of each HPA, in percent of the request
    value   HPAs whose target is the request itself, as an average
    """

    def sums(of: int) -> Sums:
        chosen = state == of
        whose = hpa[chosen]
        used, asked = (np.bincount(whose, weights[chosen], len(spec)) for weights in (usage, request))
        return Sums(count=np.bincount(whose, minlength=len(spec)).astype(float), used=used, asked=asked)

    def ratio_of(used: Real, asked: Real, count: Real) -> Real:
        average = (used * 1000 // np.maximum(count, 1)) / np.maximum(asked * 1000 / np.maximum(count, 1), 1)
        return np.where(value, average, used * 100 // np.maximum(asked, 1) / target)

    ready, missing, unready = sums(READY), sums(MISSING), sums(UNREADY)
    has_utilization = (ready.count > 0) & (ready.asked > 0)
    ratio = ratio_of(ready.used, ready.asked, ready.count)
    late = (unready.count > 0) & (ratio > 1)
    plain = np.where(_near(ratio), spec, np.ceil(ratio * ready.count))
    # Missing pods are taken for idle on the way up and for busy on the way down; unready ones for idle.
    busy = np.where(value, missing.asked, missing.asked * np.maximum(100, target) // 100)
    used = ready.used + np.where(ratio < 1, busy, 0)
    asked = ready.asked + np.where(ratio != 1, missing.asked, 0) + np.where(late, unready.asked, 0)
    count = ready.count + np.where(ratio != 1, missing.count, 0) + np.where(late, unready.count, 0)
    again = ratio_of(used, asked, count)
    filled = np.ceil(again * count)
    turned = ((ratio < 1) & (again > 1)) | ((ratio > 1) & (again < 1))
    against = ((again < 1) & (filled > spec)) | ((again > 1) & (filled < spec))
    filled = np.where(_near(again) | turned | against, spec, filled)
    return np.where(has_utilization, np.where(late | (missing.count > 0), filled, plain), -1).astype(np.int64)


class Control:
    """What the controller remembers of each HPA, and what it lets through."""

    def __init__(self, hpas: Hpas) -> None:
        self._hpas = hpas
        self._plain = hpas.behavior == 0
        self._up, self._down = rules(hpas.behavior, "scaleUp"), rules(hpas.behavior, "scaleDown")
        self._at = np.zeros((RING, len(hpas)), np.int64)
        self._wanted = np.zeros((RING, len(hpas)), np.int64)
        self._known = np.zeros((RING, len(hpas)), bool)
        self._added = np.zeros((RING, len(hpas)), np.int64)
        self._removed = np.zeros((RING, len(hpas)), np.int64)

    def decide(self, tick: int, at: Whole, wanted: Whole, is_known: Truth, spec: Whole) -> Whole:
        """Returns the replicas that each HPA sets; it holds where nothing is known."""
        slot = tick % RING
        if tick == 0:  # a process that just began takes the replicas that it finds for its first recommendation
            self._at[-1], self._wanted[-1], self._known[-1] = at, spec, True
        self._at[slot], self._wanted[slot], self._known[slot] = at, wanted, is_known
        self._added[slot] = self._removed[slot] = 0
        age = at - self._at
        new = self._limited(age, spec, self._stable(age, wanted, spec))
        new = np.where(is_known, np.clip(new, self._hpas.least, self._hpas.most), spec)
        self._added[slot], self._removed[slot] = np.maximum(new - spec, 0), np.maximum(spec - new, 0)
        return new

    def _stable(self, age: Whole, wanted: Whole, spec: Whole) -> Whole:
        """Returns what the stabilization windows leave of the proposal."""
        least = np.where(self._known & (age < self._up.window_us), self._wanted, 1 << 30).min(0)
        # Without a behavior what is as old as the window still counts.
        is_recent = (age < self._down.window_us) | (self._plain & (age == self._down.window_us))
        most = np.where(self._known & is_recent, self._wanted, 0).max(0)
        least, most = np.minimum(least, wanted), np.maximum(most, wanted)
        return np.where(self._plain, most, np.minimum(np.maximum(spec, least), most))

    def _limited(self, age: Whole, spec: Whole, stable: Whole) -> Whole:
        """Returns what the policies leave of it; without a behavior at most twice as many, or four."""
        doubled = np.maximum(2 * spec, 4)
        up = np.where(self._plain, doubled, self._limit(self._up, age, spec, up=True))
        down = np.where(self._plain, 0, self._limit(self._down, age, spec, up=False))
        return np.where(stable > spec, np.minimum(stable, up), np.maximum(stable, down))

    def _limit(self, of: Rules, age: Whole, spec: Whole, *, up: bool) -> Whole:
        """Returns how far the policies of one direction let it go."""
        limits = []
        for policy in range(of.pods.shape[1]):
            within = age < of.periods_us[:, policy]
            before = spec - (self._added * within).sum(0) + (self._removed * within).sum(0)
            sign = 1 if up else -1
            by_percent = before * (1 + sign * of.percent[:, policy] / 100)
            by_percent = np.ceil(by_percent) if up else np.trunc(by_percent)
            limits.append(np.where(of.pods[:, policy] > 0, before + sign * of.pods[:, policy], by_percent))
        greatest = of.most if up else ~of.most
        chosen = np.where(greatest, np.maximum(*limits), np.minimum(*limits)).astype(np.int64)
        return np.maximum(chosen, spec) if up else np.minimum(chosen, spec)
