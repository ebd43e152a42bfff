"""Facts that wait for their segment, as the rows of its tables."""

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from hpaaudit.model.facts import Fact, Refused, ResourceMetricsRead, ScaleRead, ValuesRead
from hpaaudit.model.units import Micros
from hpaaudit.recording.encoding import fact_rows
from hpaaudit.recording.encoding.read_rows import ReadEncoder, ReadRows, Stream
from hpaaudit.recording.encoding.row_buffer import NUMBER_BYTES, Rows, filled_tables
from hpaaudit.recording.format.columns import Row
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.validation.row import first_problem, refused_fact


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRows:
    """A fact as rows, each with its table; `read` says more of it where it is a read."""

    rows: list[tuple[str, Row]]
    read: ReadRows | None = None


class PendingFacts:
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

    def add(self, fact: Fact) -> FactRows:
        """Take the next fact; return its rows."""
        found = self._checked(fact)
        for table, row in found.rows:
            self.bytes += self._rows[table].append(row)
        self.facts += 1
        return found

    def _checked(self, fact: Fact) -> FactRows:
        """The rows of a fact; where they cannot be kept, the row that says so."""
        seq, table = self.first_seq + self.facts, type(fact).__name__
        read = fact if isinstance(fact, ScaleRead | ResourceMetricsRead | ValuesRead) else None
        before = None
        try:
            before = self._reads.last(read) if read else None
            as_read = self._reads.rows(seq, read) if read else None
            rows = as_read.rows if as_read else [fact_rows.to_row(seq, fact)]
            table, problem = first_problem(rows)
        except (ValueError, TypeError, OverflowError, AttributeError, RecursionError) as error:
            problem = f"is nothing that a row can be made of: {type(error).__name__}"
        if not problem:
            self._at_us = fact.at_us
            return FactRows(rows=rows, read=as_read)
        if read and before:
            self._reads.restore(read, before)
        made = refused_fact(self._at_us, fact, table, problem)
        self.refused.append(made)
        return FactRows(rows=[fact_rows.to_row(seq, made)])

    def tables(self) -> dict[str, pa.Table]:
        """Return the tables that have rows."""
        return filled_tables(self._rows)


class UnloggedRows:
    """Rows that no log has yet; `bytes` is about what they will take in one.

    unchanged   what the first read of each stream answered and has no row for, so that these facts can be read alone
    """

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {}
        self.unchanged: dict[str, list[Row]] = {}
        self.facts = self.bytes = 0
        self.streams: set[Stream] = set()

    def add(self, found: FactRows) -> None:
        """Take the rows of the next fact."""
        self._take(self.rows, found.rows)
        read = found.read
        if read and read.answered and read.stream not in self.streams:
            self.streams.add(read.stream)
            self._take(self.unchanged, read.unchanged())
        self.facts += 1

    def _take(self, into: dict[str, list[Row]], rows: Iterable[tuple[str, Row]]) -> None:
        for table, row in rows:
            into.setdefault(table, []).append(row)
            self.bytes += NUMBER_BYTES * len(row)
            for value in row:
                if value.__class__ is str:
                    self.bytes += len(value)

    def extend(self, later: "UnloggedRows") -> None:
        """Take what comes after."""
        for mine, theirs in ((self.rows, later.rows), (self.unchanged, later.unchanged)):
            for table, rows in theirs.items():
                mine.setdefault(table, []).extend(rows)
        self.streams |= later.streams
        self.facts, self.bytes = self.facts + later.facts, self.bytes + later.bytes
