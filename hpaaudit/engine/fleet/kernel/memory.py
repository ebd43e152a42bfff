"""The memory of one HPA in its slots: what is added, tried and taken back, and how all of it is forgotten."""

from hpaaudit.engine.fleet.columns.codes import NULL
from hpaaudit.engine.fleet.columns.tables import NONE, Ints, Made, Remembered, Tape, Terms
from hpaaudit.engine.rules.candidates import RECOMMENDATIONS
from hpaaudit.engine.rules.limit import ScaleEvents
from hpaaudit.engine.rules.normalize import Past
from hpaaudit.engine.rules.published_status import KEPT, REPLACED, UNBENT, followed, tells_scale
from hpaaudit.engine.rules.scale_events import DOWN_EVENT, UP_EVENT, event_of, slot_of
from hpaaudit.engine.rules.stabilize import Recommendations
from hpaaudit.engine.rules.unseen_memory import extreme_recommendation, shift_us


def forget(memory: Remembered, hpa: int) -> None:
    """As a process that never saw the HPA."""
    memory.known[hpa] = 0
    memory.recommended[hpa] = 0
    memory.ups[hpa] = 0
    memory.downs[hpa] = 0


def recommend(memory: Remembered, hpa: int, slot: int, replicas: int, at_us: int) -> None:
    """Keep a recommendation in a slot that is free, NONE for a new one."""
    if slot == NONE:
        slot = memory.recommended[hpa]
        memory.recommended[hpa] = slot + 1
    place = memory.recommended_from[hpa] + slot
    memory.replicas[place] = replicas
    memory.replicas_us[place] = at_us


def past_of(memory: Remembered, slots: int) -> Past:
    """The slots of one row that are taken."""
    first, end = memory.recommended_from[slots], memory.recommended_from[slots] + memory.recommended[slots]
    up, down = memory.up_from[slots], memory.down_from[slots]
    return Past(
        Recommendations(memory.replicas[first:end], memory.replicas_us[first:end]),
        ScaleEvents(memory.up_change, memory.up_us, up, up + memory.ups[slots]),
        ScaleEvents(memory.down_change, memory.down_us, down, down + memory.downs[slots]),
    )


def remember(memory: Remembered, hpa: int, terms: Terms, row: int, before: int, after: int, now_us: int) -> None:
    """Keep a scale event, if a write leaves one; as `engine.remember`."""
    event, change = event_of(terms.behavior[row] != 0, before, after), abs(after - before)
    if event == UP_EVENT:
        begin, count = memory.up_from[hpa], memory.ups[hpa]
        slot = _slot(memory.up_us, memory.up_marked, begin, count, now_us, terms.up_longest_us[row])
        memory.ups[hpa] = max(count, slot + 1)
        _store(memory.up_change, memory.up_us, memory.up_marked, begin + slot, change, now_us)
    elif event == DOWN_EVENT:
        begin, count = memory.down_from[hpa], memory.downs[hpa]
        slot = _slot(memory.down_us, memory.down_marked, begin, count, now_us, terms.down_longest_us[row])
        memory.downs[hpa] = max(count, slot + 1)
        _store(memory.down_change, memory.down_us, memory.down_marked, begin + slot, change, now_us)


def _slot(times_us: Ints, marks: Ints, begin: int, count: int, now_us: int, longest_us: int) -> int:
    """The slot for a new scale event; marks what is outdated."""
    marked = marks[begin : begin + count]
    slot = slot_of(times_us[begin : begin + count], marked, now_us, longest_us)
    for index in range(count):
        marks[begin + index] = marked[index]  # a slice of a list is a copy
    return slot


def _store(changes: Ints, times_us: Ints, marks: Ints, place: int, change: int, now_us: int) -> None:
    changes[place], times_us[place], marks[place] = change, now_us, 0


def remember_as_before(memory: Remembered, slots: int, other: int) -> None:
    """Make the memory in one row that of another."""
    memory.known[other] = memory.known[slots]
    count, begin, there = memory.recommended[slots], memory.recommended_from[slots], memory.recommended_from[other]
    memory.recommended[other] = count
    for place in range(count):
        memory.replicas[there + place] = memory.replicas[begin + place]
        memory.replicas_us[there + place] = memory.replicas_us[begin + place]
    scales_as_before(memory, slots, other)


def scales_as_before(memory: Remembered, slots: int, other: int) -> None:
    """The same for scale events alone."""
    ups, downs = memory.ups[slots], memory.downs[slots]
    memory.ups[other], memory.downs[other] = ups, downs
    begin, there = memory.up_from[slots], memory.up_from[other]
    _copy(memory.up_change, memory.up_us, memory.up_marked, begin, there, ups)
    begin, there = memory.down_from[slots], memory.down_from[other]
    _copy(memory.down_change, memory.down_us, memory.down_marked, begin, there, downs)


def _copy(changes: Ints, times_us: Ints, marks: Ints, begin: int, there: int, count: int) -> None:
    """Copy so many scale events from one place to another."""
    for place in range(count):
        changes[there + place] = changes[begin + place]
        times_us[there + place] = times_us[begin + place]
        marks[there + place] = marks[begin + place]


def remember_extreme(memory: Remembered, slots: int, nth: int, maximum: int, published: int, at_us: int) -> None:
    """Add the n-th extreme of what may have been before somebody looked; as `engine.unknown.extreme`."""
    if nth < RECOMMENDATIONS:
        memory.known[slots] = 1
        recommend(memory, slots, NONE, extreme_recommendation(nth, maximum, published), at_us)
    elif nth == RECOMMENDATIONS:
        place = memory.up_from[slots] + memory.ups[slots]
        memory.ups[slots] += 1
        _store(memory.up_change, memory.up_us, memory.up_marked, place, maximum, at_us)
    else:
        place = memory.down_from[slots] + memory.downs[slots]
        memory.downs[slots] += 1
        _store(memory.down_change, memory.down_us, memory.down_marked, place, maximum, at_us)


def remember_shifted(memory: Remembered, slots: int, nth: int, period_us: int) -> None:
    """Everything as it is, but made earlier or later; as `engine.unknown.shifted`."""
    by_us = shift_us(nth, period_us)
    _shift(memory.replicas_us, memory.recommended_from[slots], memory.recommended[slots], by_us)
    _shift(memory.up_us, memory.up_from[slots], memory.ups[slots], by_us)
    _shift(memory.down_us, memory.down_from[slots], memory.downs[slots], by_us)


def _shift(times_us: Ints, begin: int, count: int, by_us: int) -> None:
    for place in range(begin, begin + count):
        times_us[place] += by_us


def follow(tape: Tape, memory: Remembered, made: Made, at: int, slots: int, before: int) -> None:
    """Memory follows reality, as `engine.follow`."""
    statuses, passes, row = tape.statuses, tape.passes, made.terms[at]
    published, old, now_us = passes.published[at], tape.hpas.status[made.state[at]], passes.at_us[at]
    said = statuses.desired[published]
    if statuses.bend[published] == UNBENT and made.raw[at] != NULL and memory.known[slots]:
        begin = memory.recommended_from[slots]
        for place in range(begin, begin + memory.recommended[slots]):
            if memory.replicas_us[place] == now_us:
                memory.replicas[place] = said
    if made.scale[at] == NONE:
        return
    current, desired = tape.scales.spec_replicas[made.scale[at]], made.desired[at]
    scaled = tells_scale(statuses.scaled_us[published], statuses.scaled_us[old])
    told = followed(scaled, said, statuses.current[published], desired, current)
    if told != KEPT:
        scales_as_before(memory, before, slots)
    if told == REPLACED:
        remember(memory, slots, tape.terms, row, current, said, now_us)
