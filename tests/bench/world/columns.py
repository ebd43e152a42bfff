"""Columns of numbers as Arrow arrays, and numbers of words as texts."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tests.bench.world.hpas import Whole

Truth = NDArray[np.bool_]


def whole(values: Whole, missing: Truth | None = None) -> pa.Array:
    """Returns whole numbers, NULL where they are missing."""
    return pa.array(values, pa.int64(), mask=missing)


def words(of: Whole, texts: Sequence[str], missing: Truth | None = None) -> pa.Array:
    """Returns the text of each number, as a dictionary that holds no text twice and none that nobody has."""
    numbers = np.bincount(of if missing is None else of[~missing])
    distinct: dict[str, int] = {}
    codes = np.zeros(max(len(numbers), int(of.max(initial=0)) + 1), np.int32)
    for one in np.flatnonzero(numbers).tolist():
        codes[one] = distinct.setdefault(texts[one], len(distinct))
    return pa.DictionaryArray.from_arrays(pa.array(codes[of], mask=missing), pa.array(distinct, pa.string()))


def same(text: str | None, size: int, missing: Truth | None = None) -> pa.Array:
    """Returns one text over and over."""
    absent = missing if text is not None else np.ones(size, bool)
    return words(np.zeros(size, np.int64), [text or ""], absent)
