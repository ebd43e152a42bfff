"""Describes columns and tables of a recording, and the encoding of each kind of column."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

Row = tuple[Any, ...]
"""The values of one row, in the order of its table's columns."""


class Encoding(StrEnum):
    """The Parquet encodings that we use, by Parquet's names."""

    DELTA = "DELTA_BINARY_PACKED"
    SPLIT = "BYTE_STREAM_SPLIT"
    DICTIONARY = "RLE_DICTIONARY"
    PREFIX = "DELTA_BYTE_ARRAY"
    PLAIN = "PLAIN"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column.

    type       `int64`, `string` or `bool`
    unit       of a number; empty for counts and for other types
    nullable   True if it may be NULL; `meaning` says what NULL means
    added      True if older recordings of this format version do not have it: it is NULL there, and last in its table
    """

    name: str
    type: str
    encoding: Encoding
    unit: str
    meaning: str
    nullable: bool
    added: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table: a Parquet file of this name in every segment that has rows for it.

    row    what one row is
    sort   columns that its rows are sorted by; empty: by `seq`
    """

    name: str
    row: str
    columns: tuple[Column, ...]
    sort: tuple[str, ...] = ()

    @property
    def added(self) -> int:
        """How many of its columns older recordings do not have."""
        return sum(column.added for column in self.columns)


def number(name: str, meaning: str, unit: str = "", *, encoding: Encoding = Encoding.DELTA) -> Column:
    """An integer that is never NULL."""
    return Column(name=name, type="int64", encoding=encoding, unit=unit, meaning=meaning, nullable=False)


def maybe_number(name: str, meaning: str, unit: str = "", *, encoding: Encoding = Encoding.DELTA) -> Column:
    """An integer that may be NULL."""
    return Column(name=name, type="int64", encoding=encoding, unit=unit, meaning=meaning, nullable=True)


def text(name: str, meaning: str, *, encoding: Encoding = Encoding.DICTIONARY) -> Column:
    """A text that is never NULL, but may be empty."""
    return Column(name=name, type="string", encoding=encoding, unit="", meaning=meaning, nullable=False)


def maybe_text(name: str, meaning: str, *, encoding: Encoding = Encoding.DICTIONARY) -> Column:
    """A text that may be NULL."""
    return Column(name=name, type="string", encoding=encoding, unit="", meaning=meaning, nullable=True)


def added(column: Column) -> Column:
    """The same column, which older recordings do not have."""
    return replace(column, added=True)


def flag(name: str, meaning: str) -> Column:
    """A bool that is never NULL."""
    return Column(name=name, type="bool", encoding=Encoding.PLAIN, unit="", meaning=meaning, nullable=False)
