"""What a pass may have seen, and whether its published status says that it did; as `engine.candidates` and the like."""

from hpaaudit.engine.controller.metric_target import EXTERNAL_VALUE, OBJECT_VALUE, UTILIZATION
from hpaaudit.engine.fleet.columns.codes import GET_FAILED, KEPT, NO_METRICS_SHOWN, NULL, OLD_METRICS_SHOWN
from hpaaudit.engine.fleet.columns.tables import NONE, Cursors, Ints, Made, Proposed, Release, Remembered, Tape
from hpaaudit.engine.fleet.kernel.metrics import current_of, newest_of, terms_of
from hpaaudit.engine.rules.candidates import Options, failed_reads
from hpaaudit.engine.rules.normalize import NO_REASON
from hpaaudit.engine.rules.published_status import Told
from hpaaudit.engine.rules.published_status import fits_inputs as inputs_fit
from hpaaudit.engine.rules.published_status import fits_memory as memory_fits
from hpaaudit.engine.rules.unseen_memory import event_counts, is_near_edge, recommendation_counts


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
    """Which requests, a bit each, have an answer that came soon after the pass; and how many there are."""
    if scale == NONE or not tape.scales.readable[scale]:
        return 0, 0
    terms, metrics, reads = tape.terms, tape.metrics, tape.reads
    row = terms_of(tape, row, scale)
    following, count = 0, 0
    for metric in range(terms.metric_from[row], terms.metric_to[row]):
        if metrics.rank[metric] == NONE or metrics.turn[metric] != 0:
            continue
        newest, request = newest_of(tape, cursors, metric, index)
        if newest + 1 < reads.row_to[request] and reads.at_us[newest + 1] - now_us <= reach_us:
            following |= 1 << metrics.rank[metric]
            count += 1
    return following, count


def requests_of(tape: Tape, row: int, scale: int) -> int:
    """How many distinct requests a pass makes whose scale is this."""
    if scale == NONE or not tape.scales.readable[scale]:
        return 0
    return int(tape.terms.requests[terms_of(tape, row, scale)])


def options_of(
    tape: Tape, memory: Remembered, hpa: int, before: int, row: int, newest: int, oldest: int, at: int
) -> Options:
    """What there is to try; as `engine.replay`.

    before   the row of the memory as it was;  newest, oldest   the scale, and as it was a little earlier
    """
    passes, terms, now_us, unseen_us = tape.passes, tape.terms, tape.passes.at_us[at], memory.unseen_us[hpa]
    longest_us = max(terms.up_longest_us[row], terms.down_longest_us[row])
    unseen = unseen_us != NULL
    return Options(
        oldest != newest,
        passes.earlier[at] < passes.facts[at],
        failed_reads(requests_of(tape, row, newest)),
        unseen and recommendation_counts(unseen_us, now_us, terms.longest_us[row]),
        unseen and terms.behavior[row] != 0 and event_counts(unseen_us, now_us, longest_us),
        may_be_moved(tape, memory, before, row, now_us),
    )


def may_be_moved(tape: Tape, memory: Remembered, slots: int, row: int, now_us: int) -> bool:
    """Whether something remembered is so near the end of its window that its side is not known."""
    recommended = memory.recommended[slots] if memory.known[slots] else 0
    for edge in range(tape.terms.edge_from[row], tape.terms.edge_to[row]):
        edge_us, period_us = tape.edges[edge], tape.period_us
        if (
            _is_near(memory.replicas_us, memory.recommended_from[slots], recommended, now_us, edge_us, period_us)
            or _is_near(memory.up_us, memory.up_from[slots], memory.ups[slots], now_us, edge_us, period_us)
            or _is_near(memory.down_us, memory.down_from[slots], memory.downs[slots], now_us, edge_us, period_us)
        ):
            return True
    return False


def _is_near(times_us: Ints, begin: int, count: int, now_us: int, edge_us: int, period_us: int) -> bool:
    """Whether one of some times is about that old."""
    near = False
    for place in range(begin, begin + count):
        near = near or is_near_edge(times_us[place], now_us, edge_us, period_us)
    return near


def fits_inputs(tape: Tape, release: Release, made: Made, proposed: Proposed, at: int, shown: int) -> bool:
    """Whether what was tried gives the published currentMetrics, replicas and state of the metrics."""
    statuses = tape.statuses
    published, old = tape.passes.published[at], tape.hpas.status[made.state[at]]
    if not inputs_fit(_told(tape, release, made, at), _published(tape, at)):
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


def fits_memory(tape: Tape, release: Release, made: Made, at: int) -> bool:
    """Whether stabilization and limits held the number as the published conditions say."""
    return memory_fits(_told(tape, release, made, at), _published(tape, at))


def _told(tape: Tape, release: Release, made: Made, at: int) -> Told:
    """What the status of a pass tells: what it made of the conditions, else what stood."""
    statuses, old = tape.statuses, tape.hpas.status[made.state[at]]
    unread = made.able[at] == GET_FAILED
    return Told(
        statuses.current[old] if unread else current_of(tape, release, made.scale[at]),
        statuses.able[old] if made.able[at] == KEPT else made.able[at],
        statuses.active[old] if made.active[at] == KEPT else made.active[at],
        statuses.limited[old] if made.limited[at] == KEPT else made.limited[at],
    )


def _published(tape: Tape, at: int) -> Told:
    """What the published status tells."""
    statuses, published = tape.statuses, tape.passes.published[at]
    return Told(
        statuses.current[published],
        statuses.able[published],
        statuses.active[published],
        statuses.limited[published],
    )
