"""What one reconcile decides, step by step."""

from dataclasses import dataclass

from hpaaudit.model.hpa import HpaStatus
from hpaaudit.model.units import Micros, Milli


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a decision.

    stage     gate, propose, stabilize, policy, bound or write
    code      a `reason_code`, for example `stabilize.down_hold`
    binding   without this step alone the decision would be another
    detail    names and numbers for a sentence about it
    """

    stage: str
    code: str
    before: int | None
    after: int | None
    binding: bool
    detail: tuple[tuple[str, str | int | float | None], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PodBucket:
    """How one metric counted one pod. `value` is the usage that it counted, measured or filled in."""

    pod: str
    uid: str
    bucket: str
    why_code: str
    value: Milli | None
    request: Milli | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricProposal:
    """The number of replicas that one metric proposes, and how it was computed.

    target          milli, or percent where `target_type` is Utilization
    current_milli   the value or averageValue that the status publishes
    ratio           of usage to target;  ratio_adjusted   the same after missing and unready pods were filled in
    tolerance       of the direction that was tested;  inside_tolerance   the ratio was tested and was within it
    """

    metric_idx: int
    metric_type: str
    metric_name: str
    target_type: str
    target: int | None
    current_milli: Milli | None
    current_utilization: int | None
    ratio: float | None
    ratio_adjusted: float | None
    tolerance: float | None
    proposal: int | None
    valid: bool
    invalid_code: str
    invalid_text: str
    adjust_code: str
    inside_tolerance: bool
    ready_pods: int | None
    unready_pods: int | None
    missing_pods: int | None
    ignored_pods: int | None
    is_winner: bool
    pods: tuple[PodBucket, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PostedEvent:
    """An Event that the controller posts, before its client merges repeats."""

    type: str
    reason: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleAttempt:
    """A write of the scale that the controller makes, and its HTTP status."""

    to: int
    status: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One reconcile.

    gone             the HPA was deleted: only the memory changed
    raw_desired      the highest proposal; None if metrics were not computed, or all of them failed
    stabilized       after the stabilization window;  rate_limited   after policies, before min and max
    unheld           what it would have decided without what held it, which is missing and unready pods, earlier
                     recommendations or a metric that failed; None if none of these did
    desired          what `scale.spec.replicas` should become; None where the scale could not be read
    status_desired   what `status.desiredReplicas` becomes: the old value on failures
    action           `scale_up`, `scale_down` or `hold`
    reason_code      the last binding step, else the winner's metric code
    status           the whole status that the controller computes;  status_version   the API version of it
    writes_status    the status differs from the one before, so it is written
    error            what the controller gives to its error handler, empty if nothing
    """

    at_us: Micros
    namespace: str
    name: str
    uid: str
    gone: bool
    spec_replicas: int | None
    status_replicas: int | None
    min_replicas: int | None
    max_replicas: int | None
    raw_desired: int | None
    stabilized: int | None
    rate_limited: int | None
    unheld: int | None
    desired: int | None
    status_desired: int | None
    action: str
    reason_code: str
    scale_reason: str
    status: HpaStatus | None
    writes_status: bool
    attempts: tuple[ScaleAttempt, ...]
    events: tuple[PostedEvent, ...]
    error: str
    proposals: tuple[MetricProposal, ...]
    steps: tuple[Step, ...]
    status_version: str = "autoscaling/v2"
