"""Facts: what the recorder or an importer observed, one observation each.

A recording is a sequence of facts in the order of observation. A fact holds from `at_us` on. Where a decision needs
a part of an object, the fact has its JSON in canonical form (sorted keys, no blanks), so that our decoding cannot
change what was recorded.
"""

from dataclasses import dataclass

from hpaaudit.model.metrics import MetricsRequest, MetricValue, PodSample
from hpaaudit.model.target import Pod, Scale
from hpaaudit.model.times import At
from hpaaudit.model.units import SECOND, Micros

_INT32 = 2**31


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerSeen:
    """The controller process: `started` (its memory is empty), `stopped` or `declared`.

    flags   as on its command line, without dashes;  gates   as `--feature-gates` sets them
    """

    at_us: Micros
    state: str
    release: str
    version: str
    flags: tuple[tuple[str, str], ...]
    gates: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HpaSeen:
    """An HPA as it was from `at_us` on, in the served version `api_version`.

    labels_json   None where they were not recorded
    """

    at_us: Micros
    namespace: str
    name: str
    uid: str
    api_version: str
    resource_version: str
    generation: int
    created_us: Micros | None
    spec_json: str
    status_json: str
    annotations_json: str = "{}"
    spec_manager: str = ""
    labels_json: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HpaGone:
    """An HPA was deleted."""

    at_us: Micros
    namespace: str
    name: str
    uid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSeen:
    """A pod as it was from `at_us` on."""

    at_us: Micros
    pod: Pod


@dataclass(frozen=True, slots=True, kw_only=True)
class PodGone:
    """A pod was deleted."""

    at_us: Micros
    namespace: str
    name: str
    uid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRef:
    """A scale target: `group` empty for core, `resource` the lower-case plural."""

    group: str
    resource: str
    namespace: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetSeen:
    """A workload that an HPA scales, from its watch.

    manager, operation, subresource, written_us   who owns `spec.replicas` according to managedFields, empty or None if
                    nobody does
    template_hash   changes with a rollout, empty if unknown
    """

    at_us: Micros
    target: TargetRef
    kind: str
    uid: str
    resource_version: str
    generation: int
    scale: Scale
    manager: str
    operation: str
    subresource: str
    written_us: Micros | None
    template_hash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetGone:
    """A workload was deleted."""

    at_us: Micros
    target: TargetRef
    uid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutSeen:
    """A rollout of a workload began or ended: `rolling` holds from `at_us` on.

    revision    the `template_hash` of its TargetSeen
    max_surge, max_unavailable   a number or a percentage, empty where the strategy has none
    """

    at_us: Micros
    target: TargetRef
    resource_version: str
    revision: str
    rolling: bool
    max_surge: str
    max_unavailable: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleRead:
    """A GET of a scale subresource, answered at `at_us` or failed (status 0: no answer at all).

    `by` is the user who read, empty when it was the recorder.
    """

    at_us: Micros
    took_us: Micros
    target: TargetRef
    path: str
    status: int
    error: str
    by: str
    scale: Scale | None
    resource_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceMetricsRead:
    """A read of `metrics.k8s.io`; samples in the answer's order, None where it failed.

    `path` is as it was requested, because error messages quote it.
    """

    at_us: Micros
    took_us: Micros
    request: MetricsRequest
    path: str
    status: int
    error: str
    by: str
    samples: tuple[PodSample, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuesRead:
    """A read of a custom or external metric; values in the answer's order, None where it failed."""

    at_us: Micros
    took_us: Micros
    request: MetricsRequest
    path: str
    status: int
    error: str
    by: str
    values: tuple[MetricValue, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PodsListed:
    """A list of the pods of a selector, as the controllers up to 1.11 asked for it in each reconcile.

    The pods themselves are facts of their own, just before this one. `error` says why there is no answer.
    """

    at_us: Micros
    took_us: Micros
    namespace: str
    selector: str
    path: str
    status: int
    error: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HeapsterRead:
    """A request to Heapster through the API server's proxy for Services.

    namespace   of the pods that it was asked about
    path   as it was requested;  body   JSON with sorted keys, or the text that came instead
    """

    at_us: Micros
    took_us: Micros
    namespace: str
    path: str
    status: int
    error: str
    by: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleWritten:
    """Somebody wrote a scale (or a workload's replicas), or tried to.

    scale      after the write, None where it failed or the answer is unknown
    sent       the replicas in the request, None if unknown
    by, agent, manager   user, user agent and field manager, empty where unknown
    """

    at_us: Micros
    took_us: Micros
    target: TargetRef
    path: str
    verb: str
    status: int
    error: str
    by: str
    agent: str
    manager: str
    sent: int | None
    scale: Scale | None
    resource_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusWritten:
    """Somebody wrote an HPA's status, or tried to; `status_json` is what was sent.

    `resource_version` is the HPA's after the write, empty where it failed or the answer is unknown.
    """

    at_us: Micros
    took_us: Micros
    namespace: str
    name: str
    path: str
    status: int
    error: str
    by: str
    status_json: str
    resource_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSeen:
    """A Kubernetes Event as it was from `at_us` on; `count` rises when the client merges repeats."""

    at_us: Micros
    namespace: str
    name: str
    uid: str
    type: str
    reason: str
    message: str
    kind: str
    object_namespace: str
    object_name: str
    object_uid: str
    component: str
    first_us: Micros | None
    last_us: Micros | None
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseSeen:
    """A Lease of leader election. Its holder is a controller process.

    duration_seconds   `leaseDurationSeconds`; None where it has none, or where it was not recorded
    """

    at_us: Micros
    namespace: str
    name: str
    holder: str
    acquired_us: Micros | None
    renewed_us: Micros | None
    transitions: int
    duration_seconds: int | None = None

    @property
    def lasts_us(self) -> Micros | None:
        """So long after its last renewal it runs out; None if it does not say. The API server takes no 0 seconds."""
        seconds = self.duration_seconds
        return Micros(seconds * SECOND) if seconds is not None and 0 < seconds < _INT32 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiServiceSeen:
    """Whether an aggregated API was available. `available` is the status of its condition."""

    at_us: Micros
    name: str
    available: str
    reason: str
    message: str
    service: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledObjectSeen:
    """A ScaledObject of KEDA. It owns an HPA, and scales to and from zero without it.

    hpa_name       the HPA that it created, empty while there is none
    min_replicas, max_replicas, idle_replicas, fallback_replicas   as written, None if it has none
    ready, active, fallback, paused   status of these conditions, empty without one
    triggers_json  type, name and metricType of each trigger;  annotations_json   KEDA's annotations only
    """

    at_us: Micros
    namespace: str
    name: str
    uid: str
    resource_version: str
    generation: int
    target_kind: str
    target_name: str
    hpa_name: str
    min_replicas: int | None
    max_replicas: int | None
    idle_replicas: int | None
    fallback_replicas: int | None
    ready: str
    active: str
    fallback: str
    paused: str
    triggers_json: str
    annotations_json: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledObjectGone:
    """A ScaledObject was deleted."""

    at_us: Micros
    namespace: str
    name: str
    uid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SurroundingSeen:
    """An object that limits or changes pods, or its deletion: a quota, limits, a VPA, a node, an admission webhook.

    state_json   the part of it that does so, with sorted keys; `{}` if it was deleted
    """

    at_us: Micros
    api_group: str
    resource: str
    namespace: str
    name: str
    uid: str
    gone: bool
    state_json: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRead:
    """The API server's version, and how far its clock is ahead of the recorder's, None if unknown."""

    at_us: Micros
    version: str
    clock_offset_us: Micros | None
    round_trip_us: Micros | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecorderStarted:
    """A recorder started a recording, or continued one.

    version   of hpaaudit;  server  URL of the API server
    trust     how the server was authenticated: by the `authority` that the kubeconfig names, by those of the `system`,
              `unverified` (`insecure-skip-tls-verify`) or `plain` (http)
    auth      how the recorder authenticated: `token`, `certificate`, `plugin` or `nothing`, several joined by `+`
    """

    at_us: Micros
    version: str
    server: str
    trust: str
    auth: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciled:
    """The controller reconciled this HPA: it began at `began_us` and decided at `at_us`."""

    at_us: Micros
    namespace: str
    name: str
    began_us: Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """From `at_us` to `until_us` the paths that begin with `prefix` were not observed; `*` means nothing was.

    `PATH#writers` means that the scales of these workloads were read, but not who wrote them, nor their rollouts.
    `PATH/pods#deployments/web` means that of the pods only those of this workload may not have been seen.
    """

    at_us: Micros
    until_us: Micros
    prefix: str
    cause: str

    at = At("at_us")
    until = At("until_us")


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """An object, an answer or a value that was refused because it does not have the shape that the API defines.

    path         of the collection, or as it was requested; a table of the recording where the value came from elsewhere
    namespace, name, uid   of the object, empty where they could not be read
    reason       what is wrong, and where in the object
    object_json  the fields that we read of a valid object. A value of a wrong type is replaced by the name of its
                 type; `{}` if nothing can be stored safely
    bytes        the size of the answer, 0 if unknown
    count        how often it was refused since its last row, this time included
    """

    at_us: Micros
    path: str
    namespace: str
    name: str
    uid: str
    reason: str
    object_json: str
    bytes: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The recorder ended properly: the recording is complete up to here."""

    at_us: Micros


Fact = (
    ControllerSeen
    | HpaSeen
    | HpaGone
    | PodSeen
    | PodGone
    | TargetSeen
    | TargetGone
    | RolloutSeen
    | ScaleRead
    | ResourceMetricsRead
    | ValuesRead
    | PodsListed
    | HeapsterRead
    | ScaleWritten
    | StatusWritten
    | EventSeen
    | LeaseSeen
    | ApiServiceSeen
    | ScaledObjectSeen
    | ScaledObjectGone
    | SurroundingSeen
    | VersionRead
    | RecorderStarted
    | Reconciled
    | Gap
    | Refused
    | Ended
)
