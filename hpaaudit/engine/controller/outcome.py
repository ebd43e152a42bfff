"""What a reconcile comes to, before it becomes a Decision; and the words that its steps share."""

from collections.abc import Iterable
from dataclasses import dataclass

from hpaaudit.api.answers import Server
from hpaaudit.api.selector import BadSelector, scale_selector
from hpaaudit.engine.behaviours.release import rules_of
from hpaaudit.engine.behaviours.table import Rules
from hpaaudit.engine.controller.status import condition_of
from hpaaudit.engine.controller.steps import Chain
from hpaaudit.model.decision import MetricProposal, PostedEvent, ScaleAttempt, Step
from hpaaudit.model.facts import ScaleRead
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Condition, Hpa, HpaStatus, MetricStatus, MetricType
from hpaaudit.model.memory import Memory
from hpaaudit.model.target import Scale
from hpaaudit.model.units import Micros


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a reconcile came to, before it becomes a Decision.

    error     what it returns;  partial_error   only for a metric that others made up for
    handled   errors that it told the error handler before it returned
    status_error_told   whether it does so with that of a status that could not be written
    """

    status: HpaStatus
    memory: Memory
    scale: Scale | None = None
    raw: int | None = None
    stabilized: int | None = None
    rate_limited: int | None = None
    desired: int | None = None
    scale_reason: str = ""
    attempts: tuple[ScaleAttempt, ...] = ()
    events: tuple[PostedEvent, ...] = ()
    events_after_write: tuple[PostedEvent, ...] = ()
    error: str = ""
    partial_error: bool = False
    handled: tuple[str, ...] = ()
    status_error_told: bool = True
    proposals: tuple[MetricProposal, ...] = ()
    chain: Chain


def status_of(
    hpa: Hpa,
    current: int,
    desired: int,
    statuses: tuple[MetricStatus, ...] | None,
    conditions: tuple[Condition, ...],
    scaled_us: Micros | None,
    rules: Rules,
) -> HpaStatus:
    """`setStatus`: rebuilt whole, so that observedGeneration is dropped (to 1.36)."""
    return HpaStatus(
        observed_generation=hpa.generation if rules.generation else None,
        last_scale_us=hpa.status.last_scale_us if scaled_us is None else scaled_us,
        current_replicas=current,
        desired_replicas=desired,
        current_metrics=statuses,
        conditions=conditions,
    )


def gate(
    code: str, before: int | None, detail: Iterable[tuple[str, str | int | float | None]], after: int | None = None
) -> Step:
    """One gate of the chain: a branch that decides without the metrics, or a failure."""
    return Step(
        stage="gate",
        code=code,
        before=before,
        after=before if after is None else after,
        binding=True,
        detail=tuple(detail),
    )


def current_of(scale: Scale, rules: Rules) -> int:
    """Current replicas: those of the spec (since 1.16, and late patches of 1.13 to 1.15), before of the status."""
    return scale.spec_replicas if rules.spec_replicas_are_current else scale.status_replicas


def server_of(flags: Flags) -> Server:
    """Where the controller's requests went, as its errors name it."""
    return Server(flags.api_server, quoted=rules_of(flags).quoted_urls)


def refusal(read: ScaleRead, flags: Flags) -> str:
    """Why the scale client refuses an answer, in its own words; empty if it does not."""
    if read.scale is None:
        return read.error if read.status else server_of(flags).without_answer("Get", read.path, read.error)
    try:
        scale_selector(read.scale.selector)
    except BadSelector as bad:
        return (
            "received an object from a /scale endpoint which was not convertible to autoscaling Scale: "
            f"failed to parse target selector: {rules_of(flags).told(bad)}"
        )
    return ""


def reference(hpa: Hpa) -> str:
    """The target as errors name it: `Kind/namespace/name`."""
    target = hpa.spec.target
    return f"{target.kind}/{hpa.namespace}/{target.name}"


def scaled_to_zero(conditions: tuple[Condition, ...], rules: Rules) -> bool:
    """Whether this controller itself scaled the target to zero, by its condition (1.36)."""
    condition = condition_of(conditions, "ScaledToZero")
    on = rules.scale_to_zero and rules.scaled_to_zero_condition
    return on and condition is not None and condition.status == "True"


def has_object_or_external(hpa: Hpa) -> bool:
    """Whether a metric can rise while there are no pods."""
    return any(metric.type in (MetricType.OBJECT, MetricType.EXTERNAL) for metric in hpa.spec.metrics)
