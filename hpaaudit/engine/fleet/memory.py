"""The memory of one HPA in its slots: what is added, and how all of it is forgotten."""

from hpaaudit.engine.fleet.tape import NONE, Remembered, Terms
from hpaaudit.engine.rules.remember import slot_of


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
