"""Decides every reconcile of some HPAs, one HPA after the other: where the kernel begins.

The same source runs as CPython over lists and, compiled, over arrays. If a reconcile has a line, it read the
newest of everything. Where only its status was published, all candidates are tried, as in `replay.process`.
"""

from typing import NamedTuple

from hpaaudit.engine.fleet.columns.batch import NONE, Ints
from hpaaudit.engine.fleet.columns.column_codes import ASSUMED, NO_STATUS, NULL, PROVEN, SEEN
from hpaaudit.engine.fleet.columns.kernel_state import ReadInputs, Run
from hpaaudit.engine.fleet.kernel.candidates import (
    clear,
    earlier_scale,
    fits_inputs,
    fits_memory,
    is_read,
    next_answers,
    options_of,
    request_count,
)
from hpaaudit.engine.fleet.kernel.memory import (
    add_extreme,
    copy_memory,
    follow_published,
    forget,
    shift_memory,
)
from hpaaudit.engine.fleet.kernel.reconcile import reconcile
from hpaaudit.engine.rules.candidates import (
    DONE,
    FAILED_READS,
    FIRST,
    INPUTS,
    NO_BAND,
    NO_OPTIONS,
    SHIFTED_MEMORY,
    UNSEEN_MEMORY,
    Band,
    Candidate,
    Options,
    answer_choices,
    chosen_answers,
    is_scale_unread,
    next_candidate,
    proven_band,
    proves,
    unanswered,
    widened,
)
from hpaaudit.engine.rules.published_status import RECOMMENDATION_ADJUSTED, RECOMMENDATION_PUBLISHED
from hpaaudit.engine.rules.reason_codes import STALE_CACHE


class Search(NamedTuple):
    """What the candidates of one reconcile are made of.

    at, hpa, hpa_state   the reconcile, its HPA and the state of that
    newest        the newest inputs;  older_scale   the scale as a lagging cache has it
    tried_slots   the row of memory slots that a candidate changes;  before_slots   the memory before the reconcile
    options       what can be tried
    """

    at: int
    hpa: int
    hpa_state: int
    newest: ReadInputs
    older_scale: int
    tried_slots: int
    before_slots: int
    options: Options


def walk(run: Run, first: int, last: int) -> None:
    """Decides every reconcile of the HPAs from `first` to before `last`, and leaves the memory as it is then."""
    for hpa in range(first, last):
        for at in range(run.batch.reconcile_ranges.row_from[hpa], run.batch.reconcile_ranges.row_to[hpa]):
            decide(run, hpa, at)


def decide(run: Run, hpa: int, at: int) -> None:
    """Decides one reconcile, or leaves no decision where the HPA was gone."""
    reconciles, hpas, memory = run.batch.reconciles, run.batch.hpas, run.memory
    since, ranges = _begin(run, hpa, at), run.batch.hpa_ranges
    state = _last_before(hpas.seq, run.cursors.hpa[hpa], ranges.row_to[hpa], reconciles.facts[at])
    run.cursors.hpa[hpa] = state
    if state < ranges.row_from[hpa] or hpas.spec[state] == NONE:
        forget(memory, hpa)
        memory.versions_from[hpa] = reconciles.facts[at]
        return
    if run.settings.behaviours.stale_cache_skips and _is_stale(run, hpa, state, reconciles.facts[at]):
        _skip(run, at, state)
        return
    search = _search(run, hpa, at, state, since)
    band, following, count = NO_BAND, 0, 0
    candidate, inputs = FIRST, search.newest
    # `reconcile` is compiled into this loop, so one place calls it: the last round decides with the chosen inputs.
    is_last = reconciles.published[at] == NONE
    while True:
        candidate_inputs, slots = inputs, hpa if is_last else search.tried_slots
        if not is_last:
            copy_memory(memory, search.before_slots, search.tried_slots)
            if candidate.kind == INPUTS and candidate.nth == 0:
                scale = search.older_scale if candidate.earlier_scale else search.newest.scale
                following, count = next_answers(run, at, hpas.spec[state], scale)
            candidate_inputs = _tried_inputs(run, search, candidate, following, inputs)
            _try_memory(run, search, candidate)
        if reconciles.published[at] != NONE:
            clear(run.decisions, at)
        shown = reconcile(run, at, slots, state, candidate_inputs)
        if is_last:
            break
        by_inputs = candidate.kind in (INPUTS, FAILED_READS)
        fits = fits_inputs(run, at, shown) if by_inputs else fits_memory(run, at)
        fits = fits and reconciles.unwritten[at] != NO_STATUS
        if proves(band, candidate.kind, fits):
            inputs, band = candidate_inputs, proven_band(fits_memory(run, at))
        band = widened(band, candidate.kind, fits, run.decisions.desired[at])
        candidate = next_candidate(candidate, answer_choices(count), search.options, band.is_proven)
        is_last = candidate.kind == DONE
    _end(run, search, band)


def _begin(run: Run, hpa: int, at: int) -> int:
    """Moves the memory on to a reconcile; returns how many facts the previous one knew."""
    memory, reconciles = run.memory, run.batch.reconciles
    since = memory.facts[hpa]
    if reconciles.epoch[at] != memory.epoch[hpa]:
        # A new process remembers nothing, and everything that it does is seen.
        forget(memory, hpa)
        memory.unseen_us[hpa] = NULL
        memory.epoch[hpa], memory.versions_from[hpa], since = reconciles.epoch[at], reconciles.epoch_facts[at], 0
    if reconciles.unseen_us[at] != NULL or (since == 0 and memory.unseen_us[hpa] != NULL):
        # The first reconcile of a process remembers the replicas that it found: no earlier one may have.
        memory.unseen_us[hpa] = reconciles.at_us[at]
    memory.facts[hpa] = reconciles.facts[at]
    return int(since)


def _search(run: Run, hpa: int, at: int, state: int, since: int) -> Search:
    """The candidates of a reconcile; if it has a line, there are none but the newest inputs."""
    reconciles, target = run.batch.reconciles, run.batch.hpas.target[state]
    scale, scale_us = _newest_scale(run, hpa, target, at, since)
    is_own = scale != NONE and scale == run.cursors.own_scale[hpa]
    list_from, list_to = (reconciles.list_from[at], reconciles.list_to[at]) if is_own else (0, 0)
    answer_from, answer_to = (reconciles.answer_from[at], reconciles.answer_to[at]) if is_own else (0, 0)
    own_since = reconciles.own_since[at] if is_own else reconciles.facts[at]
    facts = reconciles.facts[at]
    newest = ReadInputs(scale, scale_us, facts, 0, 0, since, own_since, list_from, list_to, answer_from, answer_to)
    hpas = len(run.batch.reconcile_ranges.row_from)
    tried_slots, before_slots = hpas + hpa, 2 * hpas + hpa
    older_scale, options = scale, NO_OPTIONS
    if reconciles.published[at] != NONE:
        copy_memory(run.memory, hpa, before_slots)
        older_scale = earlier_scale(run, scale, target, reconciles.lagging_facts[at])
        options = options_of(run, hpa, at, scale, older_scale)
    return Search(at, hpa, state, newest, older_scale, tried_slots, before_slots, options)


def _tried_inputs(run: Run, search: Search, candidate: Candidate, following: int, chosen: ReadInputs) -> ReadInputs:
    """The inputs of a candidate; those chosen so far where it differs in its memory only.

    following   the requests, a bit each, that may have read their next answer
    """
    newest, at = search.newest, search.at
    if candidate.kind == INPUTS:
        scale = search.older_scale if candidate.earlier_scale else newest.scale
        requests = request_count(run, run.batch.hpas.spec[search.hpa_state], scale)
        pod_facts = run.batch.reconciles.lagging_facts[at] if candidate.earlier_pods else newest.pod_facts
        answers = chosen_answers(following, requests, candidate.nth)
        return ReadInputs(scale, newest.scale_us, pod_facts, answers, 0, newest.since, newest.own_since, 0, 0, 0, 0)
    if candidate.kind == FAILED_READS:
        was_read, failed, scale = is_read(run, newest.scale), 0, newest.scale
        if is_scale_unread(candidate.nth, was_read):
            scale = NONE
        else:
            requests = request_count(run, run.batch.hpas.spec[search.hpa_state], newest.scale)
            failed = unanswered(requests, candidate.nth, was_read)
        since, own_since = newest.since, newest.own_since
        return ReadInputs(scale, newest.scale_us, newest.pod_facts, 0, failed, since, own_since, 0, 0, 0, 0)
    return chosen


def _try_memory(run: Run, search: Search, candidate: Candidate) -> None:
    """Changes the memory as a candidate has it."""
    at, hpa, slots = search.at, search.hpa, search.tried_slots
    if candidate.kind == UNSEEN_MEMORY:
        spec, published = run.batch.hpas.spec[search.hpa_state], run.batch.reconciles.published[at]
        add_extreme(run, slots, candidate.nth, spec, published, run.memory.unseen_us[hpa])
    elif candidate.kind == SHIFTED_MEMORY:
        shift_memory(run.memory, slots, candidate.nth, run.batch.reconciles.period_us[at])


def _end(run: Run, search: Search, band: Band) -> None:
    """Keeps what the candidates came to, and lets the memory follow the published status."""
    at, hpa, decisions = search.at, search.hpa, run.decisions
    published = run.batch.reconciles.published[at]
    if published == NONE:
        decisions.band_lo[at] = decisions.band_hi[at] = decisions.desired[at]
        decisions.evidence[at], decisions.missing_input[at] = SEEN, band.missing
        return
    decisions.band_lo[at], decisions.band_hi[at] = band.lowest, band.highest
    decisions.missing_input[at] = band.missing
    decisions.evidence[at] = PROVEN if band.is_proven else ASSUMED
    shown = run.batch.statuses.recommendation[published]
    is_unwritten = run.batch.reconciles.unwritten[at] != 0 and shown == RECOMMENDATION_PUBLISHED and not band.is_proven
    if not is_unwritten:
        follow_published(run, at, hpa, search.before_slots)
    if not band.is_proven and (is_unwritten or shown == RECOMMENDATION_ADJUSTED):
        # What was recommended is only guessed, so the memory is as unknown as at the start.
        run.memory.unseen_us[hpa] = run.batch.reconciles.at_us[at]


def _last_before(seqs: Ints, cursor: int, end: int, facts: int) -> int:
    """The last row before `end` that is among the first `facts` facts; the search begins at the cursor."""
    while cursor + 1 < end and seqs[cursor + 1] < facts:
        cursor += 1
    return cursor


def _is_stale(run: Run, hpa: int, state: int, facts: int) -> bool:
    """True if the cache is older than the controller's own last status write (1.37)."""
    writes, ranges = run.batch.status_writes, run.batch.write_ranges
    written = _last_before(writes.seq, run.cursors.written[hpa], ranges.row_to[hpa], facts)
    run.cursors.written[hpa] = written
    if written < ranges.row_from[hpa] or writes.seq[written] < run.memory.versions_from[hpa]:
        return False
    return bool(run.batch.hpas.version[state] < writes.version[written])


def _skip(run: Run, at: int, state: int) -> None:
    """Decides nothing: the reconcile ends because the cache is stale."""
    decisions, hpas = run.decisions, run.batch.hpas
    decisions.hpa_state[at], decisions.spec[at] = state, hpas.spec[state]
    decisions.status_desired[at] = run.batch.statuses.desired[hpas.status[state]]
    decisions.reason[at] = STALE_CACHE


def _newest_scale(run: Run, hpa: int, target: int, at: int, since: int) -> tuple[int, int]:
    """The scale that a reconcile read, NONE without one, and when: the controller's own answer, else the newest."""
    scales, cursors, now_us = run.batch.scales, run.cursors, run.batch.reconciles.at_us[at]
    if target == NONE:
        return NONE, now_us
    ranges, row = run.batch.scale_ranges, cursors.scale[hpa]
    first, end = ranges.row_from[target], ranges.row_to[target]
    if not first - 1 <= row < end:
        row, cursors.own_scale[hpa] = first - 1, NONE
    while row + 1 < end and scales.seq[row + 1] < run.batch.reconciles.facts[at]:
        row += 1
        if scales.by_controller[row]:
            cursors.own_scale[hpa] = row
    cursors.scale[hpa] = row
    own = cursors.own_scale[hpa]
    if own != NONE and scales.seq[own] >= since:
        return own, scales.at_us[own]
    return (row, now_us) if row >= first else (NONE, now_us)
