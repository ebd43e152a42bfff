"""Numbers for texts and other names, which stay the same from slice to slice."""

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from hpaaudit.model.fleet_columns import Words

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

    def of_all(self, names: Iterable[Named]) -> list[int]:
        """The numbers of names, new ones for those that were not seen before."""
        names = tuple(names)
        numbers = [*map(self._ids.get, names)]
        return [self.of(name) if number is None else number for name, number in zip(names, numbers, strict=True)]

    def number_of(self, named: Named) -> int:
        """The number of a name, -1 if it was not seen before."""
        return self._ids.get(named, -1)


def of_words(ids: Ids[str], column: Words) -> Array:
    """The numbers of a column of texts, -1 where it is NULL."""
    table = np.empty(len(column.words) + 1, np.int64)
    table[:-1] = ids.of_all(column.words)
    table[-1] = -1
    return table[column.codes]


def of_pairs(ids: Ids[tuple[int, int]], first: Array, second: Array) -> Array:
    """The numbers of pairs of non-negative numbers."""
    both, places = np.unique(paired(first, second), return_inverse=True)
    table = np.array(ids.of_all(each_pair(both)), np.int64)
    return table[places] if len(table) else np.empty(0, np.int64)


def paired(first: Array, second: Array) -> Array:
    """Two columns of non-negative numbers below 2^31 as one column, which sorts by the first and then by the second."""
    pairs: Array = (first << _SHIFT) | second
    return pairs


def unpaired(pairs: Array) -> tuple[Array, Array]:
    """The two columns that `paired` made one."""
    return pairs >> _SHIFT, pairs & ((1 << _SHIFT) - 1)


def each_pair(pairs: Array) -> Iterator[tuple[int, int]]:
    """The two numbers of each row that `paired` made one, as Python's own."""
    first, second = unpaired(pairs)
    return zip(first.tolist(), second.tolist(), strict=True)
