"""How much a recorder keeps where."""

from dataclasses import dataclass

from hpaaudit.model.units import SECOND, Micros

SYNC_US, SEGMENT_US = Micros(5 * SECOND), Micros(3600 * SECOND)
SEGMENT_BYTES = 20 << 20
"""A third of an hour of 300 HPAs. Sealing takes as much again and more: with 64 MB a recorder of 50,000 pods would take
300 MB, and not 240."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What may be lost, what a segment is, and what is kept.

    sync_us, sync_bytes        what may be lost with the process: so much time, or so many bytes
    segment_us, segment_bytes  what a segment holds at most; bytes are of memory
    ballast_bytes              that are thrown off first where the disk is full
    keep_us, keep_bytes        what is older, or more of all segments, is removed; None: nothing
    """

    sync_us: Micros = SYNC_US
    sync_bytes: int = 1 << 20
    segment_us: Micros = SEGMENT_US
    segment_bytes: int = SEGMENT_BYTES
    ballast_bytes: int = 16 << 20
    keep_us: Micros | None = None
    keep_bytes: int | None = None


USUAL = Limits()
