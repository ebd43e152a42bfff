"""What the metric APIs answer at each poll, and what of it is new."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tests.bench.world.hpas import (
    CONTAINER,
    EXTERNAL,
    OBJECT,
    OBJECT_TARGET,
    PODS,
    QUEUE_TARGET,
    RATE_TARGET,
    Hpas,
    Real,
    Whole,
)
from tests.bench.world.pods import NEVER, SECOND, Pods
from tests.bench.world.step import Polled
from tests.bench.world.usage import PAGE, Usage, rounded_up

MILLI = 1000
QUIET, LOUDEST = 0.6, 0.85  # of what cpu says, the second with noise: so that cpu decides
Truth = NDArray[np.bool_]


def _none() -> Truth:
    return np.zeros(0, bool)


def _grown(flags: Truth, size: int) -> Truth:
    return np.concatenate([flags, np.zeros(size - len(flags), bool)])


def _places(shown: Truth, of: Whole) -> Whole:
    """Returns the index of each that is shown among those of its own answer, which stand together."""
    count = np.cumsum(shown) - shown
    first = np.searchsorted(of, of)
    return count - count[first]


@dataclass(slots=True)
class Listed:
    """The lists of `metrics.k8s.io`, one per namespace and interval.

    now      whether the last answer has a pod, by its place;  dirty  it was measured since
    unbegun  namespaces without an answer in this segment
    """

    hpas: Hpas
    pods: Pods
    usage: Usage
    now: Truth = field(default_factory=_none)
    dirty: Truth = field(default_factory=_none)
    unbegun: Truth = field(init=False)

    def __post_init__(self) -> None:
        self.unbegun = np.ones(len(self.hpas.namespaces), bool)

    def read(self, polled: Whole, fresh: Whole, took: Whole, *, failed: Truth, anew: bool) -> Polled:
        """Returns the answers of an interval; `fresh` was measured anew."""
        size = len(self.pods["hpa"])
        if len(self.now) < size:
            self.now, self.dirty = _grown(self.now, size), _grown(self.dirty, size)
        self.dirty[fresh] = True
        self.unbegun |= anew
        alive, pods = self.pods.alive, self.pods
        of = self.hpas.namespace[pods["hpa"][alive]]
        at = polled[of]
        answered = ~failed[of]
        lost = (pods["lost"][alive] <= at) & (at < pods["found"][alive])
        shown = self.usage.has[alive] & ~lost & (at < pods["gone"][alive])
        before = self.now[alive] & ~self.unbegun[of]
        news = answered & np.where(shown, self.dirty[alive] | ~before, before)
        indices = np.where(shown & ~before, _places(shown, of), -1)
        self.now[alive] = np.where(answered, shown, self.now[alive])
        self.dirty[alive[news]] = False
        self.unbegun &= failed
        answer_items = self._items(alive[news], of[news], indices[news], ~shown[news])
        items = np.where(failed, -1, np.bincount(of[shown], minlength=len(polled)))
        return Polled(of=np.arange(len(polled)), at=polled, took=took, items=items, **answer_items)

    def _items(self, who: Whole, read: Whole, indices: Whole, gone: Truth) -> dict[str, object]:
        """Returns a row for each container of a sample, one for a pod that vanished."""
        two = (self.hpas.kind[self.pods["hpa"][who]] == CONTAINER) & ~gone
        again = np.concatenate([np.arange(len(who)), np.flatnonzero(two)])
        who, read, indices, gone = who[again], read[again], indices[again], gone[again]
        second = np.arange(len(again)) >= len(again) - int(two.sum())
        usage = self.usage
        numbers = {
            "timestamp": usage["timestamp"][who],
            "window": -(-usage["window"][who] // SECOND) * SECOND,
            "container": second.astype(np.int64),
            "cpu": rounded_up(np.where(second, usage["side_nano"][who], usage["nano"][who])),
            "memory": np.where(second, usage["side_pages"][who], usage["pages"][who]) * PAGE,
        }
        return {"read": read, "who": who, "place": indices, "gone": gone, "numbers": numbers}


@dataclass(slots=True)
class Values:
    """The answers of the custom and external metric APIs: a read per HPA and interval, every value new.

    asked   HPAs that have such a metric
    now     whether the last answer has a pod;  begun  there was an answer in this segment
    """

    hpas: Hpas
    pods: Pods
    asked: Whole = field(init=False)
    now: Truth = field(default_factory=_none)

    def __post_init__(self) -> None:
        self.asked = np.flatnonzero(np.isin(self.hpas.kind, (PODS, OBJECT, EXTERNAL)))

    def read(self, polled: Whole, busy: Real, serving: Whole, chance: np.random.Generator, *, anew: bool) -> Polled:
        """Returns the answers of an interval; `busy`: how busy cpu says that a pod of each HPA is, 1 is on target."""
        size = len(self.pods["hpa"])
        if len(self.now) < size:
            self.now = _grown(self.now, size)
        at = polled[self.hpas.namespace[self.asked]] + chance.integers(20_000, 60_000, len(self.asked))
        read_of = np.full(len(self.hpas), -1)
        read_of[self.asked] = np.arange(len(self.asked))
        alive, pods = self.pods.alive, self.pods
        alive = alive[self.hpas.kind[pods["hpa"][alive]] == PODS]
        of = pods["hpa"][alive]
        now = at[read_of[of]]
        shown = pods.is_ready(alive, now) & (now < pods["gone"][alive]) & (pods["deleted"][alive] == NEVER)
        before = self.now[alive] & (not anew)
        news = shown | before
        indices = np.where(shown & ~before, _places(shown, of), -1)
        self.now[alive] = shown
        whole = self.asked[self.hpas.kind[self.asked] != PODS]
        total = np.where(
            self.hpas.kind[whole] == OBJECT, OBJECT_TARGET * busy[whole], QUEUE_TARGET * busy[whole] * serving[whole]
        )
        value = np.concatenate([RATE_TARGET * busy[of[news]], total])
        value *= np.minimum(QUIET * np.exp(0.1 * chance.standard_normal(len(value))), LOUDEST)
        read = read_of[np.concatenate([of[news], whole])]
        items = np.ones(len(self.asked), np.int64)
        counts = np.bincount(read_of[of[shown]], minlength=len(self.asked))
        items = np.where(self.hpas.kind[self.asked] == PODS, counts, items)
        return Polled(
            of=self.asked,
            at=at,
            took=chance.integers(4_000, 20_000, len(at)),
            items=items,
            read=read,
            who=np.concatenate([alive[news], np.full(len(whole), -1)]),
            place=np.concatenate([indices[news], np.full(len(whole), 0 if anew else -1)]),
            gone=np.concatenate([~shown[news], np.zeros(len(whole), bool)]),
            numbers={"timestamp": at[read] // SECOND * SECOND, "value": (value * MILLI).astype(np.int64)},
        )
