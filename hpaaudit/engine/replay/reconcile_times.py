"""Infers when one HPA was reconciled, for recordings without `reconcile` lines.

Evidence gives exact times: a status write, an Event, a write of the scale. Between two of these the reconciles are
spaced evenly, as many as leave a sync period between any two. These times are uncertain by half a period. Before the
first evidence and after the last one they go on in steps of a period. A controller process reconciles nothing before a
period has gone by since its start. Nothing is inferred so near the end that it may have taken place after it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from hpaaudit.engine.replay.sync_period import SEEN_LATE
from hpaaudit.errors import ReplayError
from hpaaudit.model.units import SECOND, Micros

# The kinds of evidence, the strongest first. GRID is none: the time was inferred. WATCH: the HPA changed, and the
# controllers of 1.2 to 1.5 reconcile it then.
STATUS_WRITE = 0
EVENT = 1
SCALE_WRITE = 2
GRID = 3
WATCH = 4
NOWHERE = -1
SOURCES = ("status_write", "event", "scale_write", "grid", "watch")
EVENT_LATE_US = 2 * SECOND
"""An Event is seen up to so long after the write of which it tells."""
SEEN_LATE_US = 5 * SECOND
"""One watch shows what a reconcile wrote up to so long after the watch of another kind shows what it wrote there."""
WRITTEN_LATE_US = SECOND
"""A reconcile has written its status so long after it began."""
MOST = 10_000_000
"""At most so many reconciles of one HPA: nearly five years with one every 15 seconds."""


class Evidence(NamedTuple):
    """Evidence of one reconcile: when, how many facts stood before it (NOWHERE if that is not known), and its kind."""

    at_us: int
    facts: int
    source: int


def merged(evidence: Iterable[Evidence], period_us: int) -> list[Evidence]:
    """The evidence of each reconcile as one: the earliest time and number of facts, the strongest source.

    A reconcile writes its status at most once, so each status is evidence of another one, however near they are. From
    1.2 to 1.5 an HPA was reconciled again at once after its status was written.

    The controller sends an Event without waiting for it, after the write that it tells of: on a busy machine it is seen
    much later than that. An Event alone so soon after other evidence is none of another reconcile. Nor is a write of a
    scale, or the first status: a busy API server shows one of them late. What other evidence follows at once is its.
    """
    within_us = min(SECOND, period_us * 2 // 5)
    event_within_us, late_within_us = min(EVENT_LATE_US, period_us * 4 // 5), min(SEEN_LATE_US, period_us * 4 // 5)
    groups: list[Evidence] = []
    kinds: set[int] = set()
    traces = sorted(evidence)
    for place, trace in enumerate(traces):
        first = groups[-1] if groups else None
        is_followed = place + 1 < len(traces) and traces[place + 1].at_us - trace.at_us <= within_us
        if trace.source == EVENT:
            longest_us = event_within_us
        elif trace.source in kinds or (is_followed and trace.source == SCALE_WRITE):
            longest_us = within_us
        else:
            longest_us = late_within_us
        is_other = trace.source == STATUS_WRITE and STATUS_WRITE in kinds
        if first is not None and trace.at_us - first.at_us <= longest_us and not is_other:
            groups[-1] = Evidence(first.at_us, min(first.facts, trace.facts), min(first.source, trace.source))
            kinds.add(trace.source)
        else:
            groups.append(trace)
            kinds = {trace.source}
    return groups


def reconcile_times(
    evidence: Sequence[Evidence],
    born_us: int,
    end_us: int,
    period_us: int,
    *,
    newborn: bool,
    starts: Sequence[int] = (),
) -> list[Evidence]:
    """The reconciles of one HPA from the first time that it was seen to its end; those without evidence are NOWHERE.

    newborn   the HPA was created while it was watched: its first reconcile comes a period later
    starts    when a new controller process took over, in order

    Raises ReplayError if there are more than anybody waits for: no recorder saw all that time.
    """
    if (end_us - born_us) // period_us > MOST:
        days = (end_us - born_us) // (24 * 3600 * SECOND)
        raise ReplayError(f"an HPA was reconciled for {days:,} days, which is too long: replay a part with --until")
    times: list[Evidence] = []
    previous: int | None = born_us if newborn else None
    for trace in evidence:
        between: Sequence[int]
        if previous is None:
            between = _before(trace.at_us, born_us, period_us, starts)
        else:
            between = _between(previous, trace.at_us, period_us, starts)
        times += [Evidence(at_us, NOWHERE, GRID) for at_us in between]
        times.append(trace)
        previous = trace.at_us
    last_us = born_us if previous is None else previous
    # A process that takes over after the end of the HPA finds nothing to reconcile.
    for start in (start for start in starts if last_us < start <= end_us):
        times += [Evidence(at_us, NOWHERE, GRID) for at_us in _until(last_us, start, period_us)]
        last_us = start
    written_us = end_us - period_us // 2 - WRITTEN_LATE_US
    times += [Evidence(at_us, NOWHERE, GRID) for at_us in _until(last_us, written_us, period_us)]
    return times


@dataclass(frozen=True, slots=True, kw_only=True)
class Processes:
    """When controller processes took over, and when one was seen to stop; both in order."""

    starts: Sequence[Micros] = ()
    stops: Sequence[Micros] = ()


def while_running(times: Sequence[Evidence], processes: Processes) -> list[Evidence]:
    """The reconciles without those of which only the period tells, from a stop to the next sign of a process."""
    kept = list(times)
    for stop_us in processes.stops:
        signs: list[int] = [at_us for at_us in processes.starts if at_us > stop_us]
        signs += [trace.at_us for trace in times if trace.at_us > stop_us and trace.source not in (GRID, WATCH)]
        until_us = min(signs, default=inf)
        kept = [trace for trace in kept if trace.source not in (GRID, WATCH) or not stop_us < trace.at_us < until_us]
    return kept


def _before(first_us: int, born_us: int, period_us: int, starts: Sequence[int]) -> list[int]:
    for start in starts:
        if born_us < start < first_us:
            return [*_before(start, born_us, period_us, ()), *_between(start, first_us, period_us, starts)]
    count = (first_us - born_us) // period_us
    return [first_us - step * period_us for step in range(count, 0, -1)]


def _until(earlier_us: int, end_us: int, period_us: int) -> Sequence[int]:
    return range(earlier_us + period_us, end_us, period_us)


def _between(earlier_us: int, later_us: int, period_us: int, starts: Sequence[int]) -> Sequence[int]:
    for start in starts:
        if earlier_us < start < later_us:
            ended = _until(earlier_us, start, period_us)
            return [*ended, *_between(start, later_us, period_us, starts)]
    steps = max(int((later_us - earlier_us) / period_us + SEEN_LATE), 1)
    return [earlier_us + (later_us - earlier_us) * step // steps for step in range(1, steps)]
