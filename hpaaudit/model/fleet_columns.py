"""Columns: tables as arrays, for the compiled replay of a fleet.

NumPy comes with the extra `[fast]`. This file imports it for types only, because everybody imports the model.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from hpaaudit.model.facts import Fact

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Numbers:
    """A column of numbers or booleans.

    values    int64, float64 or bool; zero where the value is NULL
    missing   True where the value is NULL; None if no value is
    """

    values: "NDArray[Any]"
    missing: "NDArray[np.bool_] | None" = None


@dataclass(frozen=True, slots=True)
class Words:
    """A column of texts, as a dictionary: each code is an index into `words`, or -1 where the text is NULL."""

    codes: "NDArray[np.int32]"
    words: tuple[str, ...]

    def are(self, word: str) -> "NDArray[np.bool_]":
        """True where the text is this word."""
        code = self.words.index(word) if word in self.words else len(self.words)
        equal: NDArray[np.bool_] = self.codes == code
        return equal


Columns: TypeAlias = Mapping[str, Numbers | Words]
"""A table by column name; all columns are equally long."""


def numbers(table: Columns, name: str) -> Numbers:
    """The column of this name. TypeError if it holds words instead of numbers."""
    column = table[name]
    if not isinstance(column, Numbers):
        raise TypeError(f"{name} is no column of numbers")
    return column


def words(table: Columns, name: str) -> Words:
    """A column of texts."""
    column = table[name]
    if not isinstance(column, Words):
        raise TypeError(f"{name} is no column of texts")
    return column


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """One segment of a recording as columns, by the names of its tables.

    The rows are in the order of the file. `seq` gives the order in which the facts came.
    """

    number: int
    first_seq: int
    facts: int
    first_us: int
    last_us: int
    tables: Mapping[str, Columns]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What the compiled rules decided for a batch of reconciles.

    reconciles   a row per reconcile: those columns of `reconciles` that follow from a replay alone
    proposals    a row per metric of a reconcile: the columns of `metric_proposals`
    writes       a row per write of the scale that the controller makes: `reconcile_id`, `seq`, `ts`, `to_replicas`,
                 `http_status`
    """

    reconciles: Columns
    proposals: Columns
    writes: Columns

    @property
    def count(self) -> int:
        """How many reconciles these are."""
        numbers = self.reconciles["reconcile_id"]
        return len(numbers.codes if isinstance(numbers, Words) else numbers.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcileEvidence:
    """The facts of one segment that show when HPAs were reconciled.

    first_seq   the number of its first fact; not 0 in the first segment if older segments were removed
    at_us       the time of every fact, in their order
    facts       the evidence, each with the number of facts before it. Of HPAs only the first fact of each object, and
                those with another spec or other labels than before
    keys        `namespace/name` of HPAs
    key, seq    the HPA (an index into `keys`) and the fact of each changed status
    repeated    facts that show an HPA with an unchanged status
    texts       the distinct statuses, as JSON
    """

    first_seq: int
    at_us: "NDArray[np.int64]"
    facts: Sequence[tuple[int, Fact]]
    keys: tuple[str, ...]
    key: "NDArray[np.int64]"
    seq: "NDArray[np.int64]"
    repeated: "NDArray[np.int64]"
    texts: tuple[str, ...]
