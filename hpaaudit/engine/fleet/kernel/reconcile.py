"""One pass over columns: gates, metrics, memory and limits, and what is written.

No rule stands here: what is decided is `engine.rules`', and in which order is `engine.reconcile`'s.
"""

from hpaaudit.engine.fleet.columns.codes import (
    DISABLED,
    GET_FAILED,
    GOT,
    IN_RANGE,
    NO_METRICS_SHOWN,
    NO_SELECTOR,
    OLD_METRICS_SHOWN,
    OWN_METRICS_SHOWN,
    READY,
    RESCALED,
    UPDATE_FAILED,
    VALID,
)
from hpaaudit.engine.fleet.columns.tables import NONE, Cursors, Made, Proposed, Release, Remembered, Tape, View
from hpaaudit.engine.fleet.kernel.memory import past_of, recommend, remember
from hpaaudit.engine.fleet.kernel.metrics import current_of, measured, terms_of
from hpaaudit.engine.rules.branch import ABOVE_MAX, BELOW_MIN, branch, leaves_zero
from hpaaudit.engine.rules.branch import DISABLED as AT_ZERO
from hpaaudit.engine.rules.compute_replicas import (
    NO_FAILURE,
    UNASKED,
    failure,
    is_over,
    recommended,
    told_invalid,
    with_invalid,
    with_proposal,
)
from hpaaudit.engine.rules.limit import Policies
from hpaaudit.engine.rules.normalize import ABOVE_MAXIMUM, BELOW_MINIMUM, Limits, settle
from hpaaudit.engine.rules.primary_reason import of_metric, primary
from hpaaudit.engine.rules.reason_codes import (
    GATE_ABOVE_MAX,
    GATE_BELOW_MIN,
    GATE_DISABLED,
    ON_TARGET,
    SELECTOR_MISSING,
    UNREADABLE,
    WRITE_FAILED,
)


def look(
    tape: Tape,
    release: Release,
    memory: Remembered,
    cursors: Cursors,
    made: Made,
    proposed: Proposed,
    slots: int,
    at: int,
    state: int,
    view: View,
) -> int:
    """One pass over an HPA that is there, as `engine.reconcile`; which currentMetrics it publishes.

    slots   the row of the memory that it reads and changes;  state   the row of the HPA
    """
    hpas, scales, terms = tape.hpas, tape.scales, tape.terms
    scale, status = view.scale, hpas.status[state]
    made.state[at], made.status_desired[at], made.terms[at] = state, tape.statuses.desired[status], hpas.terms[state]
    if scale == NONE or not scales.readable[scale]:
        made.able[at], made.reason[at] = GET_FAILED, UNREADABLE
        if scale != NONE and scales.known[scale]:
            made.scale[at], made.desired[at] = scale, scales.spec_replicas[scale]
        return OLD_METRICS_SHOWN
    made.scale[at], made.able[at] = scale, GOT
    row = terms_of(tape, hpas.terms[state], scale)
    made.terms[at] = row
    spec_replicas, current = scales.spec_replicas[scale], current_of(tape, release, scale)
    if not memory.known[slots]:
        memory.known[slots] = 1
        recommend(memory, slots, NONE, current, view.scale_us)
    minimum, maximum = terms.minimum[row], terms.maximum[row]
    to_zero = tape.statuses.scaled_to_zero[status] != 0
    leaves = leaves_zero(minimum, to_zero, terms.rises_at_zero[row] != 0, release.rules)
    taken = branch(spec_replicas, current, minimum, maximum, leaves, release.rules)
    shown = NO_METRICS_SHOWN
    if taken == AT_ZERO:
        made.active[at], made.reason[at] = DISABLED, GATE_DISABLED
        made.desired[at], made.status_desired[at] = 0, current
    elif taken == ABOVE_MAX:
        made.why_scaled[at], made.reason[at] = ABOVE_MAXIMUM, GATE_ABOVE_MAX
        _act(tape, memory, made, slots, at, row, current, maximum)
    elif taken == BELOW_MIN:
        made.why_scaled[at], made.reason[at] = BELOW_MINIMUM, GATE_BELOW_MIN
        _act(tape, memory, made, slots, at, row, current, minimum)
    elif terms.unselected[row]:
        made.active[at], made.reason[at], made.desired[at] = NO_SELECTOR, SELECTOR_MISSING, spec_replicas
        shown = NO_METRICS_SHOWN if release.rules.metrics_renewed_on_failure else OLD_METRICS_SHOWN
    elif _by_metrics(tape, release, cursors, made, proposed, at, row, current, view):
        _normalize(tape, release, memory, made, proposed, slots, at, row, current, to_zero)
        shown = OWN_METRICS_SHOWN
    elif not release.rules.metrics_renewed_on_failure:
        shown = OLD_METRICS_SHOWN
    elif release.rules.partial_metrics:
        shown = OWN_METRICS_SHOWN
    return shown


def _by_metrics(
    tape: Tape,
    release: Release,
    cursors: Cursors,
    made: Made,
    proposed: Proposed,
    at: int,
    row: int,
    current: int,
    view: View,
) -> bool:
    """Ask every metric; whether they came to a recommendation, which is the winner's."""
    terms, metrics, passes = tape.terms, tape.metrics, tape.passes
    first = terms.metric_from[row]
    count = terms.metric_to[row] - first
    choice = UNASKED
    for number in range(count):
        problem, made_up, tally = measured(
            tape, release, cursors, row, first + number, current, passes.facts[at], passes.at_us[at], view
        )
        place = passes.metric_at[at] + number
        proposed.problem[place] = problem
        if problem == NONE:
            proposed.replicas[place] = made_up.replicas
            proposed.current[place] = made_up.current
            proposed.percent[place] = made_up.percent
            proposed.ratio[place] = made_up.ratio
            proposed.adjusted[place] = made_up.adjusted
            proposed.adjust[place] = made_up.adjust
            proposed.inside[place] = made_up.inside
            proposed.ready[place] = tally.ready
            proposed.unready[place] = tally.unready
            proposed.missing[place] = tally.missing
            proposed.ignored[place] = tally.ignored
            choice = with_proposal(choice, made_up.replicas)
        else:
            choice = with_invalid(choice)
        if is_over(choice, release.rules):
            break
    made.asked[at] = choice.asked
    failed = failure(choice, current, release.rules)
    if failed != NO_FAILURE:
        made.active[at] = metrics.reason[first + told_invalid(choice, release.rules)]
        made.reason[at], made.desired[at] = failed, tape.scales.spec_replicas[view.scale]
        return False
    made.active[at], made.winner[at], made.raw[at] = VALID, choice.winner, recommended(choice)
    return True


def _normalize(
    tape: Tape,
    release: Release,
    memory: Remembered,
    made: Made,
    proposed: Proposed,
    slots: int,
    at: int,
    row: int,
    current: int,
    to_zero: bool,
) -> None:
    """Settle a recommendation, and write what is left of it; as `engine.normalize`."""
    now_us, raw = tape.passes.at_us[at], made.raw[at]
    settled = settle(raw, current, _limits(tape, row), past_of(memory, slots), now_us, to_zero, release.rules)
    recommend(memory, slots, settled.held.slot, raw, now_us)
    made.able[at], made.limited[at] = READY + settled.able, IN_RANGE + settled.limited.why
    made.stabilized[at], made.rate_limited[at] = settled.held.replicas, settled.limited.by_policy
    made.why_scaled[at] = settled.why
    metric = ON_TARGET
    if made.winner[at] != NONE:
        place = tape.passes.metric_at[at] + made.winner[at]
        inside = proposed.inside[place] != 0
        metric = of_metric(proposed.adjust[place], inside, proposed.replicas[place], current, proposed.ratio[place])
    made.reason[at] = primary(metric, settled)
    _act(tape, memory, made, slots, at, row, current, settled.desired)


def _limits(tape: Tape, row: int) -> Limits:
    """What a spec lets its HPA do; as `engine.limit`."""
    terms = tape.terms
    return Limits(
        terms.minimum[row],
        terms.maximum[row],
        terms.behavior[row] != 0,
        terms.up_window_us[row],
        terms.down_window_us[row],
        _policies(tape, terms.up_select[row], terms.up_from[row], terms.up_to[row]),
        _policies(tape, terms.down_select[row], terms.down_from[row], terms.down_to[row]),
    )


def _policies(tape: Tape, select: int, first: int, end: int) -> Policies:
    policies = tape.policies
    return Policies(select, policies.kind, policies.value, policies.period_us, first, end)


def _act(tape: Tape, memory: Remembered, made: Made, slots: int, at: int, row: int, current: int, desired: int) -> None:
    """Write the scale if it must move; as `engine.act`."""
    passes = tape.passes
    made.desired[at] = desired
    if desired == current:
        made.status_desired[at] = current
        return
    if passes.written[at] == 0:
        made.able[at], made.reason[at] = UPDATE_FAILED, WRITE_FAILED
        return
    made.able[at], made.status_desired[at] = RESCALED, desired
    now_us = passes.at_us[at] if passes.written[at] == NONE else passes.written_us[at]
    remember(memory, slots, tape.terms, row, current, desired, now_us)
