"""The pods of the fleet, from birth to end: when each of their states begins, and what they are at an instant."""

from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tests.bench.world.hpas import Hpas, Whole

SECOND = 1_000_000
NEVER = np.iinfo(np.int64).max
LETTERS = "2456789bcdfghjklmnpqrstvwxz"  # of generated names, in order
SUFFIX, HASH = 5, 6
GRACE_US = 30 * SECOND  # terminationGracePeriodSeconds: deletionTimestamp lies so far ahead
STATES = ("born", "started", "running", "ready", "unready", "again", "deleted", "gone")
NUMBERS = ("hpa", "template", "suffix", "key", *STATES, "lost", "found")


Number = TypeVar("Number", int, Whole)


def _stem(template: Number) -> Number:
    """Return the first letters of a template's hash, as a number: of each another."""
    return (template * 52_711_139 + 17) % len(LETTERS) ** HASH


def spelled(number: int, length: int) -> str:
    """Return a number as letters of generated names: in order as the numbers are."""
    text = ""
    for _ in range(length):
        number, digit = divmod(number, len(LETTERS))
        text = LETTERS[digit] + text
    return text


@dataclass(slots=True)
class Pods:
    """All pods ever, a column each; the first `count` places are taken.

    key      grows with namespace and name
    states   when each begins, NEVER where it does not: `unready` and `again` are one flip of readiness
    lost, found   between these, metrics-server does not have it
    names    of pods;  templates   HPA, revision and hash of each template that pods were made from
    """

    hpas: Hpas
    count: int = 0
    columns: dict[str, Whole] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    templates: list[tuple[int, int, str]] = field(default_factory=list)
    latest: Whole = field(default_factory=lambda: np.zeros(0, np.int64))
    alive: Whole = field(default_factory=lambda: np.zeros(0, np.int64))

    def __post_init__(self) -> None:
        self.columns = {name: np.zeros(1 << 12, np.int64) for name in NUMBERS}
        self.latest = np.zeros(len(self.hpas), np.int64)
        for hpa in range(len(self.hpas)):
            self.roll_out(hpa)

    def __getitem__(self, name: str) -> Whole:
        return self.columns[name]

    def roll_out(self, hpa: int) -> None:
        """Give an HPA's pods a new template."""
        number = len(self.templates)
        revision = 1 if number < len(self.hpas) else self.templates[self.latest[hpa]][1] + 1
        self.templates.append((hpa, revision, f"{spelled(_stem(number), HASH)}{spelled(hpa * 977 % 27**3, 3)}"))
        self.latest[hpa] = number

    def bear(self, hpa: Whole, born: Whole, chance: np.random.Generator) -> Whole:
        """Make pods of these HPAs; return their places. They are started, run and get ready by chance."""
        size = len(hpa)
        places = np.arange(self.count, self.count + size)
        while self.count + size > len(self["hpa"]):
            self.columns = {name: np.concatenate([old, np.zeros_like(old)]) for name, old in self.columns.items()}
        self.count += size
        started = born + SECOND + chance.exponential(3 * SECOND, size).astype(np.int64)
        started += np.where(chance.random(size) < 0.05, 40 * SECOND, 0)  # it pends for want of a node
        running = started + chance.integers(1 * SECOND, 8 * SECOND, size)
        ready = running + 4 * SECOND + chance.exponential(18 * SECOND, size).astype(np.int64)
        unready = ready + 60 * SECOND + chance.integers(0, 86_400 * SECOND, size)
        flips, loses = chance.random(size) < 0.5, chance.random(size) < 0.5
        lost = ready + chance.integers(0, 86_400 * SECOND, size)
        suffix = (places * 5_800_327 + 4_211) % len(LETTERS) ** SUFFIX
        template = self.latest[hpa]
        columns = {
            "hpa": hpa,
            "template": template,
            "suffix": suffix,
            "key": (hpa << 53) | (_stem(template) << 24) | suffix,
            "born": born,
            "started": started,
            "running": running,
            "ready": ready,
            "unready": np.where(flips, unready, NEVER),
            "again": np.where(flips, unready + (10 + chance.exponential(40, size)).astype(np.int64) * SECOND, NEVER),
            "deleted": NEVER,
            "gone": NEVER,
            "lost": np.where(loses, lost, NEVER),
            "found": np.where(loses, lost + (60 + chance.exponential(120, size)).astype(np.int64) * SECOND, NEVER),
        }
        for name, values in columns.items():
            self[name][places] = values
        self.names += [
            f"{self.hpas.names[one]}-{self.templates[of][2]}-{spelled(tail, SUFFIX)}"
            for one, of, tail in zip(hpa.tolist(), template.tolist(), suffix.tolist(), strict=True)
        ]
        keys = self["key"][places]
        order = np.argsort(keys)
        at = np.searchsorted(self["key"][self.alive], keys[order])
        self.alive = np.insert(self.alive, at, places[order])
        return places

    def delete(self, places: Whole, deleted: Whole, chance: np.random.Generator) -> None:
        """Delete pods: what would have become of them later does not."""
        self["deleted"][places] = deleted
        self["gone"][places] = deleted + 2 * SECOND + chance.exponential(12 * SECOND, len(places)).astype(np.int64)
        for state in ("started", "running", "ready", "unready", "again"):
            when = self[state][places]
            self[state][places] = np.where(when > deleted, NEVER, when)

    def bury(self, before: int, *shown: NDArray[np.bool_]) -> None:
        """Take those who were gone before an instant off the living, but for those whom some answer still shows."""
        keep = np.zeros(len(self["hpa"]), bool)
        for answer in shown:
            keep[: len(answer)] |= answer
        self.alive = self.alive[(self["gone"][self.alive] >= before) | keep[self.alive]]

    def is_ready(self, places: Whole, at: Whole) -> NDArray[np.bool_]:
        """Tell who is ready at an instant each."""
        flipped = (self["unready"][places] <= at) & (at < self["again"][places])
        return (self["ready"][places] <= at) & ~flipped

    def turned(self, places: Whole, at: Whole) -> Whole:
        """Return `lastTransitionTime` of the condition Ready at an instant each, for those who were started."""
        when = self["started"][places]
        for state in ("ready", "unready", "again"):
            later = self[state][places]
            when = np.where(later <= at, later, when)
        return when // SECOND * SECOND


def changes(pods: Pods, since: int, until: int) -> tuple[Whole, Whole]:
    """Return who of the living changed within a time, and when: a state begun is a change."""
    selected = [
        (pods.alive[mask], pods[state][pods.alive][mask])
        for state in STATES
        if (mask := _in(pods, state, since, until)).any()
    ]
    if not selected:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    return np.concatenate([places for places, _ in selected]), np.concatenate([when for _, when in selected])


def _in(pods: Pods, state: str, since: int, until: int) -> NDArray[np.bool_]:
    when = pods[state][pods.alive]
    return (when >= since) & (when < until)
