"""What `record --plan` shows before a recording, and the counts of a running recorder."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The counts of a running recorder: HPAs and pods that it follows now, and totals since its start."""

    hpas: int
    pods: int
    samples: int
    gaps: int
    bytes: int = 0
    seconds: float = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """A right that the recorder needs. An empty `namespace` means all namespaces, an empty `name` all objects."""

    verb: str
    resource: str
    group: str
    subresource: str
    namespace: str
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What `record` would read, and what it could not read.

    context, server, version   the cluster
    namespace       empty for all namespaces
    watches         watches that stay open;  polls  distinct requests per interval
    bytes_per_hour  on disk, estimated
    denied          rights that are missing
    unserved        metric API groups that HPAs need but that are not served, with the number of HPAs
    unauditable     HPAs (`namespace/name`) whose decisions cannot be replayed, and why
    not_probed      metrics that are not read because of `--no-probe`
    warnings        why the connection to the server is not safe
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
    not_probed: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageCounts:
    """How much of what a recorder observed is on the disk and uploaded.

    wal_bytes   size of the write-ahead log;  segments  completed since the start
    unwritten   facts that could not be written to the disk yet
    upload_failures   uploads that failed since the start;  failing  segments whose upload is being retried
    """

    wal_bytes: int = 0
    segments: int = 0
    unwritten: int = 0
    upload_failures: int = 0
    failing: int = 0
