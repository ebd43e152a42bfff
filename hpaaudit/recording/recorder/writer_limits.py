"""When a recorder writes to the disk, and how much it keeps there."""

from dataclasses import dataclass

from hpaaudit.model.units import SECOND, Micros

SYNC_US, SEGMENT_US = Micros(5 * SECOND), Micros(3600 * SECOND)
SEGMENT_BYTES = 20 << 20
"""A third of an hour of 300 HPAs. Sealing takes as much memory again, and more: with 64 MB a recorder of 50,000 pods
would take 300 MB instead of 240 MB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When facts are written, and what is removed.

    sync_us, sync_bytes        the log is synced after this time, or this many bytes: that much a crash may lose
    segment_us, segment_bytes  a segment is sealed after this time, or this many bytes of memory
    ballast_bytes              room that is reserved for when the disk is full
    free_share                 with a smaller share of the disk free, uploaded segments are removed
    keep_us, keep_bytes        retention: older segments, or those beyond this size, are removed; None: none are
    """

    sync_us: Micros = SYNC_US
    sync_bytes: int = 1 << 20
    segment_us: Micros = SEGMENT_US
    segment_bytes: int = SEGMENT_BYTES
    ballast_bytes: int = 16 << 20
    free_share: float = 0.1
    keep_us: Micros | None = None
    keep_bytes: int | None = None


USUAL = Limits()
