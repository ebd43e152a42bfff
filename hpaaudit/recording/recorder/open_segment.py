"""The segment that a recorder fills: its facts as rows, and those rows that the log does not have yet."""

from collections.abc import Sequence

from hpaaudit.model.facts import Fact, Refused
from hpaaudit.recording.writing.pending import PendingFacts
from hpaaudit.recording.writing.unlogged import UnloggedRows


class OpenSegment:
    """A segment that is not sealed yet.

    pending       all its facts, as rows of its tables
    unlogged      the rows that are not in the log yet
    bypasses_log  too many rows waited for the log: these facts get to the disk with the segment only
    """

    def __init__(self, first_seq: int) -> None:
        self.pending = PendingFacts(first_seq)
        self.unlogged = UnloggedRows()
        self.bypasses_log = False

    @property
    def end_seq(self) -> int:
        """The number of the first fact after this segment."""
        return self.pending.first_seq + self.pending.facts

    @property
    def is_empty(self) -> bool:
        """True if it has no facts."""
        return not self.pending.facts

    def add(self, fact: Fact) -> Sequence[Refused]:
        """Add a fact. Return a `Refused` for each value that the format cannot hold; it has a row already."""
        rows = self.pending.add(fact)
        if not self.bypasses_log:
            self.unlogged.add(rows)
        refused, self.pending.refused = self.pending.refused, []
        return refused

    def take_unlogged(self) -> UnloggedRows:
        """Hand over the rows that are not in the log. New facts start new ones."""
        rows, self.unlogged = self.unlogged, UnloggedRows()
        return rows

    def return_unlogged(self, rows: UnloggedRows) -> None:
        """Put rows back that could not be logged, before those that came later."""
        rows.extend(self.unlogged)
        self.unlogged = rows

    def give_up_log(self) -> None:
        """Free the rows that wait for the log."""
        self.bypasses_log, self.unlogged = True, UnloggedRows()

    def reopen(self, rows: UnloggedRows, *, unacknowledged: int) -> None:
        """Continue this segment after it could not be sealed.

        rows             that were to be logged with it
        unacknowledged   number of its facts that the log does not have
        """
        self.unlogged = rows if unacknowledged else UnloggedRows()
        self.bypasses_log = rows.facts < unacknowledged
