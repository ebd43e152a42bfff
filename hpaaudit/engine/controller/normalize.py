"""The recommendation held by memory, policies and bounds, and the words for it (`normalizeDesiredReplicas…`)."""

from dataclasses import replace

from hpaaudit.engine.behaviours.table import Rules
from hpaaudit.engine.controller.compute_metrics import Recommended
from hpaaudit.engine.controller.limits import limits_of, scale_events, words
from hpaaudit.engine.controller.outcome import Outcome, current_of, scaled_to_zero
from hpaaudit.engine.controller.remember import remember_recommendation
from hpaaudit.engine.controller.status import with_condition
from hpaaudit.engine.controller.steps import chain_of
from hpaaudit.engine.rules.normalize import (
    ABOVE_MAXIMUM,
    ALL_BELOW,
    BELOW_MINIMUM,
    DOWN_STABILIZED,
    METRIC_ABOVE,
    NO_REASON,
    READY,
    UP_STABILIZED,
    Past,
    Settled,
    settle,
)
from hpaaudit.engine.rules.stabilize import Recommendations
from hpaaudit.model.flags import Flags
from hpaaudit.model.hpa import Condition, Hpa
from hpaaudit.model.memory import Memory
from hpaaudit.model.observation import Observation
from hpaaudit.model.target import Scale
from hpaaudit.model.units import Micros

_ABLE = {
    READY: ("ReadyForNewScale", "recommended size matches current size"),
    UP_STABILIZED: (
        "ScaleUpStabilized",
        "recent recommendations were lower than current one, applying the lowest recent recommendation",
    ),
    DOWN_STABILIZED: (
        "ScaleDownStabilized",
        "recent recommendations were higher than current one, applying the highest recent recommendation",
    ),
}

WHY = {
    NO_REASON: "",
    METRIC_ABOVE: "{name} above target",
    ALL_BELOW: "All metrics below target",
    ABOVE_MAXIMUM: "Current number of replicas above Spec.MaxReplicas",
    BELOW_MINIMUM: "Current number of replicas below Spec.MinReplicas",
}
"""Why the scale is written; `name` is that of the winning metric."""


def normalize(
    seen: Observation,
    hpa: Hpa,
    scale: Scale,
    memory: Memory,
    conditions: tuple[Condition, ...],
    minimum: int,
    found: Recommended,
    flags: Flags,
    rules: Rules,
) -> Outcome:
    """The recommendation held by memory, policies and bounds."""
    now_us, current, raw = seen.decided_us, current_of(scale, rules), found.replicas or 0
    limits = limits_of(hpa, minimum, flags)
    settled = settle(raw, current, limits, past_of(memory), now_us, scaled_to_zero(hpa.status.conditions, rules), rules)
    # A negative proposal leaves the zero that upstream starts from, and no name.
    name = found.name if raw > 0 else ""
    return Outcome(
        status=replace(hpa.status, conditions=_told(conditions, settled, limits.maximum, now_us, rules)),
        memory=remember_recommendation(memory, settled.held.slot, raw, now_us),
        scale=scale,
        raw=raw,
        stabilized=settled.held.replicas,
        rate_limited=settled.limited.by_policy,
        desired=settled.desired,
        scale_reason=WHY[settled.why].format(name=name),
        events=found.events,
        error=found.error if rules.partial_error_returned else "",
        partial_error=bool(found.error),
        proposals=found.views,
        chain=chain_of(found.views, settled, limits, memory),
    )


def past_of(memory: Memory) -> Past:
    """A memory as numbers."""
    old = memory.recommendations or ()
    recommendations = Recommendations([one.replicas for one in old], [one.at_us for one in old])
    return Past(recommendations, scale_events(memory.up), scale_events(memory.down))


def _told(
    conditions: tuple[Condition, ...], settled: Settled, maximum: int, now_us: Micros, rules: Rules
) -> tuple[Condition, ...]:
    """AbleToScale and ScalingLimited as they are set."""
    conditions = with_condition(conditions, "AbleToScale", "True", *_ABLE[settled.able], now_us)
    limited = settled.limited
    status = "False" if limited.replicas == settled.held.replicas else "True"
    said = words(limited, maximum, own_words=rules.min_limit_says_so)
    return with_condition(conditions, "ScalingLimited", status, *said, now_us)
