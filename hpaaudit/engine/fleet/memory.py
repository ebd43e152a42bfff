"""The memory of one HPA in its slots: what is added, tried and taken back, and how all of it is forgotten."""

from hpaaudit.engine.fleet.tape import NONE, Ints, Made, Remembered, Tape, Terms
from hpaaudit.engine.fleet.told import NULL, UNBENT
from hpaaudit.engine.rules.published import KEPT, REPLACED, followed
from hpaaudit.engine.rules.remember import slot_of

ONLY_EVENTS = 4
"""So many extremes are recommendations; then comes a scale event of each direction."""


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


def remember(memory: Remembered, hpa: int, terms: Terms, row: int, before: int, after: int, now_us: int) -> None:
    """Keep a scale event; a write of the same number counts as a scale-down by nothing."""
    if after > before:
        begin = memory.up_from[hpa]
        count = memory.ups[hpa]
        times, marks = memory.up_us[begin : begin + count], memory.up_marked[begin : begin + count]
        slot = slot_of(times, marks, count, now_us, terms.up_longest_us[row])
        for index in range(count):
            memory.up_marked[begin + index] = marks[index]
        memory.ups[hpa] = max(count, slot + 1)
        memory.up_change[begin + slot] = after - before
        memory.up_us[begin + slot] = now_us
        memory.up_marked[begin + slot] = 0
    else:
        begin = memory.down_from[hpa]
        count = memory.downs[hpa]
        times, marks = memory.down_us[begin : begin + count], memory.down_marked[begin : begin + count]
        slot = slot_of(times, marks, count, now_us, terms.down_longest_us[row])
        for index in range(count):
            memory.down_marked[begin + index] = marks[index]
        memory.downs[hpa] = max(count, slot + 1)
        memory.down_change[begin + slot] = before - after
        memory.down_us[begin + slot] = now_us
        memory.down_marked[begin + slot] = 0


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
    """Add the n-th extreme of what may have been before somebody looked; as `engine.unknown.extremes`."""
    if nth < ONLY_EVENTS:
        replicas = maximum + 1
        if nth == 1:
            replicas = maximum
        elif nth == 2:  # noqa: PLR2004 (extremes are counted)
            replicas = 0
        elif nth == 3:  # noqa: PLR2004
            replicas = published
        memory.known[slots] = 1
        recommend(memory, slots, NONE, replicas, at_us)
    elif nth == ONLY_EVENTS:
        place = memory.up_from[slots] + memory.ups[slots]
        memory.ups[slots] += 1
        memory.up_change[place], memory.up_us[place], memory.up_marked[place] = maximum, at_us, 0
    else:
        place = memory.down_from[slots] + memory.downs[slots]
        memory.downs[slots] += 1
        memory.down_change[place], memory.down_us[place], memory.down_marked[place] = maximum, at_us, 0


def remember_shifted(memory: Remembered, slots: int, by_us: int) -> None:
    """Everything as it is, but made earlier or later; as `engine.unknown.shifted`."""
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
    if statuses.unbent[published] == UNBENT and made.raw[at] != NULL and memory.known[slots]:
        begin = memory.recommended_from[slots]
        for place in range(begin, begin + memory.recommended[slots]):
            if memory.replicas_us[place] == now_us:
                memory.replicas[place] = said
    if made.scale[at] == NONE:
        return
    current, desired = tape.scales.spec_replicas[made.scale[at]], made.desired[at]
    scaled_us = statuses.scaled_us[published]
    scaled = scaled_us != NULL and scaled_us != statuses.scaled_us[old]
    told = followed(scaled, said, statuses.current[published], desired, current, desired != current)
    if told != KEPT:
        scales_as_before(memory, before, slots)
    if told == REPLACED and tape.terms.behavior[row]:
        remember(memory, slots, tape.terms, row, current, said, now_us)
