"""The memory of a whole fleet between slices, and the room that its next passes need."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from hpaaudit.engine.fleet.columns.codes import NULL
from hpaaudit.engine.fleet.columns.tables import Remembered
from hpaaudit.engine.fleet.input.ids import Array

ROWS = 3
"""Of each HPA: what is remembered, what is tried, and what was before."""

_SINGLE = 5  # columns of `Remembered` with one number a row


@dataclass(slots=True)
class _Ragged:
    """A list of slots for each HPA, one after the other, in columns of the same shape."""

    columns: int
    counts: Array = field(default_factory=lambda: np.empty(0, np.int64))
    values: list[Array] = field(default_factory=list)

    def opened(self, room: Array) -> tuple[Array, Array, list[Array]]:
        """Where each row's slots begin, how many are taken, and columns with so much room more for each HPA."""
        counts = np.zeros(ROWS * len(room), np.int64)
        counts[: len(self.counts)] = self.counts
        # One more, for what may have been before.
        sizes = np.tile(counts[: len(room)] + room + 1, ROWS)
        begins, total = _begins(sizes), int(sizes.sum())
        places = _places(begins, counts)
        columns = []
        for number in range(self.columns):
            column = np.zeros(total, np.int64)
            if self.values:
                column[places] = self.values[number]
            columns.append(column)
        return begins, counts, columns

    def close(self, begins: Array, counts: Array, columns: list[Array]) -> None:
        """Keep what is taken now."""
        counts = counts[: len(counts) // ROWS]
        places = _places(begins[: len(counts)], counts)
        self.counts, self.values = counts, [column[places] for column in columns]


def _begins(sizes: Array) -> Array:
    return np.cumsum(sizes) - sizes


def _places(begins: Array, counts: Array) -> Array:
    """The places of all slots that are taken."""
    return np.repeat(begins - _begins(counts), counts) + np.arange(int(counts.sum()))


class Memories:
    """The memory of every HPA, by its number."""

    def __init__(self) -> None:
        self._recommended, self._ups, self._downs = _Ragged(2), _Ragged(3), _Ragged(3)
        self._single = np.zeros((_SINGLE, 0), np.int64)

    def opened(self, passes: Array, unseen: Mapping[int, int]) -> Remembered:
        """The memory with room for so many passes of each HPA, and twice more for what is tried.

        unseen   until when what happened to HPAs that are new was not seen
        """
        before = self._single.shape[1]
        single = np.zeros((_SINGLE, ROWS * len(passes)), np.int64)
        single[0, :] = NULL
        single[:, :before] = self._single
        for hpa, until_us in unseen.items():
            single[0, hpa], single[1, hpa] = until_us, True
        begins, taken, (replicas, replicas_us) = self._recommended.opened(passes + 1)
        ups, downs = self._ups.opened(passes), self._downs.opened(passes)
        columns = (*single, begins, taken, replicas, replicas_us, *ups[:2], *ups[2], *downs[:2], *downs[2])
        return Remembered(*(np.require(column, np.int64, ["C", "W"]) for column in columns))

    def close(self, memory: Remembered) -> None:
        """Keep what the passes left."""
        hpas = len(memory.known) // ROWS
        self._single = np.stack([np.asarray(column)[:hpas] for column in memory[:_SINGLE]])
        found = {name: np.asarray(column) for name, column in zip(memory._fields, memory, strict=True)}
        self._recommended.close(
            found["recommended_from"], found["recommended"], [found["replicas"], found["replicas_us"]]
        )
        self._ups.close(found["up_from"], found["ups"], [found["up_change"], found["up_us"], found["up_marked"]])
        self._downs.close(
            found["down_from"], found["downs"], [found["down_change"], found["down_us"], found["down_marked"]]
        )
