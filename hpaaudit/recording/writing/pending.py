"""Holds facts that are not in a segment yet, as the rows of its tables."""

from dataclasses import dataclass

import pyarrow as pa

from hpaaudit.model.facts import Fact, Refused, ResourceMetricsRead, ScaleRead, ValuesRead
from hpaaudit.model.units import Micros
from hpaaudit.recording.encoding import single_row_facts
from hpaaudit.recording.encoding.read_rows import ReadEncoder, ReadRows
from hpaaudit.recording.encoding.row_buffer import RowBuffer, filled_tables
from hpaaudit.recording.format.column_types import Row
from hpaaudit.recording.format.schema import TABLES
from hpaaudit.recording.validation.row import first_problem, refused_fact


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRows:
    """The rows of one fact, each with its table. `read` is set if the fact is a read of an API."""

    rows: list[tuple[str, Row]]
    read: ReadRows | None = None


class PendingFacts:
    """The facts from number `first_seq` on.

    facts     how many
    bytes     about how much memory they take
    refused   the facts that the format cannot hold; a row in `refused` is stored in the place of each
    """

    def __init__(self, first_seq: int) -> None:
        self.first_seq = first_seq
        self.facts = 0
        self.bytes = 0
        self.refused: list[Refused] = []
        self._at_us = Micros(0)
        self._reads = ReadEncoder()
        self._rows = {name: RowBuffer(table) for name, table in TABLES.items()}

    def add(self, fact: Fact) -> FactRows:
        """Adds the next fact. Returns its rows."""
        added = self._checked(fact)
        for table, row in added.rows:
            self.bytes += self._rows[table].append(row)
        self.facts += 1
        return added

    def _checked(self, fact: Fact) -> FactRows:
        """The rows of a fact. If the format cannot hold them, the row that says so."""
        seq, table = self.first_seq + self.facts, type(fact).__name__
        read = fact if isinstance(fact, ScaleRead | ResourceMetricsRead | ValuesRead) else None
        last_answer = None
        try:
            last_answer = self._reads.last_answer(read) if read else None
            read_rows = self._reads.rows(seq, read) if read else None
            rows = read_rows.rows if read_rows else [single_row_facts.to_row(seq, fact)]
            table, problem = first_problem(rows)
        except (ValueError, TypeError, OverflowError, AttributeError, RecursionError) as error:
            problem = f"is nothing that a row can be made of: {type(error).__name__}"
        if not problem:
            self._at_us = fact.at_us
            return FactRows(rows=rows, read=read_rows)
        if read and last_answer:
            self._reads.restore(read, last_answer)
        refused = refused_fact(self._at_us, fact, table, problem)
        self.refused.append(refused)
        return FactRows(rows=[single_row_facts.to_row(seq, refused)])

    def tables(self) -> dict[str, pa.Table]:
        """The Arrow tables that have rows."""
        return filled_tables(self._rows)
