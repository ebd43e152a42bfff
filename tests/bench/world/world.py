"""Moves the world from one interval to the next: metrics are polled, HPAs decide, pods come and go."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.bench.world.answers import Listed, Values
from tests.bench.world.control import IGNORED, MISSING, READY, UNREADY, Control, propose
from tests.bench.world.hpas import UTILIZATION, VALUE, Hpas, Real, Whole, draw
from tests.bench.world.noise import Noise
from tests.bench.world.pods import NEVER, SECOND, Pods, changes
from tests.bench.world.step import Scales, Statuses, Step
from tests.bench.world.usage import PAGE, Usage, rounded_up

START = 1_772_409_600 * SECOND  # 2026-03-02T00:00:00Z
TICK_SECONDS = 15
TICK = TICK_SECONDS * SECOND
INITIALIZATION_US, READINESS_DELAY_US = 300 * SECOND, 30 * SECOND  # kube-controller-manager's defaults
FAILS = 1 / 2000  # of reads


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The pods that the controllers see, the HPA of each, and how they count it for cpu and for memory."""

    alive: Whole
    of: Whole
    cpu: Whole
    memory: Whole


class World:
    """A fleet; `step` after `step` it lives.

    spec, status   replicas of each workload;  templates of its pods
    """

    def __init__(self, hpas: int, seed: int, days: float) -> None:
        self.chance = np.random.default_rng(seed)
        self.hpas: Hpas = draw(hpas, days, self.chance)
        self.pods = Pods(self.hpas)
        self.usage = Usage(self.hpas, self.pods)
        self.noise = Noise(self.hpas)
        self.listed = Listed(self.hpas, self.pods, self.usage)
        self.values = Values(self.hpas, self.pods)
        self.control = Control(self.hpas)
        self.tick = 0
        self.spec = np.clip(self.hpas.base.astype(np.int64), self.hpas.least, self.hpas.most)
        self._wave, self._burst = np.zeros(hpas), np.zeros(hpas)
        self._rolling = np.zeros(hpas, bool)
        self._written = np.full(hpas, START - 3600 * SECOND)
        whom, ticks = np.repeat(np.arange(hpas), self.hpas.rollouts), round(days * 86_400 / TICK_SECONDS)
        self._rollouts = self.chance.integers(0, max(ticks, 1), len(whom)), whom
        born = START - self.chance.integers(3600, 80_000, self.spec.sum()) * SECOND
        self.usage.bear(
            self.pods.bear(np.repeat(np.arange(hpas), self.spec), born, self.chance), self.chance, old_at=START
        )
        self._serving, self.status = self.spec.copy(), self.spec.copy()

    def step(self, *, anew: bool) -> Step:
        """Live through one interval; `anew`: what is polled begins anew, as in a new segment."""
        hpas, alive = self.hpas, self.pods.alive
        begins = START + self.tick * TICK
        polled = begins + hpas.offset_us + self.chance.integers(0, 20_000, len(hpas.namespaces))
        jitter = np.minimum(5_000 + self.chance.exponential(25_000, len(hpas)), 80_000).astype(np.int64)
        began = begins + hpas.offset_us[hpas.namespace] + hpas.after_us + jitter
        decided = began + self.chance.integers(2_000, 12_000, len(hpas))
        failed = self.chance.random(len(hpas.namespaces)) < FAILS
        of = self.pods["hpa"][alive]
        share = self._load() / np.maximum(self._serving, 1)
        fresh = self.usage.scrape(polled[hpas.namespace[of]], (share * hpas.cpu_milli)[of], self.chance)
        self.noise.count(self.usage, np.unique(fresh))
        took = self.chance.integers(3_000, 30_000, len(polled))
        metrics = self.listed.read(polled, fresh, took, failed=failed, anew=anew)
        counted = self._counted(decided)
        values = self.values.read(polled, self._quiet(counted), self._serving, self.chance, anew=anew)
        new = self._decide(counted, decided, ~failed[hpas.namespace])
        moved = np.flatnonzero(new != self.spec)
        statuses = Statuses(hpa=moved, at=decided[moved] + 25_000, current=self.spec[moved], desired=new[moved])
        scales = self._move(new, decided)
        self.tick += 1
        changed, when = changes(self.pods, begins, begins + TICK)
        self.pods.bury(begins, self.listed.now, self.values.now)
        return Step(
            tick=self.tick - 1,
            until=begins + TICK,
            metrics=metrics,
            values=values,
            began=began,
            decided=decided,
            statuses=statuses,
            scales=scales,
            changed=changed,
            when=when,
        )

    def _load(self) -> Real:
        """Returns what each HPA has to do, in requests of a pod: a daily curve, bursts and wandering."""
        size = len(self.hpas)
        self._wave = 0.98 * self._wave + 0.012 * self.chance.standard_normal(size)
        bursts = self.chance.random(size) < 4.0 / 5760
        self._burst = 0.992 * np.where(bursts, 0.3 + 0.7 * self.chance.random(size), self._burst)
        day = self.tick * TICK_SECONDS / 86_400
        curve = 1 + self.hpas.swing * np.sin(2 * np.pi * day + self.hpas.phase)
        return self.hpas.base * self.hpas.target_percent / 100 * curve * np.exp(self._wave) * (1 + self._burst)

    def _counted(self, decided: Whole) -> Counted:
        """Returns how the controllers count each pod at the instant of their decision."""
        pods, usage = self.pods, self.usage
        at = decided[pods["hpa"][pods.alive]]
        alive = pods.alive[(pods["born"][pods.alive] <= at) & (at < pods["gone"][pods.alive])]
        of = pods["hpa"][alive]
        at = decided[of]
        ready, turned, started = pods.is_ready(alive, at), pods.turned(alive, at), pods["started"][alive]
        young = started + INITIALIZATION_US > at
        early = usage["timestamp"][alive] < turned + usage["window"][alive]
        unready = np.where(young, ~ready | early, ~ready & (started // SECOND * SECOND + READINESS_DELAY_US > turned))
        memory = np.full(len(alive), READY)
        memory[~self.listed.now[alive]] = MISSING
        memory[pods["running"][alive] > at] = UNREADY
        memory[pods["deleted"][alive] <= at] = IGNORED
        cpu = np.where((memory == READY) & unready, UNREADY, memory)
        self._serving = np.bincount(of[ready], minlength=len(self.hpas))
        return Counted(alive=alive, of=of, cpu=cpu, memory=memory)

    def _quiet(self, counted: Counted) -> Real:
        """Returns how busy the other metrics may say that a pod of each HPA is: less than cpu says."""
        ready = counted.cpu == READY
        of, size = counted.of[ready], len(self.hpas)
        used = np.bincount(of, self.usage["nano"][counted.alive[ready]] / 1e6, size)
        by_cpu = used / self.hpas.cpu_milli * 100 / self.hpas.target_percent
        return np.minimum(by_cpu, self.spec) / np.maximum(self._serving, 1)

    def _decide(self, counted: Counted, decided: Whole, answered: NDArray[np.bool_]) -> Whole:
        """Returns the replicas that the controllers want, by what answers and pods say at that instant."""
        hpas, usage = self.hpas, self.usage
        alive, of, cpu, memory = counted.alive, counted.of, counted.cpu, counted.memory
        used = rounded_up(usage["nano"][alive])
        by_cpu = propose(of, cpu, used, hpas.cpu_milli[of], hpas.target_percent, hpas.kind < 0, self.spec)
        asked = np.where(hpas.kind == VALUE, hpas.memory_value, hpas.memory_bytes)[of]
        used = usage["pages"][alive] * PAGE
        by_memory = propose(of, memory, used, asked, hpas.memory_percent, hpas.kind == VALUE, self.spec)
        by_memory[(hpas.kind != VALUE) & (hpas.kind != UTILIZATION)] = -1
        wanted = np.maximum(by_cpu, by_memory)
        is_known = answered & (wanted >= 0) & ((by_cpu >= 0) | (wanted >= self.spec))
        return self.control.decide(self.tick, decided, wanted, is_known, self.spec)

    def _move(self, new: Whole, decided: Whole) -> Scales:
        """Lets workloads follow: pods are born and deleted, templates rolled out; returns what was seen of it."""
        hpas, pods = len(self.hpas), self.pods
        changed, self.spec = new != self.spec, new
        begun = self._rollouts[1][self._rollouts[0] == self.tick]
        for hpa in begun.tolist():
            pods.roll_out(hpa)
        self._rolling[begun] = True
        alive = pods.alive[pods["deleted"][pods.alive] == NEVER]
        of = pods["hpa"][alive]
        old = pods["template"][alive] != pods.latest[of]
        active, outdated = np.bincount(of, minlength=hpas), np.bincount(of[old], minlength=hpas)
        ready = np.bincount(of[pods.is_ready(alive, decided[of])], minlength=hpas)
        self._rolling &= outdated > 0
        want = new + np.where(self._rolling, np.maximum(new // 4, 1), 0)
        excess = np.maximum(active - want, 0)
        excess = np.where(self._rolling, np.maximum(excess, np.minimum(outdated, ready - new)), excess)
        allowed = ~self._rolling[of] | old
        first = np.searchsorted(of, of)
        turn = np.cumsum(allowed) - allowed
        victims = alive[allowed & (turn - turn[first] < excess[of])]
        whose = np.repeat(np.arange(hpas), np.maximum(want - active, 0))
        pods.delete(victims, self._soon(decided[pods["hpa"][victims]]), self.chance)
        self.usage.bear(pods.bear(whose, self._soon(decided[whose]), self.chance), self.chance)
        status = active - np.bincount(pods["hpa"][victims], minlength=hpas) + np.bincount(whose, minlength=hpas)
        return self._scales(changed, status, decided)

    def _soon(self, after: Whole) -> Whole:
        return after + self.chance.integers(300_000, 3_000_000, len(after))

    def _scales(self, changed: NDArray[np.bool_], status: Whole, decided: Whole) -> Scales:
        """Returns each write of a scale, and what the workload's status became of it a little later."""
        written, followed = np.flatnonzero(changed), np.flatnonzero(changed | (status != self.status))
        hpa = np.concatenate([written, followed])
        at = np.concatenate([decided[written] + 12_000, decided[followed] + 3_200_000])
        before, self.status = self.status, status
        self._written = np.where(changed, decided // SECOND * SECOND, self._written)
        return Scales(
            hpa=hpa,
            at=at,
            spec=self.spec[hpa],
            status=np.concatenate([before[written], status[followed]]),
            template=self.pods.latest[hpa],
            written=self._written[hpa],
        )
