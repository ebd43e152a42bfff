"""A named question with its SQL and what its answer holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Occasion(StrEnum):
    """When in a postmortem a question is asked, in that order."""

    TRUST = "Can I trust this?"
    HAPPENED = "What happened?"
    NOT_MORE = "Why not more?"
    NOT_FEWER = "Why not fewer?"
    WHO = "Who wrote?"
    CONTROLLER = "Was the controller well?"
    COST = "What did it cost?"
    NEXT = "What next?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A file of `sql/questions/`.

    asks         the question in words
    row          what one row of the answer is
    columns      what each column of the answer is, in order
    text         the SQL
    occasion     when it is asked
    parameters   the parts of a scope that it uses: `hpa`, `at`, `since`, `until`
    """

    name: str
    asks: str
    row: str
    columns: Mapping[str, str]
    text: str
    occasion: Occasion
    parameters: frozenset[str]
