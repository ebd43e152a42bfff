"""One reconcile of 1.6 to 1.11: a list of metrics of which the first that fails ends it, then forbidden windows.

Upstream: `horizontal.go`, `reconcileAutoscaler`. Nothing is remembered between reconciles: what 1.12 replaced by memory
depends on `status.lastScaleTime` alone.
"""

from dataclasses import replace

from hpaaudit.api.v1 import through_v1
from hpaaudit.engine.behaviours.release import behaviours_of
from hpaaudit.engine.controller.compute_metrics import MetricsRecommendation, compute_replicas_for_metrics, select_pods
from hpaaudit.engine.controller.normalize import SCALE_REASONS
from hpaaudit.engine.controller.outcome import Outcome, gate
from hpaaudit.engine.controller.own_reads import OwnReads
from hpaaudit.engine.controller.reconcile import (
    Unreadable,
    able_to_scale,
    decision_of,
    deleted,
    disabled,
    metric_context,
    read_scale,
    to_bound,
    unreadable,
    without_recommendation,
)
from hpaaudit.engine.controller.reconcile_state import ReconcileState, state_of
from hpaaudit.engine.controller.steps import metric_code
from hpaaudit.engine.controller.write_scale import write_scale
from hpaaudit.engine.eras.era_steps import chain_of
from hpaaudit.engine.eras.limit_words import bounds_of, limited_words
from hpaaudit.engine.eras.windows import Opened, forbidden_windows
from hpaaudit.engine.rules import branch as branches
from hpaaudit.engine.rules import forbidden_windows as windows
from hpaaudit.engine.rules.bounds import Bounded, bounded
from hpaaudit.engine.rules.normalize import ABOVE_MAXIMUM, AT_ZERO, BELOW_MINIMUM, scale_reason_of
from hpaaudit.engine.rules.published_status import has_conditions
from hpaaudit.engine.rules.reason_codes import CODES
from hpaaudit.engine.rules.unheld import is_adjusted
from hpaaudit.model.decision import Decision, Step
from hpaaudit.model.flags import Flags
from hpaaudit.model.memory import EMPTY, Memory
from hpaaudit.model.observation import Observation
from hpaaudit.model.units import Micros

_BACKOFF = "the time since the previous scale is still within "
_ABLE_WORDS = {
    windows.BOTH_OPEN: (
        "True",
        "ReadyForNewScale",
        "the last scale time was sufficiently old as to warrant a new scale",
    ),
    windows.DOWN_CLOSED: ("False", "BackoffDownscale", f"{_BACKOFF}the downscale forbidden window"),
    windows.UP_CLOSED: ("False", "BackoffUpscale", f"{_BACKOFF}the upscale forbidden window"),
    windows.BOTH_CLOSED: ("False", "BackoffBoth", f"{_BACKOFF}both the downscale and upscale forbidden windows"),
}
"""Status, reason and message of AbleToScale, by which windows are closed."""


def reconcile(
    observation: Observation, memory: Memory, flags: Flags, *, keep_pods: bool = False
) -> tuple[Decision, Memory]:
    """One reconcile of one HPA: what the controller decides and writes. It remembers nothing."""
    hpa = observation.hpa
    if hpa is None:
        return deleted(observation), EMPTY
    behaviours = behaviours_of(flags)
    scale = read_scale(observation, hpa, flags)
    if isinstance(scale, Unreadable):
        outcome = unreadable(observation, hpa, memory, scale, behaviours)
        if not has_conditions(behaviours):
            outcome = replace(outcome, status=hpa.status, ends_without_status=True)
        return decision_of(observation, hpa, outcome, flags, behaviours), memory
    outcome = _decide(able_to_scale(state_of(observation, hpa, memory, scale, flags, keep_pods=keep_pods)))
    # In v2beta1 a value is no pointer: one that was not set is compared as zero.
    outcome = replace(outcome, status=through_v1(outcome.status))
    if not has_conditions(behaviours):
        outcome = replace(outcome, status=replace(outcome.status, conditions=hpa.status.conditions))
        if outcome.attempts and outcome.error:
            outcome = replace(outcome, ends_without_status=True)  # the scale could not be written
    return decision_of(observation, hpa, outcome, flags, behaviours), memory


def _decide(state: ReconcileState) -> Outcome:
    """The outcome of the branch that the reconcile takes. Outside the bounds the forbidden windows do not count."""
    maximum, minimum, current = state.hpa.spec.max_replicas, state.minimum, state.current
    taken = branches.branch(
        state.scale.spec_replicas, current, minimum, maximum, at_zero=False, behaviours=state.behaviours
    )
    if taken == branches.DISABLED:
        outcome = disabled(state)
        # Upstream writes the number of the status here, not zero.
        return replace(outcome, status=replace(outcome.status, desired_replicas=current))
    if taken == branches.ABOVE_MAX:
        step = gate("gate.above_max", current, (("max", maximum),), after=maximum)
        return to_bound(state, maximum, SCALE_REASONS[ABOVE_MAXIMUM], step)
    if taken == branches.BELOW_MIN:
        is_default = state.hpa.spec.min_replicas is None
        step = gate("gate.below_min", current, (("min", minimum),), after=minimum)
        return to_bound(state, minimum, SCALE_REASONS[AT_ZERO if is_default else BELOW_MINIMUM], step)
    return _by_metrics(state)


def _by_metrics(state: ReconcileState) -> Outcome:
    """The outcome by the metrics."""
    hpa, now_us = state.hpa, state.observation.decided_us
    pods, failure = select_pods(hpa, state.scale, state.observation.pods, (), state.behaviours)
    context = replace(metric_context(state, pods), reads=OwnReads(state.observation))
    recommendation = failure or compute_replicas_for_metrics(hpa, state.observation, context)
    active = "False" if recommendation.replicas is None else "True"
    state = state.with_condition("ScalingActive", active, recommendation.reason, recommendation.message, now_us)
    if recommendation.replicas is None:
        return without_recommendation(state, recommendation)
    raw = recommendation.replicas
    limits = bounded(raw, state.current, bounds_of(hpa), state.behaviours)
    reason, message, is_limited = limited_words(raw, limits, state.behaviours)
    state = state.with_condition("ScalingLimited", "True" if is_limited else "False", reason, message, now_us)
    # A recommendation of zero has no winning metric, and so no time of one.
    measured_us = recommendation.measured_us if raw > 0 else state.observation.scale_us
    return _within_windows(state, recommendation, raw, limits, measured_us)


def _within_windows(
    state: ReconcileState, recommendation: MetricsRecommendation, raw: int, limits: Bounded, measured_us: Micros
) -> Outcome:
    """The outcome of a recommendation: written if the window of its direction has passed."""
    current, desired = state.current, limits.replicas
    opened = forbidden_windows(state.hpa.status.last_scale_us, measured_us, state.flags, state.behaviours)
    state = state.with_condition("AbleToScale", *_ABLE_WORDS[opened.closed], state.observation.decided_us)
    rescales = windows.may_scale(current, desired, opened.last_scale_us, measured_us, opened.windows)
    chain = chain_of(_propose(recommendation, raw, current), limits, current, opened, rescales=rescales)
    outcome = Outcome(
        status=replace(state.hpa.status, conditions=state.conditions),
        memory=state.memory,
        scale=state.scale,
        raw=raw,
        stabilized=raw,
        rate_limited=limits.by_rate,
        unheld=_unheld(state, recommendation, opened, measured_us, chain.reason_code),
        desired=desired if rescales else current,
        scale_reason=SCALE_REASONS[scale_reason_of(raw, current)].format(name=recommendation.name),
        events=recommendation.events,
        proposals=recommendation.views,
        chain=chain,
    )
    return write_scale(state, outcome, recommendation.current_metrics)


def _unheld(
    state: ReconcileState, recommendation: MetricsRecommendation, opened: Opened, measured_us: Micros, code: str
) -> int | None:
    """What would have been decided if missing and unready pods had used as much as the others."""
    if not is_adjusted(CODES.index(code)):
        return None
    desired = bounded(recommendation.other or 0, state.current, bounds_of(state.hpa), state.behaviours).replicas
    scales = windows.may_scale(state.current, desired, opened.last_scale_us, measured_us, opened.windows)
    return desired if scales else state.current


def _propose(recommendation: MetricsRecommendation, raw: int, current: int) -> Step:
    """The step of the metrics."""
    winner = next((view for view in recommendation.views if view.is_winner), None)
    return Step(
        stage="propose",
        code=CODES[metric_code(winner, current)],
        before=current,
        after=raw,
        binding=raw != current,
        detail=(("metric", winner.metric_name if winner else None), ("ratio", winner.ratio if winner else None)),
    )
