"""Columns: many values of one kind side by side, as a fleet is read and decided.

Only the fast path works on them; numpy comes with the extra `[fast]` and is no import of this file.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

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


Columns: TypeAlias = Mapping[str, Numbers | Words]
"""A table by column name; all columns are equally long."""


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
