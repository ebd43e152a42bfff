"""One pass over columns: gates, metrics, memory and limits, and what is written.

No rule stands here: what is decided is `engine.rules`', and in which order is `engine.reconcile`'s.
"""

from hpaaudit.engine.fleet.measure import current_of, measured, terms_of
from hpaaudit.engine.fleet.memory import recommend, remember
from hpaaudit.engine.fleet.tape import NONE, Cursors, Made, Proposed, Release, Remembered, Tape, View
from hpaaudit.engine.fleet.told import (
    ABOVE_MAXIMUM,
    ALL_BELOW,
    BELOW_MINIMUM,
    DISABLED,
    DOWN_STABILIZED,
    GET_FAILED,
    GOT,
    IN_RANGE,
    METRIC_ABOVE,
    NO_METRICS_SHOWN,
    NO_REASON,
    NO_SELECTOR,
    OLD_METRICS_SHOWN,
    OWN_METRICS_SHOWN,
    READY,
    RESCALED,
    UP_STABILIZED,
    UPDATE_FAILED,
    VALID,
)
from hpaaudit.engine.rules.combine import fails, takes_over
from hpaaudit.engine.rules.gate import ABOVE_MAX, BELOW_MIN, branch, leaves_zero
from hpaaudit.engine.rules.gate import DISABLED as AT_ZERO
from hpaaudit.engine.rules.limit import SELECT_DISABLED, Limited, Policies, allowed, limit_moves, limit_plain
from hpaaudit.engine.rules.reason import (
    ALL_INVALID,
    GATE_ABOVE_MAX,
    GATE_BELOW_MIN,
    GATE_DISABLED,
    ON_TARGET,
    PARTIAL_BLOCKS,
    SELECTOR_MISSING,
    UNREADABLE,
    WRITE_FAILED,
    of_metric,
    primary,
)
from hpaaudit.engine.rules.stabilize import hold, hold_plain


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
    leaves = leaves_zero(
        minimum, release.scaled_to_zero_condition, release.scales_from_zero, to_zero, terms.rises_at_zero[row] != 0
    )
    taken = branch(spec_replicas, current, minimum, maximum, leaves, release.spec_replicas_are_current)
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
        shown = NO_METRICS_SHOWN if release.metrics_renewed_on_failure else OLD_METRICS_SHOWN
    elif _by_metrics(tape, release, cursors, made, proposed, at, row, current, view):
        _normalize(tape, release, memory, made, proposed, slots, at, row, current, to_zero)
        shown = OWN_METRICS_SHOWN
    elif not release.metrics_renewed_on_failure:
        shown = OLD_METRICS_SHOWN
    elif release.partial_metrics:
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
    best, winner, asked, invalid, first_invalid, last_invalid = 0, NONE, 0, 0, NONE, NONE
    for number in range(count):
        problem, made_up, tally = measured(
            tape, release, cursors, row, first + number, current, passes.facts[at], passes.at_us[at], view
        )
        place = passes.metric_at[at] + number
        asked += 1
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
            if takes_over(best, made_up.replicas):
                best, winner = made_up.replicas, number
            continue
        invalid, last_invalid = invalid + 1, number
        if first_invalid == NONE:
            first_invalid = number
        if not release.partial_metrics:
            break
    made.asked[at] = asked
    if invalid > 0 and (
        not release.partial_metrics or fails(invalid, asked, best, current, release.partial_blocks_down)
    ):
        told = first_invalid if release.first_invalid_told else last_invalid
        made.active[at] = metrics.reason[first + told]
        made.reason[at] = ALL_INVALID if invalid >= asked else PARTIAL_BLOCKS
        made.desired[at] = tape.scales.spec_replicas[view.scale]
        return False
    made.active[at] = VALID
    made.winner[at] = winner
    made.raw[at] = max(best, 0)
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
    """Hold a recommendation by memory, policies and bounds, and write what is left of it; as `engine.normalize`."""
    terms, now_us, raw = tape.terms, tape.passes.at_us[at], made.raw[at]
    minimum, maximum, behaves = terms.minimum[row], terms.maximum[row], terms.behavior[row] != 0
    begin, count = memory.recommended_from[slots], memory.recommended[slots]
    replicas, replicas_us = memory.replicas[begin : begin + count], memory.replicas_us[begin : begin + count]
    disabled = False
    if behaves:
        up_us, down_us = terms.up_window_us[row], terms.down_window_us[row]
        held = hold(raw, current, replicas, replicas_us, count, now_us, up_us, down_us, release.envelope)
        limited = _limited(tape, release, memory, slots, row, held.replicas, current, now_us)
        unheld = _limited(tape, release, memory, slots, row, raw, current, now_us)
        select = terms.up_select[row] if held.replicas > current else terms.down_select[row]
        disabled = held.replicas != current and select == SELECT_DISABLED
    else:
        held = hold_plain(raw, replicas, replicas_us, count, now_us, release.downscale_stabilization_us)
        limited = limit_plain(held.replicas, current, minimum, maximum)
        unheld = limit_plain(raw, current, minimum, maximum)
    recommend(memory, slots, held.slot, raw, now_us)
    desired = limited.replicas
    why = METRIC_ABOVE if raw > current else (ALL_BELOW if raw < current else NO_REASON)
    if current == 0 and minimum != 0 and to_zero and desired < minimum:
        desired = minimum
        if why == NO_REASON:
            why = BELOW_MINIMUM
    if held.replicas == raw:
        made.able[at] = READY
    else:
        made.able[at] = UP_STABILIZED if behaves and raw >= current else DOWN_STABILIZED
    made.limited[at] = IN_RANGE + limited.why
    made.stabilized[at], made.rate_limited[at], made.why_scaled[at] = held.replicas, limited.by_policy, why
    metric = ON_TARGET
    if made.winner[at] != NONE:
        place = tape.passes.metric_at[at] + made.winner[at]
        inside = proposed.inside[place] != 0
        metric = of_metric(proposed.adjust[place], inside, proposed.replicas[place], current, proposed.ratio[place])
    made.reason[at] = primary(
        metric,
        raw,
        current,
        held.replicas,
        limited.by_policy,
        limited.by_bounds,
        limited.replicas,
        unheld.replicas,
        desired,
        disabled,
        behaves,
    )
    _act(tape, memory, made, slots, at, row, current, desired)


def _limited(
    tape: Tape, release: Release, memory: Remembered, slots: int, row: int, wanted: int, current: int, now_us: int
) -> Limited:
    """What policies and bounds of a behavior leave of a number."""
    terms, policies = tape.terms, tape.policies
    upward = wanted > current
    limit = current
    if wanted != current:
        first = terms.up_from[row] if upward else terms.down_from[row]
        end = terms.up_to[row] if upward else terms.down_to[row]
        select = terms.up_select[row] if upward else terms.down_select[row]
        ups, downs = memory.ups[slots], memory.downs[slots]
        up_from, down_from = memory.up_from[slots], memory.down_from[slots]
        limit = allowed(
            upward,
            current,
            Policies(select, policies.kind[first:end], policies.value[first:end], policies.period_us[first:end]),
            memory.up_change[up_from : up_from + ups],
            memory.up_us[up_from : up_from + ups],
            ups,
            memory.down_change[down_from : down_from + downs],
            memory.down_us[down_from : down_from + downs],
            downs,
            now_us,
            release.both_directions_count,
            release.min_policy_moves,
            release.replicas_capped,
        )
    return limit_moves(wanted, current, terms.minimum[row], terms.maximum[row], limit, limit)


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
    if tape.terms.behavior[row]:
        now_us = passes.at_us[at] if passes.written[at] == NONE else passes.written_us[at]
        remember(memory, slots, tape.terms, row, current, desired, now_us)
