"""Holds rows that the log does not have yet."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hpaaudit.recording.encoding.row_buffer import NUMBER_BYTES
from hpaaudit.recording.format.column_types import Row
from hpaaudit.recording.writing.pending import FactRows

if TYPE_CHECKING:
    from hpaaudit.recording.encoding.read_rows import Stream


class UnloggedRows:
    """Rows that become the next frame of the log.

    rows        by table
    unchanged   items of the first answer of each stream that have no row, so that the frame can be read by itself
    facts       how many
    bytes       about how much the frame will take
    """

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {}
        self.unchanged: dict[str, list[Row]] = {}
        self.facts = self.bytes = 0
        self.streams: set[Stream] = set()

    def add(self, fact_rows: FactRows) -> None:
        """Adds the rows of the next fact."""
        self._add_rows(self.rows, fact_rows.rows)
        read = fact_rows.read
        if read and read.answered and read.stream not in self.streams:
            self.streams.add(read.stream)
            self._add_rows(self.unchanged, read.unchanged())
        self.facts += 1

    def _add_rows(self, by_table: dict[str, list[Row]], rows: Iterable[tuple[str, Row]]) -> None:
        for table, row in rows:
            by_table.setdefault(table, []).append(row)
            self.bytes += NUMBER_BYTES * len(row)
            for value in row:
                if value.__class__ is str:
                    self.bytes += len(value)

    def extend(self, later: "UnloggedRows") -> None:
        """Adds the rows of later facts."""
        for mine, later_rows in ((self.rows, later.rows), (self.unchanged, later.unchanged)):
            for table, rows in later_rows.items():
                mine.setdefault(table, []).extend(rows)
        self.streams |= later.streams
        self.facts, self.bytes = self.facts + later.facts, self.bytes + later.bytes
