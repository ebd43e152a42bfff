"""A named question with its SQL and what its answer holds."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A file of `sql/questions/`.

    asks         the question in words
    row          what one row of the answer is
    columns      what each column of the answer is, in order
    text         the SQL
    parameters   the parts of a scope that it uses: `hpa`, `at`, `since`, `until`
    """

    name: str
    asks: str
    row: str
    columns: Mapping[str, str]
    text: str
    parameters: frozenset[str]
