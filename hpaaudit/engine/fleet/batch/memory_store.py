"""Keeps what is remembered of every HPA between slices, and lays it out in slots for the next reconciles."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from hpaaudit.engine.fleet.columns.batch import NONE
from hpaaudit.engine.fleet.columns.column_codes import NULL
from hpaaudit.engine.fleet.columns.kernel_state import MemorySlots
from hpaaudit.engine.fleet.input.ids import Array

ROWS = 3
"""Rows of slots for each HPA: its memory, a candidate's, and the memory before the reconcile."""

_SINGLE = 8  # columns of `MemorySlots` with one number a row


@dataclass(slots=True)
class _SlotLists:
    """A list of slots for each HPA, one list after the other.

    columns   how many numbers a slot has;  counts   how many slots each HPA has taken
    values    the columns of the slots that are taken
    """

    columns: int
    counts: Array = field(default_factory=lambda: np.empty(0, np.int64))
    values: list[Array] = field(default_factory=list)

    def opened(self, free: Array) -> tuple[Array, Array, list[Array]]:
        """Where the slots of each row begin, how many are taken, and the columns; `free` slots more for each HPA."""
        counts = np.zeros(ROWS * len(free), np.int64)
        counts[: len(self.counts)] = self.counts
        # One slot more, for an extreme of what is unknown.
        sizes = np.tile(counts[: len(free)] + free + 1, ROWS)
        begins, total = _begins(sizes), int(sizes.sum())
        taken = _taken(begins, counts)
        columns = []
        for number in range(self.columns):
            column = np.zeros(total, np.int64)
            if self.values:
                column[taken] = self.values[number]
            columns.append(column)
        return begins, counts, columns

    def save(self, begins: Array, counts: Array, columns: list[Array]) -> None:
        """Keeps the slots that are taken now."""
        counts = counts[: len(counts) // ROWS]
        taken = _taken(begins[: len(counts)], counts)
        self.counts, self.values = counts, [column[taken] for column in columns]


def _begins(sizes: Array) -> Array:
    return np.cumsum(sizes) - sizes


def _taken(begins: Array, counts: Array) -> Array:
    """The positions of all slots that are taken."""
    return np.repeat(begins - _begins(counts), counts) + np.arange(int(counts.sum()))


class MemoryStore:
    """The memory of every HPA, by its number."""

    def __init__(self) -> None:
        self._recommendations, self._ups, self._downs = _SlotLists(2), _SlotLists(3), _SlotLists(3)
        self._single = np.zeros((_SINGLE, 0), np.int64)

    def opened(self, reconciles: Array, unseen_us: Mapping[int, int]) -> MemorySlots:
        """The memory with free slots for so many reconciles of each HPA.

        unseen_us   of new HPAs: until when what happened to them was not seen
        """
        before = self._single.shape[1]
        single = np.zeros((_SINGLE, ROWS * len(reconciles)), np.int64)
        single[0, :] = NULL
        single[5, :] = NONE
        single[:, :before] = self._single
        for hpa, until_us in unseen_us.items():
            single[0, hpa], single[1, hpa] = until_us, True
        # The first reconcile of a process keeps two recommendations.
        begins, taken, (replicas, at_us) = self._recommendations.opened(reconciles + 1)
        ups, downs = self._ups.opened(reconciles), self._downs.opened(reconciles)
        columns = (*single, begins, taken, replicas, at_us, *ups[:2], *ups[2], *downs[:2], *downs[2])
        return MemorySlots(*(np.require(column, np.int64, ["C", "W"]) for column in columns))

    def save(self, memory: MemorySlots) -> None:
        """Keeps what the reconciles left."""
        hpas = len(memory.facts) // ROWS
        self._single = np.stack([np.asarray(column)[:hpas] for column in memory[:_SINGLE]])
        slots = {name: np.asarray(column) for name, column in zip(memory._fields, memory, strict=True)}
        self._recommendations.save(
            slots["recommendation_from"], slots["recommendations"], [slots["recommended"], slots["recommended_us"]]
        )
        self._ups.save(slots["up_from"], slots["ups"], [slots["up_change"], slots["up_us"], slots["up_outdated"]])
        self._downs.save(
            slots["down_from"], slots["downs"], [slots["down_change"], slots["down_us"], slots["down_outdated"]]
        )
