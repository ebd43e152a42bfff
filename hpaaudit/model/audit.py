"""What a replay hands to the audit: the instants, what was decided at each, and what was assumed."""

from dataclasses import dataclass

from hpaaudit.model.decision import Decision
from hpaaudit.model.memory import Memory
from hpaaudit.model.units import Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Instant:
    """When one HPA was reconciled, and how we know.

    source   `reconcile` (a capture's line), `audit`, `controller_log`, `status_write`, `event` or `grid`
    """

    began_us: Micros
    at_us: Micros
    source: str
    uncertainty_us: Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """One replayed reconcile.

    memory          what the controller remembers after it
    band_lo, _hi    least and greatest `desired` over everything that this reconcile may have seen
    evidence        `proven` (a published status fits exactly one candidate), `seen` or `assumed`
    missing_input   what would close the band, empty where it is a point
    """

    reconcile_id: int
    instant: Instant
    epoch_id: int
    decision: Decision
    memory: Memory
    band_lo: int | None
    band_hi: int | None
    evidence: str
    missing_input: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """A setting of the controller and where it comes from: `observed`, `inferred`, `user` or `default`."""

    key: str
    value: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedFile:
    """A file of a recording, as its manifest names it.

    segment   its number
    path      absolute, where it lay
    """

    segment: int
    table: str
    path: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingInfo:
    """Which recording was replayed: `source` is how it was made (`record`, `capture`, …).

    files   those that its manifests name, segment by segment
    """

    path: str
    manifest_sha256: str
    format_version: int
    source: str
    cluster: str
    recorder_version: str
    started_us: Micros
    ended_us: Micros
    files: tuple[RecordedFile, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """How a replay was run: release, flags as `flag=value`, what was assumed, how much detail is kept.

    options    that narrowed or changed it, as they are written; empty: the whole recording, as it was recorded
    since_us   what came earlier is evidence, but is not shown; None: everything is
    until_us   the same of what came later
    """

    replay_id: str
    mode: str
    release: str
    engine_version: str
    detail: str
    assumptions: tuple[Assumption, ...]
    options: str = ""
    since_us: Micros | None = None
    until_us: Micros | None = None
