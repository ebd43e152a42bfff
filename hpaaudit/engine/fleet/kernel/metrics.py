"""One metric of one pass: which answer it saw, its pods counted and summed, and what comes of it."""

from hpaaudit.engine.controller.metric_target import (
    EXTERNAL_AVERAGE,
    EXTERNAL_VALUE,
    NOTHING,
    OBJECT_AVERAGE,
    OBJECT_VALUE,
    UTILIZATION,
)
from hpaaudit.engine.fleet.columns.codes import (
    CONTAINER_MISSING,
    EMPTY_EXTERNAL,
    NO_MATCHING_PODS,
    NO_METRICS,
    NO_PODS,
    NO_READY_METRICS,
    UNSEEN,
)
from hpaaudit.engine.fleet.columns.tables import (
    MEASURED,
    NO_CONTAINER,
    NONE,
    Cursors,
    Reads,
    Release,
    Series,
    Tape,
    View,
)
from hpaaudit.engine.rules.go_numbers import wrap64
from hpaaudit.engine.rules.group_pods import IGNORED, MISSING, UNREADY, classify, classify_cpu
from hpaaudit.engine.rules.group_pods import READY as COUNTED
from hpaaudit.engine.rules.replica_calculator import BAD_REQUEST as REQUEST
from hpaaudit.engine.rules.replica_calculator import (
    NO_PROBLEM,
    NO_REQUESTS,
    NO_SAMPLES,
    Proposal,
    Tally,
    missing_utilization,
    per_pod,
    plain,
    refused,
    utilization,
    value,
)
from hpaaudit.engine.rules.tolerance import tolerance_of

NO_TALLY = Tally(NONE, NONE, NONE, NONE, NONE, 0, 0, 0, 0, 0, 0, 0, 0)
"""Where no pods are looked at."""


def measured(
    tape: Tape,
    release: Release,
    cursors: Cursors,
    row: int,
    metric: int,
    current: int,
    index: int,
    now_us: int,
    view: View,
) -> tuple[int, Proposal, Tally]:
    """The problem of a metric, NONE without, what it proposes, and its pods; as `engine.propose`."""
    metrics, reads, rules = tape.metrics, tape.reads, release.rules
    how, target = metrics.how[metric], metrics.target[metric]
    if how == NOTHING:
        return metrics.problem[metric], refused(NO_PROBLEM), NO_TALLY
    read, own = _answer(tape, cursors, metric, index, view)
    if read == NONE:
        return UNSEEN, refused(NO_PROBLEM), NO_TALLY
    if reads.problem[read] != NONE:
        return reads.problem[read], refused(NO_PROBLEM), NO_TALLY
    down, up = tape.terms.tolerance_down[row], tape.terms.tolerance_up[row]
    tolerance = tolerance_of(down, up, rules)
    if how >= OBJECT_VALUE:
        made = refused(NO_PROBLEM)
        if how <= OBJECT_AVERAGE and reads.items[read] != 1:
            return NO_METRICS, made, NO_TALLY
        if reads.items[read] == 0:
            return EMPTY_EXTERNAL, made, NO_TALLY
        external = how >= EXTERNAL_VALUE
        if how in (OBJECT_AVERAGE, EXTERNAL_AVERAGE):
            usage = reads.per_pod[read] if external else reads.summed[read]
            made = per_pod(usage, target, tape.scales.status_replicas[view.scale], tolerance, external, rules)
        else:
            listed, running = _running(tape, cursors, row, index, view.pods)
            made = value(reads.summed[read], target, current, listed, running, tolerance, external, rules)
        return NONE if made.problem == NO_PROBLEM else NO_PODS, made, NO_TALLY
    at_us = reads.at_us[read] if own else now_us
    problem, request, tally = _tally(tape, release, cursors, row, metric, read, index, at_us, view)
    if problem != NONE:
        return problem, refused(NO_PROBLEM), NO_TALLY
    if how == UTILIZATION:
        made = utilization(tally, target, current, tolerance, request != NONE, rules)
    else:
        made = plain(tally, target, current, tolerance, rules)
    if made.problem == NO_PROBLEM:
        return NONE, made, tally
    if made.problem == REQUEST:
        return request, made, NO_TALLY
    if made.problem == NO_SAMPLES:
        return NO_READY_METRICS, made, NO_TALLY
    return NO_MATCHING_PODS if made.problem == NO_REQUESTS else NO_PODS, made, NO_TALLY


def _answer(tape: Tape, cursors: Cursors, metric: int, index: int, view: View) -> tuple[int, bool]:
    """The answer that the metric saw, NONE without, and whether it was the controller's own; as `engine.world`."""
    metrics, reads = tape.metrics, tape.reads
    rank = max(metrics.rank[metric], 0)
    if view.unread >> rank & 1:
        return NONE, False
    newest, request = newest_of(tape, cursors, metric, index)
    if view.later >> rank & 1:
        return newest + 1, False
    first, since = reads.row_from[request], view.since
    uses, found, place = metrics.uses[metric], 0, newest
    while place >= first and reads.seq[place] >= since and found < uses:
        found += reads.own[place]
        place -= 1
    if found > 0:
        # Of the last answers to the controller, as many as it asked for, the n-th metric saw the n-th.
        skip, place = found - 1 - min(metrics.turn[metric], found - 1), newest
        while not reads.own[place] or skip > 0:
            skip -= reads.own[place]
            place -= 1
        return place, True
    return (newest if newest >= first else NONE), False


def newest_of(tape: Tape, cursors: Cursors, metric: int, index: int) -> tuple[int, int]:
    """The newest answer to a metric's request, and that request: while it has none, its fallback and its answer.

    One before the first where there is none yet.
    """
    reads, request, fallback = tape.reads, tape.metrics.request[metric], tape.metrics.fallback[metric]
    newest = _newest(reads, request, cursors.read[metric], index)
    cursors.read[metric] = newest
    if newest >= reads.row_from[request] or fallback == NONE:
        return newest, request
    newest = _newest(reads, fallback, cursors.fallback[metric], index)
    cursors.fallback[metric] = newest
    return newest, fallback


def terms_of(tape: Tape, row: int, scale: int) -> int:
    """Of the terms of a spec, `row` the first of them, those of the selector that a readable scale has."""
    while tape.terms.selector[row] != tape.scales.selector[scale]:
        row = tape.terms.alternative[row]
    return row


def current_of(tape: Tape, release: Release, scale: int) -> int:
    """Current replicas; as `engine.outcome`."""
    scales = tape.scales
    return int(
        scales.spec_replicas[scale] if release.rules.spec_replicas_are_current else scales.status_replicas[scale]
    )


def _newest(reads: Reads, request: int, cursor: int, index: int) -> int:
    end = reads.row_to[request]
    while cursor + 1 < end and reads.seq[cursor + 1] < index:
        cursor += 1
    return cursor


def _state(tape: Tape, cursors: Cursors, entry: int, index: int, seen: int) -> int:
    """The state of one pod of a roster after `seen` facts, at most `index`; NONE while it is not there."""
    pods, track = tape.pods, tape.roster[entry]
    cursor, end = cursors.pod[entry], pods.row_to[track]
    while cursor + 1 < end and pods.seq[cursor + 1] < index:
        cursor += 1
    cursors.pod[entry] = cursor
    while seen < index and cursor >= pods.row_from[track] and pods.seq[cursor] >= seen:
        cursor -= 1
    return cursor if cursor >= pods.row_from[track] and pods.alive[cursor] else NONE


def _running(tape: Tape, cursors: Cursors, row: int, index: int, seen: int) -> tuple[int, int]:
    """How many pods there are, and how many of them are Running with Ready=True."""
    listed, running = 0, 0
    for entry in range(tape.terms.roster_from[row], tape.terms.roster_to[row]):
        state = _state(tape, cursors, entry, index, seen)
        if state != NONE:
            listed += 1
            running += tape.pods.running[state]
    return listed, running


def _sample(series: Series, which: int, cursor: int, seq: int) -> int:
    """The row of a series that an answer had, or one before its first."""
    end = series.row_to[which]
    while cursor + 1 < end and series.seq[cursor + 1] <= seq:
        cursor += 1
    return cursor


def _tally(
    tape: Tape,
    release: Release,
    cursors: Cursors,
    row: int,
    metric: int,
    read: int,
    index: int,
    at_us: int,
    view: View,
) -> tuple[int, int, Tally]:
    """What is wrong with the answer or with the requests, NONE where nothing is, and the pods in numbers."""
    rules, terms, metrics, sources, pods, series = (
        release.rules,
        tape.terms,
        tape.metrics,
        tape.sources,
        tape.pods,
        tape.series,
    )
    count, quantity, cpu = tape.quantities, metrics.quantity[metric], metrics.cpu[metric] != 0
    asks, target = metrics.how[metric] == UTILIZATION, metrics.target[metric]
    seq, source = tape.reads.seq[read], metrics.source_from[metric]
    # What is seen ahead of the newest answer is left to be found again.
    ahead = seq >= index
    while sources.stream[source] != tape.reads.stream[read]:
        source += 1
    whole = sources.whole[source] != 0
    first, first_value = terms.roster_from[row], quantity * len(series.seq)
    lookup = sources.lookup[source] - first
    listed, ready, unready, missing, ignored, items, foreign, request = 0, 0, 0, 0, 0, 0, 0, NONE
    counted, usage, own, own_usage, own_requests = 0, 0, 0, 0, 0
    missing_requests, missing_usage, unready_requests = 0, 0, 0
    for entry in range(first, terms.roster_to[row]):
        state = _state(tape, cursors, entry, index, view.pods)
        which, sample = tape.lookups[lookup + entry], NONE
        if which != NONE:
            sample = _sample(series, which, cursors.sample[lookup + entry], seq)
            if not ahead:
                cursors.sample[lookup + entry] = sample
            if sample < series.row_from[which] or series.gone[sample]:
                sample = NONE
        has_sample, amount = False, 0
        if sample != NONE and (state != NONE or not whole):
            items += 1
            measure = series.state[first_value + sample]
            foreign += measure == NO_CONTAINER
            has_sample, amount = measure == MEASURED, series.value[first_value + sample]
        if state == NONE:
            if has_sample:
                counted, usage = counted + 1, wrap64(usage + amount)
            continue
        listed += 1
        asked = 0
        if asks:
            asked = pods.request[state * count + quantity]
            if request == NONE and pods.bad[state * count + quantity] != NONE:
                request = pods.bad[state * count + quantity]
        bucket = classify(
            pods.ignored[state] != 0, pods.pending[state] != 0, has_sample, release.rules.pending_is_unready
        )
        if bucket == COUNTED and cpu:
            judged = classify_cpu(
                pods.judged[state] != 0,
                pods.ready_false[state] != 0,
                pods.start_us[state],
                pods.transition_us[state],
                series.at_us[sample],
                series.window_us[sample],
                at_us,
                release.cpu_initialization_period_us,
                release.initial_readiness_delay_us,
            )
            if judged != COUNTED:
                bucket = UNREADY
        if bucket == UNREADY:
            unready, unready_requests = unready + 1, wrap64(unready_requests + asked)
            continue
        if bucket == MISSING:
            missing, missing_requests = missing + 1, wrap64(missing_requests + asked)
            full = missing_utilization(asked, target, rules.missing_up_to_target)
            missing_usage = wrap64(missing_usage + full)
            continue
        if bucket == IGNORED:
            ignored += 1
            if rules.ignored_samples_removed or not has_sample:
                continue
        else:
            ready += 1
        counted, usage = counted + 1, wrap64(usage + amount)
        own, own_usage, own_requests = own + 1, wrap64(own_usage + amount), wrap64(own_requests + asked)
    for place in range(sources.stray_from[source], sources.stray_to[source]):
        which = tape.strays[place]
        sample = _sample(series, which, cursors.stray[place], seq)
        if not ahead:
            cursors.stray[place] = sample
        if sample >= series.row_from[which] and not series.gone[sample]:
            items += 1
            measure = series.state[first_value + sample]
            foreign += measure == NO_CONTAINER
            if measure == MEASURED:
                counted, usage = counted + 1, wrap64(usage + series.value[first_value + sample])
    if items == 0:
        problem = NO_METRICS
    elif foreign > 0 and not rules.missing_container_is_missing_pod:
        problem = CONTAINER_MISSING
    else:
        problem = NONE
    tally = Tally(
        listed,
        ready,
        unready,
        missing,
        ignored,
        counted,
        usage,
        own,
        own_usage,
        own_requests,
        missing_requests,
        missing_usage,
        unready_requests,
    )
    return problem, request, tally
