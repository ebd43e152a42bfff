"""What a pass may have seen, and whether its published status says that it did; as `engine.candidates` and the like."""

from hpaaudit.engine.ask import EXTERNAL_VALUE, OBJECT_VALUE, UTILIZATION
from hpaaudit.engine.fleet.measure import current_of, newest_of, terms_of
from hpaaudit.engine.fleet.memory import ONLY_EVENTS
from hpaaudit.engine.fleet.tape import NONE, Cursors, Ints, Made, Proposed, Release, Remembered, Tape
from hpaaudit.engine.fleet.told import (
    GET_FAILED,
    KEPT,
    NO_METRICS_SHOWN,
    NO_REASON,
    NULL,
    OLD_METRICS_SHOWN,
    RESCALED,
)

MOST = 32
"""So many choices of answers are tried, as by `engine.candidates`."""


def cleared(made: Made, at: int) -> None:
    """Forget what an earlier try wrote."""
    made.state[at] = made.terms[at] = made.scale[at] = made.winner[at] = NONE
    made.raw[at] = made.stabilized[at] = made.rate_limited[at] = made.desired[at] = made.status_desired[at] = NULL
    made.able[at] = made.active[at] = made.limited[at] = KEPT
    made.why_scaled[at] = NO_REASON
    made.asked[at] = 0


def answers(
    tape: Tape, cursors: Cursors, row: int, scale: int, index: int, now_us: int, reach_us: int
) -> tuple[int, int]:
    """Which requests, a bit each, have an answer that came soon after the pass; and how many choices that makes."""
    if scale == NONE or not tape.scales.readable[scale]:
        return 0, 1
    terms, metrics, reads = tape.terms, tape.metrics, tape.reads
    row = terms_of(tape, row, scale)
    following, options = 0, 1
    for metric in range(terms.metric_from[row], terms.metric_to[row]):
        if metrics.rank[metric] == NONE or metrics.turn[metric] != 0:
            continue
        newest, request = newest_of(tape, cursors, metric, index)
        if newest + 1 < reads.row_to[request] and reads.at_us[newest + 1] - now_us <= reach_us:
            following |= 1 << metrics.rank[metric]
            options = min(options * 2, MOST)
    return following, options


def later_of(tape: Tape, row: int, following: int, nth: int) -> int:
    """The requests that see their following answer in the n-th choice; the last one changes fastest."""
    later = 0
    for rank in range(tape.terms.requests[row] - 1, -1, -1):
        if following >> rank & 1:
            later |= (nth & 1) << rank
            nth >>= 1
    return later


def unread(tape: Tape, row: int, scale: int) -> int:
    """In how many ways an answer may be missing: each request alone, and all; as `engine.candidates.unread`."""
    if scale == NONE or not tape.scales.readable[scale]:
        return 0
    requests = tape.terms.requests[terms_of(tape, row, scale)]
    return int(requests + 1 if requests > 1 else requests)


def unread_of(ways: int, nth: int) -> int:
    """The requests without an answer in the n-th of these ways."""
    requests = max(ways - 1, 1)
    return 1 << nth if nth < requests else (1 << requests) - 1


def may_be_held(tape: Tape, memory: Remembered, hpa: int, row: int, nth: int, now_us: int) -> bool:
    """Whether the n-th extreme of what was not seen still counts; as `engine.unknown.extremes`."""
    unseen_us = memory.unseen_us[hpa]
    if unseen_us == NULL:
        return False
    if nth < ONLY_EVENTS:
        return bool(now_us - unseen_us <= tape.terms.longest_us[row])
    longest_us = max(tape.terms.up_longest_us[row], tape.terms.down_longest_us[row])
    return bool(tape.terms.behavior[row] and now_us - unseen_us < longest_us)


def may_be_moved(tape: Tape, memory: Remembered, slots: int, row: int, now_us: int) -> bool:
    """Whether something remembered is so near the end of its window that its side is not known."""
    slack_us = tape.period_us // 2
    recommended = memory.recommended[slots] if memory.known[slots] else 0
    for edge in range(tape.terms.edge_from[row], tape.terms.edge_to[row]):
        made_us = now_us - tape.edges[edge]
        if (
            _is_near(memory.replicas_us, memory.recommended_from[slots], recommended, made_us, slack_us)
            or _is_near(memory.up_us, memory.up_from[slots], memory.ups[slots], made_us, slack_us)
            or _is_near(memory.down_us, memory.down_from[slots], memory.downs[slots], made_us, slack_us)
        ):
            return True
    return False


def _is_near(times_us: Ints, begin: int, count: int, at_us: int, slack_us: int) -> bool:
    """Whether one of some times is about that one."""
    near = False
    for place in range(begin, begin + count):
        near = near or abs(at_us - times_us[place]) <= slack_us
    return near


def fits_inputs(tape: Tape, release: Release, made: Made, proposed: Proposed, at: int, shown: int) -> bool:
    """Whether what was tried gives the published currentMetrics, replicas and state of the metrics."""
    statuses = tape.statuses
    published, old, scale = tape.passes.published[at], tape.hpas.status[made.state[at]], made.scale[at]
    if statuses.able[published] == NONE:
        return False
    current = statuses.current[old] if made.able[at] == GET_FAILED else current_of(tape, release, scale)
    active = statuses.active[old] if made.active[at] == KEPT else made.active[at]
    if current != statuses.current[published] or active != statuses.active[published]:
        return False
    first, end = statuses.entry_from[published], statuses.entry_to[published]
    if shown == NO_METRICS_SHOWN:
        return bool(first == end)
    if shown == OLD_METRICS_SHOWN:
        return _same_entries(tape, statuses.entry_from[old], statuses.entry_to[old], first, end)
    if end - first != made.asked[at]:
        return False
    metric = tape.terms.metric_from[made.terms[at]]
    for number in range(made.asked[at]):
        if not _is_shown(tape, proposed, tape.passes.metric_at[at] + number, metric + number, first + number):
            return False
    return True


def _same_entries(tape: Tape, first: int, last: int, other: int, end: int) -> bool:
    entries = tape.entries
    if last - first != end - other:
        return False
    for place in range(last - first):
        if (
            entries.shown[first + place] != entries.shown[other + place]
            or entries.value[first + place] != entries.value[other + place]
            or entries.average[first + place] != entries.average[other + place]
            or entries.percent[first + place] != entries.percent[other + place]
        ):
            return False
    return True


def _is_shown(tape: Tape, proposed: Proposed, place: int, metric: int, entry: int) -> bool:
    """Whether an entry of currentMetrics is what a metric came to."""
    metrics, entries = tape.metrics, tape.entries
    shown, value, average, percent = 0, 0, 0, 0
    if proposed.problem[place] == NONE:
        how, shown = metrics.how[metric], metrics.shown[metric]
        if how in (OBJECT_VALUE, EXTERNAL_VALUE):
            value = proposed.current[place]
        else:
            average = proposed.current[place]
        if how == UTILIZATION:
            percent = proposed.percent[place]
    return bool(
        entries.shown[entry] == shown
        and entries.value[entry] == value
        and entries.average[entry] == average
        and entries.percent[entry] == percent
    )


def fits_memory(tape: Tape, made: Made, at: int) -> bool:
    """Whether stabilization and limits held the number as the published conditions say."""
    statuses = tape.statuses
    published, old = tape.passes.published[at], tape.hpas.status[made.state[at]]
    ours, theirs = statuses.able[old] if made.able[at] == KEPT else made.able[at], statuses.able[published]
    if NONE in (ours, theirs):
        return True
    if ours != theirs and RESCALED not in (ours, theirs):
        return False
    ours, theirs = statuses.limited[old] if made.limited[at] == KEPT else made.limited[at], statuses.limited[published]
    return bool(NONE in (ours, theirs) or ours == theirs)
