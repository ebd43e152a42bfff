"""What the controller remembers of an HPA, over columns: slots that are filled, copied, tried and forgotten."""

from hpaaudit.engine.fleet.columns.batch import NONE, Ints, ResolvedSpecs
from hpaaudit.engine.fleet.columns.column_codes import NULL
from hpaaudit.engine.fleet.columns.kernel_state import MemorySlots, Run
from hpaaudit.engine.rules.candidates import extreme_of
from hpaaudit.engine.rules.limit import ScaleEventHistory, ScaleEvents
from hpaaudit.engine.rules.normalize import Remembered
from hpaaudit.engine.rules.published_status import (
    EVENT_KEPT,
    EVENT_REPLACED,
    RECOMMENDATION_PUBLISHED,
    scale_event_outcome,
    shows_scale,
)
from hpaaudit.engine.rules.scale_events import DOWN_EVENT, UP_EVENT, event_of, slot_of
from hpaaudit.engine.rules.stabilize import Recommendations
from hpaaudit.engine.rules.unseen_memory import extreme_recommendation, shift_us


def forget(memory: MemorySlots, slots: int) -> None:
    """Forgets everything, as a process that never saw the HPA."""
    memory.has_recommendations[slots] = 0
    memory.cached_seq[slots] = NONE
    memory.recommendations[slots] = 0
    memory.ups[slots] = 0
    memory.downs[slots] = 0


def remember_recommendation(memory: MemorySlots, slots: int, slot: int, replicas: int, at_us: int) -> None:
    """Keeps a recommendation in a slot, NONE for a new one."""
    if slot == NONE:
        slot = memory.recommendations[slots]
        memory.recommendations[slots] = slot + 1
    index = memory.recommendation_from[slots] + slot
    memory.recommended[index] = replicas
    memory.recommended_us[index] = at_us


def remembered_in(memory: MemorySlots, slots: int) -> Remembered:
    """The memory in one row of slots, as the rules take it."""
    first, end = memory.recommendation_from[slots], memory.recommendation_from[slots] + memory.recommendations[slots]
    up, down = memory.up_from[slots], memory.down_from[slots]
    return Remembered(
        Recommendations(memory.recommended[first:end], memory.recommended_us[first:end]),
        ScaleEventHistory(
            ScaleEvents(memory.up_change, memory.up_us, up, up + memory.ups[slots]),
            ScaleEvents(memory.down_change, memory.down_us, down, down + memory.downs[slots]),
        ),
    )


def remember_scale(run: Run, slots: int, spec: int, before: int, after: int, now_us: int) -> None:
    """Keeps a scale event, if a write leaves one; as `controller.remember`."""
    memory, specs = run.memory, run.batch.specs
    event, change = event_of(specs.has_behavior[spec] != 0, before, after), abs(after - before)
    if event == UP_EVENT:
        slot = _up_slot(memory, slots, specs, spec, now_us)
        memory.ups[slots] = max(memory.ups[slots], slot + 1)
        _store_up(memory, slots, slot, change, now_us)
    elif event == DOWN_EVENT:
        slot = _down_slot(memory, slots, specs, spec, now_us)
        memory.downs[slots] = max(memory.downs[slots], slot + 1)
        _store_down(memory, slots, slot, change, now_us)


def _up_slot(memory: MemorySlots, slots: int, specs: ResolvedSpecs, spec: int, now_us: int) -> int:
    """The slot for a new scale-up."""
    first, end = memory.up_from[slots], memory.up_from[slots] + memory.ups[slots]
    return _slot(memory.up_us[first:end], memory.up_outdated, first, now_us, specs.up_longest_us[spec])


def _down_slot(memory: MemorySlots, slots: int, specs: ResolvedSpecs, spec: int, now_us: int) -> int:
    """The slot for a new scale-down."""
    first, end = memory.down_from[slots], memory.down_from[slots] + memory.downs[slots]
    return _slot(memory.down_us[first:end], memory.down_outdated, first, now_us, specs.down_longest_us[spec])


def _slot(times_us: Ints, outdated: Ints, first: int, now_us: int, longest_us: int) -> int:
    """The slot for a new scale event; marks outdated ones on the way."""
    count = len(times_us)
    marks = outdated[first : first + count]
    slot = slot_of(times_us, marks, now_us, longest_us)
    for index in range(count):
        outdated[first + index] = marks[index]  # a slice of a list is a copy
    return slot


def _store_up(memory: MemorySlots, slots: int, slot: int, change: int, at_us: int) -> None:
    index = memory.up_from[slots] + slot
    memory.up_change[index], memory.up_us[index], memory.up_outdated[index] = change, at_us, 0


def _store_down(memory: MemorySlots, slots: int, slot: int, change: int, at_us: int) -> None:
    index = memory.down_from[slots] + slot
    memory.down_change[index], memory.down_us[index], memory.down_outdated[index] = change, at_us, 0


def copy_memory(memory: MemorySlots, slots: int, other: int) -> None:
    """Copies the memory in one row of slots to another."""
    memory.has_recommendations[other] = memory.has_recommendations[slots]
    count, first = memory.recommendations[slots], memory.recommendation_from[slots]
    there = memory.recommendation_from[other]
    memory.recommendations[other] = count
    for index in range(count):
        memory.recommended[there + index] = memory.recommended[first + index]
        memory.recommended_us[there + index] = memory.recommended_us[first + index]
    copy_scale_events(memory, slots, other)


def copy_scale_events(memory: MemorySlots, slots: int, other: int) -> None:
    """Copies only the scale events."""
    ups, downs = memory.ups[slots], memory.downs[slots]
    memory.ups[other], memory.downs[other] = ups, downs
    first, there = memory.up_from[slots], memory.up_from[other]
    for index in range(ups):
        memory.up_change[there + index] = memory.up_change[first + index]
        memory.up_us[there + index] = memory.up_us[first + index]
        memory.up_outdated[there + index] = memory.up_outdated[first + index]
    first, there = memory.down_from[slots], memory.down_from[other]
    for index in range(downs):
        memory.down_change[there + index] = memory.down_change[first + index]
        memory.down_us[there + index] = memory.down_us[first + index]
        memory.down_outdated[there + index] = memory.down_outdated[first + index]


def add_extreme(run: Run, slots: int, nth: int, spec: int, published: int, at_us: int) -> None:
    """Adds the n-th extreme of unknown memory; as `replay.unseen_memory.extreme`."""
    memory, maximum = run.memory, run.batch.specs.maximum[spec]
    recommendation, event = extreme_of(nth)
    if recommendation >= 0:
        memory.has_recommendations[slots] = 1
        desired = run.batch.statuses.desired[published]
        remember_recommendation(memory, slots, NONE, extreme_recommendation(recommendation, maximum, desired), at_us)
    if event == 1:
        memory.ups[slots] += 1
        _store_up(memory, slots, memory.ups[slots] - 1, maximum, at_us)
    elif event > 1:
        memory.downs[slots] += 1
        _store_down(memory, slots, memory.downs[slots] - 1, maximum, at_us)


def shift_memory(memory: MemorySlots, slots: int, nth: int, sync_period_us: int) -> None:
    """Moves everything to the n-th shift of time; as `replay.unseen_memory.shifted`."""
    by_us = shift_us(nth, sync_period_us)
    _shift(memory.recommended_us, memory.recommendation_from[slots], memory.recommendations[slots], by_us)
    _shift(memory.up_us, memory.up_from[slots], memory.ups[slots], by_us)
    _shift(memory.down_us, memory.down_from[slots], memory.downs[slots], by_us)


def _shift(times_us: Ints, first: int, count: int, by_us: int) -> None:
    for index in range(first, first + count):
        times_us[index] += by_us


def follow_published(run: Run, at: int, slots: int, before: int) -> None:
    """Corrects the memory by the status that was published; as `replay.memory_correction`.

    before   the row of slots with the memory as it was before the reconcile
    """
    statuses, decisions, reconciles = run.batch.statuses, run.decisions, run.batch.reconciles
    published, old = reconciles.published[at], run.batch.hpas.status[decisions.hpa_state[at]]
    published_desired, now_us = statuses.desired[published], reconciles.at_us[at]
    is_published = statuses.recommendation[published] == RECOMMENDATION_PUBLISHED
    if is_published and run.memory.has_recommendations[slots]:
        if decisions.raw_desired[at] == NULL:
            remember_recommendation(run.memory, slots, NONE, published_desired, now_us)
        elif decisions.raw_desired[at] != published_desired:
            _correct_recommendation(run.memory, slots, published_desired, now_us)
    if decisions.scale[at] == NONE:
        return
    current = run.batch.scales.spec_replicas[decisions.scale[at]]
    scaled = shows_scale(statuses.last_scale_us[published], statuses.last_scale_us[old])
    fate = scale_event_outcome(scaled, published_desired, statuses.current[published], decisions.desired[at], current)
    if fate != EVENT_KEPT:
        copy_scale_events(run.memory, before, slots)
    if fate == EVENT_REPLACED:
        remember_scale(run, slots, decisions.spec[at], current, published_desired, now_us)


def _correct_recommendation(memory: MemorySlots, slots: int, replicas: int, now_us: int) -> None:
    """Replaces the recommendation that this reconcile made: the last entry with its time."""
    first = memory.recommendation_from[slots]
    own = first + memory.recommendations[slots] - 1
    while own >= first and memory.recommended_us[own] != now_us:
        own -= 1
    if own >= first:
        memory.recommended[own] = replicas
