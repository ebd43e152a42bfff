"""Which inputs and which memory a reconcile may have had, over columns, and whether the published status fits them.

As `replay.candidate_inputs`, `replay.status_fit` and `replay.unseen_memory`.
"""

from hpaaudit.engine.controller.metric_target import EXTERNAL_VALUE, OBJECT_VALUE, UTILIZATION
from hpaaudit.engine.fleet.columns.batch import NONE, Ints
from hpaaudit.engine.fleet.columns.column_codes import (
    DISABLED,
    GET_FAILED,
    KEPT,
    NO_METRICS_SHOWN,
    NULL,
    OLD_METRICS_SHOWN,
    UPDATE_FAILED,
    VALID,
)
from hpaaudit.engine.fleet.columns.kernel_state import Decisions, Run
from hpaaudit.engine.fleet.kernel.metrics import current_of, newest_answer, spec_with_selector
from hpaaudit.engine.rules.candidates import Options, failed_reads
from hpaaudit.engine.rules.normalize import NO_REASON
from hpaaudit.engine.rules.published_status import StatusCodes, has_conditions
from hpaaudit.engine.rules.published_status import fits_inputs as codes_fit_inputs
from hpaaudit.engine.rules.published_status import fits_memory as codes_fit_memory
from hpaaudit.engine.rules.unseen_memory import event_counts, is_near, recommendation_counts


def clear(decisions: Decisions, at: int) -> None:
    """Erases the decision of the previous candidate."""
    decisions.hpa_state[at] = decisions.spec[at] = decisions.scale[at] = decisions.winner[at] = NONE
    decisions.raw_desired[at] = decisions.stabilized[at] = decisions.rate_limited[at] = NULL
    decisions.unheld[at] = decisions.desired[at] = decisions.status_desired[at] = NULL
    decisions.able[at] = decisions.active[at] = decisions.limited[at] = KEPT
    decisions.scale_reason[at] = NO_REASON
    decisions.metrics[at] = 0


def earlier_scale(run: Run, newest: int, target: int, facts: int) -> int:
    """The scale as it was after so many facts, the first that is known where it was not known yet."""
    if newest == NONE:
        return newest
    scales, first, row = run.batch.scales, run.batch.scale_ranges.row_from[target], newest
    while row >= first and scales.seq[row] >= facts:
        row -= 1
    return max(row, int(first))


def next_answers(run: Run, at: int, spec: int, scale: int) -> tuple[int, int]:
    """The requests, a bit each, whose next answer came so soon that the reconcile may have read it; and how many."""
    if not is_read(run, scale):
        return 0, 0
    metrics, reads, reconciles = run.batch.metrics, run.batch.reads, run.batch.reconciles
    spec = spec_with_selector(run, spec, scale)
    bits, count = 0, 0
    for metric in range(run.batch.specs.metric_from[spec], run.batch.specs.metric_to[spec]):
        if metrics.request_rank[metric] == NONE or metrics.turn[metric] != 0:
            continue
        newest, request = newest_answer(run, metric, reconciles.facts[at])
        if (
            newest + 1 < run.batch.read_ranges.row_to[request]
            and reads.at_us[newest + 1] - reconciles.at_us[at] <= reconciles.reach_us[at]
        ):
            bits |= 1 << metrics.request_rank[metric]
            count += 1
    return bits, count


def is_read(run: Run, scale: int) -> bool:
    """True if a scale is recorded that the reconcile can have read."""
    return bool(scale != NONE and run.batch.scales.readable[scale])


def request_count(run: Run, spec: int, scale: int) -> int:
    """How many distinct requests a reconcile with this scale makes."""
    if not is_read(run, scale):
        return 0
    return int(run.batch.specs.request_count[spec_with_selector(run, spec, scale)])


def options_of(run: Run, hpa: int, at: int, newest_scale: int, older_scale: int) -> Options:
    """What can be tried for this reconcile; as `replay.process`."""
    specs, memory, reconciles = run.batch.specs, run.memory, run.batch.reconciles
    state = run.cursors.hpa[hpa]
    spec, now_us, unseen_us = run.batch.hpas.spec[state], reconciles.at_us[at], memory.unseen_us[hpa]
    longest_period_us = max(specs.up_longest_us[spec], specs.down_longest_us[spec])
    is_unseen = unseen_us != NULL
    return Options(
        older_scale != newest_scale,
        reconciles.lagging_facts[at] < reconciles.facts[at],
        failed_reads(request_count(run, spec, newest_scale), is_read(run, newest_scale)),
        is_unseen and recommendation_counts(unseen_us, now_us, specs.longest_window_us[spec]),
        is_unseen and specs.has_behavior[spec] != 0 and event_counts(unseen_us, now_us, longest_period_us),
        _has_near_age(run, hpa, spec, now_us, reconciles.period_us[at]),
    )


def _has_near_age(run: Run, slots: int, spec: int, now_us: int, period_us: int) -> bool:
    """True if something remembered is so near the age at which it stops counting that its side is not known."""
    memory, specs = run.memory, run.batch.specs
    recommendations = memory.recommendations[slots] if memory.has_recommendations[slots] else 0
    for index in range(specs.age_from[spec], specs.age_to[spec]):
        # What was made at this time is exactly that old.
        made_us = now_us - run.batch.expiry_ages_us[index]
        if (
            _any_near(memory.recommended_us, memory.recommendation_from[slots], recommendations, made_us, period_us)
            or _any_near(memory.up_us, memory.up_from[slots], memory.ups[slots], made_us, period_us)
            or _any_near(memory.down_us, memory.down_from[slots], memory.downs[slots], made_us, period_us)
        ):
            return True
    return False


def _any_near(times_us: Ints, first: int, count: int, made_us: int, period_us: int) -> bool:
    """True if one of some times is near `made_us`."""
    is_any_near = False
    for index in range(first, first + count):
        is_any_near = is_any_near or is_near(times_us[index], made_us, period_us)
    return is_any_near


def fits_inputs(run: Run, at: int, shown: int) -> bool:
    """True if the candidate gives the published currentMetrics, current replicas and ScalingActive.

    shown   which currentMetrics the candidate publishes
    """
    statuses, proposal_at = run.batch.statuses, run.batch.reconciles.proposal_at[at]
    published, old = run.batch.reconciles.published[at], run.batch.hpas.status[run.decisions.hpa_state[at]]
    conditional = has_conditions(run.settings.behaviours)
    if not codes_fit_inputs(_decided_codes(run, at), _published_codes(run, at), conditional, _has_failed(run, at)):
        return False
    first, end = statuses.entry_from[published], statuses.entry_to[published]
    if shown == NO_METRICS_SHOWN:
        return bool(first == end)
    if shown == OLD_METRICS_SHOWN:
        return _same_entries(run, old, published)
    if end - first != run.decisions.metrics[at]:
        return False
    metric = run.batch.specs.metric_from[run.decisions.spec[at]]
    for number in range(run.decisions.metrics[at]):
        if not _is_entry_of(run, first + number, metric + number, proposal_at + number):
            return False
    return True


def _has_failed(run: Run, at: int) -> bool:
    """True if the reconcile ended with an error."""
    able, active = run.decisions.able[at], run.decisions.active[at]
    return bool(able in (GET_FAILED, UPDATE_FAILED) or active not in (KEPT, VALID, DISABLED))


def _same_entries(run: Run, status: int, other: int) -> bool:
    """True if two statuses have the same currentMetrics."""
    entries, statuses = run.batch.current_metrics, run.batch.statuses
    first, there = statuses.entry_from[status], statuses.entry_from[other]
    count = statuses.entry_to[status] - first
    if count != statuses.entry_to[other] - there:
        return False
    for number in range(count):
        if (
            entries.status_key[first + number] != entries.status_key[there + number]
            or entries.value_milli[first + number] != entries.value_milli[there + number]
            or entries.average_milli[first + number] != entries.average_milli[there + number]
            or entries.percent[first + number] != entries.percent[there + number]
        ):
            return False
    return True


def _is_entry_of(run: Run, entry: int, metric: int, proposal: int) -> bool:
    """True if an entry of currentMetrics is what a metric came to; the entry of an invalid metric is empty."""
    metrics, entries, proposals = run.batch.metrics, run.batch.current_metrics, run.proposals
    status_key, value, average, percent = 0, 0, 0, 0
    if proposals.problem[proposal] == NONE:
        how, status_key = metrics.how[metric], metrics.status_key[metric]
        if how in (OBJECT_VALUE, EXTERNAL_VALUE):
            value = proposals.current[proposal]
        else:
            average = proposals.current[proposal]
        if how == UTILIZATION:
            percent = proposals.percent[proposal]
    return bool(
        entries.status_key[entry] == status_key
        and entries.value_milli[entry] == value
        and entries.average_milli[entry] == average
        and entries.percent[entry] == percent
    )


def fits_memory(run: Run, at: int) -> bool:
    """True if stabilization and limits gave the published conditions."""
    return codes_fit_memory(_decided_codes(run, at), _published_codes(run, at))


def _decided_codes(run: Run, at: int) -> StatusCodes:
    """The status after the candidate: the conditions that it set, and those that it left."""
    statuses, decisions = run.batch.statuses, run.decisions
    old = run.batch.hpas.status[decisions.hpa_state[at]]
    is_unread, keeps = decisions.able[at] == GET_FAILED, not has_conditions(run.settings.behaviours)
    return StatusCodes(
        statuses.current[old] if is_unread else current_of(run, decisions.scale[at]),
        statuses.able[old] if keeps or decisions.able[at] == KEPT else decisions.able[at],
        statuses.active[old] if keeps or decisions.active[at] == KEPT else decisions.active[at],
        statuses.limited[old] if keeps or decisions.limited[at] == KEPT else decisions.limited[at],
    )


def _published_codes(run: Run, at: int) -> StatusCodes:
    """The status that was published."""
    statuses, published = run.batch.statuses, run.batch.reconciles.published[at]
    return StatusCodes(
        statuses.current[published],
        statuses.able[published],
        statuses.active[published],
        statuses.limited[published],
    )
