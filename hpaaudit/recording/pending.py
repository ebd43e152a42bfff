"""Facts that wait for their segment, as the rows of its tables."""

from collections.abc import Iterable

import pyarrow as pa

from hpaaudit.model.facts import Fact, Refused, ResourceMetricsRead, ScaleRead, ValuesRead
from hpaaudit.model.units import Micros
from hpaaudit.recording import watched
from hpaaudit.recording.invariants import problem_of, refused
from hpaaudit.recording.polled import ReadEncoder
from hpaaudit.recording.rows import NUMBER_BYTES, Row, Rows
from hpaaudit.recording.schema import TABLES


class Pending:
    """The facts `first_seq` up to `first_seq + facts`.

    bytes     about how many they take
    refused   those that broke an invariant of the format: a row of its own says so in their place
    """

    def __init__(self, first_seq: int) -> None:
        self.first_seq = first_seq
        self.facts = 0
        self.bytes = 0
        self.refused: list[Refused] = []
        self._at_us = Micros(0)
        self._reads = ReadEncoder()
        self._rows = {name: Rows(table) for name, table in TABLES.items()}

    def add(self, fact: Fact) -> list[tuple[str, Row]]:
        """Take the next fact; return its rows, each with its table."""
        rows = self._checked(fact)
        for table, row in rows:
            self.bytes += self._rows[table].append(row)
        self.facts += 1
        return rows

    def _checked(self, fact: Fact) -> list[tuple[str, Row]]:
        """The rows of a fact; where they cannot be kept, the row that says so."""
        seq, table = self.first_seq + self.facts, type(fact).__name__
        read = fact if isinstance(fact, ScaleRead | ResourceMetricsRead | ValuesRead) else None
        before = None
        try:
            before = self._reads.last(read) if read else None
            rows = self._reads.rows(seq, read) if read else [watched.to_row(seq, fact)]
            table, problem = problem_of(rows)
        except (ValueError, TypeError, OverflowError, AttributeError, RecursionError) as error:
            problem = f"is nothing that a row can be made of: {type(error).__name__}"
        if not problem:
            self._at_us = fact.at_us
            return rows
        if read and before:
            self._reads.restore(read, before)
        made = refused(self._at_us, fact, table, problem)
        self.refused.append(made)
        return [watched.to_row(seq, made)]

    def tables(self) -> dict[str, pa.Table]:
        """Return the tables that have rows."""
        return _tables(self._rows)


class Unlogged:
    """Rows that no log has yet; `bytes` is about what they will take in one."""

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {}
        self.facts = self.bytes = 0

    def add(self, rows: Iterable[tuple[str, Row]]) -> None:
        """Take the rows of the next fact."""
        for table, row in rows:
            self.rows.setdefault(table, []).append(row)
            self.bytes += NUMBER_BYTES * len(row)
            for value in row:
                if value.__class__ is str:
                    self.bytes += len(value)
        self.facts += 1

    def extend(self, later: "Unlogged") -> None:
        """Take what comes after."""
        for table, rows in later.rows.items():
            self.rows.setdefault(table, []).extend(rows)
        self.facts, self.bytes = self.facts + later.facts, self.bytes + later.bytes


def collected(parts: Iterable[tuple[str, list[Row]]]) -> dict[str, pa.Table]:
    """Return the tables of rows that were made before; raises `ValueError` or `KeyError` where they are none."""
    found = {name: Rows(table) for name, table in TABLES.items()}
    for name, rows in parts:
        width = len(TABLES[name].columns)
        for row in rows:
            if len(row) != width:
                raise ValueError(f"a row of {name} has {len(row)} values instead of {width}")
            found[name].append(row)
    return _tables(found)


def _tables(rows: dict[str, Rows]) -> dict[str, pa.Table]:
    return {name: found.to_arrow() for name, found in rows.items() if len(found)}
