"""Numbers for texts and other names, which stay the same from slice to slice."""

from collections.abc import Hashable
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from hpaaudit.model.columns import Words

Named = TypeVar("Named", bound=Hashable)

Array: TypeAlias = NDArray[Any]

_SHIFT = 32


class Ids(Generic[Named]):
    """Numbers names in the order in which they are seen first."""

    def __init__(self) -> None:
        self.named: list[Named] = []
        self._ids: dict[Named, int] = {}

    def __len__(self) -> int:
        return len(self.named)

    def of(self, named: Named) -> int:
        """The number of a name, a new one if it was not seen before."""
        number = self._ids.get(named)
        if number is None:
            number = self._ids[named] = len(self.named)
            self.named.append(named)
        return number

    def number_of(self, named: Named) -> int:
        """The number of a name, -1 if it was not seen before."""
        return self._ids.get(named, -1)


def of_words(ids: Ids[str], column: Words) -> Array:
    """The numbers of a column of texts, -1 where it is NULL."""
    table = np.empty(len(column.words) + 1, np.int64)
    table[:-1] = [ids.of(word) for word in column.words]
    table[-1] = -1
    return table[column.codes]


def of_pairs(ids: Ids[tuple[int, int]], first: Array, second: Array) -> Array:
    """The numbers of pairs of non-negative numbers."""
    both, places = np.unique((first << _SHIFT) | second, return_inverse=True)
    mask = (1 << _SHIFT) - 1
    table = np.array([ids.of((int(pair) >> _SHIFT, int(pair) & mask)) for pair in both], np.int64)
    return table[places] if len(table) else np.empty(0, np.int64)
