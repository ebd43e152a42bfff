"""The states of a recorder's writer. It is in one of them at a time.

```
Writing ──tick, add──> Logging, Sealing ──done──> Writing
   any ──the disk refuses──> DiskRefuses ──a retry succeeds──> Writing
   any ──close, release──> Closed
```
"""

from concurrent.futures import Future
from dataclasses import dataclass, field

from hpaaudit.model.facts import Fact
from hpaaudit.model.units import SECOND, Micros
from hpaaudit.recording.recorder.open_segment import OpenSegment
from hpaaudit.recording.writing.unlogged import UnloggedRows

LONGEST_WAIT_US = 60 * SECOND


@dataclass(frozen=True, slots=True)
class Writing:
    """The disk accepts writes, and none runs in the background."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Logging:
    """Rows are being appended to the log in the background."""

    job: Future[None]
    rows: UnloggedRows


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealing:
    """A segment is being written in the background. New facts go to the next segment.

    rows   rows of the segment that its log did not have when the job began
    later  facts that came since: they are added to this segment again if it cannot be written
    """

    job: Future[None]
    segment: OpenSegment
    rows: UnloggedRows
    later: list[Fact] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class DiskRefuses:
    """The disk refuses writes. Facts are held in memory, and the wait between two tries doubles.

    reason    what the disk said first
    retry_us  when to try again
    wait_us   how long to wait after that try
    """

    reason: str
    retry_us: Micros
    wait_us: Micros

    def wait(self, now_us: Micros) -> None:
        """Schedule the next try."""
        self.retry_us = Micros(now_us + self.wait_us)
        self.wait_us = Micros(min(2 * self.wait_us, LONGEST_WAIT_US))


@dataclass(frozen=True, slots=True)
class Closed:
    """Nothing more is written, and others may lock the folder."""


State = Writing | Logging | Sealing | DiskRefuses | Closed
