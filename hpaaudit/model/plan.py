"""What a recorder would do, and what it has done so far."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What a running recorder holds: objects that it follows now, and sums since its start."""

    hpas: int
    pods: int
    samples: int
    gaps: int
    bytes: int = 0
    seconds: float = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """A right that a recorder needs; `namespace` is empty for all of them, `name` for every object."""

    verb: str
    resource: str
    group: str
    subresource: str
    namespace: str
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What `record` would read, and what it could not.

    context, server, version   which cluster
    namespace       empty: all
    watches         streams that stay open;  polls  distinct requests per interval
    bytes_per_hour  on disk, estimated
    denied          rights that are missing
    unserved        metric API groups that HPAs need and nobody serves, with the number of HPAs
    unauditable     HPAs (`namespace/name`) whose decisions cannot be judged, and why
    spared          metrics that would be read but for `--no-probe`
    warnings        why the server, or what is shown to it, is not safe
    """

    context: str
    server: str
    version: str
    namespace: str
    interval_seconds: float
    hpas: int
    pods: int
    watches: int
    polls: int
    requests_per_second: float
    bytes_per_hour: int
    denied: tuple[Permission, ...]
    unserved: tuple[tuple[str, int], ...]
    unauditable: tuple[tuple[str, str], ...]
    spared: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What became of what a recorder saw.

    wal_bytes   of the log of facts that are in no segment yet;  segments  that were made whole since the start
    unwritten   facts that the disk did not take yet
    upload_failures   uploads that failed since the start;  failing  segments whose upload is tried again now
    """

    wal_bytes: int = 0
    segments: int = 0
    unwritten: int = 0
    upload_failures: int = 0
    failing: int = 0
