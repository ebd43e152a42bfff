"""One reconcile of 1.1 to 1.5 over columns; as `eras.polling` and `eras.metrics_annotation`.

From 1.2 to 1.5 the controller changes the object in its cache: what it wanted to publish counts until a newer object
arrives, and is kept in the memory slots until then.
"""

from hpaaudit.engine.controller.metric_target import BAD_ANNOTATION, CUSTOM_AVERAGE, EMPTY_ANNOTATION
from hpaaudit.engine.fleet.columns.batch import NONE
from hpaaudit.engine.fleet.columns.column_codes import (
    NO_METRICS_SHOWN,
    OLD_METRICS_SHOWN,
    OWN_METRICS_SHOWN,
    RESCALED,
    UPDATE_FAILED,
)
from hpaaudit.engine.fleet.columns.kernel_state import ReadInputs, Run
from hpaaudit.engine.fleet.kernel.annotation_metrics import PANIC, UNPUBLISHED, OldProposal, compute_old_metric
from hpaaudit.engine.fleet.kernel.metrics import Context, current_of, spec_with_selector
from hpaaudit.engine.fleet.kernel.write_scale import write_scale, written_us
from hpaaudit.engine.rules.bounds import Bounds, bounded
from hpaaudit.engine.rules.branch import ABOVE_MAX, BY_METRICS, DISABLED, branch
from hpaaudit.engine.rules.forbidden_windows import may_scale, may_scale_outside
from hpaaudit.engine.rules.normalize import ABOVE_MAXIMUM, AT_ZERO, BELOW_MINIMUM, scale_reason_of
from hpaaudit.engine.rules.pod_average import NOTHING_PROPOSED, Highest, fitting, with_proposal
from hpaaudit.engine.rules.primary_reason import of_forbidden_window, of_proposal, primary_before_stabilization
from hpaaudit.engine.rules.reason_codes import (
    ALL_INVALID,
    GATE_ABOVE_MAX,
    GATE_BELOW_MIN,
    GATE_DISABLED,
    METRIC_FAILED,
    PANICKED,
    SELECTOR_MISSING,
)
from hpaaudit.engine.rules.replica_calculator import UNADJUSTED


def reconcile_by_annotation(run: Run, at: int, slots: int, hpa_state: int, inputs: ReadInputs) -> int:
    """Decides the reconcile `at` of an HPA whose scale was read; returns which currentMetrics it publishes."""
    decisions, behaviours, scale = run.decisions, run.settings.behaviours, inputs.scale
    spec, current = spec_with_selector(run, run.batch.hpas.spec[hpa_state], scale), current_of(run, scale)
    decisions.scale[at], decisions.spec[at] = scale, spec
    context = Context(spec, current, at, run.batch.reconciles.facts[at], run.batch.reconciles.at_us[at], inputs)
    scaled_us = last_scale_us(run, slots, hpa_state)
    taken = BY_METRICS
    if not behaviours.polls:
        minimum, maximum = run.batch.specs.minimum[spec], run.batch.specs.maximum[spec]
        taken = branch(
            run.batch.scales.spec_replicas[scale], current, minimum, maximum, at_zero=False, behaviours=behaviours
        )
    if taken != BY_METRICS:
        desired, shown = _outside(run, context, at, taken, scaled_us), NO_METRICS_SHOWN
    else:
        is_proposed, raw, measured_us = _compute_replicas(run, context, at)
        if not is_proposed:
            decisions.desired[at] = run.batch.scales.spec_replicas[scale]
            return OLD_METRICS_SHOWN
        desired, shown = _within_windows(run, context, at, raw, measured_us, scaled_us), OWN_METRICS_SHOWN
    write_scale(run, context, at, slots, desired)
    if behaviours.metrics_annotation and decisions.able[at] != UPDATE_FAILED:
        memory = run.memory
        memory.cached_seq[slots] = run.batch.hpas.seq[hpa_state]
        memory.cached_desired[slots] = decisions.status_desired[at]
        is_scaled = decisions.able[at] == RESCALED
        memory.cached_scaled_us[slots] = written_us(run, context, at) if is_scaled else scaled_us
    return shown


def status_desired(run: Run, slots: int, hpa_state: int) -> int:
    """The desiredReplicas of an HPA as the controller's cache has it."""
    if run.memory.cached_seq[slots] == run.batch.hpas.seq[hpa_state]:
        return int(run.memory.cached_desired[slots])
    return int(run.batch.statuses.desired[run.batch.hpas.status[hpa_state]])


def last_scale_us(run: Run, slots: int, hpa_state: int) -> int:
    """The lastScaleTime of an HPA as the controller's cache has it."""
    if run.memory.cached_seq[slots] == run.batch.hpas.seq[hpa_state]:
        return int(run.memory.cached_scaled_us[slots])
    return int(run.batch.statuses.last_scale_us[run.batch.hpas.status[hpa_state]])


def _outside(run: Run, context: Context, at: int, taken: int, scaled_us: int) -> int:
    """What is wanted outside the bounds or at zero, where no metric is asked."""
    decisions, specs, spec, settings = run.decisions, run.batch.specs, context.spec, run.settings
    if taken == DISABLED:
        bound, gate = 0, GATE_DISABLED
    elif taken == ABOVE_MAX:
        bound, gate, decisions.scale_reason[at] = specs.maximum[spec], GATE_ABOVE_MAX, ABOVE_MAXIMUM
    else:
        bound, gate = specs.minimum[spec], GATE_BELOW_MIN
        decisions.scale_reason[at] = BELOW_MINIMUM if specs.has_minimum[spec] else AT_ZERO
    current = context.current
    is_open = may_scale(current, bound, scaled_us, context.inputs.scale_us, settings.windows)
    rescales = may_scale_outside(taken == DISABLED, bound != current, is_open, settings.behaviours)
    decisions.raw_desired[at], decisions.reason[at] = bound, gate
    if not rescales and bound != current and not settings.behaviours.scaled_to_bound_at_once:
        decisions.reason[at] = of_forbidden_window(bound, current)
    return int(bound if rescales else current)


def _compute_replicas(run: Run, context: Context, at: int) -> tuple[bool, int, int]:
    """Computes the metrics until one fails; true if none does, the highest proposal, and when it was measured."""
    decisions, metrics, specs, spec = run.decisions, run.batch.metrics, run.batch.specs, context.spec
    polls, proposal_at = run.settings.behaviours.polls, run.batch.reconciles.proposal_at[at]
    first, end = specs.metric_from[spec], specs.metric_to[spec]
    highest, measured_us = NOTHING_PROPOSED, context.inputs.scale_us
    for metric in range(first, end):
        number, how = metric - first, metrics.how[metric]
        if how == EMPTY_ANNOTATION:
            return _panicked(run, at)
        if how == BAD_ANNOTATION:
            decisions.reason[at] = ALL_INVALID
            return False, 0, 0
        if not polls and specs.selector_problem[spec] == SELECTOR_MISSING:
            decisions.reason[at] = SELECTOR_MISSING
            return False, 0, 0
        proposal = compute_old_metric(run, context, metric)
        if proposal.problem == PANIC:
            return _panicked(run, at)
        if proposal.problem != NONE:
            return _failed(run, context, at, metric, proposal.problem)
        _store_proposal(run, proposal_at + number, proposal)
        decisions.metrics[at] = number + 1
        # CPU is the only metric of 1.1, and what it proposes counts, whatever that is.
        if polls or proposal.replicas > highest.replicas:
            measured_us = proposal.measured_us
        highest = Highest(proposal.replicas, 0) if polls else with_proposal(highest, number, proposal.replicas)
    decisions.winner[at], decisions.raw_desired[at] = highest.winner, fitting(highest.replicas)
    return True, highest.replicas, measured_us


def _panicked(run: Run, at: int) -> tuple[bool, int, int]:
    """The reconcile ends in a panic: nothing is kept of its metrics."""
    run.decisions.metrics[at], run.decisions.reason[at] = 0, PANICKED
    return False, 0, 0


def _failed(run: Run, context: Context, at: int, metric: int, problem: int) -> tuple[bool, int, int]:
    """The reconcile ends with a metric that has no proposal. 1.1 tells nothing of it but an error."""
    decisions, metrics, specs = run.decisions, run.batch.metrics, run.batch.specs
    first, asked = specs.metric_from[context.spec], 0
    for number in range(first, specs.metric_to[context.spec]):
        asked += metrics.how[number] not in (BAD_ANNOTATION, EMPTY_ANNOTATION)
    if problem == UNPUBLISHED:
        # Nothing is told of the custom metrics.
        cpu = int(metrics.how[first] != CUSTOM_AVERAGE)
        decisions.metrics[at], asked = cpu, asked - cpu
    elif not run.settings.behaviours.polls:
        run.proposals.problem[run.batch.reconciles.proposal_at[at] + metric - first] = problem
        decisions.metrics[at] = metric - first + 1
    decisions.reason[at] = METRIC_FAILED if asked > 1 else ALL_INVALID
    return False, 0, 0


def _store_proposal(run: Run, index: int, proposal: OldProposal) -> None:
    """Keeps what a metric proposes. How its pods were counted was never told."""
    proposals = run.proposals
    proposals.problem[index], proposals.replicas[index] = NONE, fitting(proposal.replicas)
    proposals.percent[index], proposals.ratio[index] = fitting(proposal.percent), proposal.ratio
    proposals.adjust[index], proposals.ready[index], proposals.unready[index] = UNADJUSTED, NONE, NONE
    proposals.missing[index], proposals.ignored[index] = NONE, NONE


def _within_windows(run: Run, context: Context, at: int, raw: int, measured_us: int, scaled_us: int) -> int:
    """The proposal within its bounds, if the forbidden windows let it pass."""
    decisions, specs, settings, spec = run.decisions, run.batch.specs, run.settings, context.spec
    current = context.current
    bounds = Bounds(specs.minimum[spec], specs.has_minimum[spec] != 0, specs.maximum[spec])
    limited = bounded(raw, current, bounds, settings.behaviours)
    rescales = may_scale(current, limited.replicas, scaled_us, measured_us, settings.windows)
    metric = of_proposal(raw, current)
    decisions.reason[at] = primary_before_stabilization(metric, fitting(raw), limited, current, rescales)
    if not settings.behaviours.polls:
        decisions.scale_reason[at] = scale_reason_of(raw, current)
    return int(limited.replicas if rescales else current)
