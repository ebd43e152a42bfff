"""Infers when one HPA was reconciled by the controllers of 1.2 to 1.5, for recordings without `reconcile` lines.

They reconcile an HPA as soon as their watch brings it, whoever changed it: also after each of their own status writes
that changed something. Besides, every HPA is reconciled at each resync, once a period. There is one worker, and its
reconciles do not overlap. So a status that changes before the next resync was written by the reconcile that the change
before it caused; any other was written by that of a resync.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from operator import attrgetter
from typing import NamedTuple

from hpaaudit.engine.replay.reconcile_times import (
    EVENT_LATE_US,
    NOWHERE,
    STATUS_WRITE,
    WATCH,
    Evidence,
    reconcile_times,
)


class Seen(NamedTuple):
    """A state of the HPA that the watch brought: when, after how many facts, and whether its status is another one."""

    at_us: int
    facts: int
    is_status: bool


def watched_times(
    states: Sequence[Seen],
    evidence: Sequence[Evidence],
    end_us: int,
    period_us: int,
    *,
    newborn: bool,
    starts: Sequence[int] = (),
) -> list[Evidence]:
    """The reconciles of one HPA, in order; those without evidence of their own are WATCH, or NOWHERE at a resync.

    states      every state that was seen, the first one first;  evidence   merged
    newborn     it was created while it was watched, and reconciled at once
    """
    born_us = states[0].at_us
    caused = _begun(_caused(states, period_us, newborn=newborn), evidence)
    caused += [Evidence(start_us, NOWHERE, WATCH) for start_us in starts if born_us < start_us < end_us]
    written = {trace.facts for trace in caused if trace.source == STATUS_WRITE}
    resynced = [
        trace
        for trace in evidence
        if trace.facts not in written and not (trace.source != STATUS_WRITE and _is_near(trace, caused))
    ]
    first_us = _last_resync(born_us, period_us, starts)
    resyncs = _one_a_resync(resynced, period_us)
    times = reconcile_times(resyncs, first_us, end_us, period_us, newborn=False, starts=starts)
    return sorted((*caused, *(trace for trace in times if trace.at_us > born_us)), key=_order)


def _order(trace: Evidence) -> tuple[int, bool, int]:
    """By time; at one instant by the facts before it, and last what has no evidence."""
    return trace.at_us, trace.facts == NOWHERE, trace.facts


def _caused(states: Sequence[Seen], period_us: int, *, newborn: bool) -> Iterator[Evidence]:
    """The reconcile that each state caused, as the status that it wrote where it changed one."""
    # The first state of an HPA that was there before is the recorder's first look, and no change.
    changes = states if newborn else states[1:]
    for state, following in zip_longest(changes, changes[1:]):
        if following is not None and following.is_status and following.at_us - state.at_us < period_us // 2:
            yield Evidence(following.at_us, following.facts, STATUS_WRITE)
        else:
            yield Evidence(state.at_us, state.facts + 1, WATCH)


def _begun(caused: Iterable[Evidence], evidence: Sequence[Evidence]) -> list[Evidence]:
    """The same, each status write with all evidence of its reconcile: a write of the scale stands before it."""
    statuses = sorted((trace for trace in evidence if trace.source == STATUS_WRITE), key=attrgetter("facts"))
    facts = [trace.facts for trace in statuses]
    return [
        statuses[bisect_right(facts, trace.facts) - 1] if trace.source == STATUS_WRITE and facts else trace
        for trace in caused
    ]


def _is_near(trace: Evidence, caused: Sequence[Evidence]) -> bool:
    """True if an Event or a write of the scale tells of a reconcile that a change caused."""
    return any(abs(trace.at_us - other.at_us) <= EVENT_LATE_US for other in caused)


def _one_a_resync(evidence: Sequence[Evidence], period_us: int) -> list[Evidence]:
    """The evidence of each resync as one."""
    resyncs: list[Evidence] = []
    for trace in evidence:
        if resyncs and trace.at_us - resyncs[-1].at_us < period_us // 2:
            before = resyncs[-1]
            resyncs[-1] = Evidence(before.at_us, min(before.facts, trace.facts), min(before.source, trace.source))
        else:
            resyncs.append(trace)
    return resyncs


def _last_resync(born_us: int, period_us: int, starts: Sequence[int]) -> int:
    """The last resync before an HPA was seen first: they are whole periods after the start of the process."""
    before = [start_us for start_us in starts if start_us <= born_us]
    return before[-1] + (born_us - before[-1]) // period_us * period_us if before else born_us
