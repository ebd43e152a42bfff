"""Columns: many values of one kind side by side, as a fleet is read and decided.

Only the fast path works on them; numpy comes with the extra `[fast]` and is no import of this file.
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
    """Numbers or truths; `missing` is True where one is NULL, None where all are there.

    values   int64, float64 or bool; zero where it is missing
    """

    values: "NDArray[Any]"
    missing: "NDArray[np.bool_] | None" = None


@dataclass(frozen=True, slots=True)
class Words:
    """Texts, each an index into `words`, or -1 where it is NULL."""

    codes: "NDArray[np.int32]"
    words: tuple[str, ...]

    def are(self, word: str) -> "NDArray[np.bool_]":
        """Where a text is this word."""
        code = self.words.index(word) if word in self.words else len(self.words)
        found: NDArray[np.bool_] = self.codes == code
        return found


Columns: TypeAlias = Mapping[str, Numbers | Words]
"""A table by column name; all columns are equally long."""


def words(table: Columns, name: str) -> Words:
    """A column of texts."""
    column = table[name]
    if not isinstance(column, Words):
        raise TypeError(f"{name} is no column of texts")
    return column


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """One segment of a recording as columns, table by table as the format page names them.

    The rows of a table stand as in its file; `seq` says in which order the facts came.
    """

    number: int
    first_seq: int
    facts: int
    first_us: int
    last_us: int
    tables: Mapping[str, Columns]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What a compiled replay made of a stretch of reconciles.

    reconciles   a row each: the columns of `reconciles` as far as a replay alone can tell
    proposals    a row per metric of a reconcile: the columns of `metric_proposals`
    writes       a row per write of the scale that the controller makes: `reconcile_id`, `seq`, `ts`, `to_replicas`,
                 `http_status`
    """

    reconciles: Columns
    proposals: Columns
    writes: Columns


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What one segment of a recording tells of when HPAs were reconciled.

    first_seq   the number of its first fact: not 0 in the first segment where older ones were removed
    at_us       of every fact, in their order
    facts       those that tell something, each with the number of facts before it: of HPAs only those that show
                another spec, or the first of a life
    keys        `namespace/name` of HPAs;  key, seq   where one of them shows another status than before
    repeated    facts that show an HPA whose status is as it was
    texts       what the statuses say
    """

    first_seq: int
    at_us: "NDArray[np.int64]"
    facts: Sequence[tuple[int, Fact]]
    keys: tuple[str, ...]
    key: "NDArray[np.int64]"
    seq: "NDArray[np.int64]"
    repeated: "NDArray[np.int64]"
    texts: tuple[str, ...]
