"""What one step of the world brought: the facts of an interval, as columns."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.bench.world.hpas import Whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Polled:
    """Reads of an interval, and the items that are new in them.

    of, at, took   of each read: its namespace, or its HPA; when it was answered, how long it took
    items          of each read, -1 where it failed
    read           of each item: the place of its read;  who  the place of its pod, -1 where it is of no pod
    place          in the answer, -1 where it kept its place
    gone           the answer no longer has it
    numbers        of each item, zero where it is gone
    """

    of: Whole
    at: Whole
    took: Whole
    items: Whole
    read: Whole
    who: Whole
    place: Whole
    gone: NDArray[np.bool_]
    numbers: dict[str, Whole]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scales:
    """Workloads that changed: which, when, its replicas and its template."""

    hpa: Whole
    at: Whole
    spec: Whole
    status: Whole
    template: Whole
    written: Whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Statuses:
    """HPAs that scaled: which, when their status was written, from how many replicas to how many."""

    hpa: Whole
    at: Whole
    current: Whole
    desired: Whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One interval: it ends at `until`, and every read in it is answered before that.

    began, decided   of each HPA's reconcile
    changed, when    pods whose state changed
    """

    tick: int
    until: int
    metrics: Polled
    values: Polled
    began: Whole
    decided: Whole
    statuses: Statuses
    scales: Scales
    changed: Whole
    when: Whole
