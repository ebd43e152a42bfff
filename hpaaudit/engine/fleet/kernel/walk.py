"""Walks the columns of a slice and decides every pass of some HPAs, one HPA after the other.

The same source runs as CPython over lists and, compiled, over arrays. Where a line tells of the pass, it saw the
newest of everything; where only its status was published, everything that it may have seen is tried, as by
`engine.replay`.
"""

from hpaaudit.engine.fleet.columns.codes import ASSUMED, NULL, PROVEN, SEEN
from hpaaudit.engine.fleet.columns.tables import (
    NONE,
    Cursors,
    Ints,
    Made,
    Proposed,
    Release,
    Remembered,
    Scales,
    Tape,
    View,
)
from hpaaudit.engine.fleet.kernel.candidates import answers, cleared, fits_inputs, fits_memory, options_of, requests_of
from hpaaudit.engine.fleet.kernel.memory import (
    follow,
    forget,
    remember_as_before,
    remember_extreme,
    remember_shifted,
)
from hpaaudit.engine.fleet.kernel.reconcile import look
from hpaaudit.engine.rules.candidates import (
    DONE,
    FAILED_READS,
    FIRST,
    INPUTS,
    NO_BAND,
    NO_OPTIONS,
    SHIFTED_MEMORY,
    UNSEEN_MEMORY,
    choices,
    chosen_answers,
    next_candidate,
    proves,
    unanswered,
    widened,
)
from hpaaudit.engine.rules.published_status import BENT
from hpaaudit.engine.rules.reason_codes import STALE_CACHE


def walk(
    tape: Tape,
    release: Release,
    memory: Remembered,
    cursors: Cursors,
    made: Made,
    proposed: Proposed,
    first: int,
    last: int,
) -> None:
    """Decide every pass of the HPAs from `first` to before `last`, and leave the memory as it is then."""
    for hpa in range(first, last):
        for at in range(tape.passes.row_from[hpa], tape.passes.row_to[hpa]):
            decide(tape, release, memory, cursors, made, proposed, hpa, at)


def upto(seqs: Ints, cursor: int, end: int, index: int) -> int:
    """The last row of those before `end` that stands before the fact number `index`; never behind `cursor`."""
    while cursor + 1 < end and seqs[cursor + 1] < index:
        cursor += 1
    return cursor


def decide(
    tape: Tape,
    release: Release,
    memory: Remembered,
    cursors: Cursors,
    made: Made,
    proposed: Proposed,
    hpa: int,
    at: int,
) -> None:
    """One pass: what it saw as far as that can be told, and what it decided."""
    passes, hpas, scales = tape.passes, tape.hpas, tape.scales
    index, now_us, since = passes.facts[at], passes.at_us[at], memory.facts[hpa]
    if passes.epoch[at] != memory.epoch[hpa]:
        forget(memory, hpa)
        memory.unseen_us[hpa] = NULL
        memory.epoch[hpa], memory.forgot[hpa], since = passes.epoch[at], passes.started[at], 0
    if passes.blind_us[at] != NULL:
        memory.unseen_us[hpa] = passes.blind_us[at]
    memory.facts[hpa] = index
    state = upto(hpas.seq, cursors.hpa[hpa], hpas.row_to[hpa], index)
    cursors.hpa[hpa] = state
    if state < hpas.row_from[hpa] or hpas.terms[state] == NONE:
        forget(memory, hpa)
        memory.forgot[hpa] = index
        return
    if release.rules.stale_cache_skips and _is_stale(tape, memory, cursors, hpa, state, index):
        made.state[at], made.status_desired[at] = state, tape.statuses.desired[hpas.status[state]]
        made.terms[at], made.reason[at] = hpas.terms[state], STALE_CACHE
        return
    published, row = passes.published[at], hpas.terms[state]
    newest, scale_us = _scale(scales, cursors, hpa, hpas.target[state], index, since, now_us)
    tried, before = len(passes.row_from) + hpa, 2 * len(passes.row_from) + hpa
    candidate, chosen, band = FIRST, View(newest, scale_us, index, 0, 0, since), NO_BAND
    options, oldest, following, count = NO_OPTIONS, newest, 0, 0
    if published != NONE:
        remember_as_before(memory, hpa, before)
        oldest = _as_seen(scales, newest, hpas.target[state], passes.earlier[at])
        options = options_of(tape, memory, hpa, before, row, newest, oldest, at)
    # One place calls `look`, for it is compiled into this function: the last round decides with what was found.
    is_last = published == NONE
    while True:
        view, slots = chosen, hpa if is_last else tried
        if not is_last:
            remember_as_before(memory, before, tried)
            if candidate.kind == INPUTS:
                scale = oldest if candidate.earlier_scale else newest
                if candidate.nth == 0:
                    following, count = answers(tape, cursors, row, scale, index, now_us, passes.reach_us[at])
                later = chosen_answers(following, requests_of(tape, row, scale), candidate.nth)
                pods = passes.earlier[at] if candidate.earlier_pods else index
                view = View(scale, scale_us, pods, later, 0, since)
            elif candidate.kind == FAILED_READS:
                unread = unanswered(options.failed_reads, candidate.nth)
                view = View(newest, scale_us, index, 0, unread, since)
            elif candidate.kind == UNSEEN_MEMORY:
                most, said = tape.terms.maximum[row], tape.statuses.desired[published]
                remember_extreme(memory, tried, candidate.nth, most, said, memory.unseen_us[hpa])
            elif candidate.kind == SHIFTED_MEMORY:
                remember_shifted(memory, tried, candidate.nth, tape.period_us)
        if published != NONE:
            cleared(made, at)
        shown = look(tape, release, memory, cursors, made, proposed, slots, at, state, view)
        if is_last:
            break
        if candidate.kind in (INPUTS, FAILED_READS):
            fits = fits_inputs(tape, release, made, proposed, at, shown)
        else:
            fits = fits_memory(tape, release, made, at)
        if proves(band, candidate.kind, fits):
            chosen = view
        band = widened(band, candidate.kind, fits, made.desired[at])
        candidate = next_candidate(candidate, choices(count), options, band.is_proven)
        is_last = candidate.kind == DONE
    if published == NONE:
        made.band_lo[at] = made.band_hi[at] = made.desired[at]
        made.evidence[at], made.missing[at] = SEEN, band.missing
        return
    made.band_lo[at], made.band_hi[at], made.missing[at] = band.lowest, band.highest, band.missing
    made.evidence[at] = PROVEN if band.is_proven else ASSUMED
    follow(tape, memory, made, at, hpa, before)
    if not band.is_proven and tape.statuses.bend[published] == BENT:
        memory.unseen_us[hpa] = now_us


def _is_stale(tape: Tape, memory: Remembered, cursors: Cursors, hpa: int, state: int, index: int) -> bool:
    """Whether the cache is older than the controller's own last status write."""
    hpas = tape.hpas
    written = upto(hpas.written_seq, cursors.written[hpa], hpas.written_to[hpa], index)
    cursors.written[hpa] = written
    if written < hpas.written_from[hpa] or hpas.written_seq[written] < memory.forgot[hpa]:
        return False
    return bool(hpas.version[state] < hpas.written_version[written])


def _scale(
    scales: Scales, cursors: Cursors, hpa: int, target: int, index: int, since: int, now_us: int
) -> tuple[int, int]:
    """The answer of the scale that a pass saw, and when: the controller's own, else the newest."""
    if target == NONE:
        return NONE, now_us
    first, end, cursor = scales.row_from[target], scales.row_to[target], cursors.scale[hpa]
    if not first - 1 <= cursor < end:
        cursor, cursors.own_scale[hpa] = first - 1, NONE
    while cursor + 1 < end and scales.seq[cursor + 1] < index:
        cursor += 1
        if scales.own[cursor]:
            cursors.own_scale[hpa] = cursor
    cursors.scale[hpa] = cursor
    own = cursors.own_scale[hpa]
    if own != NONE and scales.seq[own] >= since:
        return own, scales.at_us[own]
    return (cursor, now_us) if cursor >= first else (NONE, now_us)


def _as_seen(scales: Scales, newest: int, target: int, facts: int) -> int:
    """The scale as it was after so many facts; the newest where nothing was known of it."""
    if newest == NONE:
        return newest
    first, row = scales.row_from[target], newest
    while row >= first and scales.seq[row] >= facts:
        row -= 1
    return row if row >= first else newest
