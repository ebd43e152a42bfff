"""Stabilizes and limits a recommendation, with the words for it: upstream's `normalizeDesiredReplicas…`."""

from dataclasses import replace

from hpaaudit.engine.controller.compute_metrics import MetricsRecommendation
from hpaaudit.engine.controller.limits import limited_words, limits_of, scale_events
from hpaaudit.engine.controller.outcome import Outcome
from hpaaudit.engine.controller.reconcile_state import ReconcileState
from hpaaudit.engine.controller.remember import remember_recommendation
from hpaaudit.engine.controller.steps import chain_of
from hpaaudit.engine.rules.candidates import UNKNOWN
from hpaaudit.engine.rules.limit import ScaleEventHistory
from hpaaudit.engine.rules.normalize import (
    ABOVE_MAXIMUM,
    ALL_BELOW,
    AT_ZERO,
    BELOW_MINIMUM,
    DOWN_STABILIZED,
    METRIC_ABOVE,
    NO_REASON,
    READY,
    UP_STABILIZED,
    NormalizationArg,
    Normalized,
    Remembered,
)
from hpaaudit.engine.rules.normalize import normalize as normalize_numbers
from hpaaudit.engine.rules.reason_codes import CODES, PARTIAL_BLOCKS
from hpaaudit.engine.rules.stabilize import Recommendations
from hpaaudit.engine.rules.unheld import unheld
from hpaaudit.model.memory import Memory

_ABLE_WORDS = {
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

SCALE_REASONS = {
    NO_REASON: "",
    METRIC_ABOVE: "{name} above target",
    ALL_BELOW: "All metrics below target",
    ABOVE_MAXIMUM: "Current number of replicas above Spec.MaxReplicas",
    BELOW_MINIMUM: "Current number of replicas below Spec.MinReplicas",
    AT_ZERO: "Current number of replicas must be greater than 0",
}
"""Why the scale is written; `name` is that of the winning metric."""


def normalize(state: ReconcileState, recommendation: MetricsRecommendation) -> Outcome:
    """The recommendation after stabilization, policies and bounds, and the memory with it."""
    raw, behaviours = recommendation.replicas or 0, state.behaviours
    argument = _argument(state, raw)
    now_us, limits = state.observation.decided_us, argument.limits
    normalized = normalize_numbers(argument, state.scaled_to_zero, behaviours)
    # A negative proposal leaves the 0 that upstream starts from, and no name of a metric.
    name = recommendation.name if raw > 0 else ""
    chain = chain_of(recommendation.views, normalized, limits, state.memory)
    number = unheld(
        argument,
        recommendation.other or 0,
        normalized,
        CODES.index(chain.reason_code),
        state.scaled_to_zero,
        behaviours,
    )
    return Outcome(
        status=replace(state.hpa.status, conditions=_with_conditions(state, normalized, limits.maximum).conditions),
        memory=remember_recommendation(state.memory, normalized.stabilized.slot, raw, now_us),
        scale=state.scale,
        raw=raw,
        stabilized=normalized.stabilized.replicas,
        rate_limited=normalized.limited.by_policy,
        desired=normalized.desired,
        scale_reason=SCALE_REASONS[normalized.scale_reason].format(name=name),
        events=recommendation.events,
        error=recommendation.error if behaviours.partial_error_returned else "",
        is_partial_error=bool(recommendation.error),
        proposals=recommendation.views,
        unheld=None if number == UNKNOWN else number,
        chain=chain,
    )


def other_number(state: ReconcileState, recommendation: MetricsRecommendation) -> int | None:
    """What would have been decided if the metric that failed did not count; None where it does not hold the others."""
    if recommendation.other is None or recommendation.code != CODES[PARTIAL_BLOCKS]:
        return None
    argument = _argument(state, recommendation.other)
    return normalize_numbers(argument, state.scaled_to_zero, state.behaviours).desired


def _argument(state: ReconcileState, raw: int) -> NormalizationArg:
    """A recommendation with everything that it is normalized with."""
    limits = limits_of(state.hpa, state.minimum, state.flags)
    return NormalizationArg(raw, state.current, state.observation.decided_us, limits, remembered_of(state.memory))


def remembered_of(memory: Memory) -> Remembered:
    """A memory as numbers."""
    old = memory.recommendations or ()
    recommendations = Recommendations([entry.replicas for entry in old], [entry.at_us for entry in old])
    return Remembered(recommendations, ScaleEventHistory(scale_events(memory.up), scale_events(memory.down)))


def _with_conditions(state: ReconcileState, normalized: Normalized, maximum: int) -> ReconcileState:
    """The state with the conditions AbleToScale and ScalingLimited."""
    now_us, limited = state.observation.decided_us, normalized.limited
    state = state.with_condition("AbleToScale", "True", *_ABLE_WORDS[normalized.able], now_us)
    status = "False" if limited.replicas == normalized.stabilized.replicas else "True"
    words = limited_words(limited, maximum, own_words=state.behaviours.min_limit_says_so)
    return state.with_condition("ScalingLimited", status, *words, now_us)
