"""Walks the columns of a slice and decides every pass of some HPAs, one HPA after the other.

The same source runs as CPython over lists and, compiled, over arrays. Where a line tells of the pass, it saw the
newest of everything; where only its status was published, everything that it may have seen is tried, as by
`engine.replay`.
"""

from hpaaudit.engine.fleet.look import look
from hpaaudit.engine.fleet.memory import (
    ONLY_EVENTS,
    follow,
    forget,
    remember_as_before,
    remember_extreme,
    remember_shifted,
)
from hpaaudit.engine.fleet.tape import NONE, Cursors, Ints, Made, Proposed, Release, Remembered, Scales, Tape, View
from hpaaudit.engine.fleet.told import (
    ASSUMED,
    EDGE,
    MEMORY,
    NOTHING_MISSING,
    NULL,
    PROVEN,
    SAMPLE,
    SEEN,
)
from hpaaudit.engine.fleet.tried import (
    answers,
    cleared,
    fits_inputs,
    fits_memory,
    later_of,
    may_be_held,
    may_be_moved,
    unread,
    unread_of,
)
from hpaaudit.engine.rules.reason import STALE_CACHE

# What of a pass is tried, one after the other; the last is what stays.
INPUTS = 0
UNREAD = 1
BEFORE = 2
MOMENT = 3
LAST = 4

EXTREMES = ONLY_EVENTS + 2
SHIFTS = 2


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
    if release.stale_cache_skips and _is_stale(tape, memory, cursors, hpa, state, index):
        made.state[at], made.status_desired[at] = state, tape.statuses.desired[hpas.status[state]]
        made.terms[at], made.reason[at] = hpas.terms[state], STALE_CACHE
        return
    published, row = passes.published[at], hpas.terms[state]
    newest, scale_us = _scale(scales, cursors, hpa, hpas.target[state], index, since, now_us)
    tried, before = len(passes.row_from) + hpa, 2 * len(passes.row_from) + hpa
    oldest, lagging = newest, passes.earlier[at]
    kind, nth, slots = LAST, 0, hpa
    following, options, scale, pods, ways = 0, 1, newest, index, 0
    view = View(newest, scale_us, index, 0, 0, since)
    chosen = view
    is_proven, blank, lowest, highest, only = False, False, NULL, NULL, NULL
    missing, moved = NOTHING_MISSING, False
    if published != NONE:
        kind, slots = INPUTS, tried
        remember_as_before(memory, hpa, before)
        moved = may_be_moved(tape, memory, before, row, now_us)
        oldest = _as_seen(scales, newest, hpas.target[state], lagging)
    while True:
        if kind != LAST:
            remember_as_before(memory, before, tried)
        if kind == INPUTS:
            if nth == 0:
                following, options = answers(tape, cursors, row, scale, index, now_us, passes.reach_us[at])
            view = View(scale, scale_us, pods, later_of(tape, row, following, nth), 0, since)
        elif kind == UNREAD:
            view = View(newest, scale_us, index, 0, unread_of(ways, nth), since)
        elif kind == BEFORE:
            remember_extreme(
                memory, tried, nth, tape.terms.maximum[row], tape.statuses.desired[published], memory.unseen_us[hpa]
            )
        elif kind == MOMENT:
            remember_shifted(memory, tried, (nth * 2 - 1) * (tape.period_us // 2))
        if published != NONE:
            cleared(made, at)
        shown = look(tape, release, memory, cursors, made, proposed, slots, at, state, view)
        if kind == LAST:
            break
        desired = made.desired[at]
        counts = True
        if kind in (INPUTS, UNREAD):
            fits = fits_inputs(tape, release, made, proposed, at, shown)
            if fits and not is_proven:
                is_proven, blank, lowest, highest, chosen = True, False, NULL, NULL, view
            counts = fits == is_proven if kind == INPUTS else fits
        else:
            counts = fits_memory(tape, made, at)
            if counts and missing == NOTHING_MISSING and desired != only:
                missing = MEMORY if kind == BEFORE else EDGE
        if counts:
            blank = blank or desired == NULL
            lowest = desired if lowest == NULL or (desired != NULL and desired < lowest) else lowest
            highest = desired if highest == NULL or desired > highest else highest
        nth += 1
        if kind == INPUTS and nth == options:
            nth = 0
            if pods == index and lagging < index:
                pods = lagging
            elif scale == newest and oldest != newest:
                scale, pods = oldest, index
            else:
                kind, ways = UNREAD, 0 if is_proven else unread(tape, row, newest)
        if kind == UNREAD and nth == ways:
            only = lowest
            if lowest != highest or (blank and lowest != NULL):
                missing = SAMPLE
            kind, nth, view = BEFORE, 0, chosen
        while kind == BEFORE and nth < EXTREMES and not may_be_held(tape, memory, hpa, row, nth, now_us):
            nth += 1
        if kind == BEFORE and nth == EXTREMES:
            kind, nth = MOMENT, 0
        if kind == MOMENT and (nth == SHIFTS or not moved):
            kind, slots = LAST, hpa
    if published == NONE:
        made.band_lo[at] = made.band_hi[at] = made.desired[at]
        made.evidence[at], made.missing[at] = SEEN, NOTHING_MISSING
        return
    made.band_lo[at], made.band_hi[at] = lowest, highest
    made.evidence[at], made.missing[at] = PROVEN if is_proven else ASSUMED, missing
    follow(tape, memory, made, at, hpa, before)
    if not is_proven and not tape.statuses.unbent[published]:
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
