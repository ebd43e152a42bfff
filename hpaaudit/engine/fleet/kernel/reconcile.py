"""One reconcile over columns: branch, metrics, memory, limits and the write of the scale.

What is decided comes from `rules`; in which order, from `controller.reconcile`.
"""

from hpaaudit.engine.controller.metric_failure import OTHER
from hpaaudit.engine.fleet.columns.batch import NONE
from hpaaudit.engine.fleet.columns.column_codes import (
    BACKOFF,
    BAD_SOURCE,
    DISABLED,
    FAILED_REASONS,
    FAILED_RESOURCE,
    FAILURES,
    FIRST_FAILURE,
    GET_FAILED,
    GOT,
    IN_RANGE,
    NO_METRICS_SHOWN,
    NO_SELECTOR,
    OLD_METRICS_SHOWN,
    OWN_METRICS_SHOWN,
    READY,
    VALID,
)
from hpaaudit.engine.fleet.columns.kernel_state import ReadInputs, Run
from hpaaudit.engine.fleet.kernel.annotation_reconcile import reconcile_by_annotation, status_desired
from hpaaudit.engine.fleet.kernel.memory import remember_recommendation, remembered_in
from hpaaudit.engine.fleet.kernel.metrics import Context, compute_metric, current_of, spec_with_selector
from hpaaudit.engine.fleet.kernel.write_scale import write_scale
from hpaaudit.engine.rules.bounds import Bounds, bounded
from hpaaudit.engine.rules.branch import ABOVE_MAX, BY_METRICS, branch, computes_at_zero
from hpaaudit.engine.rules.branch import DISABLED as DISABLED_AT_ZERO
from hpaaudit.engine.rules.compute_replicas import (
    NO_FAILURE,
    NOTHING_COMPUTED,
    Choice,
    failure,
    is_over,
    named_invalid,
    recommended,
    with_invalid,
    with_proposal,
)
from hpaaudit.engine.rules.forbidden_windows import BOTH_OPEN, closed_windows, may_scale
from hpaaudit.engine.rules.limit import Policies
from hpaaudit.engine.rules.normalize import (
    ABOVE_MAXIMUM,
    AT_ZERO,
    BELOW_MINIMUM,
    Limits,
    NormalizationArg,
    normalize,
    scale_reason_of,
)
from hpaaudit.engine.rules.primary_reason import of_metric, primary, primary_before_stabilization
from hpaaudit.engine.rules.reason_codes import (
    GATE_ABOVE_MAX,
    GATE_BELOW_MIN,
    GATE_DISABLED,
    ON_TARGET,
    PARTIAL_BLOCKS,
    UNREADABLE,
)
from hpaaudit.engine.rules.replica_calculator import Proposal, Tally
from hpaaudit.engine.rules.stabilize import Windows
from hpaaudit.engine.rules.unheld import is_adjusted, unheld


def reconcile(run: Run, at: int, slots: int, hpa_state: int, inputs: ReadInputs) -> int:
    """Decides the reconcile `at` of an HPA that exists; returns which currentMetrics it publishes.

    slots   the row of memory slots that it reads and changes
    """
    scales, decisions = run.batch.scales, run.decisions
    scale = inputs.scale
    decisions.hpa_state[at], decisions.spec[at] = hpa_state, run.batch.hpas.spec[hpa_state]
    decisions.status_desired[at] = status_desired(run, slots, hpa_state)
    if scale == NONE or not scales.readable[scale]:
        decisions.able[at], decisions.reason[at] = GET_FAILED, UNREADABLE
        if scale != NONE and scales.exists[scale]:
            decisions.scale[at], decisions.desired[at] = scale, scales.spec_replicas[scale]
        return OLD_METRICS_SHOWN
    if run.settings.behaviours.polls or run.settings.behaviours.metrics_annotation:
        return reconcile_by_annotation(run, at, slots, hpa_state, inputs)
    return _reconcile_scale(run, at, slots, hpa_state, inputs)


def _reconcile_scale(run: Run, at: int, slots: int, hpa_state: int, inputs: ReadInputs) -> int:
    """Decides a reconcile of 1.6 and later whose scale was read."""
    scales, decisions, scale = run.batch.scales, run.decisions, inputs.scale
    status = run.batch.hpas.status[hpa_state]
    decisions.scale[at], decisions.able[at] = scale, GOT
    spec = spec_with_selector(run, run.batch.hpas.spec[hpa_state], scale)
    decisions.spec[at] = spec
    current = current_of(run, scale)
    behaviours = run.settings.behaviours
    if not behaviours.forbidden_windows and not run.memory.has_recommendations[slots]:
        run.memory.has_recommendations[slots] = 1
        remember_recommendation(run.memory, slots, NONE, current, inputs.scale_us)
    context = Context(spec, current, at, run.batch.reconciles.facts[at], run.batch.reconciles.at_us[at], inputs)
    scaled_to_zero = run.batch.statuses.scaled_to_zero[status] != 0
    taken = _branch(run, context, scaled_to_zero)
    if taken == DISABLED_AT_ZERO:
        decisions.active[at], decisions.reason[at] = DISABLED, GATE_DISABLED
        decisions.desired[at], decisions.status_desired[at] = 0, current
        return NO_METRICS_SHOWN
    if taken != BY_METRICS:
        desired, shown = _to_bound(run, context, at, taken), NO_METRICS_SHOWN
    else:
        if run.batch.specs.selector_problem[spec] != NONE:
            decisions.active[at], decisions.reason[at] = NO_SELECTOR, run.batch.specs.selector_problem[spec]
            decisions.desired[at] = scales.spec_replicas[scale]
            return NO_METRICS_SHOWN if behaviours.metrics_renewed_on_failure else OLD_METRICS_SHOWN
        is_recommended, measured_us, other = _compute_replicas(run, context, at)
        if not is_recommended:
            if decisions.reason[at] == PARTIAL_BLOCKS:
                argument = _argument(run, context, slots, other)
                decisions.unheld[at] = normalize(argument, scaled_to_zero, behaviours).desired
            if not behaviours.metrics_renewed_on_failure:
                return OLD_METRICS_SHOWN
            return OWN_METRICS_SHOWN if behaviours.partial_metrics else NO_METRICS_SHOWN
        if behaviours.forbidden_windows:
            desired = _within_windows(run, context, at, measured_us, other)
        else:
            desired = _normalize(run, context, at, slots, scaled_to_zero, other)
        shown = OWN_METRICS_SHOWN
    write_scale(run, context, at, slots, desired)
    return shown


def _branch(run: Run, context: Context, scaled_to_zero: bool) -> int:
    """Which branch the reconcile takes."""
    specs, spec, behaviours = run.batch.specs, context.spec, run.settings.behaviours
    minimum, rises = specs.minimum[spec], specs.rises_from_zero[spec] != 0
    at_zero = computes_at_zero(minimum, scaled_to_zero, rises, behaviours)
    spec_replicas = run.batch.scales.spec_replicas[context.inputs.scale]
    return branch(spec_replicas, context.current, minimum, specs.maximum[spec], at_zero, behaviours)


def _to_bound(run: Run, context: Context, at: int, taken: int) -> int:
    """The nearer bound, to which the replicas go without the metrics."""
    decisions, specs, spec = run.decisions, run.batch.specs, context.spec
    if taken == ABOVE_MAX:
        decisions.scale_reason[at], decisions.reason[at] = ABOVE_MAXIMUM, GATE_ABOVE_MAX
        return int(specs.maximum[spec])
    # Until 1.11 a target below a minReplicas that is not said was told that it must be more than zero.
    is_default = run.settings.behaviours.forbidden_windows and not specs.has_minimum[spec]
    decisions.scale_reason[at], decisions.reason[at] = AT_ZERO if is_default else BELOW_MINIMUM, GATE_BELOW_MIN
    return int(specs.minimum[spec])


def _compute_replicas(run: Run, context: Context, at: int) -> tuple[bool, int, int]:
    """Computes every metric.

    Gives whether they come to a recommendation, when the winner was measured, and the recommendation that missing and
    unready pods, or a metric that failed, may have held.
    """
    measured_us, alike = context.inputs.scale_us, 0
    decisions, behaviours = run.decisions, run.settings.behaviours
    first, end = run.batch.specs.metric_from[context.spec], run.batch.specs.metric_to[context.spec]
    choice = NOTHING_COMPUTED
    for metric in range(first, end):
        problem, proposal, tally, at_us = compute_metric(run, context, metric)
        _store_proposal(run, run.batch.reconciles.proposal_at[at] + metric - first, problem, proposal, tally)
        choice = with_proposal(choice, proposal.replicas) if problem == NONE else with_invalid(choice)
        alike = max(alike, proposal.alike) if problem == NONE else alike
        if choice.winner == metric - first and proposal.replicas > 0:
            measured_us = at_us
        if is_over(choice, behaviours):
            break
    decisions.metrics[at] = choice.computed
    failed = failure(choice, end - first, context.current, behaviours)
    if failed != NO_FAILURE:
        named = named_invalid(choice, behaviours)
        problem = run.proposals.problem[run.batch.reconciles.proposal_at[at] + named]
        decisions.active[at] = _failed_condition(run.batch.metrics.reason[first + named], problem)
        decisions.reason[at] = failed
        decisions.desired[at] = run.batch.scales.spec_replicas[context.inputs.scale]
        return False, measured_us, recommended(choice)
    _store_choice(run, at, choice)
    return True, measured_us, alike


def _failed_condition(reason: int, problem: int) -> int:
    """The code of ScalingActive=False with this reason, for a metric with this problem."""
    kind = FAILURES[problem]
    if kind == OTHER or reason == BAD_SOURCE:
        return reason
    return FIRST_FAILURE + (kind - 1) * FAILED_REASONS + reason - FAILED_RESOURCE


def _store_choice(run: Run, at: int, choice: Choice) -> None:
    """Keeps the winner and its number."""
    decisions = run.decisions
    decisions.active[at], decisions.winner[at], decisions.raw_desired[at] = VALID, choice.winner, recommended(choice)


def _store_proposal(run: Run, index: int, problem: int, proposal: Proposal, tally: Tally) -> None:
    """Keeps what a metric came to."""
    proposals = run.proposals
    proposals.problem[index] = problem
    if problem != NONE:
        return
    proposals.replicas[index] = proposal.replicas
    proposals.current[index] = proposal.current
    proposals.percent[index] = proposal.percent
    proposals.ratio[index] = proposal.ratio
    proposals.adjusted[index] = proposal.adjusted
    proposals.adjust[index] = proposal.adjust
    proposals.inside[index] = proposal.inside
    proposals.ready[index] = tally.ready
    proposals.unready[index] = tally.unready
    proposals.missing[index] = tally.missing
    proposals.ignored[index] = tally.ignored


def _within_windows(run: Run, context: Context, at: int, measured_us: int, other: int) -> int:
    """The recommendation within its bounds, if the forbidden windows let it pass (to 1.11); as `eras.metrics_list`.

    measured_us   when the winning metric was measured;  other   as in `_normalize`
    """
    decisions, specs, settings, spec = run.decisions, run.batch.specs, run.settings, context.spec
    raw, current = decisions.raw_desired[at], context.current
    bounds = Bounds(specs.minimum[spec], specs.has_minimum[spec] != 0, specs.maximum[spec])
    limited = bounded(raw, current, bounds, settings.behaviours)
    scaled_us = run.batch.statuses.last_scale_us[run.batch.hpas.status[decisions.hpa_state[at]]]
    closed = closed_windows(scaled_us, measured_us, settings.windows)
    rescales = may_scale(current, limited.replicas, scaled_us, measured_us, settings.windows)
    decisions.able[at] = READY if closed == BOTH_OPEN else BACKOFF + closed - 1
    decisions.limited[at], decisions.stabilized[at] = IN_RANGE + limited.why, raw
    decisions.rate_limited[at], decisions.scale_reason[at] = limited.by_rate, scale_reason_of(raw, current)
    metric = _metric_reason(run, at, current)
    decisions.reason[at] = primary_before_stabilization(metric, raw, limited, current, rescales)
    if is_adjusted(decisions.reason[at]):
        unheld_replicas = bounded(other, current, bounds, settings.behaviours).replicas
        scales = may_scale(current, unheld_replicas, scaled_us, measured_us, settings.windows)
        decisions.unheld[at] = unheld_replicas if scales else current
    return int(limited.replicas if rescales else current)


def _argument(run: Run, context: Context, slots: int, raw: int) -> NormalizationArg:
    """A recommendation with everything that it is normalized with."""
    return NormalizationArg(
        raw, context.current, context.now_us, _limits(run, context.spec), remembered_in(run.memory, slots)
    )


def _normalize(run: Run, context: Context, at: int, slots: int, scaled_to_zero: bool, other: int) -> int:
    """The recommendation, stabilized and limited; as `controller.normalize`.

    other   the recommendation if missing and unready pods had used as much as the others
    """
    decisions, raw = run.decisions, run.decisions.raw_desired[at]
    argument = _argument(run, context, slots, raw)
    normalized = normalize(argument, scaled_to_zero, run.settings.behaviours)
    decisions.able[at], decisions.limited[at] = READY + normalized.able, IN_RANGE + normalized.limited.why
    decisions.stabilized[at] = normalized.stabilized.replicas
    decisions.rate_limited[at] = normalized.limited.by_policy
    decisions.scale_reason[at] = normalized.scale_reason
    reason = primary(_metric_reason(run, at, normalized.current), normalized)
    decisions.reason[at] = reason
    decisions.unheld[at] = unheld(argument, other, normalized, reason, scaled_to_zero, run.settings.behaviours)
    remember_recommendation(run.memory, slots, normalized.stabilized.slot, raw, context.now_us)
    return int(normalized.desired)


def _metric_reason(run: Run, at: int, current: int) -> int:
    """The reason code of the winning metric."""
    proposals, winner = run.proposals, run.decisions.winner[at]
    if winner == NONE:
        return ON_TARGET
    index = run.batch.reconciles.proposal_at[at] + winner
    inside, replicas = proposals.inside[index] != 0, proposals.replicas[index]
    return of_metric(proposals.adjust[index], inside, replicas, current, proposals.ratio[index])


def _limits(run: Run, spec: int) -> Limits:
    """What a spec allows its HPA; as `controller.limits`."""
    specs = run.batch.specs
    return Limits(
        specs.minimum[spec],
        specs.maximum[spec],
        specs.has_behavior[spec] != 0,
        Windows(specs.up_window_us[spec], specs.down_window_us[spec]),
        _policies(run, specs.up_select[spec], specs.up_from[spec], specs.up_to[spec]),
        _policies(run, specs.down_select[spec], specs.down_from[spec], specs.down_to[spec]),
    )


def _policies(run: Run, select: int, first: int, end: int) -> Policies:
    policies = run.batch.policies
    return Policies(select, policies.kind, policies.value, policies.period_us, first, end)
