"""The output of a replay: when each reconcile took place, what it decided, and what was assumed."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hpaaudit.model.decision import Decision
from hpaaudit.model.memory import Memory
from hpaaudit.model.times import At
from hpaaudit.model.units import Micros
from hpaaudit.model.what_if import WhatIf


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcileTime:
    """When one HPA was reconciled, and how we know.

    source   `reconcile` (a line of a capture), `status_write`, `event`, `grid` and so on, as `reconciles.at_source`
    """

    began_us: Micros
    at_us: Micros
    source: str
    uncertainty_us: Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedReconcile:
    """One replayed reconcile.

    memory             what the controller remembers after it
    band_lo, band_hi   least and greatest `desired` over all inputs that this reconcile may have read
    evidence           `proven` (the published status follows from these inputs), `seen` or `assumed`
    missing_input      what was not recorded and would narrow the band to one number, empty if it is one
    metric_labels      what people call each metric of the spec
    """

    reconcile_id: int
    instant: ReconcileTime
    epoch_id: int
    decision: Decision
    memory: Memory
    band_lo: int | None
    band_hi: int | None
    evidence: str
    missing_input: str
    metric_labels: tuple[str, ...] = ()


DECLARED = "declared"
"""The source of a setting that the user declared to be that of the real controller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """A setting of the controller, and its source: `observed`, `inferred`, `user`, `declared` or `default`.

    in_place_of   of a what-if: the value that the audit of the recording has; None if the user asked for no other one
    """

    key: str
    value: str
    source: str
    in_place_of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedFile:
    """A file of a recording, as its manifest names it.

    segment   its number
    path      absolute, where it was when it was replayed
    """

    segment: int
    table: str
    path: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingInfo:
    """The recording that was replayed.

    source   how it was made: `record`, `capture` and so on
    files    those that its manifests name, segment by segment
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

    started = At("started_us")
    ended = At("ended_us")


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """How a replay was run.

    mode          `audit` or `what_if`
    detail        how many steps and pods are stored
    assumptions   the settings of the controller
    options       as the user wrote them, if they narrow or change the replay; empty for the whole recording
    releases      the release as which a process is decided, by the version or release that the recording gives it
    lease_duration_us   how long the controller's Lease lasts, as the user says; None: as it was recorded
    hpas            `namespace/name` of those that were asked for; empty: all
    since_us      what came earlier is evidence, but is not shown; None: everything is
    until_us      the same of what came later
    what_if       what makes it a what-if; None: it decides by the settings of the audit
    """

    replay_id: str
    mode: str
    release: str
    engine_version: str
    detail: str
    assumptions: tuple[Assumption, ...]
    options: str = ""
    releases: Mapping[str, str] = field(default_factory=dict)
    lease_duration_us: Micros | None = None
    hpas: frozenset[str] = frozenset()
    since_us: Micros | None = None
    until_us: Micros | None = None
    what_if: WhatIf | None = None
