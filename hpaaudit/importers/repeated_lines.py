"""Finds lines of captures that tell an observation once more: captures may overlap, and pipelines deliver twice."""

from collections import Counter, deque
from dataclasses import dataclass, field
from hashlib import blake2b

from hpaaudit.model.units import SECOND, Micros


def digest_of(text: bytes) -> bytes:
    """What two lines have in common only if they are the same."""
    return blake2b(text, digest_size=16).digest()


@dataclass(slots=True)
class RepeatedLines:
    """The lines of the newest second.

    kept     how often each was kept;  by_file  how often each stood in each file;  newest  the last line of each file
    recent   their times, to forget them: of equal lines the times are equal, too
    """

    kept: Counter[bytes] = field(default_factory=Counter)
    by_file: Counter[tuple[str, bytes]] = field(default_factory=Counter)
    newest: dict[str, bytes] = field(default_factory=dict)
    recent: deque[tuple[Micros, str, bytes]] = field(default_factory=deque)

    def add(self, at_us: Micros, file: str, digest: bytes, *, is_read: bool) -> bool:
        """True if another file has told this line already, or the line before it.

        Reads that look the same are two: a controller of which two metrics make one request reads its answer twice.
        """
        while self.recent and self.recent[0][0] < at_us - 2 * SECOND:
            _, old_file, old = self.recent.popleft()
            self.by_file.pop((old_file, old), None)
            self.kept.pop(old, None)
        is_again = self.newest.get(file) == digest and not is_read
        self.newest[file] = digest
        if is_again:
            return True
        self.recent.append((at_us, file, digest))
        self.by_file[file, digest] += 1
        if self.by_file[file, digest] <= self.kept[digest]:
            return True
        self.kept[digest] += 1
        return False
