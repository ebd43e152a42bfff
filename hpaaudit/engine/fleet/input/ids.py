"""Gives texts, and whatever else names something, numbers that stay the same from slice to slice."""

from collections.abc import Hashable
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from hpaaudit.model.columns import Words

Named = TypeVar("Named", bound=Hashable)

Array: TypeAlias = NDArray[Any]

_SHIFT = 32


class Ids(Generic[Named]):
    """Numbers in the order of first sight."""

    def __init__(self) -> None:
        self.named: list[Named] = []
        self._ids: dict[Named, int] = {}

    def __len__(self) -> int:
        return len(self.named)

    def of(self, named: Named) -> int:
        """The number of one thing."""
        found = self._ids.get(named)
        if found is None:
            found = self._ids[named] = len(self.named)
            self.named.append(named)
        return found

    def known(self, named: Named) -> int:
        """The number of something that was seen, -1 for what was not."""
        return self._ids.get(named, -1)


def of_words(ids: Ids[str], column: Words) -> Array:
    """The numbers of a column of texts, -1 where it is NULL."""
    table = np.empty(len(column.words) + 1, np.int64)
    table[:-1] = [ids.of(word) for word in column.words]
    table[-1] = -1
    return table[column.codes]


def of_pairs(ids: Ids[tuple[int, int]], first: Array, second: Array) -> Array:
    """The numbers of pairs of numbers that are not negative."""
    both, places = np.unique((first << _SHIFT) | second, return_inverse=True)
    mask = (1 << _SHIFT) - 1
    table = np.array([ids.of((int(pair) >> _SHIFT, int(pair) & mask)) for pair in both], np.int64)
    return table[places] if len(table) else np.empty(0, np.int64)
